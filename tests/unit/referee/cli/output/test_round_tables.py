"""Rounds and brackets as text: what a person reads at 80 columns."""

from collections.abc import Sequence

import click
import pytest
from click.testing import CliRunner

from referee.cli.output.rating_tables import show_places
from referee.cli.output.round_tables import bracket_lines, show_bracket, show_rounds
from tests.property.test_places import results_of
from tests.unit.tournaments.plans import plan, played
from tournaments.config.plan import Plan
from tournaments.pairing.rounds import Round
from tournaments.pairing.schedule import fixtures, rounds_of
from tournaments.rating.standings import standings
from tournaments.report.bracket import bracket_of
from tournaments.results import Played


def first_by_name_wins(terms: Plan) -> list[Played]:
    """Play to the end; but dee and ann first tie, and dee wins the further deal."""
    results: list[Played] = []
    while new := [one for one in fixtures(terms, results) if one.match not in {row.match for row in results}]:
        again = any(set(row.bots) == {"ann", "dee"} for row in results)
        for one in new:
            special = set(one.bots) == {"ann", "dee"}
            ranks = (1, 1) if not again else tuple(1 if bot == "dee" else 2 for bot in one.bots)
            results.append(played(one, ranks if special else None))
    return results


def text_of(rounds: Sequence[Round]) -> list[str]:
    bracket = bracket_of(rounds)
    assert bracket is not None
    return bracket_lines(bracket)


def printed(show: object, *values: object) -> str:
    @click.command()
    def command() -> None:
        show(*values)  # type: ignore[operator]

    result = CliRunner().invoke(command, catch_exceptions=False)
    return result.output


def test_a_bracket_is_a_tree_with_points_winner_and_broken_ties() -> None:
    terms = plan(("ann", "bob", "cyd", "dee"), format="knockout", third_place=True)
    assert text_of(rounds_of(terms, first_by_name_wins(terms))) == [
        "Semifinals Final",
        "bob   4 ┐",
        "cyd   0 ┴─ bob   4 ┐",
        "                   │",
        "dee  6* ┐          │",
        "ann   2 ┴─ dee   0 ┴─ bob",
        "",
        "* Semifinals: dee, decided by 1 further deal",
        "Third place: ann 4, cyd 0",
    ]


def test_a_bot_that_rests_and_a_match_that_is_open_are_drawn() -> None:
    terms = plan(("ann", "bob", "cyd"), format="knockout")
    assert text_of(rounds_of(terms, [])) == [
        "Round 1",
        "",
        "ann  ──",
        "",
        "bob  ┐",
        "cyd  ┘",
    ]


@pytest.mark.parametrize("bots", [2, 3, 5, 8, 13, 16])
@pytest.mark.parametrize("length", [3, 40])
def test_no_line_of_a_bracket_is_wider_than_a_terminal(bots: int, length: int) -> None:
    terms = plan(tuple(f"{n:02}{'x' * length}" for n in range(bots)), format="knockout", blocks=9)
    lines = text_of(rounds_of(terms, results_of(terms, 7)))
    drawn = [line for line in lines if not line.startswith("* ")]
    assert "┴─ " in "".join(drawn)
    assert max(map(len, drawn)) <= 79


def test_a_bracket_that_does_not_fit_is_listed_round_by_round() -> None:
    terms = plan(tuple(f"{'x' * 30}{n:02}" for n in range(40)), format="knockout")
    rounds = rounds_of(terms, results_of(terms, 7))
    assert text_of(rounds) == []
    assert "Round 1: " in printed(show_bracket, rounds)


def test_groups_of_three_are_listed_with_the_bots_that_go_on() -> None:
    terms = plan(tuple("abcdef"), 3, format="knockout", blocks=1)
    results = [played(one) for one in fixtures(terms)]
    told = printed(show_bracket, rounds_of(terms, results)).splitlines()
    assert told[0] == "Round 1: 6 of 6 matches played"
    assert told[2].split() == ["a", "12,", "d", "6,", "e", "0", "3", "of", "3", "a,", "d"]


def test_rounds_of_a_swiss_tournament_list_rests() -> None:
    terms = plan(("ann", "bob", "cyd"), format="swiss", rounds=2)
    told = printed(show_rounds, rounds_of(terms, [played(one) for one in fixtures(terms)]))
    assert told.count("Resting: ") == 2
    assert "Round 1: 2 of 2 matches played" in told
    assert "Round 2: 0 of 2 matches played" in told


def test_the_table_of_a_swiss_tournament_has_the_columns_that_decide_it() -> None:
    terms = plan(("ann", "bob", "cyd"), format="swiss", rounds=1)
    results = [played(one) for one in fixtures(terms)]
    told = printed(show_places, standings(terms, results, fixtures(terms, results))).splitlines()
    assert told[0].split() == ["bot", "swiss", "points", "buchholz", "w/d/l", "rating", "rests", "faults"]
    assert told[-1] == "Ordered by Swiss points, then Buchholz, wins, rating and lot."


def test_pools_have_a_table_each() -> None:
    terms = plan(5, pools=2, order="points")
    results = [played(one) for one in fixtures(terms)]
    told = printed(show_places, standings(terms, results, fixtures(terms, results)))
    assert told.count("head to head") == 2
    assert "Pool A:\n" in told
    assert "\n\nPool B:\n" in told
    assert "Each pool is ordered by points, then head-to-head, wins and rating." in told


def test_a_name_cannot_command_the_terminal() -> None:
    terms = plan(("\x1b[2Jx", "b"), format="knockout")
    results = results_of(terms, 1)
    for told in (
        printed(show_bracket, rounds_of(terms, results)),
        printed(show_rounds, rounds_of(terms, results)),
        printed(show_places, standings(terms, results, fixtures(terms, results))),
    ):
        assert "\x1b[2J" not in told
        assert "\\x1b[2J" in told
