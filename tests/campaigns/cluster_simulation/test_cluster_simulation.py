"""Small clusters with many faults: the store equals that of a run without, and planted faults are noticed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.errors import RefereeError
from referee.worker.member import CrewMember
from referee.worker.orders import MatchOver
from tests.campaigns.cluster_simulation.__main__ import main
from tests.campaigns.cluster_simulation.faults import NONE, Faults
from tests.campaigns.cluster_simulation.organiser import MakeHub, SimulatedHub
from tests.campaigns.cluster_simulation.simulation import Outcome, flaws, plan_of, simulate
from tests.campaigns.cluster_simulation.world import Setting
from tournaments.rating.ratings import rate
from tournaments.store.store import Store

STORM = Faults(
    crashes=10,
    away_s=300,
    cuts=40,
    stragglers=0.02,
    deaths=0.01,
    echoes=0.05,
    slow=0.1,
    liars=0.08,
    strangers=0.05,
    scheduler_restarts=40,
    organiser_kills=30,
    stalls=40,
)


more_seeds = partial(pytest.param, marks=pytest.mark.slow)


def setting(seed: int, faults: Faults = STORM) -> Setting:
    return Setting(hosts=12, matches=200, hours=1.5, seed=seed, faults=faults)


@contextmanager
def played(what: Setting, make: MakeHub = SimulatedHub) -> Iterator[tuple[Outcome, Path]]:
    with TemporaryDirectory() as folder:
        yield simulate(what, Path(folder), make=make), Path(folder)


@cache
def calm(seed: int) -> Outcome:
    with played(setting(seed, NONE)) as (outcome, _):
        return outcome


@settings(max_examples=5)
@given(seed=st.integers(0, 10_000))
@example(seed=5)
def test_a_run_with_faults_ends_with_the_store_of_one_without(seed: int) -> None:
    with played(setting(seed)) as (outcome, _):
        assert flaws(outcome, calm(seed)) == []


def test_the_ratings_are_those_of_a_run_without_faults(tmp_path: Path) -> None:
    tables = []
    for name, faults in (("calm", NONE), ("stormy", STORM)):
        folder = tmp_path / name
        folder.mkdir()
        simulate(setting(3, faults), folder)
        plan = plan_of(setting(3), folder / "store.sqlite")
        with Store(plan.store, write=False) as store:
            tables.append(rate(store.played(), plan.names, plan.anchor).rows)
    assert tables[0] == tables[1]


def test_the_same_seed_gives_the_same_run() -> None:
    with played(setting(11)) as (one, _), played(setting(11)) as (other, _):
        assert replace(one, seconds=0.0, memory_mb=0.0) == replace(other, seconds=0.0, memory_mb=0.0)


def only(**faults: float) -> Faults:
    return replace(NONE, **faults)


@pytest.mark.parametrize("seed", [1, more_seeds(5)])
def test_a_scheduler_that_restarts_ends_no_run(seed: int) -> None:
    """Dask cancels all futures at once then, before anything else is known."""
    with played(setting(seed, only(scheduler_restarts=60))) as (outcome, _):
        assert outcome.happened["the scheduler restarted"]
        assert flaws(outcome, calm(seed)) == []


def test_a_host_that_lies_is_refused_and_voids_no_match() -> None:
    with played(setting(3, only(liars=0.3))) as (outcome, _):
        assert outcome.refused == {"lies": outcome.happened["a host lies"]}
        assert outcome.void == 0
        assert flaws(outcome, calm(3)) == []


def test_matches_that_are_to_be_played_alone_keep_no_other_lane_from_playing() -> None:
    with played(setting(1, only(deaths=0.1))) as (outcome, _):
        assert outcome.happened["a process on a host was killed"] > 5
        assert outcome.hours < 1.5 * calm(1).hours
        assert flaws(outcome, calm(1)) == []


@pytest.mark.parametrize("seed", [2, more_seeds(1), more_seeds(5)])
def test_a_batch_that_straggles_does_not_hold_up_the_end(seed: int) -> None:
    """Hosts that have nothing more to play begin its matches anew."""
    calm_one = replace(setting(seed, NONE), matches=1000)
    with (
        played(calm_one) as (usual, _),
        played(replace(calm_one, faults=only(stragglers=0.02))) as (outcome, _),
    ):
        assert outcome.hours < 1.3 * usual.hours
        assert flaws(outcome, usual) == []


class TakesTwice(SimulatedHub):
    """Files a result again that comes a second time."""

    _given: ClassVar[dict[str, object]] = {}

    def _over(self, member: CrewMember, over: MatchOver) -> None:
        away = member.matches.get(over.match)
        if away is None and over.match in self._given:
            member.matches[over.match] = self._given[over.match]  # type: ignore[assignment]
        elif away is not None:
            self._given[over.match] = away
        super()._over(member, over)


class TrustsAll(SimulatedHub):
    """Takes what hosts send as what they were to play."""

    def _over(self, member: CrewMember, over: MatchOver) -> None:
        away = member.matches.get(over.match)
        if away is not None:
            seats = tuple(replace(seat, rank=1) for seat in over.result.seats)
            over = replace(over, result=replace(over.result, seats=seats))
        super()._over(member, over)


class LetsGo(SimulatedHub):
    """Lets go of workers now and then of which nothing is wrong."""

    def _over(self, member: CrewMember, over: MatchOver) -> None:
        super()._over(member, over)
        if self.counts.ended % 20 == 0 and member in self._crew:
            member.let_go()
            self._ended(self._crew.index(member), member)


def loses_the_store(outcome: Outcome) -> None:
    assert any("is not equal" in flaw for flaw in flaws(outcome, calm(1)))


def plays_more(outcome: Outcome) -> None:
    assert any("unexplained" in flaw for flaw in flaws(outcome, calm(1)))


@pytest.mark.parametrize(("hub", "notices"), [(TrustsAll, loses_the_store), (LetsGo, plays_more)])
def test_a_planted_fault_of_the_organiser_is_noticed(
    hub: MakeHub, notices: Callable[[Outcome], None]
) -> None:
    with played(setting(1), hub) as (outcome, _):
        notices(outcome)


def test_a_result_that_is_taken_twice_ends_the_run() -> None:
    with pytest.raises(RefereeError, match="a match can be added only once"), played(setting(1), TakesTwice):
        pass


def test_the_command_prints_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hosts", "10", "--matches", "100", "--hours", "1"]) == 0
    printed = capsys.readouterr().out
    assert "10 hosts, 100 matches, faults for 1 h, seed 7" in printed
    assert "The store is equal to that of the run without faults" in printed
