"""Nothing grows worse than linearly with matches; counted in calls, which repeat on every host."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from tests.end_to_end.ladders import Ear
from tests.unit.tournaments.plans import played
from tournaments.config.plan import Plan, load
from tournaments.pairing.play_order import order_of_play
from tournaments.pairing.schedule import fixtures
from tournaments.report import export
from tournaments.report.results_so_far import plan_results
from tournaments.runner import TournamentRunner
from tournaments.store.store import Store


def event(folder: Path, bots: int, blocks: int) -> Plan:
    """Return a round robin that is played to its end."""
    lines = ['game = "chicago"', 'seed = "growth"', f"blocks = {blocks}", "seats = 2"]
    for number in range(bots):
        lines += ["[[bots]]", f'name = "bot{number:03}"', 'sample = "first"']
    file = folder / f"{bots}-{blocks}.toml"
    file.write_text("\n".join(lines))
    return load(file)


def calls(work: Callable[[], object]) -> int:
    """Count the calls of functions, those in C included."""
    count = 0

    def see(frame: FrameType, what: str, function: object) -> None:
        nonlocal count
        count += what in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def schedule(plan: Plan) -> None:
    order_of_play(fixtures(plan), plan.seed)


def commit(plan: Plan) -> None:
    rows = [played(one) for one in fixtures(plan)]
    with Store(plan.store) as store:
        for first in range(0, len(rows), 100):
            store.add(rows[first : first + 100])


def run_with_nothing_to_play(plan: Plan) -> None:
    with Store(plan.store) as store:
        assert TournamentRunner(plan, store, Ear(store)).run().left == 0


def standings_and_report(plan: Plan) -> None:
    found = plan_results(plan)
    export.html(found.standings, found.played, replays="replays", head=found.head)
    export.json(found.standings, found.played)


STEPS = (schedule, commit, run_with_nothing_to_play, standings_and_report)


def test_four_times_the_matches_take_four_times_the_work_at_most(tmp_path: Path) -> None:
    small, large = event(tmp_path, 8, 12), event(tmp_path, 8, 48)
    # What is done once in a process must not count as work of the first event.
    for step in STEPS:
        step(event(tmp_path, 8, 2))
    for step in STEPS:
        few, many = (calls(lambda plan=plan, step=step: step(plan)) for plan in (small, large))  # type: ignore[misc]
        assert many < 4.2 * few, step.__name__


@pytest.mark.parametrize("step", [schedule, commit])
def test_four_times_the_pairs_take_four_times_the_work_at_most(
    tmp_path: Path, step: Callable[[Plan], None]
) -> None:
    small, large = event(tmp_path, 16, 3), event(tmp_path, 32, 3)
    pairs = (32 * 31) / (16 * 15)
    few, many = (calls(lambda plan=plan: step(plan)) for plan in (small, large))  # type: ignore[misc]
    assert many < 1.1 * pairs * few


def test_a_file_with_four_times_the_bots_is_read_with_four_times_the_work(tmp_path: Path) -> None:
    event(tmp_path, 4, 1)
    few, many = (calls(lambda bots=bots: event(tmp_path, bots, 1)) for bots in (60, 240))  # type: ignore[misc]
    assert many < 8 * few
