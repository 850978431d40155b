"""The coach: the exact value of each action given all face-up cards, why, and a grade for a decision."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bj_env.errors import BlackjackError, RulesError
from bj_env.game.view import View
from bj_env.rules.numbered import best_total, dealer_peeks, is_bust
from bj_env.rules.terms import Action, Phase, Rules
from bj_env.strategies.count_systems import count_from

if TYPE_CHECKING:
    from bj_env.solver.result import Solution
    from bj_env.solver.shoe import Composition

NEAR_TIE = 0.01
"""A decision that loses less than this against the best action, in units of the bet, is a near-tie and no mistake."""


class Advice(NamedTuple):
    """The value of each legal action.

    Attributes:
        values: in units of the bet, the best first.
        counted: whether the values are those of the unseen cards, or of a full shoe.

    >>> Advice({Action.STAND: -0.54, Action.HIT: -0.53}).best.name
    'HIT'
    """

    values: Mapping[Action, float]
    counted: bool = True

    @property
    def best(self) -> Action:
        """The best action."""
        return max(self.values, key=lambda action: self.values[action])

    def cost(self, action: Action) -> float:
        """Return the loss of an action against the best one, in units of the bet."""
        return self.values[self.best] - self.values[action]

    def grade(self, action: Action) -> str:
        """Return the grade of an action: ``"best"``, ``"near"`` (a near-tie) or ``"mistake"``."""
        return grade(self.cost(action))


def grade(cost: float) -> str:
    """Return the grade of an action with this loss, in units of the bet.

    >>> grade(0), grade(0.004), grade(0.05)
    ('best', 'near', 'mistake')
    """
    return "best" if cost <= 0 else "near" if cost < NEAR_TIE else "mistake"


def advise(view: View) -> Advice:
    """Return the value of each legal action, given every card that was face up since the shuffle.

    The values come from `bj_env.solver`: exact by composition, splits in the zero-memory class. Splitting a split hand
    again is valued as a first split. If tens are pairs by rank, the solver supports only shoes with equally many cards
    of each ten; for other shoes the values are those of a full shoe.

    Raises:
        BlackjackError: if the decision point is a bet, or the solver does not support the rules.
    """
    from bj_env.solver.shoe import composition  # the solver is imported only where it is used: it needs numba

    if view.upcard is None or not view.legal:
        raise BlackjackError("advice: expected a hand against an upcard, got none")
    upcard, hand, rules = view.upcard.value, tuple(card.value for card in view.cards), view.rules
    if rules.round_payouts:  # what is rounded down to whole chips depends on the bet
        rules = rules._replace(min_bet=int(view.bet), max_bet=int(view.bet))
    shoe = left = unseen(view, hand)
    try:
        solution = _solution(rules, shoe, upcard)
    except RulesError:
        shoe = composition(rules)
        solution = _solution(rules, shoe, upcard)
    if view.phase is Phase.INSURANCE:
        values = solution.insurance_values(hand, upcard)
    elif view.phase is Phase.EARLY_SURRENDER:
        values = solution.early_values(hand, upcard)
    else:
        values = _play_values(solution, hand, upcard, split=len(view.hands[view.seat]) > 1)
    legal = {action: values[action] for action in view.legal if action in values}
    return Advice(dict(sorted(legal.items(), key=lambda item: -item[1])), counted=shoe == left)


def full_shoe_advice(rules: Rules, hand: tuple[int, ...], upcard: int) -> Advice:
    """Return the value of each action for a hand of card values that is dealt from a full shoe.

    Raises:
        BlackjackError: if the solver does not support the rules.

    >>> full_shoe_advice(Rules(), (10, 6), 10).best.name
    'SURRENDER'
    """
    from bj_env.solver.shoe import composition

    values = _solution(rules, composition(rules), upcard).values(hand, upcard)
    return Advice(dict(sorted(values.items(), key=lambda item: -item[1])), counted=False)


def _play_values(solution: "Solution", hand: tuple[int, ...], upcard: int, *, split: bool) -> dict[Action, float]:
    if not split:
        return solution.values(hand, upcard)
    values = solution.values(hand, upcard, after_split=True)
    if len(hand) == 2 and hand[0] == hand[1] and solution.rules.max_hands > 1:
        again = solution.values(hand, upcard)
        if Action.SPLIT in again:
            values[Action.SPLIT] = again[Action.SPLIT]
    return values


def unseen(view: View, hand: tuple[int, ...]) -> "Composition":
    """Return the composition that the solver takes: the unseen cards, this hand and the upcard."""
    from bj_env.solver.shoe import composition

    full = composition(view.rules)
    if full.replaced or view.upcard is None:
        return full
    counts = [count - seen for count, seen in zip(full.counts, view.seen[1:], strict=True)]
    for value in (*hand, view.upcard.value):
        counts[value - 1] += 1
    return full._replace(counts=tuple(counts))


class Outlook(NamedTuple):
    """Why an action is good: what may come.

    Attributes:
        bust: the probability that the next card busts the hand.
        dealer: the probability of each final result of the dealer, ``"17"`` to ``"21"``, ``"bust"`` and
            ``"blackjack"``, given that he has none if he has looked.
    """

    bust: float
    dealer: Mapping[str, float]


def outlook(view: View) -> Outlook:
    """Return what may come at a decision point of the play, or before it for surrender and insurance.

    Raises:
        BlackjackError: if the decision point is a bet.

    >>> from bj_env.play.game import Game
    >>> from bj_env.play.setup import Setup
    >>> game = Game(Setup.checked(seed=1))
    >>> game.answer(10)
    >>> outlook(game.pending.view).bust
    0.0
    """
    if view.upcard is None or not view.legal:
        raise BlackjackError("outlook: expected a hand against an upcard, got none")
    hand = tuple(card.value for card in view.cards)
    return outlook_of(view.rules, unseen(view, hand), hand, view.upcard.value, peeked=view.phase is Phase.PLAY)


def outlook_of(rules: Rules, shoe: "Composition", hand: Sequence[int], upcard: int, *, peeked: bool) -> Outlook:
    """Return what may come for a hand against an upcard, both still in the shoe.

    Args:
        rules: the rules.
        shoe: the unseen cards, the hand and the upcard.
        hand: its card values.
        upcard: the dealer's, by value.
        peeked: whether the dealer has looked for a blackjack if the rules say so.
    """
    from bj_env.solver.dealer import dealer_distribution, hole_value

    looked = peeked and dealer_peeks(rules, upcard)
    dealer = dealer_distribution(rules, upcard, shoe, removed=hand, after_peek=looked)
    left = shoe.without((*hand, upcard))
    hole = hole_value(upcard) if looked else 0
    total, ace = sum(hand), 1 in hand
    busting = [value for value in range(1, 11) if is_bust(best_total(total + value, ace or value == 1))]
    bust = sum((_next_card(left, value, hole) for value in busting if left.counts[value - 1] > 0), 0.0)
    return Outlook(bust, dealer)


def _next_card(left: "Composition", value: int, hole: int) -> float:
    """Return the probability that the next card has a value, given that the hole card has not the value ``hole``."""
    if not hole:
        return left.share(value)
    after = left.without((value,))
    return left.share(value) * (1 - after.share(hole)) / (1 - left.share(hole))


class Review(NamedTuple):
    """A decision that was made, with all that shows how good it was.

    Attributes:
        kind: ``"hard"``, ``"soft"``, ``"pair"``, ``"insurance"`` or ``"early surrender"``.
        cell: the decision as a strategy chart lists it: ``"hard 16 v T"``.
        action: what was decided.
        advice: the value of each action.
        outlook: what might have come.
    """

    kind: str
    cell: str
    action: Action
    advice: Advice
    outlook: Outlook

    @property
    def cost(self) -> float:
        """The loss against the best action, in units of the bet."""
        return self.advice.cost(self.action)

    @property
    def grade(self) -> str:
        """``"best"``, ``"near"`` or ``"mistake"``."""
        return grade(self.cost)


def review(view: View, action: Action, advice: Advice) -> Review:
    """Return the review of a decision at a decision point."""
    kind = hand_kind(view.phase, soft=view.soft, pair=Action.SPLIT in view.legal)
    upcard = 0 if view.upcard is None else view.upcard.value
    return Review(kind, cell_name(kind, view.total, view.pair, upcard), action, advice, outlook(view))


def hand_kind(phase: Phase, *, soft: bool, pair: bool) -> str:
    """Return the type of a decision: of insurance, of early surrender, or of a pair, soft or hard hand.

    >>> hand_kind(Phase.PLAY, soft=True, pair=False)
    'soft'
    """
    if phase in (Phase.INSURANCE, Phase.EARLY_SURRENDER):
        return phase.name.lower().replace("_", " ")
    return "pair" if pair else "soft" if soft else "hard"


def cell_name(kind: str, total: int, pair: int, upcard: int) -> str:
    """Return a decision as a strategy chart lists it.

    >>> cell_name("hard", 16, 8, 10), cell_name("pair", 16, 8, 1)
    ('hard 16 v T', 'pair 8,8 v A')
    """
    hand = f"{_value_text(pair)},{_value_text(pair)}" if kind == "pair" else str(total)
    return f"{kind} {hand} v {_value_text(upcard)}"


def _value_text(value: int) -> str:
    return {1: "A", 10: "T"}.get(value, str(value))


@lru_cache(maxsize=128)
def _solution(rules: Rules, shoe: "Composition", upcard: int) -> "Solution":
    from bj_env.solver.result import solve_against

    return solve_against(rules, upcard, shoe)


class Counted(NamedTuple):
    """The running and the true count of all cards that were face up since the shuffle."""

    running: float
    true: float


def counted(view: View, system: str = "hi-lo") -> Counted | None:
    """Return the count by a system; None for an infinite shoe, which has none."""
    if view.rules.decks == 0:
        return None
    count = count_from(system)
    return Counted(count.system.running(view.rules.decks, view.seen), count.true(view.rules, view.seen))
