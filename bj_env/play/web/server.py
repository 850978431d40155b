"""The server of the web table: ``bj table`` serves one page and its JSON interface to this computer alone.

The game is on this side. The page shows what it is told and sends what was clicked.
"""

import errno
import signal
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uvicorn
from platformdirs import user_data_path

from bj_env.errors import BlackjackError
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


def serve(house: str, policies: Sequence[str], *, port: int, save: Path) -> None:
    """Serve tables until Ctrl-C or SIGTERM.

    Raises:
        BlackjackError: if the port is taken, or house, policies or file cannot be read.
    """
    store, practice = Store(save), PracticeLog(save.with_name(PRACTICE))
    warnings = [*store.warnings, *filter(None, [practice.warning])]
    store.warnings.clear()
    notice = " ".join(f"{warning[:1].upper()}{warning[1:]}." for warning in warnings).replace(f"{save.parent}/", "")
    tables = Tables(store, Menu.of(house, policies, notice), practice)
    with _listening(port) as listening:
        port = listening.getsockname()[1]
        lines = [f"a table is open at http://{LOOPBACK}:{port}/", f"games are kept in {save}; Ctrl-C ends", *warnings]
        print(*lines, sep="\n", flush=True)
        config = _config(tables)
        for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn, once it has ended, raises them again
            signal.signal(number, lambda *_: None)
        Server(config, tables).run(sockets=[listening])
    store.close()
    practice.close()


def _config(tables: Tables) -> uvicorn.Config:
    quiet: dict[str, Any] = {"log_level": "error", "access_log": False, "server_header": False, "lifespan": "off"}
    limits: dict[str, Any] = {
        "http": LimitedConnection,
        "ws": "none",
        "backlog": LimitedConnection.limits.queue,
        "timeout_graceful_shutdown": 2,
    }
    return uvicorn.Config(application(tables, HOSTS), **limits, **quiet)


def _listening(port: int) -> socket.socket:
    # The protocol by its number, since asyncio sends small answers at once only where it is named.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(LimitedConnection.limits.queue)  # at once: whoever has read the address can connect
    except OSError as error:
        listening.close()
        taken = error.errno == errno.EADDRINUSE
        reason = "another program listens there; try another port, or 0 for a free one" if taken else error.strerror
        raise BlackjackError(f"port {port}: {reason}") from None
    return listening


def default_save() -> Path:
    """Return where games are kept unless another file is named."""
    return user_data_path("bj-env", appauthor=False) / "tables.sqlite"
