"""Events made from stores: state, what is withheld, and a frozen table."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.tournaments.rows import contest, row
from tests.unit.tournaments.site.events_in_files import plan_in, play, play_all
from tournaments.pairing.schedule import fixtures
from tournaments.report.results_so_far import plan_results
from tournaments.site.events import NO_NOTES, event_of, rows_event, tournament_event
from tournaments.site.model import PublicNotes, SiteEvent
from tournaments.site.pages import file_paths, page_paths, render_file, render_page, state_sentence
from tournaments.site.public_results import results_shown
from tournaments.store import ladders, provenance
from tournaments.store.ladders import LadderTerms
from tournaments.store.provenance import BotProvenance, HostProvenance, Provenance
from tournaments.store.store import Store
from tournaments.store.versions import Identity, version_note


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
    assert state_sentence(event).startswith("Complete: 6 matches played, none left, none lost by a fault.")


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


def test_the_bracket_of_a_frozen_table_follows_from_the_results_that_are_shown(tmp_path: Path) -> None:
    terms: dict[str, Any] = {"format": "knockout", "blocks": 1}
    plan = plan_in(tmp_path, 4, **terms)
    first = play(plan, fixtures(plan)[:4])
    play(plan, [one for one in fixtures(plan, first) if one.match not in {row.match for row in first}])
    whole = read(tmp_path, bots=4, **terms)
    frozen = read(tmp_path, PublicNotes(frozen_after=1), bots=4, **terms)
    assert any(group.played > 2 or group.through for group in whole.standings.rounds[0].groups)
    assert sum(group.played for one in frozen.standings.rounds for group in one.groups) == 1
    assert {line.place for line in frozen.standings.table} == {1}
    page = render_page(frozen, "bracket.html")
    assert "goes on" not in page
    assert "further deal" not in page.partition("Points of a round")[0]


def test_a_frozen_table_of_a_swiss_tournament_does_not_show_pairings_that_follow_from_hidden_results(
    tmp_path: Path,
) -> None:
    plan = plan_in(tmp_path, 4, format="swiss", rounds=2)
    first = play_all(plan)
    assert {one.round for one in read(tmp_path, bots=4, format="swiss", rounds=2).fixtures} == {1, 2}
    notes = PublicNotes(frozen_after=len(first) - 1)
    assert {one.round for one in read(tmp_path, notes, bots=4, format="swiss", rounds=2).fixtures} == {1}


def test_the_terms_are_in_words_and_name_only_options_that_are_not_usual(tmp_path: Path) -> None:
    play_all(plan_in(tmp_path))
    usual = dict(read(tmp_path, options={"rounds": 4, "peek": "yes"}).facts)
    assert usual["Format"] == "round robin: all bots meet"
    assert usual["Rules"] == "the usual ones"
    changed = dict(read(tmp_path, format="swiss", rounds=2, options={"rounds": 7, "peek": "yes"}).facts)
    assert changed["Format"] == "Swiss, 2 rounds: bots of about equal strength meet"
    assert changed["Rules"] == "the usual ones, but rounds = 7"


def test_a_version_is_a_hash_without_paths_and_commands(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    host = HostProvenance("system", "machine", "processor", 2, 1.0, 1.0)

    bots = (BotProvenance("bot00", "/home/author/run", {"/home/author/bot.py": "aa"}),)
    run = Provenance("0.4.0", 1, "3.11", {}, "", bots, host)

    def version(number: int, content: str) -> tuple[str, str]:
        return version_note("bot00", number, Identity("/home/author/run", files={"author.py": content}))

    with Store(plan.store) as store:
        store.note_all([(provenance.NOTE, msgspec.json.encode(run).decode()), version(1, "aa")])
    play(plan, fixtures(plan)[:2])
    with Store(plan.store) as store:
        store.note_all([version(2, "bb")])
    event = read(tmp_path)
    shown = event.versions["bot00"]
    assert [(one.version, one.since, one.matches, one.counts) for one in shown] == [
        (1, 0, 2, False),
        (2, 2, 0, True),
    ]
    assert len({one.digest for one in shown}) == 2
    assert event.played == [], "all results so far are those of the earlier version"
    assert event.hosts == ("processor, 2 cores; referee 0.4.0, protocol 1, Python 3.11",)
    assert b"author" not in msgspec.json.encode([event.versions, event.facts, event.hosts])


def test_all_readers_name_the_version_that_plays_now_also_an_earlier_one_again(
    tmp_path: Path,
) -> None:
    plan = plan_in(tmp_path)
    first, second = (Identity("./run", files={"bot.py": content}) for content in ("aa", "bb"))
    with Store(plan.store) as store:
        store.note_all([version_note("bot00", 1, first), version_note("bot01", 1, Identity())])
    play(plan, fixtures(plan)[:2])
    with Store(plan.store) as store:
        store.note_all([version_note("bot00", 2, second), version_note("bot00", 1, first)])
    facts = [plan_results(plan).facts, results_shown(read(tmp_path)).facts]
    assert [one.versions for one in facts if one is not None] == [{"bot00": first.hash}] * 2


@pytest.mark.parametrize(("left", "withheld"), [(0, 0), (2, 4)])
def test_rows_without_a_store_withhold_everything_while_matches_are_left(left: int, withheld: int) -> None:
    event = rows_event("play", "coins", contest(["a", "b"], 2), left=left)
    assert sum(map(event.is_withheld, event.played)) == withheld


def test_void_rows_count_as_void_alone() -> None:
    event = rows_event("play", "coins", [row("ab", (1, 2)), row("ba", (1, 1), void=True, match="v")])
    assert (len(event.played), event.state.void) == (1, 1)


def ladder_in(folder: Path) -> Path:
    """Leave a ladder of two results and a void match; return its folder."""
    with Store(folder / ladders.STORE) as store:
        ladders.note(store, LadderTerms("Ladder", "coins", 2, {"rounds": 3}))
        rows = [row("ab", (1, 2), match="l-1", round=1), row("ba", (2, 1), match="l-2", round=2)]
        store.add([*rows, row("ab", (1, 1), match="l-3", round=3, void=True, reason="s3cret")])
    return folder


def test_a_ladder_is_never_complete_has_no_rounds_and_withholds_nothing(tmp_path: Path) -> None:
    event = event_of(ladder_in(tmp_path))
    assert (event.kind, event.name, len(event.played), event.state.void) == ("ladder", "Ladder", 2, 1)
    assert event.open_deals == frozenset()
    assert "rounds.html" not in page_paths(event)
    assert "rounds.html" not in render_page(event, "index.html")
    assert state_sentence(event).startswith(
        "Not being played: 2 matches played, none lost by a fault, 1 void."
    )
    assert "s3cret" not in "".join(render_page(event, path) for path in page_paths(event))


def test_a_tournament_without_results_has_its_pages(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(
        'game = "coins"\nseed = "12345678901234567890"\n'
        '[[bots]]\nname = "a"\nsample = "first"\n[[bots]]\nname = "b"\nsample = "random"\n'
    )
    event = event_of(file)
    assert event.state.left == 20
    assert all(render_file(event, path) for path in file_paths(event))
    assert "No match is over yet." in render_page(event, "index.html")
