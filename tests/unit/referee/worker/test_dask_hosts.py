"""Which hosts of a cluster may play, by what their scheduler says of them."""

import platform
from typing import Any

import pytest

from protocol import limits
from referee.worker.code import code_hash
from referee.worker.dask_hosts import HostList


def said(name: str, *, speed: float = 0.0, processors: int = 4, **facts: Any) -> dict[str, Any]:
    known = {"host": name, "code": code_hash(), "protocol": limits.VERSION, "machine": platform.machine()}
    return {
        "resources": {"processors": processors},
        "referee": known | facts,
        "metrics": {"referee": {"speed": speed}},
    }


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def hosts(notes: list[str]) -> HostList:
    return HostList(2, notes.append)


def test_a_host_plays_as_many_matches_as_its_processors_bear(hosts: HostList, notes: list[str]) -> None:
    hosts.look({"tcp://a": said("alpha", processors=5)})
    assert [host.lanes for host in hosts.able] == [2]
    assert notes == ["host alpha has joined the cluster, and plays 2 at once"]


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (said("alpha", code="other"), "not the same code"),
        (said("alpha", protocol=0), "not the same code"),
        (said("alpha", machine="vax"), "of another kind (vax)"),
        (said("alpha", processors=1), "offers 1 processors, and a match needs 2"),
        ({"name": "alpha", "resources": {}, "metrics": {}}, "not started with `referee worker`"),
    ],
)
def test_a_host_that_cannot_play_is_refused_by_its_name(
    hosts: HostList, notes: list[str], found: dict[str, Any], why: str
) -> None:
    hosts.look({"tcp://a": found})
    assert not hosts.able
    assert notes[0].startswith("host alpha is refused: ")
    assert why in notes[0]


def look_at(hosts: HostList, looks: int, **speeds: float) -> list[str]:
    """Look so many times at hosts of these speeds; return the names of those that may play then."""
    for _ in range(looks):
        hosts.look({name: said(name, speed=speed) for name, speed in speeds.items()})
    return [host.name for host in hosts.able]


def test_a_host_of_less_than_half_the_usual_speed_is_refused(hosts: HostList, notes: list[str]) -> None:
    assert look_at(hosts, 20, alpha=900, beta=300, cleo=500) == ["alpha", "beta", "cleo"]
    assert look_at(hosts, 4, alpha=900, beta=200, cleo=500) == ["alpha", "beta", "cleo"]
    assert look_at(hosts, 1, alpha=900, beta=200, cleo=500) == ["alpha", "cleo"]
    assert (
        "host beta is refused: under the load of matches it has 40% of the speed of the others" in notes[-1]
    )


def test_a_host_that_was_slow_for_a_moment_is_not_refused(hosts: HostList) -> None:
    for _ in range(10):
        look_at(hosts, 4, alpha=900, beta=200, cleo=500)
        assert look_at(hosts, 1, alpha=900, beta=800, cleo=500) == ["alpha", "beta", "cleo"]


def test_a_host_that_is_not_measured_yet_is_not_judged(hosts: HostList) -> None:
    hosts.look({"a": said("alpha", speed=900), "b": said("beta")})
    assert [host.name for host in hosts.able] == ["alpha", "beta"]


def test_a_host_whose_batches_fail_again_and_again_is_refused(hosts: HostList) -> None:
    hosts.look({"a": said("alpha")})
    (alpha,) = hosts.able
    assert not alpha.failed("broke")
    assert not alpha.failed("broke")
    alpha.succeeded()
    assert [alpha.failed("broke") for _ in range(3)] == [False, False, True]
    assert not hosts.able
