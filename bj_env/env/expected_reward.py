"""Expected rewards: a round's net as its exact expectation over what the dealer holds and draws."""

from collections.abc import Sequence
from typing import NamedTuple

from bj_env.game.events import Kind
from bj_env.game.round import Round
from bj_env.game.settlement import settle
from bj_env.rules.numbered import dealer_peeks
from bj_env.rules.terms import Phase


class Known(NamedTuple):
    """What everyone knew once the agent's decision was taken and before anyone else drew a card.

    Attributes:
        seen: how many cards of value 1..10 had been seen since the shuffle (index 0 unused).
        hands: how many hands of other seats might still draw, pairs counted as all the hands they may become.
    """

    seen: tuple[int, ...]
    hands: int


def known_after(round: Round, agents: Sequence[int]) -> Known:
    """Return what is known right after the agent has acted, less what the dealer turned or drew since."""
    seen = list(round.shoe.seen)
    for card in round.dealer.cards[1:]:
        seen[card.value] -= 1
    return Known(tuple(seen), 0 if round.over or round.dealer_in_turn else _hands_to_come(round, agents))


def _hands_to_come(round: Round, agents: Sequence[int]) -> int:
    first = round.active_seat.number if round.phase is Phase.PLAY else 0
    hands = 0
    for seat in round.active:
        if seat.number >= first and seat.number not in agents:
            one, other = seat.hands[0].cards[:2]
            hands += round.rules.max_hands if one.value == other.value else 1
    return hands


def expected_nets(round: Round, agents: Sequence[int], known: Known) -> list[float] | None:
    """Return the expected net of each of the agent's seats in ticks, given what was known after its last decision.

    The dealer's hand is averaged over every card not seen, and over the peek having found no blackjack where there was
    one. The answer is None where the outcome is known (a peek that found a blackjack), where somebody else plays the
    dealer's hand, and where the cards had run out before, or could run out after the decision. That depends on nothing
    drawn after it; else the mean over all orders of the cards would not be that of the sampled net.
    """
    peeked = dealer_peeks(round.rules, round.upcard.value)
    chair = round.chair
    if (peeked and round.dealer.blackjack) or chair.decision or chair.external or not _lasted(round, known):
        return None
    outcomes = [outcome for outcome in _outcomes(round, known.seen, peeked) if outcome[0] > 0]
    return [
        sum(
            probability * settle(round.rules, round.seats[seat], total, blackjack, [])
            for probability, total, blackjack in outcomes
        )
        for seat in agents
    ]


def _lasted(round: Round, known: Known) -> bool:
    """Tell whether the cards had not run out when the agent's last decision was taken, and could not after it."""
    from bj_env.solver.draws import shoe_lasts  # only here: it needs numba

    shuffled = [place for place, event in enumerate(round.events) if event.kind is Kind.SHUFFLE]
    dealt = next(place for place, event in enumerate(round.events) if event.kind is Kind.DEAL)
    if round.void or shuffled[-1:] > [dealt]:
        return False
    shoe, seen = round.shoe, round.shoe.seen
    left = len(shoe.cards) - len(shoe.dealt) + sum(seen) - sum(known.seen)
    return shoe_lasts(round.rules.decks, known.seen, left, round.upcard.value, known.hands)


def _outcomes(round: Round, seen: Sequence[int], peeked: bool) -> list[tuple[float, int, bool]]:
    """List the dealer's final hands: probability, total (22 for a bust), whether it is a blackjack."""
    from bj_env.solver.dealer import dealer_distribution  # only here: it needs numba
    from bj_env.solver.shoe import Composition

    shoe = round.shoe
    counts = [0.0] * 10
    for card in shoe.cards:
        counts[card.value - 1] += 1
    if not shoe.infinite:
        counts = [count - number for count, number in zip(counts, seen[1:], strict=True)]
        counts[round.upcard.value - 1] += 1  # which the solver takes out again
    left = Composition(tuple(counts), shoe.infinite)
    probabilities = dealer_distribution(round.rules, round.upcard.value, left, after_peek=peeked)
    totals = {"bust": 22, "blackjack": 21}
    return [
        (probability, totals.get(name) or int(name), name == "blackjack") for name, probability in probabilities.items()
    ]
