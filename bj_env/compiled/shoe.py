"""The shoe of one table, in kernels: cards in random order, as `bj_env.game.cards.Shoe` has them.

The pool holds the cards dealt since the shuffle, in order, and then those still to come: drawing a card swaps it where
the next one lies. What is drawn does not depend on how it is played, so some cards are drawn ahead. Stacked cards come
first; the pool leaves room for them before the others.
"""

from bj_env.compiled.arrays import (
    AHEAD,
    DEALT,
    DRAWS,
    DRAWS_BEFORE,
    FRESH,
    FRONT,
    FRONT_END,
    HOLE,
    KEPT,
    KEY_HIGH,
    KEY_LOW,
    NUMBER,
    READY,
    READY_FROM,
    ROUND_START,
    SHOE,
    SHUFFLED,
    SIZE,
    SPENT,
    STACKED,
    WORDS_FOR,
    Array,
    Table,
    Tables,
)
from bj_env.compiled.compiling import called, index, inlined
from bj_env.game.rng import MASK, SHOE_STREAM, bounded, philox
from bj_env.rules.numbered import card_value, shuffle_due
from bj_env.rules.terms import DECK, Rules

LANES = 16
"""Tables whose words are worked out at once."""


@inlined
def words_of(stream: Array, block: int) -> tuple[int, int, int, int]:
    """Return a block of the shoe's words."""
    return philox(
        block, int(stream[SHOE]), int(stream[NUMBER]), SHOE_STREAM, int(stream[KEY_LOW]), int(stream[KEY_HIGH])
    )


@inlined
def words_for(shoe: int, block: int) -> int:
    """Return a number for the two blocks of a shoe's words that begin with one."""
    return shoe << 20 | block


@called
def work_ahead(rules: Rules, tables: Tables, low: int, high: int, lanes: Array) -> None:
    """Work out the words that tables will want next, those of several tables at once.

    Args:
        rules: tell whether a new shoe comes next.
        tables: all of them.
        low, high: at most `LANES` of them.
        lanes: room to work in, `ROOM` numbers.
    """
    stale, stream = False, tables.stream
    for lane in range(high - low):
        i = index(low + lane)
        new = rules.penetration == 0 and not tables.state[i, FRESH]
        block, shoe = 0 if new else index(stream[i, DRAWS]) >> 2 & ~1, int(stream[i, SHOE]) + new
        lanes[lane] = block
        lanes[LANES + lane] = shoe
        lanes[2 * LANES + lane] = stream[i, NUMBER]
        lanes[3 * LANES + lane] = stream[i, KEY_LOW]
        lanes[4 * LANES + lane] = stream[i, KEY_HIGH]
        stale = stale or stream[i, WORDS_FOR] != words_for(shoe, block)
        stream[i, WORDS_FOR] = words_for(shoe, block)
    if stale:
        for block in range(2):
            work_lanes(lanes)
            for lane in range(high - low):
                for word in range(4):
                    tables.words[4 * block + word, index(low + lane)] = lanes[(5 + word) * LANES + lane]
                lanes[lane] += 1


ROOM = 9 * LANES


@inlined
def work_lanes(lanes: Array) -> None:
    """Work out a block of words for each lane: in one array and without a branch, so that many are done at once."""
    for lane in range(LANES):
        one, two, three, four = philox(
            int(lanes[lane]) & MASK,  # the mask says that products fit into 64 bits, which is quicker
            int(lanes[LANES + lane]) & MASK,
            int(lanes[2 * LANES + lane]) & MASK,
            SHOE_STREAM,
            int(lanes[3 * LANES + lane]) & MASK,
            int(lanes[4 * LANES + lane]) & MASK,
        )
        lanes[5 * LANES + lane] = one
        lanes[6 * LANES + lane] = two
        lanes[7 * LANES + lane] = three
        lanes[8 * LANES + lane] = four


