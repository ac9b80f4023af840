"""Events made from stores: state, what is withheld, and a frozen table."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.tournaments.rows import contest, row
from tests.unit.tournaments.site.events_in_files import plan_in, play, play_all
from tournaments.pairing.schedule import fixtures
from tournaments.site.events import NO_NOTES, rows_event, tournament_event
from tournaments.site.model import PublicNotes, SiteEvent
from tournaments.site.pages import state_sentence
from tournaments.store import provenance
from tournaments.store.provenance import BotProvenance, HostProvenance, Provenance
from tournaments.store.store import Store


def read(plan_folder: Path, notes: PublicNotes = NO_NOTES, **settings: Any) -> SiteEvent:
    plan = plan_in(plan_folder, **settings)
    with Store(plan.store, write=False) as store:
        return tournament_event(plan, store, notes)


def test_a_complete_tournament_withholds_nothing(tmp_path: Path) -> None:
    rows = play_all(plan_in(tmp_path))
    event = read(tmp_path)
    assert event.state.complete
    assert not event.state.running
    assert event.open_deals == frozenset()
    assert {one.match for one in event.played} == {one.match for one in rows}
    assert state_sentence(event).startswith(
        "Complete: 6 matches played, none left, 0 matches lost by a fault."
    )


def test_of_a_deal_with_a_rotation_to_play_only_the_result_is_known(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    planned = fixtures(plan)
    play(plan, planned[:-1])
    event = read(tmp_path)
    assert event.state.left == 1
    (held,) = [one for one in event.played if event.is_withheld(one)]
    assert held.block == planned[-1].block
    assert not event.has_replay(held)
    assert "1 left" in state_sentence(event)


def test_the_newest_match_is_the_one_that_was_committed_last(tmp_path: Path) -> None:
    rows = play(plan_in(tmp_path), fixtures(plan_in(tmp_path))[::-1])
    assert [one.match for one in read(tmp_path).newest] == [one.match for one in rows[::-1]]


def test_a_frozen_table_shows_the_first_results_and_how_many_are_hidden(tmp_path: Path) -> None:
    rows = play_all(plan_in(tmp_path))
    event = read(tmp_path, PublicNotes(frozen_after=2))
    assert {one.match for one in event.played} == {one.match for one in rows[:2]}
    assert event.standings.matches == 2
    assert event.hidden == 4
    assert "6 matches played" in state_sentence(event)


def test_a_frozen_table_of_a_swiss_tournament_does_not_show_pairings_that_follow_from_hidden_results(
    tmp_path: Path,
) -> None:
    plan = plan_in(tmp_path, 4, format="swiss", rounds=2)
    first = play_all(plan)
    assert {one.round for one in read(tmp_path, bots=4, format="swiss", rounds=2).fixtures} == {1, 2}
    notes = PublicNotes(frozen_after=len(first) - 1)
    assert {one.round for one in read(tmp_path, notes, bots=4, format="swiss", rounds=2).fixtures} == {1}


def test_a_version_is_a_hash_without_paths_and_commands(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    host = HostProvenance("system", "machine", "processor", 2, 1.0, 1.0)

    def run(content: str) -> str:
        bots = (BotProvenance("bot00", "/home/author/run", {"/home/author/bot.py": content}),)
        made = Provenance("0.4.0", 1, "3.11", {}, "", bots, host)
        return msgspec.json.encode(made).decode()

    with Store(plan.store) as store:
        store.note(provenance.NOTE, run("aa"))
    play(plan, fixtures(plan)[:2])
    with Store(plan.store) as store:
        store.note(provenance.NOTE, run("aa"))
        store.note(provenance.NOTE, run("bb"))
    event = read(tmp_path)
    assert [version.since for version in event.versions["bot00"]] == [0, 2]
    assert len({version.digest for version in event.versions["bot00"]}) == 2
    assert event.hosts == ("processor, 2 cores; referee 0.4.0, Python 3.11",)
    assert b"author" not in msgspec.json.encode([event.versions, event.facts, event.hosts])


@pytest.mark.parametrize(("left", "withheld"), [(0, 0), (2, 4)])
def test_rows_without_a_store_withhold_everything_while_matches_are_left(left: int, withheld: int) -> None:
    event = rows_event("play", "coins", contest(["a", "b"], 2), left=left)
    assert sum(map(event.is_withheld, event.played)) == withheld


def test_void_rows_count_as_void_alone() -> None:
    event = rows_event("play", "coins", [row("ab", (1, 2)), row("ba", (1, 1), void=True, match="v")])
    assert (len(event.played), event.state.void) == (1, 1)
