"""Train RLlib's PPO with several env runners on compiled tables, and measure the policy exactly.

In the environment of docs/cluster.md:  python examples/rllib_ppo.py [--iterations 60] [--runners 2]
"""

import argparse
import time

import ray

from bj_env import exact_value, load_policy, parse_rules
from bj_env.analysis.policy_value import best_total_dependent
from bj_env.rllib import COMPILED, PPOConfig, masked_module, save_policy

GAME = {"rules": "six-deck", "seats": ("agent",)}


def configured(runners: int) -> PPOConfig:
    """Return PPO on 2 x 64 tables, with the last rate of learning low so that the policy settles."""
    config = PPOConfig().environment(COMPILED, env_config=GAME)
    config = config.env_runners(
        num_env_runners=runners,
        num_envs_per_env_runner=64,
        gym_env_vectorize_mode="vector_entry_point",
        rollout_fragment_length=128,
        sample_timeout_s=600,  # the first sample waits for the engine to be compiled
    )
    config = config.rl_module(rl_module_spec=masked_module())
    return config.training(
        train_batch_size_per_learner=64 * 128 * runners,
        minibatch_size=2048,
        num_epochs=6,
        lr=[[0, 1e-3], [600_000, 3e-4], [1_000_000, 3e-5]],
        gamma=1.0,
        lambda_=1.0,
        entropy_coeff=0.003,
        grad_clip=0.5,
    )


def main() -> None:
    """Train, save, and print the exact regret."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--out", default="runs/rllib-ppo/policy")
    options = parser.parse_args()
    ray.init(num_cpus=options.runners + 1, include_dashboard=False, log_to_driver=False)
    algorithm = configured(options.runners).build_algo()
    rules, start = parse_rules(GAME["rules"]), time.monotonic()
    best = best_total_dependent(rules).ev
    for iteration in range(1, options.iterations + 1):
        result = algorithm.train()
        if iteration % 10 and iteration < options.iterations:
            continue
        save_policy(options.out, algorithm.get_module(), **GAME)
        regret = best - exact_value(load_policy(options.out), rules).ev
        steps = result["env_runners"]["num_env_steps_sampled_lifetime"]
        print(f"{iteration} iterations, {steps:,.0f} steps, {time.monotonic() - start:.0f} s: regret {regret:.3%}")
    algorithm.stop()


if __name__ == "__main__":
    main()
