"""Matches that come to no verdict are played again, but not for ever; the runner in process."""

from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.chance import KeyedChance
from referee.game import Event
from tests.end_to_end.commands import Workspace
from tests.end_to_end.ladders import Ear, write_plan
from tournaments.config.plan import load
from tournaments.pairing.schedule import fixtures
from tournaments.results import Played
from tournaments.runner import AGAIN, Ran, TournamentRunner
from tournaments.store.store import Store


def run(folder: Path) -> tuple[Ran, Ear, list[Played]]:
    file = write_plan(Workspace(folder), jobs=1)
    with Store(folder / "spring.db") as store:
        ear = Ear(store)
        ran = TournamentRunner(load(file), store, ear).run()
        return ran, ear, store.played()


def break_rules(monkeypatch: pytest.MonkeyPatch, failures: int) -> None:
    """Let the rules fail at the first action of so many matches."""
    left = [failures]
    # A toy that is installed like any third party's: it cannot be imported by name.
    rules: Any = type(registry.game("coins").new(2, KeyedChance(bytes(32)))[0])
    sound = rules.apply

    def apply(state: Any, seat: int, action: str) -> list[Event]:
        if left[0] and state.round == 1 and not state.chosen:
            left[0] -= 1
            raise ZeroDivisionError("of the rules")
        events: list[Event] = sound(state, seat, action)
        return events

    monkeypatch.setattr(rules, "apply", apply)


def test_a_void_match_is_played_again_and_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_rules(monkeypatch, 2)
    ran, ear, rows = run(tmp_path)
    assert (ran.played, ran.left, ran.void) == (4, 0, {})
    assert [again for _, _, again in ear.voids] == [True, True]
    assert all("an error of the referee: ZeroDivisionError: of the rules" in why for _, why, _ in ear.voids)
    assert len({row.match for row in rows}) == 4
    assert all(not row.result.void for row in rows)


def test_a_deal_is_open_until_all_its_matches_have_a_verdict_the_void_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_rules(monkeypatch, 1)
    plan = load(write_plan(Workspace(tmp_path), jobs=1))
    found: list[tuple[bool, bool]] = []
    with Store(plan.store) as store:

        class Asking(Ear):
            def void(self, match: str, why: str, *, again: bool) -> None:
                found.append((runner.is_open(left[match], but=""), True))

            def finished(self, played: Played) -> None:
                # Watchers are shown a match only if no other one of its deal is open.
                is_last = list(left.values()).count(played.deal) == 1
                found.append((runner.is_open(played.deal, but=played.match), not is_last))
                del left[played.match]

        left = {fixture.match: fixture.deal for fixture in fixtures(plan)}
        runner = TournamentRunner(plan, store, Asking(store))
        runner.run()
    assert all(is_open == expected for is_open, expected in found)
    assert [is_open for is_open, _ in found].count(True) == 3


def test_a_match_that_is_void_again_and_again_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_rules(monkeypatch, 10**9)
    ran, ear, rows = run(tmp_path)
    assert (ran.played, ran.left, len(ran.void)) == (0, 0, 4)
    assert rows == []
    assert len(ear.voids) == 4 * (1 + AGAIN)
    assert sum(not again for _, _, again in ear.voids) == 4
    monkeypatch.undo()
    # Another run is another chance.
    ran, ear, rows = run(tmp_path)
    assert (ran.played, ran.void, len(rows)) == (4, {}, 4)
