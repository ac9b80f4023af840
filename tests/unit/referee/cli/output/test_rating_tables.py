"""Standings as text: what a person reads, and what a log gets."""

import re
from functools import partial

import click
import pytest
from click.testing import CliRunner

from referee.cli.output.rating_tables import MOST_CROSSED, show_tables
from tests.unit.tournaments.rows import contest, row
from tournaments.placing.table_order import by_points
from tournaments.rating.standings import Standings, stand
from tournaments.results import Played


def printed(standings: Standings, played: list[Played]) -> str:
    @click.command()
    def show() -> None:
        show_tables(standings, played)

    result = CliRunner().invoke(show, catch_exceptions=False)
    return result.output


def test_all_tables_are_printed() -> None:
    played = contest("abc", 31, fault=0.05)
    told = printed(stand("t", "coins", "abc", played), played)
    titles = re.findall(r"^(\w.*):$", told, re.MULTILINE)
    lost = sum(any(match.result.faults) for match in played)
    assert titles == [
        "Each bot compared with the next one",
        f"Without the {lost} matches lost by a fault",
        "Percent of comparisons won, row against column",
        "Time (measured; the grace of an answer is not charged)",
    ]
    assert re.search(r"^  1  a +1\d{3} ± \d+ ", told, re.MULTILINE)


def test_a_bot_is_named_only_if_it_seems_to_remember_deals() -> None:
    played = [
        row(bots, (2, 1), match=f"{n}-{bots}", block=f"{n}", deal=f"{n}")
        for n in range(12)
        for bots in ("ab", "ba")
    ]
    order = [one.match for one in played]
    told = printed(stand("t", "coins", "ab", played, order=order), played)
    (warning,) = [line for line in told.splitlines() if line.startswith("Warning: ")]
    assert warning.startswith(
        "Warning: bot a seems to remember deals: it won 0 % of its comparisons in the first match of a deal "
        "and 100 % in the later ones (12 deals, chance without memory 0.0002; "
    )
    assert "Warning" not in printed(stand("t", "coins", "ab", played), played)


def test_too_few_blocks_are_said_and_no_error_is() -> None:
    played = contest("ab", 4)
    told = printed(stand("t", "coins", "ab", played), played)
    assert ", too few" in told
    assert "±" not in told


def test_a_gauntlet_by_points_shows_the_percent_that_order_it() -> None:
    played = [row("ab", (1, 2), block="1"), row("ac", (1, 2), block="2"), row("cb", (1, 2), block="3")]
    by_percent = partial(by_points, percent=True)
    told = printed(stand("t", "coins", "abc", played, place=by_percent), played)
    head, first = told.splitlines()[:2]
    assert head.split()[:3] == ["bot", "points", "%"]
    assert first.split()[:4] == ["1", "a", "2", "100.0"]


def test_before_the_first_match_there_is_only_the_table() -> None:
    told = printed(stand("t", "coins", "ab", []), [])
    assert [line.split()[:4] for line in told.splitlines()[1:3]] == [
        ["1-2", "a", "no", "rating"],
        ["1-2", "b", "no", "rating"],
    ]
    assert ":\n" not in told.replace("compared:", "")


def test_the_cross_table_shows_percent_and_gaps_in_it() -> None:
    played = [row("ab", (1, 2)), row("bc", (1, 1))]
    told = printed(stand("t", "coins", "abc", played), played)
    lines = told.partition("row against column:\n")[2].splitlines()[1:4]
    assert [line.split()[1:] for line in lines] == [["a", "-", "100"], ["c", "-", "50"], ["b", "0", "50"]]


def test_a_wide_cross_table_is_cut_and_says_so() -> None:
    bots = [f"bot{n:02}" for n in range(MOST_CROSSED + 3)]
    played = contest(bots, 1)
    told = printed(stand("t", "coins", bots, played), played)
    assert f"Only the first {MOST_CROSSED} of {len(bots)} bots." in told


def test_a_name_cannot_command_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "\x1b[2J\r[red]x"
    played = [*contest([hostile, "b"], 3), row("cd", (1, 2))]
    standings = stand("t", "coins", [hostile, *"bcd"], played)
    told = printed(standings, played)
    assert "\x1b[2J" not in told
    assert "\\x1b[2J\\r[red]x" in told
    monkeypatch.setattr("referee.cli.output.printer.is_for_people", lambda: True)
    monkeypatch.setenv("COLUMNS", "200")
    framed = printed(standings, played)
    assert "\x1b[2J" not in framed
    assert "\\x1b[2J\\r[red]x" in framed
