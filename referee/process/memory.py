"""How much memory a bot has: its processes, and what the kernel holds for it.

For hosts without control groups, which would count all of this exactly. What the kernel holds is counted as
the most that it can be: a pipe as full, a local socket as full.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

_RESIDENT: Final = ("VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:")
_BESIDE_SHARE: Final = ("VmPTE:", "HugetlbPages:")
_PROPORTIONAL: Final = ("Pss:", "SwapPss:")

_SOCKET_BYTES: Final = Path("/proc/sys/net/core/wmem_default")
"""Has the size of a new socket; in a sandbox no socket can be enlarged. One message may be as large again."""
_USUAL_SOCKET_BYTES: Final = 212_992

_PIPE_KIB: Final = 64
"""What can wait in a pipe; in a sandbox no pipe can be enlarged."""

_WATCH_BYTES: Final = 4_096
_MAPPING_BYTES: Final = 2_048
"""What a descriptor that an epoll watches counts, and what a part of a process's memory. The kernel needs
less, 200 and 320 bytes, but to count very many of them takes the time of a processor."""
_MAPPING_BYTES_OF_FORKS: Final = 32
"""More for every process that may be an ancestor or descendant of the one with the mapping."""

_CHUNK: Final = 1 << 16

_LOOK_S: Final = 0.25
_PAUSES: Final = 3


def pause_s(took_s: float) -> float:
    """Return how long to wait after a look at a bot's memory that took so long."""
    # A bot can make looks slow. What they take is time of the host, not of the bot.
    return max(_LOOK_S, _PAUSES * took_s)


def exceeds(pids: Sequence[int], most_kib: int, boxed: int | None = None) -> bool:
    """Return whether processes together have more than this; what they share counts once.

    `boxed` is one of them that is in a network namespace which is theirs alone: then what waits in its
    sockets counts as well.
    """
    pids = [_shown_by(pid) for pid in pids]
    held_kib = 0 if boxed is None else _sockets_kib(boxed)
    for more_kib in _kernel_kib(pids, most_kib):
        held_kib += more_kib
        if held_kib > most_kib:
            return True
    if sum(_fields_kib(f"/proc/{pid}/status", _RESIDENT) for pid in pids) + held_kib <= most_kib:
        return False
    # To find out what is shared takes a look at every page.
    return sum(map(_share_kib, pids)) + held_kib > most_kib


def _shown_by(pid: int) -> int:
    """Return the thread that shows what a process has: the first one shows nothing after its end.

    The others may go on, with all memory and open files of the process.
    """
    if _fields_kib(f"/proc/{pid}/status", _RESIDENT):
        return pid
    with contextlib.suppress(OSError):
        for thread in map(int, os.listdir(f"/proc/{pid}/task")):
            if _fields_kib(f"/proc/{thread}/status", _RESIDENT):
                return thread
    return pid


def _share_kib(pid: int) -> int:
    """Return what a process has in memory or swapped out, its part of what it shares, and tables for it."""
    share = _fields_kib(f"/proc/{pid}/smaps_rollup", _PROPORTIONAL)
    if not share:
        return _fields_kib(f"/proc/{pid}/status", _RESIDENT)
    return share + _fields_kib(f"/proc/{pid}/status", _BESIDE_SHARE)


def _fields_kib(path: str, names: tuple[str, ...]) -> int:
    with contextlib.suppress(OSError):
        lines = Path(path).read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(names))
    return 0


def _kernel_kib(pids: Sequence[int], most_kib: int) -> Iterator[int]:
    """Return what pipes, epolls and mappings need at most, process by process; far beyond a bound, less."""
    pipes: set[tuple[int, int]] = set()
    mapping_bytes = _MAPPING_BYTES + _MAPPING_BYTES_OF_FORKS * len(pids)
    for pid in pids:
        known = len(pipes)
        for file in _open_files(pid):
            what = _link(file)
            if what == "anon_inode:[eventpoll]":
                # The kernel lists what it watches: each descriptor as often as it had another number.
                yield _lines_kib(f"/proc/{pid}/fdinfo/{os.path.basename(file)}", _WATCH_BYTES, most_kib)
            elif what.startswith(("pipe:", "/")):
                pipes.update(_pipe(file))
        yield _PIPE_KIB * (len(pipes) - known)
        yield _lines_kib(f"/proc/{pid}/maps", mapping_bytes, most_kib)


def _open_files(pid: int) -> list[str]:
    """Return the entries of /proc for the open files of a process."""
    with contextlib.suppress(OSError):
        return [f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd")]
    return []


def _link(path: str) -> str:
    with contextlib.suppress(OSError):
        return os.readlink(path)
    return ""


def _pipe(path: str) -> Iterator[tuple[int, int]]:
    """Return what identifies an open pipe, with a name (a FIFO) or without; nothing for other files."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if stat.S_ISFIFO(found.st_mode):
            yield found.st_dev, found.st_ino


def _lines_kib(path: str, line_bytes: int, most_kib: int) -> int:
    """Return what the lines of a file stand for, if each counts so many bytes; it is read up to a bound."""
    count = 0
    with contextlib.suppress(OSError), open(path, "rb", buffering=0) as file:
        while count * line_bytes <= most_kib << 10 and (data := file.read(_CHUNK)):
            count += data.count(b"\n")
    return count * line_bytes >> 10


def _sockets_kib(pid: int) -> int:
    """Return what may wait in the sockets of a process's network namespace, which has only local ones."""
    with contextlib.suppress(OSError):
        rows = Path(f"/proc/{pid}/net/unix").read_bytes().count(b"\n") - 1
        return 2 * _socket_bytes() // 1_024 * rows
    return 0


def _socket_bytes() -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(_SOCKET_BYTES.read_text())
    return _USUAL_SOCKET_BYTES
