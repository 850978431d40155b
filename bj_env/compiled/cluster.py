"""Ray: chunks of work on a cluster, in order, with the same results as in one process.

A chunk is a range of blocks. What plays it is deterministic, so that a chunk whose worker dies is played again by
another, and neither their number nor their order changes a result.
"""

import os
import re
import socket
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from bj_env.compiled.compiling import sources
from bj_env.errors import BlackjackError
from bj_env.extras import missing

try:
    import ray as ray  # the modules that need it take it from here
except ImportError:
    raise BlackjackError(missing("ray", "ray")) from None

Chunk = TypeVar("Chunk")

AUTO = "auto"
"""The address of whatever cluster there is."""

LOCAL = "local"
"""The address of a cluster of this machine alone, started when it is first used."""

SECONDS_TO_ANSWER = 5.0
"""An address that has not answered by then is refused."""

_SETTINGS = b"\x04"
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + _SETTINGS + b"\0\0\0\0\0"
"""How HTTP/2, and so gRPC, opens a connection (RFC 9113, 3.4): the preface and empty SETTINGS, answered by SETTINGS.

Ray itself waits a minute for an address that answers but is none of its own, and then ends the process.
"""

CHUNKS_AHEAD = 4
"""So many chunks for each core of the cluster are handed out before the first is needed."""


def on_cluster(play: Callable[[range], Chunk], chunks: Iterator[range], *, address: str = AUTO) -> Iterator[Chunk]:
    """Play chunks on a Ray cluster and yield what they give in their own order.

    Args:
        play: what plays a chunk; it is sent to the workers, and the same chunk always gives the same.
        chunks: the chunks.
        address: ``"HOST:PORT"`` of a cluster; ``"local"`` for one of this machine alone; ``"auto"`` for the one that
            the process is connected to, else the one of ``RAY_ADDRESS``, else ``"local"``.

    Raises:
        BlackjackError: if nobody answers at the address, or a worker has another version of bj_env.
    """
    connect(address)
    task = ray.remote(max_retries=-1, retry_exceptions=False)(_play)
    sent, version = ray.put(play), sources()
    ahead = CHUNKS_AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting = deque(task.remote(sent, chunk, version) for chunk in islice(chunks, ahead))
    try:
        while waiting:
            yield result(waiting.popleft())
            waiting.extend(task.remote(sent, chunk, version) for chunk in islice(chunks, 1))
    finally:
        for left in waiting:
            ray.cancel(left, force=False)


def _play(play: Callable[[range], Chunk], chunk: range, version: str) -> Chunk:
    """Play a chunk on a worker that has the driver's version of bj_env."""
    check_version(version)
    return play(chunk)


def check_version(version: str) -> None:
    """Refuse work that was sent by another version of bj_env.

    Args:
        version: the digest of the sender's sources.

    Raises:
        BlackjackError: if this process has other sources.
    """
    if sources() != version:
        raise BlackjackError(
            f"worker on {socket.gethostname()}: expected bj_env with the sources {version[:12]}, got {sources()[:12]}; "
            "install the same version on every machine"
        )


def result(reference: Any) -> Any:
    """Return what a task of a worker has returned, once it has.

    Raises:
        BlackjackError: if the worker raised one, has no bj_env, or its task died more often than it is repeated.
    """
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, BlackjackError):
            raise BlackjackError(str(error.cause)) from None
        if found := re.search(r"No module named '(bj_env|agents)", str(error)):
            raise BlackjackError(f"ray: a worker has no {found[1]}; install it on every machine") from None
        raise
    except ray.exceptions.RayError as error:
        raise BlackjackError(f"ray: {error}") from None


def connect(address: str = AUTO) -> None:
    """Connect this process to a cluster, unless it is connected to one already.

    Args:
        address: as for `on_cluster`.

    Raises:
        BlackjackError: if nobody answers at the address, or the process is connected to another one.
    """
    if ray.is_initialized():
        connected = ray.get_runtime_context().gcs_address
        if address not in (AUTO, LOCAL, connected):
            raise BlackjackError(f"ray: expected the cluster at {connected} that this process uses, got {address}")
        return
    wanted = os.environ.get("RAY_ADDRESS", LOCAL) if address == AUTO else address
    if wanted == LOCAL:
        ray.init(address=LOCAL, log_to_driver=False, include_dashboard=False, logging_level="error")
        return
    check_answers(wanted)
    try:
        ray.init(address=wanted, log_to_driver=False, logging_level="error")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise BlackjackError(f"ray: {wanted} is no Ray cluster: {str(error).splitlines()[0]}") from None


def check_answers(address: str) -> None:
    """Refuse an address at which nobody answers.

    Raises:
        BlackjackError: if it is none, or nobody answers there within `SECONDS_TO_ANSWER`.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise BlackjackError(f"ray: expected an address like 10.0.0.1:6379, got {address!r}")
    try:
        with socket.create_connection((host, int(port)), timeout=SECONDS_TO_ANSWER) as connection:
            connection.sendall(_GREETING)
            answer = connection.recv(9)
    except TimeoutError:
        raise BlackjackError(f"ray: nobody answers at {address} within {SECONDS_TO_ANSWER:g} seconds") from None
    except OSError as error:
        raise BlackjackError(f"ray: nobody answers at {address}: {error}") from None
    if answer[3:4] != _SETTINGS:
        raise BlackjackError(f"ray: {address} is no Ray cluster: it does not speak gRPC")
