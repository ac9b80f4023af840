"""The processes that come from this one: to find them, and to end them all."""

import contextlib
import os
import signal
from pathlib import Path


def descendants() -> list[int]:
    """Return the process ids of all our descendants, as /proc counts them."""
    found: list[int] = []
    todo = ["self"]
    while todo:
        for task in Path(f"/proc/{todo.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                pids = task.read_text().split()
                found += map(int, pids)
                todo += pids
    return found


def as_we_count(pid: int) -> int:
    """Return the number, in our own PID namespace, of a process as /proc counts it."""

    def numbers(path: str) -> list[int]:
        with contextlib.suppress(OSError):
            for text in Path(path).read_text().splitlines():
                if text.startswith("NSpid:"):
                    return [int(number) for number in text.split()[1:]]
        raise ProcessLookupError

    return numbers(f"/proc/{pid}/status")[len(numbers("/proc/self/status")) - 1]


def end_descendants() -> None:
    """Kill what the bot left running, and wait for the end of it."""
    if os.getpid() == 1:
        # All others in our PID namespace. Our own end would do the same, but no process would wait for them.
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            while True:
                os.kill(-1, signal.SIGKILL)
                os.waitpid(-1, 0)
        return
    for _ in range(100):
        family = descendants()
        if not family:
            return
        for pid in family:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
