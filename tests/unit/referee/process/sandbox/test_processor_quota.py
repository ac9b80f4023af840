"""A container may have the time of fewer processors than it sees; matches are counted by what it has."""

import math
from pathlib import Path

import pytest

from referee.process.sandbox.cgroup import processor_quota


def group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def quota(root: Path, membership: str) -> float:
    (root / "membership").write_text(membership)
    return processor_quota(root, root / "membership")


def test_the_least_bound_of_a_group_and_those_above_it_counts(tmp_path: Path) -> None:
    group(tmp_path / "pod", cpu__max="250000 100000\n")
    group(tmp_path / "pod" / "bots", cpu__max="max 100000\n")
    assert quota(tmp_path, "0::/pod/bots\n") == 2.5
    group(tmp_path / "pod" / "bots", cpu__max="50000 100000\n")
    assert quota(tmp_path, "0::/pod/bots\n") == 0.5


@pytest.mark.parametrize("path", ["/", "/pods/of/the/host"])
def test_a_container_sees_its_own_group_at_the_top(tmp_path: Path, path: str) -> None:
    group(tmp_path, cpu__max="400000 100000\n")
    assert quota(tmp_path, f"0::{path}\n") == 4


def test_version_1_has_its_bound_in_a_folder_of_the_controller(tmp_path: Path) -> None:
    folder = tmp_path / "cpu,cpuacct"
    group(folder, cpu__cfs_quota_us="-1\n", cpu__cfs_period_us="100000\n")
    group(folder / "job", cpu__cfs_quota_us="300000\n", cpu__cfs_period_us="100000\n")
    assert quota(tmp_path, "5:memory:/job\n4:cpu,cpuacct:/job\n0::/\n") == 3


@pytest.mark.parametrize("text", ["", "max\n", "much 100000\n", "max 100000\n"])
def test_without_a_bound_that_can_be_read_there_is_none(tmp_path: Path, text: str) -> None:
    group(tmp_path, cpu__max=text)
    assert quota(tmp_path, "0::/\n") == math.inf
    assert processor_quota(tmp_path, tmp_path / "not there") == math.inf
