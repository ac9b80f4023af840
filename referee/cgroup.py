"""A bot's control group (version 2): memory, processes and processor time of all of it, held by the kernel.

Groups of bots are made beside the group the referee itself is in, which must be allowed: under systemd by
`Delegate=memory pids cpu` with `DelegateSubgroup=hub`, by hand by starting the referee in a group below one
of its own (docs/security.md). Where that is not so the keeper's watch and rlimits have to do.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

CONTROLLERS: Final = ("memory", "pids", "cpu")

_HIERARCHY = Path("/sys/fs/cgroup")
_PREFIX = "referee-bot-"
_PERIOD_US = 100_000

_EMPTY_WITHIN_S = 1.0
"""How long processes that were killed may take to be gone."""


def nest(hierarchy: Path = _HIERARCHY, membership: Path = Path("/proc/self/cgroup")) -> Path | None:
    """Return the folder in which groups for bots are made, if this host has one."""
    with contextlib.suppress(OSError):
        for line in membership.read_text().splitlines():
            if line.startswith("0::"):
                own = hierarchy / line.removeprefix("0::").lstrip("/")
                found = own if own == hierarchy else own.parent
                return found if (found / "cgroup.controllers").is_file() else None
    return None


def usable(folder: Path | None) -> frozenset[str]:
    """Return the controllers that groups in this folder have, after trying to give them all."""
    if folder is None or not os.access(folder, os.W_OK):
        return frozenset()
    control = folder / "cgroup.subtree_control"
    for name in CONTROLLERS:
        # Refused if the host does not have it, or while the folder itself holds processes.
        with contextlib.suppress(OSError):
            if name not in control.read_text().split():
                control.write_text(f"+{name}")
    with contextlib.suppress(OSError):
        return frozenset(control.read_text().replace("+", " ").split()) & frozenset(CONTROLLERS)
    return frozenset()


class Group:
    """The control group of one bot."""

    def __init__(self, folder: Path, number: int, memory_mib: int, tasks: int) -> None:
        """Make the group; `number` is the keeper's process id, so that no two have the same. 0: no limit."""
        for left in folder.glob(f"{_PREFIX}*"):
            # Of keepers that were killed: a group with processes in it refuses to go.
            with contextlib.suppress(OSError):
                left.rmdir()
        self._path = folder / f"{_PREFIX}{number}"
        self._path.mkdir()
        controllers = usable(folder)
        if "memory" in controllers and memory_mib:
            self._set("memory.max", str(memory_mib << 20))
            self._set("memory.swap.max", "0")
            self._set("memory.oom.group", "1")
        if "pids" in controllers and tasks:
            self._set("pids.max", str(tasks))
        if "cpu" in controllers:
            self._set("cpu.max", f"{_PERIOD_US} {_PERIOD_US}")

    def _set(self, name: str, value: str) -> None:
        # A host without swap, for one, has no file for it.
        with contextlib.suppress(FileNotFoundError):
            (self._path / name).write_text(value)

    def enter(self) -> None:
        """Put this process into the group, and all that it starts."""
        (self._path / "cgroup.procs").write_text("0")

    def ran_out_of_memory(self) -> bool:
        """Say whether the kernel ended something in here for its memory."""
        with contextlib.suppress(OSError):
            events = (self._path / "memory.events").read_text().split()
            return events[events.index("oom_kill") + 1] != "0" if "oom_kill" in events else False
        return False

    def end(self) -> None:
        """Kill all that is in the group, and remove it."""
        with contextlib.suppress(OSError):
            (self._path / "cgroup.kill").write_text("1")
        until = time.monotonic() + _EMPTY_WITHIN_S
        while self._path.is_dir() and time.monotonic() < until:
            try:
                self._path.rmdir()
            except OSError:
                time.sleep(0.005)


def make(number: int, memory_mib: int, tasks: int) -> Group | None:
    """Return a group for a bot, or None where this host has none for us."""
    folder = nest()
    if folder is None or not usable(folder):
        return None
    return Group(folder, number, memory_mib, tasks)
