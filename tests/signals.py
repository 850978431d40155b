"""Signals in processes that tests start."""

import signal


def heed() -> None:
    """Heed Ctrl-C, also where whoever runs the tests does not, as jobs in the background of a shell do not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
