"""How many matches run at once: more than there are processors for, as long as no bot thinks."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from referee.hub.hub import Hub
from referee.process.spec import BotSpec, program
from tests.end_to_end.hubs import ROOT, UNHURRIED, pairings, sample

LATE = UNHURRIED.timed({"grace_ms": 1_000})
"""A grace that a loaded host keeps: these tests are about bots that think, not about the host."""

_THINKS = """
import time
from protocol.client import run

answers = 0

def choose(view, legal):
    global answers
    answers += 1
    time.sleep(PAUSE if WHEN else 0)
    return legal[0]

run(choose, name="thinker", wants=["view", "legal"], capacity=64)
"""


def thinker(folder: Path, pause_s: float, when: str = "answers % 20 == 1") -> BotSpec:
    """Return a bot that thinks for so long at some of its decisions."""
    file = folder / "thinker.py"
    file.write_text(_THINKS.replace("PAUSE", str(pause_s)).replace("WHEN", when))
    return BotSpec("thinker", program([sys.executable, str(file)], folder, {"PYTHONPATH": str(ROOT)}))


def numbers_at_once(hub: Hub) -> list[tuple[int, bool]]:
    """Play to the end; return how many matches ran at each moment, and whether the thinker was in one."""
    seen = []
    while hub.is_busy:
        hub.turn()
        running = list(hub.running.values())
        seen.append((len(running), any("thinker" in one.pairing.bots for one in running)))
    hub.check_trouble()
    return seen


def hub_of(bots: Sequence[BotSpec], jobs: int, light_jobs: int = 0) -> Hub:
    return Hub(bots, profile=UNHURRIED, jobs=jobs, light_jobs=light_jobs)


def test_quick_bots_play_more_matches_at_once_when_they_are_known() -> None:
    with hub_of([sample("first"), sample("random")], jobs=1, light_jobs=6) as hub:
        hub.submit(pairings(["first", "random"], 40, profile=LATE))
        seen = [number for number, _ in numbers_at_once(hub)]
    assert max(seen) == 6
    assert seen[: seen.index(2)].count(1), "the first match, of bots that are not known, is played alone"
    assert hub.counts.finished == 40


def test_without_another_bound_no_more_matches_run_than_were_asked_for() -> None:
    with hub_of([sample("first"), sample("random")], jobs=2) as hub:
        hub.submit(pairings(["first", "random"], 12, profile=LATE))
        assert max(number for number, _ in numbers_at_once(hub)) == 2


@pytest.mark.parametrize("grace_ms", [20, 0])
def test_a_bot_that_thinks_has_a_processor_for_itself(tmp_path: Path, grace_ms: int) -> None:
    profile = UNHURRIED.timed({"grace_ms": grace_ms})
    with hub_of([thinker(tmp_path, 0.06), sample("first")], jobs=1, light_jobs=6) as hub:
        hub.submit(pairings(["thinker", "first"], 4, profile=profile))
        assert max(number for number, _ in numbers_at_once(hub)) == 1


def test_quick_bots_wait_while_another_thinks_and_all_matches_are_played(tmp_path: Path) -> None:
    with hub_of([thinker(tmp_path, 0.3), *map(sample, ("first", "random"))], jobs=1, light_jobs=6) as hub:
        quick = list(pairings(["first", "random"], 60, prefix="q", profile=LATE))
        slow = list(
            pairings(["thinker", "random"], 2, prefix="t", profile=UNHURRIED.timed({"grace_ms": 250}))
        )
        hub.submit([*quick[:30], slow[0], *quick[30:50], slow[1], *quick[50:]])
        seen = numbers_at_once(hub)
    assert max(number for number, _ in seen) > 2
    assert max(number for number, thinks in seen if thinks) == 1
    assert hub.counts.finished == 62


def test_a_bot_that_begins_to_think_is_left_alone_at_once(tmp_path: Path) -> None:
    # Quick in its first three matches: it is taken for light, until it thinks.
    profile = UNHURRIED.timed({"grace_ms": 500})
    with hub_of([thinker(tmp_path, 1.5, "answers == 150"), sample("first")], jobs=1, light_jobs=6) as hub:
        hub.submit(pairings(["thinker", "first"], 60, profile=profile))
        begun_while_it_thought = 0
        while hub.is_busy:
            begun = hub.counts.begun
            thinking = any(
                hub.loop.looked_ns - asked_ns > 600_000_000
                for one in hub.running.values()
                for _, asked_ns in one.match.open_asks()
            )
            hub.turn(10_000_000)
            if thinking and len(hub.running) > 1:
                begun_while_it_thought += hub.counts.begun - begun
        hub.check_trouble()
    assert hub.counts.finished == 60
    assert begun_while_it_thought == 0
