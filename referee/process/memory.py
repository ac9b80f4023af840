"""How much memory a bot has: its processes, and what the kernel holds for it.

For hosts without control groups, which would count all of this exactly. What the kernel holds is counted as
the most that it can be: a pipe as full, a local socket as full, every descriptor as watched by every epoll.
"""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_RESIDENT: Final = ("VmRSS:", "VmSwap:", "VmPTE:", "HugetlbPages:")
_BESIDE_SHARE: Final = ("VmPTE:", "HugetlbPages:")
_PROPORTIONAL: Final = ("Pss:", "SwapPss:")

_UNIX_SOCKET_KIB: Final = 416
"""What can wait in a local socket, if its owner asks for as much as one usually may."""

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
    pipes: set[str] = set()
    watches = mappings = 0
    for pid in pids:
        open_files = _open_files(pid)
        pipes.update(file for file in open_files if file.startswith("pipe:"))
        watches += open_files.count("anon_inode:[eventpoll]") * len(open_files)
        mappings += _mappings(pid)
    per_mapping = _MAPPING_BYTES + _MAPPING_BYTES_OF_FORKS * len(pids)
    return _PIPE_KIB * len(pipes) + (_WATCH_BYTES * watches + per_mapping * mappings) // 1_024


def _open_files(pid: int) -> list[str]:
    found = []
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                found.append(os.readlink(entry.path))
    return found


def _mappings(pid: int) -> int:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/maps").read_bytes().count(b"\n")
    return 0


def _sockets_kib(pid: int) -> int:
    """Return what may wait in the sockets of a process's network namespace, which has only local ones."""
    with contextlib.suppress(OSError):
        rows = Path(f"/proc/{pid}/net/unix").read_bytes().count(b"\n") - 1
        return _UNIX_SOCKET_KIB * rows
    return 0
