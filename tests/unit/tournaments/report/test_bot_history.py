"""The history of one bot and of two bots, and the table of a ladder with versions."""

from pathlib import Path

import pytest

from referee.errors import ConfigError
from tests.unit.tournaments.rows import contest, played_on_ladder
from tournaments.rating.standings import stand
from tournaments.report.bot_history import bot_history, pair_history
from tournaments.report.results_so_far import ResultsSoFar, ladder_results_of
from tournaments.report.version_history import ladder_history
from tournaments.store.chain import Head
from tournaments.store.ladder_versions import LadderVersion
from tournaments.store.ladders import LadderTerms

TERMS = LadderTerms("Ladder", "coins", 2, {})
VERSIONS = [
    LadderVersion("bob", "bob", "", "p1", "kit", "2026-11-01T00:00:00+00:00"),
    LadderVersion("bob", "bob@2", "", "p2", "kit", "2026-11-02T00:00:00+00:00"),
]


def ladder() -> ResultsSoFar:
    """Return a ladder on which bob was bad, and got better with another program."""
    rows = [played_on_ladder(n, "alice", "bob") for n in range(10)]
    rows += [played_on_ladder(n, "bob@2", "alice") for n in range(10, 20)]
    rows += [played_on_ladder(20, "alice", "bob@2", deal="unrated-0020-5b1d32a0c1d2")]
    return ladder_results_of(TERMS, rows, Head(), Path(), VERSIONS)


def test_matches_of_versions_are_not_mixed_and_the_table_shows_the_newest() -> None:
    results = ladder()
    assert [line.name for line in results.standings.shown] == ["bob@2", "alice"]
    assert results.standings.earlier == ("bob",)
    lines = {line.name: line for line in results.standings.table}
    assert (lines["bob"].wins, lines["bob"].losses) == (0, 10)
    assert (lines["bob@2"].wins, lines["bob@2"].losses) == (10, 0), "a match that is not rated does not count"
    assert results.unrated == 1


def test_places_count_the_newest_versions_and_bots_that_share_them_share_them_still() -> None:
    rows = [played_on_ladder(n, "alice", "bob") for n in range(4)]
    rows += [played_on_ladder(n, "bob@2", "cem") for n in range(4, 8)]
    rows += [played_on_ladder(n, "bob", "cem") for n in range(8, 12)]
    rows += [played_on_ladder(n, "bob", "dora") for n in range(12, 16)]
    rows += [played_on_ladder(n, "bob@2", "dora") for n in range(16, 20)]
    standings = ladder_results_of(TERMS, rows, Head(), Path(), VERSIONS).standings
    assert standings.earlier == ("bob",)
    places = {line.name: (line.place, line.place_to) for line in standings.table}
    assert places.pop("bob") == (5, 5)
    assert places.pop("cem") == places.pop("dora") == (3, 4)
    assert sorted(places.values()) == [(1, 1), (2, 2)]


def test_the_history_of_an_account_has_all_its_versions() -> None:
    found = bot_history(ladder(), "bob", VERSIONS)
    assert [line.name for line in found.lines] == ["bob@2", "bob"]
    assert [one.program for one in found.versions] == ["p1", "p2"]
    assert len(found.matches) == 20
    assert found.matches[0].opponents == ("alice",)
    assert found.ratings[-1].elo.keys() == {"bob", "bob@2"}
    only = bot_history(ladder(), "bob@2", VERSIONS)
    assert len(only.matches) == 10


def test_a_tournament_has_histories_and_pairs_too() -> None:
    rows = contest(["a", "b", "c"], 5)
    results = ResultsSoFar(rows, stand("t", "coins", ["a", "b", "c"], rows), Head(), Path())
    found = bot_history(results, "b")
    assert len(found.matches) == sum("b" in row.bots for row in rows)
    pair = pair_history(results, "b", "a")
    assert (pair.name, pair.other) == ("a", "b")
    assert pair.together is not None
    assert pair.together.wins + pair.together.draws + pair.together.losses == len(pair.matches) == 10
    assert all(match.bot == "a" and match.opponents == ("b",) for match in pair.matches)


def test_an_account_of_a_ladder_is_its_newest_version_in_a_pair() -> None:
    rows = [played_on_ladder(n, "carol@1.0", "bob") for n in range(3)]
    rows += [played_on_ladder(n, "carol@1.1", "bob") for n in range(3, 8)]
    versions = [
        LadderVersion("carol", f"carol@{version}", version, "p", "kit", "2026-11-01T00:00:00+00:00")
        for version in ("1.0", "1.1")
    ]
    found = pair_history(ladder_results_of(TERMS, rows, Head(), Path(), versions), "carol", "bob")
    assert {found.name, found.other} == {"carol@1.1", "bob"}
    assert len(found.matches) == 5
    with pytest.raises(ConfigError, match="no bot 'dora' has played here"):
        pair_history(ladder(), "dora", "bob")


@pytest.mark.parametrize("names", [("alice", "bop"), ("alice", "alice")])
def test_a_bot_that_is_not_there_is_refused_with_the_nearest(names: tuple[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"did you mean bob|name two bots"):
        pair_history(ladder(), *names)


def test_an_unknown_bot_has_no_history() -> None:
    with pytest.raises(ConfigError, match="no bot 'carol' has played here"):
        bot_history(ladder(), "carol")


def test_the_versions_of_a_ladder_are_listed_as_those_of_a_tournament() -> None:
    rows = [played_on_ladder(n, "alice", "bob") for n in range(3)]
    rows += [played_on_ladder(n, "bob@2", "alice") for n in range(3, 7)]
    lines = ladder_history([(0, VERSIONS[0]), (3, VERSIONS[1])], rows)
    assert [(line.bot, line.version, line.since, line.counts) for line in lines] == [
        ("bob", 1, 0, False),
        ("bob", 2, 3, True),
    ]
    assert [(line.wins, line.losses) for line in lines] == [(0, 3), (4, 0)]
    begun = ladder_history([(0, VERSIONS[0]), (3, VERSIONS[1])], rows[:3])
    assert [line.counts for line in begun] == [True, False], "the table has a version that has played"
