"""Whether ratings predict results: honest events keep the level, cycles are named, and the arithmetic."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from tests.campaigns.statistics.misfit import CYCLIC, HONEST, ODD, cycle, found
from tests.campaigns.statistics.worlds import World
from tests.unit.tournaments.rows import contest, row
from tournaments.rating.columns import columns
from tournaments.rating.elo import SCALE
from tournaments.rating.misfit import Misfit, misfit, misfit_notes
from tournaments.rating.ratings import rate
from tournaments.results import Played


def report_of(played: Sequence[Played], bots: Sequence[str]) -> Misfit:
    return misfit(columns(played, bots), rate(played, bots))


def wins(one: str, other: str, won: int, of: int) -> list[Played]:
    """Return matches with a deal of their own."""
    return [
        row((one, other), (1, 2) if n < won else (2, 1), match=f"{one}{other}{n}", deal=f"{one}{other}{n}")
        for n in range(of)
    ]


@pytest.mark.parametrize("world", HONEST.values(), ids=HONEST)
def test_events_that_ratings_describe_are_seldom_called_badly_fitted(world: World) -> None:
    luck = Random(5)
    reports = [found(world, luck) for _ in range(8)]
    # Two of eight are beyond chance at a level of 1 % (0.3 %); `make statistics` plays more.
    assert sum(one.poor for one in reports) <= 1
    assert not any(one.cycles for one in reports)


@pytest.mark.parametrize("title", [title for title in HONEST if "few" in title])
def test_few_deals_in_a_whole_event_keep_the_level_too(title: str) -> None:
    poor = sum(found(HONEST[title], Random(seed)).poor for seed in range(20, 60))
    # Three of forty are beyond chance at a level of 1 % (0.7 %).
    assert poor <= 2


@pytest.mark.filterwarnings("error")
def test_the_error_of_a_pair_is_that_of_its_deals_also_if_it_scored_as_predicted() -> None:
    luck = Random(4)
    played = []
    for number in range(40):
        played.append(row(luck.sample("abc", 3), (1, 2, 3), match=f"three-{number}"))
        played.append(row(luck.sample("abc", 2), (1, 2), match=f"two-{number}"))
    errors = [pair.error for pair in report_of(played, "abc").pairs]
    assert len(errors) == 3
    assert min(errors) > 1
    assert max(errors) < 15


@pytest.mark.parametrize("title", list(CYCLIC)[:2])
def test_rock_paper_scissors_is_named(title: str) -> None:
    report = found(CYCLIC[title], Random(3))
    assert report.poor
    assert [one.bots for one in report.cycles] == [("a", "b", "c")]
    assert all(percent > 60 for percent in report.cycles[0].percents)


def test_one_pair_that_is_off_is_named_without_a_cycle() -> None:
    report = found(ODD, Random(2))
    assert report.poor
    # It is first: because of it other pairs of its bots are a little off too.
    first = report.pairs[0]
    assert (first.name, first.other, first.named) == ("e", "a", True)
    assert first.percent > first.expected + 10
    assert not report.cycles


def test_a_certain_cycle_is_named_though_its_deals_do_not_vary() -> None:
    played = [*wins("a", "b", 12, 12), *wins("b", "c", 12, 12), *wins("c", "a", 12, 12)]
    report = report_of(played, "abc")
    assert report.poor
    assert str(report.cycles[0]) == "a beats b beats c beats a (100 %, 100 %, 100 %)"
    (note,) = misfit_notes(report)
    assert note.endswith("a beats b beats c beats a (100 %, 100 %, 100 %)")


def test_two_bots_leave_nothing_to_test() -> None:
    report = report_of(contest("ab", 40), "ab")
    assert (report.pairs_tested, report.p, report.poor) == (0, None, False)


def test_winners_alone_leave_nothing_to_test_if_all_bots_are_in_all_matches() -> None:
    luck = Random(1)
    assert found(HONEST["four seats, four bots, only the winner is known"], luck).p is None


def test_too_few_deals_are_not_tested() -> None:
    report = report_of([*wins("a", "b", 9, 9), *wins("b", "c", 9, 9), *wins("c", "a", 9, 9)], "abc")
    assert (report.pairs_tested, report.cycles) == (0, ())


def test_the_residual_is_that_of_the_formula() -> None:
    played = [*wins("a", "b", 15, 20), *wins("b", "c", 12, 20), *wins("a", "c", 11, 20)]
    elo = {line.bot: line.elo for line in rate(played, "abc").rows}
    for pair in report_of(played, "abc").pairs:
        chance = 1 / (1 + np.exp((elo[pair.other] - elo[pair.name]) / SCALE))
        assert pair.expected == pytest.approx(100 * chance, abs=0.06)
        assert pair.deals == 20
    # Three pairs of three bots: what one is above its prediction, all three are.
    assert len({round(abs(pair.percent - pair.expected), 0) for pair in report_of(played, "abc").pairs}) == 1


def test_the_order_of_the_results_does_not_matter() -> None:
    played = cycle(4, 0.8, 20).play(Random(4))
    mixed = Random(1).sample(played, len(played))
    assert report_of(mixed, "dbca") == report_of(played, "abcd")


def test_of_several_cycles_the_shortest_is_first() -> None:
    report = found(cycle(4, 2.5, 60), Random(1))
    assert [one.bots for one in report.cycles] == [("a", "b", "c", "d")]