@called
def draw_ahead(infinite: bool, state: Array, stream: Array, pool: Array, words: Array) -> None:
    """Draw the cards of the next words; fewer than these if the shoe ends, or a word does not count."""
    draws, dealt, size = index(stream[DRAWS]), index(state[DEALT]), index(state[SIZE])
    block = draws >> 2 & ~1
    if stream[WORDS_FOR] != words_for(int(stream[SHOE]), block):
        stream[WORDS_FOR] = words_for(int(stream[SHOE]), block)
        words[0], words[1], words[2], words[3] = words_of(stream, block)
        words[4], words[5], words[6], words[7] = words_of(stream, block + 1)
    stream[DRAWS_BEFORE] = draws
    state[READY_FROM] = dealt
    for at in range(AHEAD):
        if at < draws & (AHEAD - 1):
            continue
        if infinite:
            chosen = bounded(int(words[at]), DECK)
            if chosen >= 0:
                pool[DECK + (dealt & (AHEAD - 1))] = pool[chosen]
                dealt += 1
        elif dealt < size:
            chosen = bounded(int(words[at]), size - dealt)
            if chosen >= 0:
                rank = pool[dealt + chosen]
                pool[dealt + chosen] = pool[dealt]
                pool[dealt] = rank
                dealt += 1
        else:
            break
        draws += 1
    stream[DRAWS] = draws
    state[READY] = dealt


def draws_used(rules: Rules, t: Table) -> int:
    """Return how many words the cards dealt so far have used, those ahead left out."""
    draws = int(t.stream[DRAWS_BEFORE])
    for dealt in range(int(t.state[READY_FROM]), int(t.state[DEALT])):
        chosen = -1
        while chosen < 0:
            word = words_of(t.stream, draws >> 2)[draws & 3]
            chosen = bounded(word, DECK if rules.decks == 0 else int(t.state[SIZE]) - dealt)
            draws += 1
    return draws


@inlined
def next_shoe(stream: Array) -> None:
    """Go to the first draw of the next shoe."""
    stream[SHOE] += 1
    stream[DRAWS] = 0
    stream[DRAWS_BEFORE] = 0


@inlined
def fill(t: Table, size: int) -> None:
    """Begin a new order of the first ``size`` cards of the pool."""
    s = t.state
    s[DEALT] = 0
    s[READY] = 0
    s[READY_FROM] = 0
    s[SIZE] = size
    s[ROUND_START] = 0
    s[FRONT] = s[FRONT_END]
    s[STACKED] = 0


@inlined
def shuffle(rules: Rules, t: Table) -> None:
    """Bring all cards back and start a new order."""
    if rules.decks > 0:
        for place in range(t.full.shape[0]):
            t.pool[place] = t.full[place]
    fill(t, DECK * max(rules.decks, 1))
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
    s, infinite = t.state, rules.decks == 0
    if s[FRONT] < s[FRONT_END]:
        return draw_stacked(rules, t)
    while s[DEALT] == s[READY]:
        if s[DEALT] == s[SIZE] and not infinite and not shuffle_discards(t):
            return 0
        draw_ahead(infinite, s, t.stream, t.pool, t.words)
    dealt = index(s[DEALT])
    s[DEALT] = dealt + 1
    return int(t.pool[DECK + (dealt & (AHEAD - 1)) if infinite else dealt])


@called
def draw_stacked(rules: Rules, t: Table) -> int:
    """Return the rank of the next card while some are stacked; where none is known chance draws it."""
    s = t.state
    rank = int(t.front[s[FRONT]])
    s[FRONT] += 1
    if rank > 0:
        s[STACKED] -= 1
    elif rules.decks == 0:
        rank = int(t.pool[below(t.stream, DECK)])
    else:
        at, size = int(s[DEALT] + s[STACKED]), int(s[SIZE])
        if at == size and not shuffle_discards(t):
            return 0
        if at == size:
            at, size = 0, int(s[SIZE])
        chosen = at + below(t.stream, size - at)
        rank = int(t.pool[chosen])
        t.pool[chosen] = t.pool[at]
    if rules.decks > 0:
        t.pool[s[DEALT]] = rank
    s[DEALT] += 1
    s[READY] = s[READY_FROM] = s[DEALT]
    return rank


@inlined
def below(stream: Array, n: int) -> int:
    """Return a number from 0 to ``n - 1``, all equally likely, while nothing is drawn ahead."""
    while True:
        draws = int(stream[DRAWS])
        stream[DRAWS] = stream[DRAWS_BEFORE] = draws + 1
        number = bounded(words_of(stream, draws >> 2)[draws & 3], n)
        if number >= 0:
            return number


@inlined
def shoe_spent(rules: Rules, t: Table) -> bool:
    """Tell whether the cut card is out, or the discards are in use."""
    s = t.state
    if s[KEPT]:
        return False
    return bool(s[SPENT]) or (s[DEALT] > 0 and shuffle_due(rules, int(s[DEALT]), DECK * rules.decks))


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
