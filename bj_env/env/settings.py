"""The settings of an environment: its arguments, checked once, for the readable environment and the compiled one."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import signature
from os import PathLike
from string import ascii_lowercase
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from bj_env.env.episode import EPISODES
from bj_env.errors import (
    BlackjackError,
    UnknownArgument,
    UnknownStrategy,
    is_flag,
    items_of,
    one_of,
    real_number,
    shortened,
)
from bj_env.game.decision import Decision
from bj_env.game.notation import house_text
from bj_env.observation import Layout
from bj_env.rules.houses import parse_rules
from bj_env.rules.terms import (
    ACTION_WORDS,
    DECK,
    FIRST_BET,
    TICKS,
    Action,
    Rules,
    check_first_deal,
    checked_bet,
    checked_number,
    ticks,
)
from bj_env.strategies.count_systems import Count, count_from, systems
from bj_env.strategies.registry import strategy

MOST_BETS = 24
"""So many bet sizes, beside the other actions, fit into the bits of a mask."""

MOST_ROUNDS = 2**31 - 1

REWARDS = ("sampled", "expected")
"""What is paid for a round."""

ILLEGAL_ACTIONS = ("fallback", "penalty", "raise")
"""What an illegal action may do."""

AGENT = "agent"
"""The name of a seat that is played through an environment's ``step``."""

_TAKEN_KEYS = {words.key for words in ACTION_WORDS.values()}
_BET_KEYS = "1234567890" + "".join(letter for letter in ascii_lowercase if letter not in _TAKEN_KEYS)


