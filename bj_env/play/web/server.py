"""The server of the web table: one page and its JSON interface, for this computer alone unless a network is asked for.

The game is on this side. The page shows what it is told and sends what was clicked.
"""

import errno
import signal
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, NamedTuple, Self

import uvicorn
from platformdirs import user_data_path

from bj_env.errors import BlackjackError, shortened
from bj_env.play.practice import PRACTICE, PracticeLog
from bj_env.play.store import Store
from bj_env.play.web.api import application
from bj_env.play.web.connections import LimitedConnection
from bj_env.play.web.menu import Menu
from bj_env.play.web.tables import Tables

LOOPBACK = "127.0.0.1"
HOSTS = (LOOPBACK, "localhost")


class Server(uvicorn.Server):
    """A server that ends the streams of waiting pages before it waits for open responses."""

    def __init__(self, config: uvicorn.Config, tables: Tables) -> None:
        super().__init__(config)
        self.tables = tables

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then stop."""
        self.tables.close()
        await super().shutdown(sockets)


class Address(NamedTuple):
    """Where a server listens.

    Attributes:
        host: an IP address of this computer; `LOOPBACK` cannot be reached from elsewhere.
        port: the port; 0 takes any that is free.
        key: what browsers must know; empty at `LOOPBACK`.
    """

    host: str
    port: int
    key: str

    @classmethod
    def checked(cls, host: str | None, port: int) -> Self:
        """Return an address; a host that was asked for gets a key.

        Raises:
            BlackjackError: if the host is not an IP address.
        """
        if host is None:
            return cls(LOOPBACK, port, "")
        try:
            return cls(str(ip_address(host)), port, token_urlsafe(24))
        except ValueError:
            came = shortened(host)
            wanted = "an IP address of this computer like 192.168.1.5, or 0.0.0.0 for all of them"
            raise BlackjackError(f"host: expected {wanted}, got {came}") from None

    def link(self, port: int) -> str:
        """Return the address for a browser."""
        host = socket.gethostname() if ip_address(self.host).is_unspecified else self.host
        named = f"[{host}]" if ":" in host else host
        return f"http://{named}:{port}/" + (f"?key={self.key}" if self.key else "")


def serve(house: str, policies: Sequence[str], *, address: Address, save: Path) -> None:
    """Serve tables until Ctrl-C or SIGTERM.

    Raises:
        BlackjackError: if the port is taken, or house, policies or file cannot be read.
    """
    store, practice = Store(save), PracticeLog(save.with_name(PRACTICE))
    warnings = [*store.warnings, *filter(None, [practice.warning])]
    store.warnings.clear()
    notice = " ".join(f"{warning[:1].upper()}{warning[1:]}." for warning in warnings).replace(f"{save.parent}/", "")
    tables = Tables(store, Menu.of(house, policies, notice), practice)
    with _listening(address) as listening:
        lines = [f"a table is open at {address.link(listening.getsockname()[1])}"]
        if address.key:
            lines.append("whoever has this link can play and see the practice logs; the connection is not encrypted")
        lines += [f"games are kept in {save}; Ctrl-C ends", *warnings]
        print(*lines, sep="\n", flush=True)
        config = _config(tables, address)
        for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn, once it has ended, raises them again
            signal.signal(number, lambda *_: None)
        Server(config, tables).run(sockets=[listening])
    store.close()
    practice.close()


def _config(tables: Tables, address: Address) -> uvicorn.Config:
    quiet: dict[str, Any] = {"log_level": "error", "access_log": False, "server_header": False, "lifespan": "off"}
    limits: dict[str, Any] = {
        "http": LimitedConnection,
        "ws": "none",
        "backlog": LimitedConnection.limits.queue,
        "timeout_graceful_shutdown": 2,
    }
    hosts = ("*",) if address.key else HOSTS  # a foreign name that leads here has no cookie with the key
    return uvicorn.Config(application(tables, hosts, address.key), proxy_headers=False, **limits, **quiet)


def _listening(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # The protocol by its number, since asyncio sends small answers at once only where it is named.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address.host, address.port))
        listening.listen(LimitedConnection.limits.queue)  # at once: whoever has read the address can connect
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise BlackjackError(f"host: {address.host} is no address of this computer") from None
        taken = error.errno == errno.EADDRINUSE
        reason = "another program listens there; try another port, or 0 for a free one" if taken else error.strerror
        raise BlackjackError(f"port {address.port}: {reason}") from None
    return listening


def default_save() -> Path:
    """Return where games are kept unless another file is named."""
    return user_data_path("bj-env", appauthor=False) / "tables.sqlite"
