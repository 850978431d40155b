"""The shoe of one table, in kernels: cards in random order, as `bj_env.game.cards.Shoe` has them.

The pool holds the cards dealt since the shuffle, in order, and then those still to come: drawing a card swaps it where
the next one lies. What is drawn does not depend on how it is played, so some cards are drawn ahead. Stacked cards come
first; the pool leaves room for them before the others.
"""

from bj_env.compiled.arrays import AHEAD, Array, Record, Table, Tables
from bj_env.compiled.book import Book
from bj_env.compiled.compiling import called, index, inlined, rare
from bj_env.game.rng import MASK, SHOE_STREAM, bounded, philox
from bj_env.rules.numbered import card_value
from bj_env.rules.terms import DECK

LANES = 16
"""Tables whose words are worked out at once."""


@inlined
def words_of(state: Record, block: int) -> tuple[int, int, int, int]:
    """Return a block of the shoe's words."""
    return philox(block, int(state.shoe), int(state.number), SHOE_STREAM, int(state.key_low), int(state.key_high))


@inlined
def words_for(shoe: int, block: int) -> int:
    """Return a number for the two blocks of a shoe's words that begin with one."""
    return shoe << 20 | block


@called
def work_ahead(book: Book, tables: Tables, low: int, high: int, lanes: Array) -> None:
    """Work out the words that tables will want next, those of several tables at once.

    Args:
        rules: tell whether a new shoe comes next.
        tables: all of them.
        low, high: at most `LANES` of them.
        lanes: room to work in, `ROOM` numbers.
    """
    stale = False
    for lane in range(high - low):
        i = index(low + lane)
        state = tables.state[i]
        new = book.every_round > 0 and not state.fresh
        block, shoe = 0 if new else index(state.draws) >> 2 & ~1, int(state.shoe) + new
        lanes[lane] = block
        lanes[LANES + lane] = shoe
        lanes[2 * LANES + lane] = state.number
        lanes[3 * LANES + lane] = state.key_low
        lanes[4 * LANES + lane] = state.key_high
        stale = stale or state.words_for != words_for(shoe, block)
        state.words_for = words_for(shoe, block)
    if stale:
        for block in range(2):
            work_lanes(lanes)
            for lane in range(high - low):
                for word in range(4):
                    tables.state[index(low + lane)].words[4 * block + word] = lanes[(5 + word) * LANES + lane]
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
def draw_ahead(infinite: bool, state: Record, pool: Array) -> None:
    """Draw the cards of the next words; fewer than these if the shoe ends, or a word does not count."""
    draws, dealt, size = index(state.draws), index(state.dealt), index(state.pool_end)
    block = draws >> 2 & ~1
    if state.words_for != words_for(int(state.shoe), block):
        state.words_for = words_for(int(state.shoe), block)
        one, two, three, four = words_of(state, block)
        state.words[0] = one
        state.words[1] = two
        state.words[2] = three
        state.words[3] = four
        one, two, three, four = words_of(state, block + 1)
        state.words[4] = one
        state.words[5] = two
        state.words[6] = three
        state.words[7] = four
    state.draws_before = draws
    state.ready_from = dealt
    for at in range(draws & (AHEAD - 1), AHEAD):
        if infinite:
            chosen = bounded(int(state.words[at]), DECK)
            if chosen >= 0:
                pool[DECK + dealt] = pool[chosen]
                dealt += 1
        elif dealt < size:
            chosen = bounded(int(state.words[at]), size - dealt)
            if chosen >= 0:
                rank = pool[dealt + chosen]
                pool[dealt + chosen] = pool[dealt]
                pool[dealt] = rank
                dealt += 1
        else:
            break
        draws += 1
    state.draws = draws
    state.ready = dealt


def draws_used(book: Book, t: Table) -> int:
    """Return how many words the cards dealt so far have used, those ahead left out."""
    draws = int(t.state.draws_before)
    for dealt in range(int(t.state.ready_from), int(t.state.dealt)):
        chosen = -1
        while chosen < 0:
            word = words_of(t.state, draws >> 2)[draws & 3]
            chosen = bounded(word, DECK if book.infinite else int(t.state.pool_end) - dealt)
            draws += 1
    return draws


@inlined
def next_shoe(state: Record) -> None:
    """Go to the first draw of the next shoe."""
    state.shoe += 1
    state.draws = 0
    state.draws_before = 0