@dataclass(frozen=True, eq=False)
class Settings:
    """What an environment plays, and how it shows and pays it; `checked` makes them of an environment's arguments.

    Attributes:
        rules: the house's.
        bets: the sizes on offer in chips; 0 is to sit out.
        decisions: who plays each seat, None for the agent.
        names: what each of them is called: as it was given, or the name of its class.
        episode: one of `EPISODES`.
        bankroll: chips of each agent seat at the start of an episode, None without limit.
        max_rounds: rounds after which an episode is truncated.
        layout: of the observations.
        count: how cards are counted.
        reward: one of `REWARDS`.
        illegal_action: one of `ILLEGAL_ACTIONS`.
        observation_keys: the names of observation and mask in a dictionary; None for the observation alone.
    """

    rules: Rules
    bets: tuple[int, ...]
    decisions: tuple[Decision | None, ...]
    names: tuple[str, ...]
    episode: str
    bankroll: float | None
    max_rounds: int
    layout: Layout
    count: Count
    reward: str
    illegal_action: str
    observation_keys: tuple[str, str] | None

    @classmethod
    def checked(
        cls,
        *,
        rules: Rules | str = "six-deck",
        seats: Sequence[Decision | str] = ("basic", AGENT, "basic"),
        bets: Iterable[int] | None = None,
        episode: str = "round",
        bankroll: float | None = None,
        max_rounds: int = 1000,
        observation: Iterable[str] = ("hand",),
        encoding: str = "features",
        count: Count | str = "hi-lo",
        reward: str = "sampled",
        illegal_action: str = "fallback",
        mask_in_observation: bool | Sequence[str] = False,
    ) -> Self:
        """Check an environment's arguments, which `BlackjackEnv` explains.

        Raises:
            BlackjackError: if an argument is not valid; says what is.

        >>> settings = Settings.checked(seats=("basic", "agent"), bets=(0, 5, 25))
        >>> settings.agents, settings.unit, settings.actions, settings.stakes
        ((1,), 5, 10, {0: 0, 5: 1, 25: 2})
        """
        house = parse_rules(rules)
        sizes = _checked_bets(house, bets)
        names, decisions = _checked_seats(seats)
        check_first_deal(house, len(decisions), DECK * house.decks)
        return cls(
            rules=house,
            bets=sizes,
            decisions=decisions,
            names=names,
            illegal_action=one_of("illegal_action", illegal_action, ILLEGAL_ACTIONS),
            episode=_checked_episode(house, episode),
            bankroll=_checked_bankroll(sizes, bankroll),
            layout=Layout(
                house, seats=len(decisions), bets=sizes, parts=observation, encoding=encoding, bankroll=bankroll
            ),
            count=count_from(count),
            max_rounds=checked_number("max_rounds", max_rounds, 1, MOST_ROUNDS),
            reward=one_of("reward", reward, REWARDS),
            observation_keys=_checked_keys(mask_in_observation),
        )

    @property
    def agents(self) -> tuple[int, ...]:
        """The numbers of the agent's seats, from 0."""
        return tuple(seat for seat, decision in enumerate(self.decisions) if decision is None)

    @property
    def unit(self) -> int:
        """The smallest bet on offer in chips, which rewards and bankrolls are counted in."""
        return _unit(self.bets)

    @property
    def actions(self) -> int:
        """How many actions there are; the bets are actions only if there is a choice."""
        return FIRST_BET + (len(self.bets) if len(self.bets) > 1 else 0)

    @property
    def observation_space(self) -> spaces.Space[Any]:
        """The space of the observations: the layout's, or a dictionary of it and the mask.

        >>> list(Settings.checked(mask_in_observation=("obs", "mask")).observation_space)
        ['mask', 'obs']
        """
        if self.observation_keys is None:
            return self.layout.space
        name, mask = self.observation_keys
        return spaces.Dict({name: self.layout.space, mask: spaces.Box(0, 1, (self.actions,), np.int8)})

    def with_mask(self, observation: Any, mask: Any) -> Any:
        """Return an observation, or a dictionary of it and the mask where that was asked for."""
        if self.observation_keys is None:
            return observation
        name, mask_name = self.observation_keys
        return {name: observation, mask_name: mask}

    @property
    def stakes(self) -> dict[int, int]:
        """The place of each bet in chips among those on offer, from 1; 0 for no bet."""
        return {size: place for place, size in enumerate([0, *(bet for bet in self.bets if bet)])}

    def check_offered(self, bets: Sequence[int]) -> None:
        """Refuse a given bet of an agent seat that is not on offer.

        Raises:
            BlackjackError: at the first such bet, by seat.
        """
        for seat in self.agents:
            if seat < len(bets) and bets[seat] not in self.stakes:
                sizes = ", ".join(map(str, self.stakes))
                raise BlackjackError(f"options: bet of P{seat + 1}: expected one of {sizes}, got {bets[seat]}")

    def action_name(self, action: int) -> str:
        """Return what an action is called.

        >>> [Settings.checked(bets=(0, 5)).action_name(action) for action in (1, 8)]
        ['HIT', 'bet 5']
        """
        return Action(action).name if action < FIRST_BET else f"bet {self.bets[action - FIRST_BET]}"

    def key(self, action: int) -> str:
        """Return the key of an action: its letter in notation, N to decline, and a figure or a letter for each bet.

        >>> settings = Settings.checked(bets=(0, 5, 25))
        >>> "".join(settings.key(action) for action in range(settings.actions))
        'shdprin123'
        """
        return ACTION_WORDS[Action(action)].key if action < FIRST_BET else _BET_KEYS[action - FIRST_BET]

    def legal_names(self, mask: int) -> str:
        """Return what the legal actions are called, given as bits ``1 << action``.

        >>> Settings.checked(bets=(0, 5)).legal_names(0b1_1000_0000)
        'bet 0, bet 5'
        """
        return ", ".join(self.action_name(action) for action in range(self.actions) if mask >> action & 1)


def portable_spec(spec: EnvSpec | None) -> EnvSpec | None:
    """Return an environment's specification in texts, numbers and lists, so that its JSON makes the environment again.

    A `Decision` of one's own has no text: a specification with one stays as it is, and has no JSON.
    """
    if spec is None:
        return None
    return replace(spec, kwargs={name: _portable(value) for name, value in spec.kwargs.items()})


def _portable(value: Any) -> Any:
    """Return an argument as JSON can hold it.

    >>> _portable(np.arange(1, 3)), _portable(np.float32(10.1)), _portable(count_from("ko whole"))
    ([1, 2], 10.1, 'ko whole')
    """
    if isinstance(value, Rules):
        return house_text(value)
    if isinstance(value, Count) and systems().get(value.system.name) == value.system:
        return value.text
    if isinstance(value, np.floating):
        return real_number(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | Set | range):
        return [_portable(item) for item in value]
    return value


