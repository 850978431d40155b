"""HTTP connections of the web table: each has a time limit for its request, and their number is limited."""

import logging
from asyncio import TimerHandle, Transport
from time import monotonic
from typing import ClassVar, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0
"""Seconds between two checks; the second that finds the same request incomplete closes the connection."""
WARNING_SECONDS = 60.0
"""The shortest time between two warnings about refused connections."""
MOST_CONNECTIONS = 1000
LONGEST_QUEUE = 64

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Limits(NamedTuple):
    """How many connections a process with so many file descriptors may hold.

    Attributes:
        connections: how many may be open.
        queue: how many may wait to be accepted.

    >>> Limits.of(1024), Limits.of(65536)
    (Limits(connections=512, queue=64), Limits(connections=1000, queue=64))
    """

    connections: int
    queue: int

    @classmethod
    def of(cls, files: int) -> "Limits":
        """Return the limits for a number of file descriptors: accepting must never run out of them."""
        return cls(max(4, min(MOST_CONNECTIONS, files // 2)), max(4, min(LONGEST_QUEUE, files // 4)))

    @classmethod
    def here(cls) -> "Limits":
        """Return the limits for this process."""
        try:
            from resource import RLIMIT_NOFILE, getrlimit
        except ImportError:  # Windows has no such limit
            return cls(MOST_CONNECTIONS, LONGEST_QUEUE)
        files = getrlimit(RLIMIT_NOFILE)[0]
        return cls.of(files if files > 0 else 2 * MOST_CONNECTIONS)


class LimitedConnection(H11Protocol):
    """A connection that is closed if its request does not arrive in time, and refused if too many are open."""

    limits: ClassVar[Limits] = Limits.here()
    last_warning: ClassVar[float] = -WARNING_SECONDS
    _timer: TimerHandle | None = None
    _checked: object = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Start the time limit, or refuse the connection."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            transport.write(_BUSY)
            transport.close()
            self._warn()
        else:
            self._check_later()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time limit."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _check_later(self) -> None:
        self._timer = self.loop.call_later(REQUEST_SECONDS, self._check)

    def _check(self) -> None:
        """Close the connection if the same request was incomplete at the last check too.

        Bytes that trickle in do not extend the time. A response in progress is never cut off.
        """
        incomplete = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        request = (self.conn.their_state, self.cycle)
        if incomplete and request == self._checked:
            self.transport.abort()
            return
        self._checked = request if incomplete else None
        self._check_later()

    def _warn(self) -> None:
        """Log one line for a burst of refused connections."""
        now, kind = monotonic(), type(self)
        if now - kind.last_warning >= WARNING_SECONDS:
            kind.last_warning = now
            logging.getLogger("uvicorn.error").error(
                "%d connections are open; more are refused until some close", self.limits.connections
            )
