"""The script ``bj``. It lies outside the package because the import of the package is what it must guard.

A Ctrl-C within an import would end in a traceback. So Ctrl-C ends the process at once, without a word, until the
command is imported and can catch it itself.
"""

import signal


def main() -> int:
    """Import the command and run it; return its exit code."""
    end_on_interrupt()
    from bj_env.cli.main import main as command

    raise_on_interrupt()
    return command()


def end_on_interrupt() -> None:
    """Let Ctrl-C end the process at once, unless the process was started to ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