def check_keywords(unknown: Iterable[str], maker: Callable[..., Any]) -> None:
    """Refuse keywords that the maker of an environment does not have.

    Raises:
        UnknownArgument: at the first, naming the nearest that there is.

    >>> check_keywords({"rulse": "6D"}, Settings.checked)
    Traceback (most recent call last):
    bj_env.errors.UnknownArgument: unexpected keyword argument 'rulse'; did you mean 'rules'?
    """
    known = [
        name for name, parameter in signature(maker).parameters.items() if parameter.kind == parameter.KEYWORD_ONLY
    ]
    for name in unknown:
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"valid: {', '.join(map(repr, known))}"
        raise UnknownArgument(f"unexpected keyword argument {name[:40]!r}; {hint}")


def fallback_action(action: int, mask: int, total: int) -> int:
    """Return an action, or what is played in its place if it is illegal.

    Args:
        action: the one that was asked for.
        mask: the legal ones as bits ``1 << action``; at least one.
        total: the total of the hand in turn.

    >>> [Action(fallback_action(Action.SPLIT, 0b111, total)).name for total in (16, 17)]
    ['HIT', 'STAND']
    """
    if mask >> action & 1:
        return action
    draws = action == Action.DOUBLE or (action == Action.SPLIT and total < 17)
    if draws and mask >> Action.HIT.value & 1:
        return Action.HIT.value
    if mask & 1:  # to stand
        return Action.STAND.value
    choice = Action.DECLINE.value
    while not mask >> choice & 1:  # the bets follow
        choice += 1
    return choice


def _checked_bets(rules: Rules, bets: Iterable[int] | None) -> tuple[int, ...]:
    given = (rules.min_bet,) if bets is None else items_of("bets", bets, "sizes like (0, 5, 25)")
    sizes = tuple([checked_bet("bets", bet, rules) for bet in given])
    if len(sizes) > MOST_BETS:
        raise BlackjackError(f"bets: expected at most {MOST_BETS} sizes, got {len(sizes)}")
    if not any(sizes) or len(set(sizes)) < len(sizes):
        raise BlackjackError(f"bets: expected different sizes, at least one above 0, got {sizes}")
    return sizes


def _unit(bets: Sequence[int]) -> int:
    return min(bet for bet in bets if bet)


def _checked_seats(seats: Sequence[Decision | str]) -> tuple[tuple[str, ...], tuple[Decision | None, ...]]:
    """Return each seat's name, and its decision, None for the agent."""
    given = items_of("seats", seats, "a sequence like ('basic', 'agent')")
    decisions = tuple([None if isinstance(seat, str) and seat == AGENT else _other_seat(seat) for seat in given])
    if None not in decisions:
        raise BlackjackError(f"seats: expected at least one 'agent', got {shortened(given)}")
    return tuple([str(seat) if isinstance(seat, str | PathLike) else type(seat).__name__ for seat in given]), decisions


def _other_seat(seat: Decision | str) -> Decision:
    try:
        return strategy(seat)
    except UnknownStrategy as error:
        raise BlackjackError(f"seats: {error}; or 'agent'") from None


def _checked_episode(rules: Rules, episode: str) -> str:
    if one_of("episode", episode, EPISODES) == "shoe" and rules.penetration == 0:
        raise BlackjackError("episode: 'shoe' needs a cut card in the rules, like PEN75; got none")
    return episode


def _checked_bankroll(bets: Sequence[int], bankroll: float | None) -> float | None:
    if bankroll is None:
        return None
    unit, amount = _unit(bets), ticks(bankroll, "bankroll")
    if amount < unit * TICKS:
        raise BlackjackError(f"bankroll: expected at least the smallest bet, {unit} chips, got {bankroll!r}")
    return amount / TICKS


def _checked_keys(mask_in_observation: bool | Sequence[str]) -> tuple[str, str] | None:
    if is_flag(mask_in_observation):
        return ("observation", "action_mask") if mask_in_observation else None
    keys = tuple(mask_in_observation) if isinstance(mask_in_observation, list | tuple) else ()
    if len(keys) != 2 or keys[0] == keys[1] or not all(isinstance(key, str) and key for key in keys):
        raise BlackjackError(
            "mask_in_observation: expected True, False or two names like ('observations', 'action_mask'), "
            f"got {mask_in_observation!r}"
        )
    return keys[0], keys[1]
