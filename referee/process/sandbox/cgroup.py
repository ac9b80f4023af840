"""A bot's control group (version 2): memory, processes and processor time of all of it, held by the kernel.

Groups of bots are made beside the group the referee itself is in. A group of its own, as systemd makes one
with `Delegate=memory pids cpu`, is therefore left for one below it, at the beginning; by hand the referee is
started in such a group (docs/sandbox.md). Where neither is so the supervisor's watch and rlimits have to do.
"""

import contextlib
import math
import os
import time
from pathlib import Path
from typing import Final

CONTROLLERS: Final = ("memory", "pids", "cpu")

_HIERARCHY = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")
_BY_SESSION = Path("/proc/sys/kernel/sched_autogroup_enabled")
_HUB = "hub"
_PREFIX = "referee-bot-"
_PERIOD_US = 100_000

_EMPTY_WITHIN_S = 1.0
"""How long processes that were killed may take to be gone."""


def settle(hierarchy: Path = _HIERARCHY, membership: Path = _MEMBERSHIP) -> None:
    """Move this process into a group below its own, if it is alone there and the group may be divided.

    A group with processes in it gives no controllers to groups below it, so no process may stay in the parent
    of the bots' groups. To be called before there are other processes of ours.
    """
    own = _own(hierarchy, membership)
    if own is None or own.name == _HUB or not _is_ours_alone(own):
        return
    hub = own / _HUB
    with contextlib.suppress(OSError):
        hub.mkdir(exist_ok=True)
        (hub / "cgroup.procs").write_text("0")


def _is_ours_alone(group: Path) -> bool:
    with contextlib.suppress(OSError):
        given = (group / "cgroup.controllers").read_text().split()
        members = (group / "cgroup.procs").read_text().split()
        return (
            members == [str(os.getpid())]
            and not {*CONTROLLERS}.isdisjoint(given)
            and os.access(group / "cgroup.subtree_control", os.W_OK)
        )
    return False


def nest(hierarchy: Path = _HIERARCHY, membership: Path = _MEMBERSHIP) -> Path | None:
    """Return the folder in which groups for bots are made, if this host has one."""
    own = _own(hierarchy, membership)
    if own is None:
        return None
    found = own if own == hierarchy else own.parent
    return found if (found / "cgroup.controllers").is_file() else None


def _own(hierarchy: Path, membership: Path) -> Path | None:
    """Return the group this process is in."""
    with contextlib.suppress(OSError):
        for line in membership.read_text().splitlines():
            if line.startswith("0::"):
                return hierarchy / line.removeprefix("0::").lstrip("/")
    return None


def sessions_share_processors(
    setting: Path = _BY_SESSION, hierarchy: Path = _HIERARCHY, membership: Path = _MEMBERSHIP
) -> bool:
    """Return whether all processes of a session together have the share of one, and so those of a bot.

    The kernel does that only for processes that are in no control group for processors.
    """
    with contextlib.suppress(OSError):
        groups = [line.split(":", 2) for line in membership.read_text().splitlines()]
        in_old_group = any("cpu" in names.split(",") and path != "/" for _, names, path in groups)
        own = _own(hierarchy, membership)
        in_group = own is not None and (own / "cpu.weight").exists()
        return setting.read_text().strip() == "1" and not in_old_group and not in_group
    return False


def processor_quota(hierarchy: Path = _HIERARCHY, membership: Path = _MEMBERSHIP) -> float:
    """Return of how many processors this process may use the time: a container may have a part of them.

    It is infinite if no control group of either version has a bound.
    """
    least = math.inf
    with contextlib.suppress(OSError):
        for line in membership.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            # In a container the path may be that of the host, of which only the upper end is there.
            if not controllers or "cpu" in controllers.split(","):
                root = hierarchy / controllers
                group = root / path.lstrip("/")
                least = min(least, *(_quota_of(each) for each in (group, *group.parents, root)))
    return least


def _quota_of(group: Path) -> float:
    with contextlib.suppress(OSError, ValueError):
        if (bound := group / "cpu.max").exists():
            quota, period = bound.read_text().split()
        else:
            quota, period = ((group / name).read_text() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
        if int(quota) > 0:
            return int(quota) / int(period)
    return math.inf


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
        """Make the group; `number` is the supervisor's process id, which is unique. 0: no limit."""
        self._path = folder / f"{_PREFIX}{number}"
        for left in folder.glob(f"{_PREFIX}*"):
            # Of supervisors that were killed. One that lives may just have made its group, still empty.
            if left == self._path or not Path("/proc", left.name.removeprefix(_PREFIX)).exists():
                with contextlib.suppress(OSError):
                    left.rmdir()
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
        """Return whether the kernel ended something in here for its memory."""
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
