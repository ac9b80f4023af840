"""Whether many busy processes of one bot have the share of one. Folders stand in for hosts."""

from pathlib import Path

import pytest

from referee.process.sandbox import cgroup


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """Return something like a host on which sessions share processors."""
    (tmp_path / "setting").write_text("1\n")
    (tmp_path / "membership").write_text("1:cpu,cpuacct:/\n0::/user.slice\n")
    (tmp_path / "user.slice").mkdir()
    return tmp_path


def shares(host: Path) -> bool:
    return cgroup.sessions_share_processors(host / "setting", host, host / "membership")


def test_sessions_share_processors_if_the_kernel_is_set_to_it(host: Path) -> None:
    assert shares(host)


@pytest.mark.parametrize("setting", ["0\n", None])
def test_without_the_setting_they_do_not(host: Path, setting: str | None) -> None:
    (host / "setting").unlink()
    if setting is not None:
        (host / "setting").write_text(setting)
    assert not shares(host)


def test_in_a_group_with_a_share_of_processors_they_do_not(host: Path) -> None:
    (host / "user.slice" / "cpu.weight").write_text("100\n")
    assert not shares(host)


def test_in_a_group_of_version_1_for_processors_they_do_not(host: Path) -> None:
    (host / "membership").write_text("1:cpu,cpuacct:/user.slice\n0::/\n")
    assert not shares(host)
