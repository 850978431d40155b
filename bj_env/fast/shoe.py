"""The shoe of one table, in kernels: cards in the order chance gives them (the readable one is `bj_env.cards.Shoe`).

The pool holds the cards dealt since the shuffle, in order, and then those still to come: drawing a
card swaps it to where the next one lies. Stacked cards come first; while they last the next place lies further on, so
that the cards dealt have room before it.
"""

from bj_env.chance import SHOE_STREAM, bounded, philox
from bj_env.fast.arrays import (
    AHEAD,
    AT,
    DEALT,
    DRAWS,
    FRESH,
    FRONT,
    FRONT_END,
    HOLE,
    KEPT,
    KEY_HIGH,
    KEY_LOW,
    NUMBER,
    ROUND_START,
    SHOE,
    SHUFFLED,
    SIZE,
    SPENT,
    WORDS,
    Array,
    Table,
)
from bj_env.fast.compiling import called, inlined
from bj_env.rules import card_value, shuffle_due
from bj_env.terms import Rules


@called
def work_ahead(stream: Array) -> None:
    """Work out the next words of a stream; two blocks take hardly longer than one."""
    block, shoe, number = int(stream[DRAWS]) >> 2, int(stream[SHOE]), int(stream[NUMBER])
    low, high = int(stream[KEY_LOW]), int(stream[KEY_HIGH])
    first = philox(block, shoe, number, SHOE_STREAM, low, high)
    second = philox(block + 1, shoe, number, SHOE_STREAM, low, high)
    for word in range(4):
        stream[WORDS + word] = first[word]
        stream[WORDS + 4 + word] = second[word]


@inlined
def below(stream: Array, n: int) -> int:
    """Return a number from 0 to ``n - 1``, all equally likely."""
    while True:
        at = int(stream[DRAWS]) & (AHEAD - 1)
        if at == 0:
            work_ahead(stream)
        stream[DRAWS] += 1
        number = bounded(int(stream[WORDS + at]), n)
        if number >= 0:
            return number


@inlined
def next_shoe(stream: Array) -> None:
    """Go to the first draw of the next shoe."""
    stream[SHOE] += 1
    stream[DRAWS] = 0


@inlined
def fill(t: Table, size: int) -> None:
    """Begin a new order of the first ``size`` cards of the pool."""
    s = t.state
    s[AT] = 0
    s[SIZE] = size
    s[DEALT] = 0
    s[ROUND_START] = 0
    s[FRONT] = s[FRONT_END]


@inlined
def shuffle(rules: Rules, t: Table) -> None:
    """Bring all cards back and start a new order."""
    size = t.full.shape[0]
    if rules.decks > 0:
        for place in range(size):
            t.pool[place] = t.full[place]
    fill(t, size)
    t.state[SPENT] = 0
    next_shoe(t.stream)


@called
def shuffle_discards(t: Table) -> bool:
    """Start a new order of the discards, in mid-round, and forget them; tell whether there were any."""
    s = t.state
    start = int(s[ROUND_START])
    if start == 0:
        return False
    for value in range(11):
        t.seen[value] = 0
    for place in range(start, int(s[DEALT])):
        t.seen[card_value(int(t.pool[place]))] += 1
    if s[HOLE] > 0:
        t.seen[card_value(int(s[HOLE]))] -= 1
    fill(t, start)
    s[SPENT] = 1
    s[SHUFFLED] = 1
    next_shoe(t.stream)
    return True


@inlined
def draw(rules: Rules, t: Table) -> int:
    """Return the rank of the next card; 0 if neither the shoe nor the discards have one."""
    s = t.state
    rank = 0
    if s[FRONT] < s[FRONT_END]:
        rank = int(t.front[s[FRONT]])
        s[FRONT] += 1
    if rank == 0:
        if s[AT] == s[SIZE] and not shuffle_discards(t):
            return 0
        at = int(s[AT])
        chosen = at + below(t.stream, int(s[SIZE]) - at)
        rank = int(t.pool[chosen])
        if rules.decks > 0:
            t.pool[chosen] = t.pool[at]
            s[AT] = at + 1
    if rules.decks > 0:
        t.pool[s[DEALT]] = rank
    s[DEALT] += 1
    return rank


@inlined
def shoe_spent(rules: Rules, t: Table) -> bool:
    """Tell whether the cut card is out, or the discards are in use."""
    s = t.state
    if s[KEPT]:
        return False
    return bool(s[SPENT]) or (s[DEALT] > 0 and shuffle_due(rules, int(s[DEALT]), t.full.shape[0]))


@inlined
def shuffle_pending(rules: Rules, t: Table) -> bool:
    """Tell whether the shoe is shuffled before the next round."""
    return bool(t.state[FRESH]) or shoe_spent(rules, t)


@inlined
def prepare_shoe(rules: Rules, t: Table) -> None:
    """Shuffle and burn if due."""
    s = t.state
    if shoe_spent(rules, t):
        shuffle(rules, t)
        s[FRESH] = 1
    if s[FRESH]:
        s[FRESH] = 0
        for value in range(11):
            t.seen[value] = 0
        for _ in range(rules.burn_cards):
            draw(rules, t)
    s[ROUND_START] = s[DEALT]
    s[KEPT] = 0
    s[SHUFFLED] = 0