@inlined
def fill(t: Table, size: int) -> None:
    """Begin a new order of the first ``size`` cards of the pool."""
    s = t.state
    s.dealt = 0
    s.ready = 0
    s.ready_from = 0
    s.pool_end = size
    s.round_start = 0
    s.front_at = s.front_end
    s.stacked = 0


@inlined
def shuffle(book: Book, t: Table) -> None:
    """Bring all cards back and start a new order."""
    if not book.infinite:
        for line in range(book.lines):
            for place in range(64):
                t.pool[index(64 * line + place)] = book.full[index(64 * line + place)]
    fill(t, int(book.cards))
    t.state.spent = 0
    next_shoe(t.state)


@called
def shuffle_discards(t: Table) -> bool:
    """Start a new order of the discards, in mid-round, and forget them; tell whether there were any."""
    s = t.state
    start = int(s.round_start)
    if start == 0:
        return False
    for value in range(11):
        t.state.seen[value] = 0
    for place in range(start, int(s.dealt)):
        t.state.seen[card_value(int(t.pool[place]))] += 1
    if s.hole > 0:
        t.state.seen[card_value(int(s.hole))] -= 1
    fill(t, start)
    s.spent = 1
    s.shuffled = 1
    next_shoe(t.state)
    return True


@inlined
def draw(book: Book, t: Table) -> int:
    """Return the rank of the next card; 0 if neither the shoe nor the discards have one."""
    if rare(t.state.dealt == t.state.ready):
        return draw_on(book, t)
    return draw_ready(book, t)


@inlined
def draw_ready(book: Book, t: Table) -> int:
    """Return the rank of the next card, which is ready."""
    dealt = index(t.state.dealt)
    t.state.dealt = dealt + 1
    return int(t.pool[index(dealt + book.pool_start)])


@called
def draw_on(book: Book, t: Table) -> int:
    """Return the rank of the next card where none is ready: a stacked one, or one of those drawn now."""
    s = t.state
    if s.front_at < s.front_end:
        return draw_stacked(book, t)
    while s.dealt == s.ready:
        if s.dealt == s.pool_end and not book.infinite and not shuffle_discards(t):
            return 0
        draw_ahead(book.infinite > 0, s, t.pool)
    return draw_ready(book, t)


@called
def draw_stacked(book: Book, t: Table) -> int:
    """Return the rank of the next card while some are stacked; where none is known chance draws it."""
    s = t.state
    rank = int(t.front[s.front_at])
    s.front_at += 1
    if rank > 0:
        s.stacked -= 1
    elif book.infinite:
        rank = int(t.pool[below(s, DECK)])
    else:
        at, size = int(s.dealt + s.stacked), int(s.pool_end)
        if at == size and not shuffle_discards(t):
            return 0
        if at == size:
            at, size = 0, int(s.pool_end)
        chosen = at + below(s, size - at)
        rank = int(t.pool[chosen])
        t.pool[chosen] = t.pool[at]
    if not book.infinite:
        t.pool[s.dealt] = rank
    s.dealt += 1
    s.ready = s.ready_from = s.dealt
    return rank


@inlined
def below(state: Record, n: int) -> int:
    """Return a number from 0 to ``n - 1``, all equally likely, while nothing is drawn ahead."""
    while True:
        draws = int(state.draws)
        state.draws = state.draws_before = draws + 1
        number = bounded(words_of(state, draws >> 2)[draws & 3], n)
        if number >= 0:
            return number


@inlined
def shoe_spent(book: Book, t: Table) -> bool:
    """Tell whether the cut card is out, or the discards are in use."""
    s = t.state
    if s.kept:
        return False
    return bool(s.spent > 0 or (s.dealt > 0 and s.dealt >= book.cut))


@inlined
def shuffle_pending(book: Book, t: Table) -> bool:
    """Tell whether the shoe is shuffled before the next round."""
    return bool(t.state.fresh) or shoe_spent(book, t)


@inlined
def prepare_shoe(book: Book, t: Table) -> None:
    """Shuffle and burn if due."""
    s = t.state
    if shoe_spent(book, t):
        shuffle(book, t)
        s.fresh = 1
    if s.fresh:
        s.fresh = 0
        for value in range(11):
            t.state.seen[value] = 0
        for _ in range(book.rules.burn_cards):
            draw(book, t)
    s.round_start = s.dealt
    s.kept = 0
    s.shuffled = 0
    if s.dealt == s.ready and s.front_at == s.front_end and (s.dealt < s.pool_end or book.infinite):
        draw_ahead(book.infinite > 0, s, t.pool)  # here, where a processor does not guess wrong
