"""The `referee` command, also as `python -m referee`: handles Ctrl-C before anything large is imported."""

import os
import signal
from contextlib import suppress
from types import FrameType


def main() -> None:
    """Run the command, with standard streams that can be used."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        from referee.cli.streams import repair

        repair()
        from referee.cli import main as command

        command(prog_name="referee")
    except KeyboardInterrupt:
        _leave(signal.SIGINT, None)
    finally:
        # The answer is known: Ctrl-C cannot change it any more.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but end at once during an import, and at the next Ctrl-C."""
    signal.signal(signal.SIGINT, _leave)
    if _is_importing(frame):
        # A module that is cut short may turn the interrupt into any other error.
        _leave(number, frame)
    raise KeyboardInterrupt


def _leave(_number: int, _frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"referee: interrupted\n")
    os._exit(130)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    main()
