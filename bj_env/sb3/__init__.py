"""Stable-Baselines3 on this game: compiled tables as a ``VecEnv``, evaluation by whole rounds, and saved policies.

This package needs the extra ``train``; it is imported only where it is used.
"""

from bj_env.sb3.evaluation import NEVER_TRAINED, Evaluated, EvaluateRounds, evaluate_rounds
from bj_env.sb3.policies import policy_layers, policy_tensors, save_policy
from bj_env.sb3.vec_env import CompiledVecEnv, compiled_vec_env

__all__ = [
    "NEVER_TRAINED",
    "CompiledVecEnv",
    "EvaluateRounds",
    "Evaluated",
    "compiled_vec_env",
    "evaluate_rounds",
    "policy_layers",
    "policy_tensors",
    "save_policy",
]
