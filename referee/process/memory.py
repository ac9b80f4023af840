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

_WATCH_BYTES: Final = 200
"""What an epoll needs for a descriptor."""

_MAPPING_BYTES: Final = 320
_MAPPING_BYTES_OF_FORKS: Final = 32
"""What a part of a process's memory needs; more for every process that may be its ancestor or descendant."""


def exceeds(pids: Sequence[int], most_kib: int, boxed: int | None = None) -> bool:
    """Return whether processes together have more than this; what they share counts once.

    `boxed` is one of them that is in a network namespace which is theirs alone: then what waits in its
    sockets counts as well.
    """
    pids = [_shown_by(pid) for pid in pids]
    held_kib = _kernel_kib(pids) + (0 if boxed is None else _sockets_kib(boxed))
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


def _kernel_kib(pids: Sequence[int]) -> int:
    """Return what pipes, epolls and mappings of processes need at most."""
    pipes: set[tuple[int, int]] = set()
    watches = mappings = 0
    for pid in pids:
        for file in _open_files(pid):
            what = _link(file)
            if what == "anon_inode:[eventpoll]":
                watches += _watches(pid, os.path.basename(file))
            elif what.startswith(("pipe:", "/")):
                pipes.update(_pipe(file))
        mappings += _mappings(pid)
    per_mapping = _MAPPING_BYTES + _MAPPING_BYTES_OF_FORKS * len(pids)
    return _PIPE_KIB * len(pipes) + (_WATCH_BYTES * watches + per_mapping * mappings) // 1_024


def _open_files(pid: int) -> list[str]:
    """Return the entries of /proc for the open files of a process."""
    with contextlib.suppress(OSError):
        return [f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd")]
    return []


def _link(path: str) -> str:
    with contextlib.suppress(OSError):
        return os.readlink(path)
    return ""


def _watches(pid: int, number: str) -> int:
    """Return how many descriptors an epoll watches: each counts as often as it had another number."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/fdinfo/{number}").read_bytes().count(b"tfd:")
    return 0


def _pipe(path: str) -> Iterator[tuple[int, int]]:
    """Return what identifies an open pipe, with a name (a FIFO) or without; nothing for other files."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if stat.S_ISFIFO(found.st_mode):
            yield found.st_dev, found.st_ino


def _mappings(pid: int) -> int:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/maps").read_bytes().count(b"\n")
    return 0


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
