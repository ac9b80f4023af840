"""Whether bots change over a ladder's life or from host to host: simulated with known truth."""

from random import Random

import numpy as np
import pytest

from tests.campaigns.statistics.trends import (
    BRIEF,
    GROWING,
    HOSTED,
    STEADY,
    briefly_on_another,
    drifts,
    on_hosts,
)
from tests.unit.tournaments.rows import contest, row
from tournaments.rating.columns import columns
from tournaments.rating.trends import drift, host_effects


@pytest.mark.parametrize("title", STEADY)
def test_bots_that_do_not_change_are_seldom_named(title: str) -> None:
    luck = Random(2)
    assert sum(any(line.named for line in drifts(STEADY[title], luck)) for _ in range(6)) <= 1


def test_a_bot_that_grows_is_named_with_its_slope() -> None:
    lines = {line.name: line for line in drifts(GROWING, Random(1))}
    assert [name for name, line in lines.items() if line.named and line.slope.value > 0] == ["b0"]
    assert 100 < lines["b0"].slope.value < 350


def test_a_tournament_has_no_life() -> None:
    made = columns(contest("abc", 40), "abc")
    assert drift(made, np.full(3, 1500.0)) == ()


def test_hosts_that_do_not_matter_are_seldom_named() -> None:
    luck = Random(3)
    assert sum(any(line.named for line in on_hosts(HOSTED, luck)) for _ in range(8)) <= 1


@pytest.mark.parametrize("title", BRIEF)
def test_a_few_deals_on_another_host_that_ended_alike_name_no_bot(title: str) -> None:
    luck = Random(4)
    assert sum(any(line.named for line in briefly_on_another(*BRIEF[title], luck)) for _ in range(12)) <= 1


@pytest.mark.filterwarnings("error")
def test_a_bot_that_wins_on_one_host_only_is_named_after_any_number_of_deals() -> None:
    played = [row("ab", (1, 2), match=f"x{n}") for n in range(600)]
    played += [row("ab", (2, 1), match=f"y{n}") for n in range(600)]
    lines = host_effects(
        columns(played, "ab"), np.full(2, 1500.0), {match.match: match.match[0] for match in played}
    )
    assert [(line.difference.value, line.p, line.named) for line in lines] == [
        (-100.0, 0.0, True),
        (100.0, 0.0, True),
    ]


def test_a_bot_that_is_worse_on_a_host_is_named_with_the_host() -> None:
    lines = {line.name: line for line in on_hosts(HOSTED, Random(1), 0.4)}
    assert lines["a"].named
    assert lines["a"].host == "two"
    assert lines["a"].difference.value < -15


def test_one_host_is_not_tested() -> None:
    played = contest("abc", 40)
    made = columns(played, "abc")
    elo = np.full(3, 1500.0)
    assert host_effects(made, elo, {match.match: "one" for match in played}) == ()


def test_opponents_that_a_bot_met_on_one_host_only_do_not_count() -> None:
    played = [row("ab", (1, 2), match=f"x{n}") for n in range(40)]
    played += [row("ac", (2, 1), match=f"y{n}") for n in range(40)]
    hosts = {match.match: match.bots[1] for match in played}
    made = columns(played, "abc")
    assert host_effects(made, np.full(3, 1500.0), hosts) == ()
