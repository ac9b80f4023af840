"""How much memory a bot has: its processes, and what the kernel holds for it.

For hosts without control groups, which would count all of this exactly.
"""

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

_RESIDENT: Final = ("VmRSS:", "VmSwap:", "VmPTE:")
_PROPORTIONAL: Final = ("Pss:", "SwapPss:")

_UNIX_SOCKET_KIB: Final = 416
"""What can wait in a local socket, if its owner asks for as much as one usually may."""


def exceeds(pids: Sequence[int], most_kib: int, boxed: int | None = None) -> bool:
    """Return whether processes together have more than this; what they share counts once.

    `boxed` is one of them that is in a network namespace which is theirs alone: then what waits in its
    sockets counts as well.
    """
    held_kib = 0 if boxed is None else _sockets_kib(boxed)
    if sum(_fields_kib(f"/proc/{pid}/status", _RESIDENT) for pid in pids) + held_kib <= most_kib:
        return False
    # To find out what is shared takes a look at every page.
    return sum(map(_share_kib, pids)) + held_kib > most_kib


def _share_kib(pid: int) -> int:
    """Return what a process has in memory or swapped out, its part of what it shares, and tables for it."""
    share = _fields_kib(f"/proc/{pid}/smaps_rollup", _PROPORTIONAL)
    if not share:
        return _fields_kib(f"/proc/{pid}/status", _RESIDENT)
    return share + _fields_kib(f"/proc/{pid}/status", _RESIDENT[-1:])


def _fields_kib(path: str, names: tuple[str, ...]) -> int:
    with contextlib.suppress(OSError):
        lines = Path(path).read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(names))
    return 0


def _sockets_kib(pid: int) -> int:
    """Return what may wait in the sockets of a process's network namespace."""
    queued = sum(_queues(_rows(pid, name)) for name in ("tcp", "tcp6", "udp", "udp6"))
    return queued // 1_024 + _UNIX_SOCKET_KIB * len(_rows(pid, "unix"))


def _queues(rows: Iterable[str]) -> int:
    """Return the bytes that wait, sent and received; the kernel prints them in hexadecimal."""
    waiting = (row.split()[4].split(":") for row in rows)
    return sum(int(sent, 16) + int(received, 16) for sent, received in waiting)


def _rows(pid: int, name: str) -> list[str]:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
    return []
