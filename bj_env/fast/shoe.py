"""The shoe of one table, in kernels: cards in the order chance gives them (the readable one is `bj_env.cards.Shoe`).

``i`` is the table. The pool holds the cards dealt since the shuffle, in order, and then those still to come: drawing a
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
    Tables,
)
from bj_env.fast.compiling import called, inlined
from bj_env.rules import card_value, shuffle_due
from bj_env.terms import Rules


@called
def work_ahead(stream: Array, i: int) -> None:
    """Work out the next words of a stream; two blocks take hardly longer than one."""
    block, shoe, number = int(stream[i, DRAWS]) >> 2, int(stream[i, SHOE]), int(stream[i, NUMBER])
    low, high = int(stream[i, KEY_LOW]), int(stream[i, KEY_HIGH])
    first = philox(block, shoe, number, SHOE_STREAM, low, high)
    second = philox(block + 1, shoe, number, SHOE_STREAM, low, high)
    for word in range(4):
        stream[i, WORDS + word] = first[word]
        stream[i, WORDS + 4 + word] = second[word]


@inlined
def below(stream: Array, i: int, n: int) -> int:
    """Return a number from 0 to ``n - 1``, all equally likely."""
    while True:
        at = int(stream[i, DRAWS]) & (AHEAD - 1)
        if at == 0:
            work_ahead(stream, i)
        stream[i, DRAWS] += 1
        number = bounded(int(stream[i, WORDS + at]), n)
        if number >= 0:
            return number


@inlined
def next_shoe(stream: Array, i: int) -> None:
    """Go to the first draw of the next shoe."""
    stream[i, SHOE] += 1
    stream[i, DRAWS] = 0


@inlined
def fill(t: Tables, i: int, size: int) -> None:
    """Begin a new order of the first ``size`` cards of the pool."""
    s = t.state
    s[i, AT] = 0
    s[i, SIZE] = size
    s[i, DEALT] = 0
    s[i, ROUND_START] = 0
    s[i, FRONT] = s[i, FRONT_END]


@inlined
def shuffle(rules: Rules, t: Tables, i: int) -> None:
    """Bring all cards back and start a new order."""
    size = t.full.shape[0]
    if rules.decks > 0:
        for place in range(size):
            t.pool[i, place] = t.full[place]
    fill(t, i, size)
    t.state[i, SPENT] = 0
    next_shoe(t.stream, i)


@called
def shuffle_discards(t: Tables, i: int) -> bool:
    """Start a new order of the discards, in mid-round, and forget them; tell whether there were any."""
    s = t.state
    start = int(s[i, ROUND_START])
    if start == 0:
        return False
    for value in range(11):
        t.seen[i, value] = 0
    for place in range(start, int(s[i, DEALT])):
        t.seen[i, card_value(int(t.pool[i, place]))] += 1
    if s[i, HOLE] > 0:
        t.seen[i, card_value(int(s[i, HOLE]))] -= 1
    fill(t, i, start)
    s[i, SPENT] = 1
    s[i, SHUFFLED] = 1
    next_shoe(t.stream, i)
    return True


@inlined
def draw(rules: Rules, t: Tables, i: int) -> int:
    """Return the rank of the next card; 0 if neither the shoe nor the discards have one."""
    s = t.state
    rank = 0
    if s[i, FRONT] < s[i, FRONT_END]:
        rank = int(t.front[i, s[i, FRONT]])
        s[i, FRONT] += 1
    if rank == 0:
        if s[i, AT] == s[i, SIZE] and not shuffle_discards(t, i):
            return 0
        at = int(s[i, AT])
        chosen = at + below(t.stream, i, int(s[i, SIZE]) - at)
        rank = int(t.pool[i, chosen])
        if rules.decks > 0:
            t.pool[i, chosen] = t.pool[i, at]
            s[i, AT] = at + 1
    if rules.decks > 0:
        t.pool[i, s[i, DEALT]] = rank
    s[i, DEALT] += 1
    return rank


@inlined
def shoe_spent(rules: Rules, t: Tables, i: int) -> bool:
    """Tell whether the cut card is out, or the discards are in use."""
    s = t.state
    if s[i, KEPT]:
        return False
    return bool(s[i, SPENT]) or (s[i, DEALT] > 0 and shuffle_due(rules, int(s[i, DEALT]), t.full.shape[0]))


@inlined
def shuffle_pending(rules: Rules, t: Tables, i: int) -> bool:
    """Tell whether the shoe is shuffled before the next round."""
    return bool(t.state[i, FRESH]) or shoe_spent(rules, t, i)


@inlined
def prepare_shoe(rules: Rules, t: Tables, i: int) -> None:
    """Shuffle and burn if due."""
    s = t.state
    if shoe_spent(rules, t, i):
        shuffle(rules, t, i)
        s[i, FRESH] = 1
    if s[i, FRESH]:
        s[i, FRESH] = 0
        for value in range(11):
            t.seen[i, value] = 0
        for _ in range(rules.burn_cards):
            draw(rules, t, i)
    s[i, ROUND_START] = s[i, DEALT]
    s[i, KEPT] = 0
    s[i, SHUFFLED] = 0
