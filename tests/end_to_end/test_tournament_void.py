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


def test_the_deal_of_a_void_match_comes_again_until_its_next_try_has_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_rules(monkeypatch, 1)
    plan = load(write_plan(Workspace(tmp_path), jobs=1))
    coming: list[tuple[str, bool]] = []
    with Store(plan.store) as store:

        class Asking(Ear):
            def void(self, match: str, why: str, *, again: bool) -> None:
                coming.append((match, runner.comes_again(deals[match])))

            def finished(self, played: Played) -> None:
                coming.append((played.match, runner.comes_again(played.deal)))

        deals = {fixture.match: fixture.deal for fixture in fixtures(plan)}
        runner = TournamentRunner(plan, store, Asking(store))
        runner.run()
    (voided, is_coming), *others, (last, is_over) = coming
    assert is_coming
    assert (last, is_over) == (voided, False)
    # The other rotation of the deal was played meanwhile: watchers were not shown it.
    assert [is_coming for match, is_coming in others] == [
        deals[match] == deals[voided] for match, _ in others
    ]
    assert any(is_coming for _, is_coming in others)


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
