"""Control groups: where they are made, what is written, how they end. Folders stand in for the kernel's where
only few hosts let us have them: that the kernel keeps to the limits is shown in `tests/campaigns/vm`."""

import os
import subprocess
from pathlib import Path

import pytest

from referee.process.sandbox import cgroup


@pytest.fixture
def hierarchy(tmp_path: Path) -> Path:
    """Return something like /sys/fs/cgroup with a service that may make groups of its own."""
    hub = tmp_path / "system.slice" / "referee.service" / "hub"
    hub.mkdir(parents=True)
    for folder in (hub.parent, tmp_path):
        (folder / "cgroup.controllers").write_text("cpuset cpu memory pids\n")
        (folder / "cgroup.subtree_control").write_text("cpu memory pids\n")
    (tmp_path / "membership").write_text("4:memory:/old\n0::/system.slice/referee.service/hub\n")
    return tmp_path


def test_groups_of_bots_are_made_beside_our_own(hierarchy: Path) -> None:
    nest = cgroup.nest(hierarchy, hierarchy / "membership")
    assert nest == hierarchy / "system.slice" / "referee.service"
    assert cgroup.usable(nest) == {"cpu", "memory", "pids"}


def divisible(hierarchy: Path, *pids: int) -> Path:
    """Return the group of a service that has been given controllers, with processes in it."""
    service = hierarchy / "system.slice" / "other.service"
    service.mkdir()
    (service / "cgroup.controllers").write_text("cpu memory pids\n")
    (service / "cgroup.subtree_control").write_text("\n")
    (service / "cgroup.procs").write_text("".join(f"{pid}\n" for pid in pids))
    (hierarchy / "membership").write_text("0::/system.slice/other.service\n")
    return service


def test_a_group_of_our_own_is_left_for_one_below_it(hierarchy: Path) -> None:
    service = divisible(hierarchy, os.getpid())
    cgroup.settle(hierarchy, hierarchy / "membership")
    assert (service / "hub" / "cgroup.procs").read_text() == "0"
    (hierarchy / "membership").write_text("0::/system.slice/other.service/hub\n")
    assert cgroup.nest(hierarchy, hierarchy / "membership") == service
    # Once is enough, though we are alone there too.
    (service / "hub" / "cgroup.controllers").write_text("cpu memory pids\n")
    (service / "hub" / "cgroup.subtree_control").write_text("\n")
    (service / "hub" / "cgroup.procs").write_text(f"{os.getpid()}\n")
    cgroup.settle(hierarchy, hierarchy / "membership")
    assert not (service / "hub" / "hub").exists()


def test_no_process_moves_if_others_are_there_or_nothing_is_delegated_or_there_is_no_group(
    hierarchy: Path,
) -> None:
    service = divisible(hierarchy, os.getpid(), os.getppid())
    cgroup.settle(hierarchy, hierarchy / "membership")
    (service / "cgroup.procs").write_text(f"{os.getpid()}\n")
    (service / "cgroup.controllers").write_text("hugetlb\n")
    cgroup.settle(hierarchy, hierarchy / "membership")
    (service / "cgroup.controllers").unlink()
    cgroup.settle(hierarchy, hierarchy / "membership")
    assert not (service / "hub").exists()
    cgroup.settle(hierarchy, hierarchy / "nowhere")


def test_a_host_without_version_2_has_no_nest(hierarchy: Path) -> None:
    (hierarchy / "membership").write_text("4:memory:/old\n")
    assert cgroup.nest(hierarchy, hierarchy / "membership") is None
    assert cgroup.nest(hierarchy, hierarchy / "nowhere") is None
    (hierarchy / "membership").write_text("0::/elsewhere/hub\n")
    assert cgroup.nest(hierarchy, hierarchy / "membership") is None
    assert cgroup.usable(None) == frozenset()


def test_a_group_has_the_limits_of_its_bot(hierarchy: Path) -> None:
    nest = hierarchy / "system.slice" / "referee.service"
    group = cgroup.Group(nest, 42, memory_mib=256, tasks=66)
    own = nest / "referee-bot-42"
    written = {path.name: path.read_text() for path in own.iterdir()}
    assert written == {
        "memory.max": str(256 << 20),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "66",
        "cpu.max": "100000 100000",
    }
    assert not group.ran_out_of_memory()
    (own / "memory.events").write_text("low 0\nhigh 0\nmax 7\noom 1\noom_kill 0\noom_group_kill 0\n")
    assert not group.ran_out_of_memory()
    (own / "memory.events").write_text("low 0\nhigh 0\nmax 7\noom 1\noom_kill 2\noom_group_kill 1\n")
    assert group.ran_out_of_memory()
    group.enter()
    assert (own / "cgroup.procs").read_text() == "0"


def test_groups_of_killed_supervisors_are_removed_and_a_new_one_of_a_living_one_stays(
    hierarchy: Path,
) -> None:
    nest = hierarchy / "system.slice" / "referee.service"
    with subprocess.Popen(["true"]) as gone:
        pass
    # The last belonged to an earlier supervisor with our process id.
    for number in (gone.pid, os.getpid(), 42):
        (nest / f"referee-bot-{number}").mkdir()
    cgroup.Group(nest, 42, memory_mib=256, tasks=66)
    assert {path.name for path in nest.glob("referee-bot-*")} == {
        f"referee-bot-{os.getpid()}",
        "referee-bot-42",
    }


def test_all_that_is_in_a_group_ends_with_it() -> None:
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    real = next((Path(words[1]) for words in mounts if words[2] == "cgroup2"), None)
    if real is None or not os.access(real, os.W_OK):
        pytest.skip("no control groups of version 2 that we may write are mounted")
    group = cgroup.Group(real, os.getpid(), memory_mib=0, tasks=0)
    own = real / f"referee-bot-{os.getpid()}"
    child = subprocess.Popen(["sh", "-c", "setsid sleep 600 & wait"], preexec_fn=group.enter)
    assert str(child.pid) in (own / "cgroup.procs").read_text().split()
    group.end()
    assert child.wait() == -9
    assert not own.exists()


def test_what_is_not_limited_is_not_written(hierarchy: Path) -> None:
    nest = hierarchy / "system.slice" / "referee.service"
    (nest / "cgroup.subtree_control").write_text("memory\n")
    (nest / "cgroup.controllers").write_text("memory\n")
    cgroup.Group(nest, 7, memory_mib=0, tasks=9)
    assert "memory.max" not in {path.name for path in (nest / "referee-bot-7").iterdir()}
