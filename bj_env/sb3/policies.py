"""Models of Stable-Baselines3 as saved policies."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError
from bj_env.sb3.evaluation import observation_normalizer
from bj_env.strategies import saved_policy
from bj_env.strategies.saved_policy import Profile

ACTIVATIONS: dict[type, str] = {torch.nn.Tanh: "tanh", torch.nn.ReLU: "relu"}
"""What a saved policy calls the activations of torch."""


def save_policy(folder: str | PathLike[str], model: BaseAlgorithm, **game: Any) -> Profile:
    """Save the policy of a model as a folder, which a seat, ``bj bench`` and ``bj play`` take without torch and SB3.

    Args:
        folder: where it is written.
        model: PPO, A2C, MaskablePPO or DQN with an ``MlpPolicy``.
        game: keyword arguments of ``Blackjack-multi-v0`` that it was trained on.

    Returns:
        The profile of the policy.

    Raises:
        BlackjackError: if the network is of another form, or was trained on normalised observations.
    """
    if observation_normalizer(model) is not None:
        raise BlackjackError("model: a saved policy has no VecNormalize; train on the observations as they are")
    layers, activation = policy_layers(model)
    settings = BlackjackEnv(**game).settings
    profile = Profile(
        "network", settings.rules, len(settings.decisions), settings.bets, settings.layout.parts, activation=activation
    )
    saved_policy.save_policy(Path(folder), profile, policy_tensors(layers))
    return profile


def policy_layers(model: Any) -> tuple[list[torch.nn.Linear], str]:
    """Return the layers that lead from the observation to the score of each action, and the activation between them.

    Raises:
        BlackjackError: if the policy has another form.
    """
    if hasattr(model.policy, "mlp_extractor"):
        parts = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    elif hasattr(model.policy, "q_net"):
        parts = list(model.policy.q_net.q_net)
    else:
        raise BlackjackError(f"model: expected PPO, A2C, MaskablePPO or DQN, got {type(model).__name__}")
    layers = [part for part in parts if isinstance(part, torch.nn.Linear)]
    between = {type(part) for part in parts if not isinstance(part, torch.nn.Linear)}
    if len(between) > 1 or not between <= ACTIVATIONS.keys():
        names = sorted(each.__name__ for each in between)
        raise BlackjackError(f"model: expected Tanh or ReLU between its layers, got {', '.join(names)}")
    return layers, ACTIVATIONS[between.pop()] if between else "tanh"


def policy_tensors(layers: Sequence[torch.nn.Linear]) -> dict[str, NDArray[np.float32]]:
    """Return copies of layers as a saved policy has them: ``0.weight`` ``[out, in]``, ``0.bias`` ``[out]``, ..."""
    named = [
        (f"{number}.{name}", weight) for number, layer in enumerate(layers) for name, weight in layer.named_parameters()
    ]
    return {name: weight.detach().numpy().copy() for name, weight in named}
