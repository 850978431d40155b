"""The environment: `BlackjackEnv`, which Gymnasium knows as ``Blackjack-multi-v0``."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from operator import index
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from bj_env.decisions import Decision, decision_from
from bj_env.errors import BlackjackError, IllegalAction, choices
from bj_env.hand import Hand
from bj_env.houses import rules_from
from bj_env.observation import Layout, rules_row, write_card, write_hand, write_seen, write_turn
from bj_env.participants import Player, ticks
from bj_env.render import table_text
from bj_env.replay import play_written
from bj_env.reset_options import Start
from bj_env.round import Round
from bj_env.rules import is_short
from bj_env.table import Table
from bj_env.terms import FIRST_BET, TICKS, Action, Phase, Rules

EPISODES = ("round", "shoe", "session")
ILLEGAL_ACTIONS = ("fallback", "penalty", "raise")
AGENT = "agent"

Observation = NDArray[Any]
Info = dict[str, Any]


class BlackjackEnv(gymnasium.Env[Observation, np.int64]):
    """Casino blackjack: several seats, a real shoe, and every common house rule.

    Args:
        rules: a house's name, a rule text, a TOML file or a `Rules`.
        seats: who sits where: ``"agent"`` for a seat that is played through `step`, else a `Decision`, its name
            (``"basic"``, ``"mimic"``, ``"threshold:15"``, ``"never-bust"``, ``"random"``) or a saved policy's folder.
        bets: the bet sizes on offer in chips, 0 to sit out; None is the house's minimum alone. With more than one,
            every round begins with a betting decision for each agent seat.
        episode: ``"round"``; ``"shoe"`` until the shuffle; ``"session"`` until the smallest bet cannot be placed.
        bankroll: chips of each agent seat, refilled at every reset; None is without limit.
        max_rounds: rounds after which a shoe or a session is truncated.
        observation: the parts to observe, any of ``"hand"``, ``"table"``, ``"seen"``, ``"rules"``.
        encoding: ``"features"`` (a float32 Box in [0, 1]) or ``"discrete"`` (a MultiDiscrete).
        illegal_action: what an illegal action does: ``"fallback"`` plays HIT for DOUBLE, HIT under 17 else STAND for
            SPLIT, STAND or DECLINE for the rest; ``"penalty"`` does the same and costs one bet; ``"raise"`` raises.
        render_mode: ``"ansi"`` or None.

    Actions: 0 STAND, 1 HIT, 2 DOUBLE, 3 SPLIT, 4 SURRENDER, 5 INSURE, 6 DECLINE, 7.. the bets on offer. The legal ones
    are in ``info["action_mask"]`` and `action_masks`. The reward is the net over the agent's seats in units of the
    smallest bet on offer, paid when a round ends. A round in which the agent has no decision is, in ``"round"``
    episodes, shown once in the phase ROUND_OVER with STAND as the only action, so that the mean return is the value
    of a round. The last ``info`` of a round holds ``nets`` (chips by seat), ``dealer`` and ``record``, the round in
    notation.

    ``-v0`` promises that dynamics, observations, rewards and action numbers do not change; any change is a new version.
    History: v0 (0.1.0), the first.

    Raises:
        BlackjackError: if an argument is not valid; says what is.

    >>> env = BlackjackEnv(seats=("agent",))
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> str(info["record"])
    'six-deck ; D 2/9 ; P1 1 8,T S ; next 5,K => P1 +1 ; D 2,9,5,K'
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        *,
        rules: Rules | str = "six-deck",
        seats: Sequence[Decision | str] = ("basic", AGENT, "basic"),
        bets: Iterable[int] | None = None,
        episode: str = "round",
        bankroll: float | None = None,
        max_rounds: int = 1000,
        observation: Iterable[str] = ("hand",),
        encoding: str = "features",
        illegal_action: str = "fallback",
        render_mode: str | None = None,
    ) -> None:
        self.rules = rules_from(rules)
        self.bets = _checked_bets(self.rules, bets)
        self._decisions = _checked_seats(seats)
        self.agents = [seat for seat, decision in enumerate(self._decisions) if decision is None]
        self.episode = _one_of("episode", episode, EPISODES)
        self.illegal_action = _one_of("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        self.render_mode = _one_of("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        if episode == "shoe" and self.rules.penetration == 0:
            raise BlackjackError("episode: 'shoe' needs a cut card, like 'PEN75' in the rules; expected one, got PEN0")
        self.bankroll = None if bankroll is None else ticks(bankroll, "bankroll") / TICKS
        if bankroll is not None and self.bankroll < self.unit:
            raise BlackjackError(f"bankroll: expected at least the smallest bet, {self.unit} chips, got {bankroll!r}")
        if isinstance(max_rounds, bool) or not isinstance(max_rounds, int) or max_rounds < 1:
            raise BlackjackError(f"max_rounds: expected a whole number from 1 up, got {max_rounds!r}")
        self.max_rounds = max_rounds
        self.layout = Layout(
            self.rules, seats=len(self._decisions), bets=self.bets, parts=observation, encoding=encoding
        )
        self.observation_space = self.layout.space
        self._actions = FIRST_BET + (len(self.bets) if len(self.bets) > 1 else 0)
        self.action_space = spaces.Discrete(self._actions)
        self.unit = min(bet for bet in self.bets if bet)
        self._stakes = {size: place for place, size in enumerate([0, *(bet for bet in self.bets if bet)])}
        self._mask_arrays: dict[int, NDArray[np.int8]] = {}
        self.table: Table | None = None
        self._rules_row = rules_row(self.rules)
        self._over = True
        self._table(0)  # refuses too many seats now and not at the first reset

    @property
    def feature_names(self) -> list[str]:
        """The name of each entry of an observation."""
        return self.layout.names

    def _table(self, seed: int) -> Table:
        players = [Player(f"P{seat + 1}", decision) for seat, decision in enumerate(self._decisions)]
        return Table(self.rules, players, seed=seed)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begin an episode: at a new table if a seed is given, else with the shoe as it lies.

        Args:
            seed: fixes the shoe, the other seats and everything else.
            options: ``{"line": notation}`` plays what the line writes and stops there; ``{"shoe": cards}`` deals these
                cards first, in order, like ``"T,6,9"``; ``{"hand": "T,6", "upcard": "T"}`` starts the first agent seat
                so, the rest from chance. Each begins a new shoe.

        Raises:
            BlackjackError: if the seed or an option is not valid; the episode before goes on then.
        """
        start = Start.read(options, self.rules, len(self._decisions), self.agents[0])
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer)):
            raise BlackjackError(f"seed: expected a whole number, got {seed!r}")
        if start.line is not None:
            deepcopy(self)._restart(seed, start)  # a line may turn out not to play, and then nothing has changed
        self._restart(seed, start)
        return self._observation(), self._info()

    def _restart(self, seed: int | None, start: Start) -> None:
        super().reset(seed=None if seed is None else int(seed))
        table = self.table
        if seed is not None or table is None:
            table = self._table(int(seed) if seed is not None else int(self.np_random.integers(1 << 63)))
        table.abandon()
        if start.cards is not None:
            table.stack(start.cards)
        elif self.episode == "shoe":
            table.shoe.retire()
        self.table = table
        for seat in self.agents:
            table.players[seat].refill(self.bankroll)
        self._begin(start)

    def _begin(self, start: Start) -> None:
        self._round: Round | None = None
        self._bets: list[int] = []
        self._start = start
        self._won = 0
        self._rounds = 0
        self._asked = False
        self._over = self._truncated = self._shown = False
        self._finished: Info = {}
        self._seat, self._hand = self.agents[0], 0
        self._go_on()
        if self._over and not self._asked:
            self._over, self._shown = False, True

    def _go_on(self) -> None:
        """Go on to the agent's next decision, or to the end of the episode."""
        while not self._over:
            if self._round is None:
                if not self._place_bets():
                    return
                self._deal()
            if self._round is not None and not self._play():
                return
            self._close_round()

    def _place_bets(self) -> bool:
        """Collect the bets seat by seat; tell whether all are made, or an agent must be asked first."""
        table = self._seated()
        while len(self._bets) < len(self._decisions):
            seat = len(self._bets)
            if self._start.bets is not None:
                self._bets.append(self._start.bets[seat])
            elif self._decisions[seat] is not None:
                self._bets.append(table.ask_bet(seat))
            elif is_short(table.players[seat].free, self.unit * TICKS):
                self._bets.append(0)
            elif len(self.bets) == 1:
                self._bets.append(self.unit)
            else:
                self._seat, self._hand, self._asked = seat, 0, True
                return False
        return True

    def _deal(self) -> None:
        """Deal if anyone has bet; a round that all sit out passes without cards."""
        if any(self._bets):
            self._round = self._seated().deal(self._bets)
            if self._start.line is not None:
                play_written(self._round, self._start.line, self._ask_other)
        self._start = Start()

    def _ask_other(self, round: Round) -> bool:
        """Let the seat in turn decide if it is not the agent's; tell whether it was not."""
        if round.seats[round.active_seat.number].player.decision is None:
            return False
        round.ask()
        return True

    def _play(self) -> bool:
        """Play up to the agent's next decision; tell whether the round is over instead."""
        round = self._round
        assert round is not None
        while not round.over:
            if not self._ask_other(round):
                self._seat, self._hand, self._asked = round.active_seat.number, round.hand_index, True
                return False
        return True

    def _close_round(self) -> None:
        round, table = self._round, self._seated()
        nets = round.nets if round is not None else (0,) * len(self._decisions)
        self._won += sum(nets[seat] for seat in self.agents)
        self._rounds += 1
        if round is not None:
            self._finished = {
                "nets": tuple(net / TICKS for net in nets),
                "dealer": ",".join(map(str, round.dealer.cards)),
                "record": round.record(),
            }
        self._over = (
            self.episode == "round"
            or (self.episode == "shoe" and table.shuffle_pending)
            or all(is_short(table.players[seat].free, self.unit * TICKS) for seat in self.agents)
        )
        if not self._over and self._rounds >= self.max_rounds:
            self._over = self._truncated = True
        if not self._over:
            self._round, self._bets = None, []

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, Info]:
        """Take the agent's action and go on to its next decision, or to the end of the episode.

        Raises:
            BlackjackError: if the episode is over, or the action is not in the action space.
            IllegalAction: if it is not legal and ``illegal_action`` is ``"raise"``; nothing has changed then.
        """
        if self._over:
            raise BlackjackError("step: expected an episode that goes on, but it is over; call reset()")
        asked = self._checked_action(action)
        taken = self._legalise(asked)
        self._finished = {}
        if self._shown:
            self._over = True
        else:
            if taken >= FIRST_BET:
                self._bets.append(self.bets[taken - FIRST_BET])
            elif self._round is not None:
                self._round.act(taken)
            self._go_on()
        penalty = 1.0 if taken != asked and self.illegal_action == "penalty" else 0.0
        reward = self._won / (self.unit * TICKS) - penalty
        self._won = 0
        info = self._info()
        if taken != asked:
            info["illegal_action"] = True
        return self._observation(), reward, self._over and not self._truncated, self._truncated, info

    def _checked_action(self, action: SupportsIndex) -> int:
        try:
            asked = index(action)
        except TypeError:
            asked = -1
        if not 0 <= asked < self._actions:
            raise BlackjackError(f"action: expected a whole number from 0 to {self._actions - 1}, got {action!r}")
        return asked

    def _legalise(self, action: int) -> int:
        """Return the action, or what is played in place of an illegal one."""
        mask = self._mask()
        if mask >> action & 1:
            return action
        if self.illegal_action == "raise":
            raise IllegalAction(self._why_illegal(action, mask))
        hand = self._hand_in_turn()
        if action == Action.DOUBLE or (action == Action.SPLIT and hand.total < 17):
            wanted = Action.HIT
        else:
            wanted = Action.STAND
        for choice in (wanted, Action.STAND, Action.DECLINE):
            if mask >> choice & 1:
                return int(choice)
        return (mask & -mask).bit_length() - 1

    def _why_illegal(self, action: int, mask: int) -> str:
        if self._round is not None and not self._round.over and action < FIRST_BET:
            try:
                self._round.check(action)
            except IllegalAction as error:
                return str(error)
        legal = ", ".join(self._action_name(choice) for choice in range(self._actions) if mask >> choice & 1)
        return f"P{self._seat + 1}: expected one of {legal}, got {self._action_name(action)}"

    def _action_name(self, action: int) -> str:
        return Action(action).name if action < FIRST_BET else f"bet {self.bets[action - FIRST_BET]}"

    def action_masks(self) -> NDArray[np.int8]:
        """Return which actions are legal now, 1 or 0 for each; all zero once the episode is over."""
        mask = self._mask()
        if mask not in self._mask_arrays:
            bits = [mask >> action & 1 for action in range(self._actions)]
            self._mask_arrays[mask] = np.array(bits, np.int8)
        return self._mask_arrays[mask].copy()

    def _mask(self) -> int:
        """Return the legal actions as bits."""
        if self._over:
            return 0
        if self._shown:
            return 1 << Action.STAND
        if self._round is not None:
            return self._round.mask
        free = self._seated().players[self._seat].free
        return sum(1 << FIRST_BET + place for place, bet in enumerate(self.bets) if not is_short(free, bet * TICKS))

    def _phase(self) -> Phase:
        if self._over or self._shown:
            return Phase.ROUND_OVER
        return Phase.BET if self._round is None else self._round.phase

    def _hand_in_turn(self) -> Hand:
        """Return the hand that the observation shows, an empty one while bets are made or if the seat sat out."""
        hands = self._round.seats[self._seat].hands if self._round is not None else []
        return hands[min(self._hand, len(hands) - 1)] if hands else Hand()

    def _observation(self) -> Observation:
        layout, table, round = self.layout, self._seated(), self._round
        row = [0] * len(layout.columns)
        for part, at in layout.starts.items():
            if part == "hand":
                hand = self._hand_in_turn()
                upcard = round.upcard.value if round is not None and round.dealer.cards else 0
                stake = self._stake()
                write_hand(row, at, self._phase(), hand.total, hand.soft, hand.pair(self.rules), upcard, stake)
            elif part == "table":
                self._write_table(row, at)
            elif part == "seen":
                write_seen(row, at, self.rules.decks, table.seen, table.shuffle_pending)
            else:
                row[at : at + len(self._rules_row)] = self._rules_row
        return layout.encode(row)

    def _stake(self) -> int:
        """Return the place of the seat's bet among the sizes on offer, from 1; 0 for none."""
        bet = self._round.seats[self._seat].bet // TICKS if self._round is not None else 0
        return self._stakes[bet]

    def _write_table(self, row: list[int], at: int) -> None:
        write_turn(row, at, self._seat, self._hand)
        if self._round is None:
            return
        for card in self._round.dealer.cards:
            write_card(row, at, self.rules.max_hands, -1, 0, card.value)
        for seat in self._round.seats:
            for index, hand in enumerate(seat.hands):
                for card in hand.cards:
                    write_card(row, at, self.rules.max_hands, seat.number, index, card.value)

    def _info(self) -> Info:
        return {"action_mask": self.action_masks(), "seat": self._seat, **(self._finished if not self._shown else {})}

    def _seated(self) -> Table:
        if self.table is None:
            raise BlackjackError("expected reset() before anything else")
        return self.table

    def render(self) -> str | None:  # type: ignore[override]
        """Return the table as text in ``"ansi"`` mode; changes nothing."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode='ansi' when the environment is made")
            return None
        return table_text(self._seated(), self._round, self._decisions, self.action_masks(), self.bets)


def _one_of(name: str, came: Any, valid: Sequence[Any]) -> Any:
    if came not in valid:
        raise BlackjackError(f"{name}: got {came!r}; {choices(came, valid)}")
    return came


def _checked_bets(rules: Rules, bets: Iterable[int] | None) -> tuple[int, ...]:
    sizes = (rules.min_bet,) if bets is None else tuple(bets)
    for bet in sizes:
        whole = isinstance(bet, int) and not isinstance(bet, bool)
        if not whole or not (bet == 0 or rules.min_bet <= bet <= rules.max_bet):
            raise BlackjackError(f"bets: expected 0 or {rules.min_bet} to {rules.max_bet} chips, got {bet!r}")
    if not any(sizes) or len(set(sizes)) < len(sizes):
        raise BlackjackError(f"bets: expected different sizes, at least one above 0, got {sizes}")
    return sizes


def _checked_seats(seats: Sequence[Decision | str]) -> list[Decision | None]:
    """Return each seat's decision, None for the agent."""
    if isinstance(seats, str | Decision):
        raise BlackjackError(f"seats: expected a sequence like ('basic', 'agent'), got {seats!r}")
    decisions = [None if seat == AGENT else decision_from(seat) for seat in seats]
    if None not in decisions:
        raise BlackjackError(f"seats: expected at least one 'agent', got {tuple(seats)!r}")
    return decisions
