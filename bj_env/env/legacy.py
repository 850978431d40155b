"""`LegacyBlackjack`: this environment in the form of Gymnasium's ``Blackjack-v1``, for agents written for that."""

from typing import Any, SupportsFloat

import gymnasium
from gymnasium import spaces

from bj_env.env.env import BlackjackEnv
from bj_env.errors import BlackjackError
from bj_env.game.notation import house_text
from bj_env.rules.terms import Action, Double, HoleCard, Surrender

LegacyObservation = tuple[int, int, int]


class LegacyBlackjack(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Shows ``(total, upcard, usable_ace)`` and takes 0 stick and 1 hit, as ``Blackjack-v1`` does.

    Under the ``sutton-barto`` house it has the same distribution as ``gym.make("Blackjack-v1")``; ``gymnasium-plain``
    and ``gymnasium-natural`` are that environment's two other modes. The houses must have no peek, insurance,
    surrender, double or split, and rounds must be the episodes.

    Raises:
        BlackjackError: if the environment is not of that kind; says what is in the way.

    >>> env = LegacyBlackjack(BlackjackEnv(rules="sutton-barto", seats=("agent",)))
    >>> observation, info = env.reset(seed=4)
    >>> env.observation_space.contains(observation), env.action_space.n
    (True, np.int64(2))
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        base = env.unwrapped
        if not isinstance(base, BlackjackEnv):
            raise BlackjackError(f"legacy: expected a BlackjackEnv, got {type(base).__name__}")
        self._base = base
        self._refuse_more_than_hit_and_stick()
        self.observation_space = spaces.Tuple((spaces.Discrete(32), spaces.Discrete(11), spaces.Discrete(2)))
        self.action_space = spaces.Discrete(2)

    def _refuse_more_than_hit_and_stick(self) -> None:
        rules = self._base.rules
        asked = {
            "a peek": rules.hole_card is HoleCard.PEEK,
            "doubling": rules.double is not Double.D0,
            "splitting": rules.max_hands > 1,
            "surrender": rules.surrender is not Surrender.NONE,
            "insurance": rules.insurance,
            "bets on offer": len(self._base.bets) > 1,
            "episodes longer than a round": self._base.episode.kind != "round",
            "more than one agent seat": len(self._base.episode.agents) > 1,
        }
        for what, there in asked.items():
            if there:
                raise BlackjackError(f"legacy: expected hit and stick alone, got {what} under {house_text(rules)!r}")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a round."""
        _, info = self.env.reset(seed=seed, options=options)
        return self._observation(), info

    def step(self, action: int) -> tuple[LegacyObservation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Stick (0) or hit (1).

        Raises:
            BlackjackError: for any other action.
        """
        if action not in (0, 1):
            raise BlackjackError(f"legacy: expected 0 to stick or 1 to hit, got {action!r}")
        _, reward, terminated, truncated, info = self.env.step(int(Action.HIT if action else Action.STAND))
        return self._observation(), reward, terminated, truncated, info

    def _observation(self) -> LegacyObservation:
        episode = self._base.episode
        assert episode.round is not None
        hand = episode.hand
        return hand.total, episode.round.upcard.value, int(hand.soft)
