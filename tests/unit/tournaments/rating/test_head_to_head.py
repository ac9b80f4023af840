"""Pairs by their own matches, and the likelihoods of all pairs."""

import pytest

from tests.unit.tournaments.rows import contest, row
from tournaments.rating.columns import columns
from tournaments.rating.elo import SCALE
from tournaments.rating.head_to_head import MOST_BOTS, HeadToHead, head_to_head, likelihoods
from tournaments.rating.mirroring import Mirrored
from tournaments.rating.ratings import rate
from tournaments.results import Played


def pairs(played: list[Played], bots: str) -> dict[str, HeadToHead]:
    made = columns(played, bots)
    return {line.name + line.other: line for line in head_to_head(made, Mirrored(made))}


def test_a_pair_has_the_elo_of_its_own_matches() -> None:
    played = [row("ab", (1, 2) if n < 30 else (2, 1), match=f"m{n}") for n in range(40)]
    line = pairs([*played, *contest("bc", 5)], "abc")["ab"]
    assert (line.wins, line.draws, line.losses, line.percent) == (30, 0, 10, 75.0)
    assert line.elo.value == pytest.approx(191, abs=8)
    # The error of a share of 40 independent matches, on the Elo scale.
    assert line.elo.error == pytest.approx(SCALE * (0.75 * 0.25 / 40) ** 0.5 / (0.75 * 0.25), rel=0.05)


def test_matches_of_one_deal_are_not_independent() -> None:
    twice = [
        row("ab", (1, 2) if n < 30 else (2, 1), match=f"m{n}-{again}", deal=f"{n}")
        for n in range(40)
        for again in range(2)
    ]
    line = pairs(twice, "ab")["ab"]
    assert line.elo.deals == 40
    assert line.elo.error == pytest.approx(SCALE * (0.75 * 0.25 / 40) ** 0.5 / (0.75 * 0.25), rel=0.05)


def test_a_bot_that_won_everything_has_an_error_and_no_infinite_lead() -> None:
    line = pairs([row("ab", (1, 2), match=f"m{n}") for n in range(40)], "ab")["ab"]
    assert line.elo.value < 1000
    assert line.elo.error is not None
    assert line.elo.error > 50


def test_a_pair_that_always_splits_may_differ_by_some_points() -> None:
    splits = [
        row("ab", (1, 2) if turn else (2, 1), match=f"m{n}-{turn}", deal=f"{n}")
        for n in range(100)
        for turn in (0, 1)
    ]
    line = pairs(splits, "ab")["ab"]
    assert line.elo.interval == pytest.approx((-12, 12), abs=2)


def test_few_deals_have_no_error() -> None:
    line = pairs([row("ab", (1, 2))], "ab")["ab"]
    assert (line.elo.deals, line.elo.interval) == (1, None)


def test_likelihoods_are_those_of_the_differences_and_add_up_to_one() -> None:
    ratings = rate([*contest("abc", 40), *contest("xy", 40)], "abcxy")
    found = likelihoods(ratings)
    assert found["a"]["b"] == pytest.approx(ratings.difference("a", "b").los, abs=1e-4)
    assert found["a"]["b"] + found["b"]["a"] == pytest.approx(1)
    assert "x" not in found["a"]


def test_too_many_bots_have_neither() -> None:
    bots = [f"b{number:03}" for number in range(MOST_BOTS + 1)]
    played = contest(bots[:3], 2)
    made = columns(played, bots)
    assert head_to_head(made, Mirrored(made)) == ()
    assert likelihoods(rate(played, bots)) == {}
