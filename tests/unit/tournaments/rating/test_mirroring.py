"""What mirroring gained, and how blocks ended."""

from collections.abc import Sequence
from random import Random

import pytest

from tests.campaigns.statistics.worlds import World
from tests.unit.tournaments.rows import row
from tournaments.rating.clustered import Estimate
from tournaments.rating.columns import columns
from tournaments.rating.mirroring import Mirrored
from tournaments.results import Played


def block(number: int, first: int, second: int) -> list[Played]:
    """Return a deal of `a` and `b` in both rotations; `a` has these ranks (0: drawn)."""
    return [
        row(
            "ab",
            (first or 1, (3 - first) if first else 1),
            match=f"{number}-0",
            block=f"{number}",
            deal=f"{number}",
        ),
        row(
            "ba",
            ((3 - second) if second else 1, second or 1),
            match=f"{number}-1",
            block=f"{number}",
            deal=f"{number}",
        ),
    ]


def saved(played: Sequence[Played], bots: Sequence[str]) -> Estimate:
    found = Mirrored(columns(played, bots)).saved()
    assert found is not None
    return found


def test_blocks_are_counted_by_their_points() -> None:
    ends = [(2, 2), (2, 0), (1, 2), (2, 1), (0, 0), (1, 0), (1, 1), (1, 1)]
    played = [match for number, (one, two) in enumerate(ends) for match in block(number, one, two)]
    # For `a`, the first by name: 0, 1/2, 1 three times, 3/2, 2 twice.
    assert Mirrored(columns(played, "ab")).scores(1) == (1, 1, 3, 1, 2)
    assert Mirrored(columns(played[:-1], "ab")).scores(1) == (1, 1, 3, 1, 1)
    assert Mirrored(columns(played, "ab")).scores(2) == ()


def test_if_the_cards_decide_mirroring_saves_and_if_form_decides_it_costs() -> None:
    luck = Random(2)
    cards = saved(World(2, (0.1, 0.0), 200, cards=0.8).play(luck), "ab")
    assert cards.interval is not None
    assert cards.interval[0] > 30
    form = saved(World(2, (0.1, 0.0), 200, form=0.8).play(luck), "ab")
    assert form.interval is not None
    assert form.interval[1] < -30
    assert saved(World(2, (0.1, 0.0), 200).play(luck), "ab").is_nothing


def test_the_share_is_that_of_the_variance_of_a_block() -> None:
    # Each deal is won by the same seat: the block always ends 1:1, and all variance is saved.
    luck = Random(1)
    played = [
        match
        for number in range(60)
        for match in (block(number, 1, 2) if luck.random() < 0.5 else block(number, 2, 1))
    ]
    assert saved(played, "ab").value == pytest.approx(100)


def test_what_a_seat_is_worth_in_every_deal_is_no_gain_of_mirroring() -> None:
    assert saved(World(2, (0.0, 0.0), 300, first_seat=1.5).play(Random(3)), "ab").is_nothing


def test_with_more_seats_it_counts_too() -> None:
    found = saved(World(4, (0.2, 0.1, 0.0, -0.1), 150, cards=0.8).play(Random(2)), "abcd")
    assert found.interval is not None
    assert found.interval[0] > 20


def test_without_mirrored_blocks_nothing_is_said() -> None:
    played = [row("ab", (1, 2), match=f"m{number}", block=f"m{number}") for number in range(40)]
    assert Mirrored(columns(played, "ab")).saved() is None
