"""RLlib, on Ray's current interface: environment creators, a module with action masks, and policies that come back.

The environments are registered with Ray by importing this module. `agents.rllib_ppo` is an example.

>>> config = PPOConfig().environment(SINGLE, env_config={"rules": "infinite", "seats": ("agent",)})
>>> config = config.rl_module(rl_module_spec=masked_module())
"""

from os import PathLike
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from bj_env.env.settings import Settings
from bj_env.errors import BlackjackError
from bj_env.extras import missing
from bj_env.strategies import saved_policy
from bj_env.strategies.saved_policy import Profile

try:
    import ray as ray  # the modules that need it take it from here
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig as PPOConfig
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env
except ImportError:
    raise BlackjackError(missing("ray[rllib]", "ray")) from None

KEYS = ("observations", "action_mask")
"""The names that RLlib's masked module looks for in an observation."""

SINGLE, COMPILED, MULTI = ENVIRONMENTS = ("bj_env_single", "bj_env_compiled", "bj_env_multi")
"""The names of the creators, registered with Ray by importing this module."""


def single_env(config: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """Make ``Blackjack-multi-v0`` with masks in its observations; ``config`` holds its arguments.

    >>> list(single_env({"seats": ("agent",)}).observation_space)
    ['action_mask', 'observations']
    """
    return gymnasium.make("bj_env:Blackjack-multi-v0", mask_in_observation=KEYS, **config)


def compiled_env(config: dict[str, Any]) -> VectorEnv[Any, Any, Any]:
    """Make many tables of the compiled engine with masks in their observations.

    For ``gym_env_vectorize_mode="vector_entry_point"``; ``config`` holds the arguments, and ``num_envs``.
    """
    return gymnasium.make_vec("bj_env:Blackjack-multi-v0", mask_in_observation=KEYS, **config)


def multi_env(config: dict[str, Any]) -> PettingZooEnv:
    """Make the table for several agents with masks in its observations; ``config`` holds its arguments."""
    from bj_env.multi.aec import BlackjackAEC  # only here: it takes pettingzoo

    return PettingZooEnv(BlackjackAEC(mask_in_observation=KEYS, **config))


for _name, _creator in zip(ENVIRONMENTS, (single_env, compiled_env, multi_env), strict=True):
    register_env(_name, _creator)


def masked_module(hidden: tuple[int, ...] = (64, 64), activation: str = "tanh") -> RLModuleSpec:
    """Return a module for PPO that never takes an illegal action: a network for the actions and one for the value.

    Args:
        hidden: the units of each layer.
        activation: ``"tanh"`` or ``"relu"``.
    """
    model = DefaultModelConfig(fcnet_hiddens=list(hidden), fcnet_activation=activation, vf_share_layers=False)
    return RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=model)


def save_policy(folder: str | PathLike[str], module: Any, **game: Any) -> Profile:
    """Save a trained module as a folder, which a seat, ``bj bench`` and ``bj play`` take without torch and Ray.

    Args:
        folder: where it is written.
        module: from `masked_module`, after training: ``algorithm.get_module()``.
        game: keyword arguments of ``Blackjack-multi-v0`` that it was trained on.

    Returns:
        The profile of the policy.

    Raises:
        BlackjackError: if the module has another form.
    """
    settings = Settings.checked(**game)
    layers, activation = _layers(module)
    profile = Profile(
        "network", settings.rules, len(settings.decisions), settings.bets, settings.layout.parts, activation=activation
    )
    saved_policy.save_policy(Path(folder), profile, _tensors(layers))
    return profile


def _layers(module: Any) -> tuple[list[torch.nn.Linear], str]:
    """Return the layers that lead from the observation to the score of each action, and the activation between them."""
    try:
        parts = [*module.encoder.actor_encoder.modules(), *module.pi.modules()]
    except AttributeError:
        raise BlackjackError(f"module: expected one of masked_module(), got {type(module).__name__}") from None
    activations = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}
    used = [name for name, kind in activations.items() if any(isinstance(part, kind) for part in parts)]
    if len(used) != 1:
        raise BlackjackError(f"module: expected tanh or relu between its layers, got {', '.join(used) or 'neither'}")
    return [part for part in parts if isinstance(part, torch.nn.Linear)], used[0]


def _tensors(layers: list[torch.nn.Linear]) -> dict[str, NDArray[np.float32]]:
    return {
        f"{number}.{name}": weight.detach().cpu().numpy().copy()
        for number, layer in enumerate(layers)
        for name, weight in layer.named_parameters()
    }
