"""Expected rewards: a round's net as its exact expectation over what the dealer holds and draws."""

from collections.abc import Sequence

from bj_env.game.events import Kind
from bj_env.game.round import Round
from bj_env.game.settlement import settle
from bj_env.rules.numbered import dealer_peeks


def seen_before_dealer(round: Round) -> tuple[int, ...]:
    """Return the counts seen by card value 1..10 (index 0 unused), less what the dealer turned or drew at the end."""
    seen = list(round.table.seen)
    for card in round.dealer.cards[1:]:
        seen[card.value] -= 1
    return tuple(seen)


def expected_nets(round: Round, agents: Sequence[int], seen: Sequence[int]) -> list[float] | None:
    """Return the expected net of each of the agent's seats in ticks, given what was seen after its last decision.

    The dealer's hand is averaged over every card not seen, and over the peek having found no blackjack where there was
    one. Where the outcome is known or nothing can be averaged the answer is None: a peek that found a blackjack, a
    round that is void or was reshuffled midway, a dealer's chair that somebody else plays.
    """
    shuffled = [place for place, event in enumerate(round.events) if event.kind is Kind.SHUFFLE]
    dealt = next(place for place, event in enumerate(round.events) if event.kind is Kind.DEAL)
    peeked = dealer_peeks(round.rules, round.upcard.value)
    chair = round.table.dealer
    if round.void or (peeked and round.dealer.blackjack) or chair.decision or chair.external or shuffled[-1:] > [dealt]:
        return None
    outcomes = [outcome for outcome in _outcomes(round, seen, peeked) if outcome[0] > 0]
    return [
        sum(
            chance * settle(round.rules, round.seats[seat], total, blackjack, [])
            for chance, total, blackjack in outcomes
        )
        for seat in agents
    ]


def _outcomes(round: Round, seen: Sequence[int], peeked: bool) -> list[tuple[float, int, bool]]:
    """List the dealer's final hands: chance, total (22 for a bust), whether it is a blackjack."""
    from bj_env.solver.dealer import dealer_distribution  # only here: it needs numba
    from bj_env.solver.shoe import Composition

    shoe = round.table.shoe
    counts = [0.0] * 10
    for card in shoe.cards:
        counts[card.value - 1] += 1
    if not shoe.infinite:
        counts = [count - number for count, number in zip(counts, seen[1:], strict=True)]
        counts[round.upcard.value - 1] += 1  # which the solver takes out again
    left = Composition(tuple(counts), shoe.infinite)
    chances = dealer_distribution(round.rules, round.upcard.value, left, after_peek=peeked)
    totals = {"bust": 22, "blackjack": 21}
    return [(chance, totals.get(name) or int(name), name == "blackjack") for name, chance in chances.items()]
