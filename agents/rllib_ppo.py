"""Train RLlib's PPO with several env runners on compiled tables, and measure the policy exactly.

In the environment of docs/cluster.md: ``python -m agents.rllib_ppo [--iterations 80] [--runners 2]``. It prints
lines of JSON and leaves a saved policy, which ``bj bench`` and ``bj play`` take.
"""

import argparse
import json
import time

from bj_env import exact_value, load_policy, parse_rules
from bj_env.analysis.policy_value import best_total_dependent
from bj_env.rllib import COMPILED, PPOConfig, masked_module, ray, save_policy

RULES = "six-deck"
GAME = {"rules": RULES, "seats": ("agent",)}
TABLES, STEPS = 64, 128
"""Tables of an env runner, and steps at each of them between two updates."""


def configured(runners: int, seed: int, iterations: int) -> PPOConfig:
    """Return PPO whose rate of learning falls towards the end, so that the policy settles."""
    batch = TABLES * STEPS * runners
    steps = batch * iterations
    config = PPOConfig().environment(COMPILED, env_config=GAME).debugging(seed=seed)
    config = config.env_runners(
        num_env_runners=runners,
        num_envs_per_env_runner=TABLES,
        gym_env_vectorize_mode="vector_entry_point",
        rollout_fragment_length=STEPS,
        sample_timeout_s=600,  # the first sample waits for the engine to be compiled
    )
    config = config.rl_module(rl_module_spec=masked_module())
    return config.training(
        train_batch_size_per_learner=batch,
        minibatch_size=2048,
        num_epochs=6,
        lr=[[0, 1e-3], [steps // 2, 5e-4], [steps, 1e-5]],
        gamma=1.0,
        lambda_=1.0,
        entropy_coeff=0.003,
        grad_clip=0.5,
    )


def main() -> None:
    """Train, save the policy, and print its exact regret every ten iterations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=80)
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="runs/rllib-ppo/policy", help="where the policy is saved")
    options = parser.parse_args()
    ray.init(address="local", num_cpus=options.runners, include_dashboard=False, log_to_driver=False)
    algorithm = configured(options.runners, options.seed, options.iterations).build_algo()
    rules, begun = parse_rules(RULES), time.monotonic()
    best = best_total_dependent(rules).ev
    for iteration in range(1, options.iterations + 1):
        result = algorithm.train()
        if iteration % 10 and iteration < options.iterations:
            continue
        save_policy(options.out, algorithm.get_module(), **GAME)
        steps = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        regret = best - exact_value(load_policy(options.out), rules).ev
        print(json.dumps({"steps": steps, "seconds": round(time.monotonic() - begun), "regret": regret}), flush=True)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
