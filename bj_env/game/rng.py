"""Random numbers: the one generator. A number is a function of (seed, table, shoe, stream, draw); nothing is stored.

Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): the key is the
seed, the counter is (block, shoe, table, stream), and a block gives four draws. The plain functions are written in
integers that stay right both in Python and as 64-bit machine words, which is why every product and sum is masked
before it is used: one seed gives one shoe in every engine.
"""

from copy import copy
from typing import Any
from weakref import WeakKeyDictionary

from bj_env.rules.terms import checked_number

MASK = 0xFFFFFFFF
SEEDS = 1 << 64
"""Seeds are 0 .. ``SEEDS - 1``."""

TABLES = 1 << 32
"""Tables are 0 .. ``TABLES - 1``."""

SHOE_STREAM = 0
"""The stream that deals the cards; stream ``i + 1`` gives seat ``i`` (from 0) the key of its own choices."""


def philox(block: int, shoe: int, table: int, stream: int, key_low: int, key_high: int) -> tuple[int, int, int, int]:
    """Return the four 32-bit words of one block.

    >>> [hex(word) for word in philox(0, 0, 0, 0, 0, 0)]  # the paper's published answer
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    for _ in range(10):
        left = 0xD2511F53 * block
        right = 0xCD9E8D57 * table
        block = ((right >> 32) ^ shoe ^ key_low) & MASK
        table = ((left >> 32) ^ stream ^ key_high) & MASK
        shoe, stream = right, left  # masked when they are next used, as the keys are
        key_low = key_low + 0x9E3779B9  # not in place, which would change a caller's array
        key_high = key_high + 0xBB67AE85
    return block, shoe & MASK, table, stream & MASK


def bounded(word: int, n: int) -> int:
    """Turn a 32-bit word into a number below ``n``, or -1 for the few words that would favour some numbers.

    Lemire, "Fast random integer generation in an interval", 2019.

    >>> bounded(0, 3), bounded(MASK, 3), bounded(1 << 31, 3)
    (-1, 2, 1)
    """
    product = word * n
    low = product & MASK
    if low < n and low < (1 << 32) % n:
        return -1
    return (product >> 32) & MASK


class Stream:
    """A sequence of draws: the numbers of one (seed, table, shoe, stream), from the first on.

    >>> one, again, other = Stream(seed=7), Stream(seed=7), Stream(seed=7, shoe=1)
    >>> first = [one.below(52) for _ in range(5)]
    >>> first == [again.below(52) for _ in range(5)], first == [other.below(52) for _ in range(5)]
    (True, False)
    """

    __slots__ = ("_words", "draws", "key_high", "key_low", "shoe", "stream", "table")

    def __init__(self, seed: int, *, table: int = 0, shoe: int = 0, stream: int = SHOE_STREAM, draws: int = 0) -> None:
        self.key_low, self.key_high = seed & MASK, seed >> 32 & MASK
        self.table, self.shoe, self.stream = table, shoe, stream
        self.draws = draws
        self._words = self._block() if draws & 3 else (0, 0, 0, 0)

    def below(self, n: int) -> int:
        """Return a number from 0 to ``n - 1``, all equally likely."""
        while True:
            at = self.draws & 3
            if at == 0:
                self._words = self._block()
            self.draws += 1
            number = bounded(self._words[at], n)
            if number >= 0:
                return number

    def _block(self) -> tuple[int, int, int, int]:
        return philox(self.draws >> 2, self.shoe, self.table, self.stream, self.key_low, self.key_high)

    def next_shoe(self) -> None:
        """Go to the first draw of the next shoe."""
        self.shoe += 1
        self.draws = 0


def seat_key(table: Any, seat: int, key_low: Any, key_high: Any) -> Any:
    """Return the key of a seat's own choices, low word and high word; numpy arrays of int64 work too.

    >>> seat_key(0, 0, 7, 0) == philox(0, 0, 0, 1, 7, 0)[:2]
    True
    """
    low, high, _, _ = philox(0, 0, table, seat + 1, key_low, key_high)
    return low, high


def seat_stream(seed: int, table: int, seat: int, *, draws: int = 0) -> Stream:
    """Return the numbers for a seat's own choices; they have a key of their own, which does not tell the shoe's.

    ``draws`` is how many of them have been drawn before.

    >>> own = seat_stream(7, 0, 0)
    >>> own.key_low | own.key_high << 32 == 7
    False
    """
    low, high = seat_key(table, seat, seed & MASK, seed >> 32 & MASK)
    return Stream(low | high << 32, table=table, stream=seat + 1, draws=draws)


class SeatRng:
    """The random numbers of one seat, as its strategy gets them: it can draw them, and see nothing else.

    No attribute, closure or copy of it leads to the stream behind it, its key or the table's seed, and it cannot be
    pickled. What it does not promise: each draw is a function of the table's seed, so a search through all seeds can
    find a small one from enough draws, as from enough cards. A table whose strategies may try takes a seed of 64 random
    bits. Nor does it protect against code that searches the memory of the process.

    >>> rng = SeatRng(seat_stream(7, 0, 0))
    >>> [rng.below(6) for _ in range(5)], hasattr(rng, "key_low")
    ([5, 0, 2, 3, 3], False)
    """

    __slots__ = ("__weakref__",)

    def __init__(self, stream: Stream) -> None:
        _STREAMS[self] = stream

    def below(self, n: int) -> int:
        """Return a number from 0 to ``n - 1``, all equally likely.

        Raises:
            BlackjackError: if ``n`` is no whole number from 1 to 2**32, which is all that one draw can tell apart.
        """
        return _STREAMS[self].below(checked_number("below", n, 1, MASK + 1))

    def __copy__(self) -> "SeatRng":
        """Return the same numbers to come, drawn apart from these."""
        return SeatRng(copy(_STREAMS[self]))

    def __deepcopy__(self, memo: dict[int, Any]) -> "SeatRng":
        """Return a copy that draws from the copied table's stream if the table was copied with it."""
        stream = _STREAMS[self]
        return SeatRng(memo[id(stream)]) if id(stream) in memo else copy(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a seat's random numbers cannot be pickled: that would show their key")


_STREAMS: WeakKeyDictionary[SeatRng, Stream] = WeakKeyDictionary()
"""The stream behind each `SeatRng`, kept here so that nothing a strategy holds refers to it."""
