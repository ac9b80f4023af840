"""Comparisons in columns are those of the rows."""

from random import Random

from tests.unit.tournaments.rows import contest, row
from tournaments.rating.columns import columns


def test_columns_are_the_comparisons_of_the_matches() -> None:
    played = [
        *contest("abcd", 3, seats=3, fault=0.2),
        row("ab", (1, 1)),
        row("abc", (1, 2, 2), ties="unordered"),
    ]
    made = columns(played, "abcd")
    found = sorted(
        (made.matches[match], made.names[one], made.names[other], int(2 * points))
        for match, one, other, points, compared in zip(
            made.match, made.one, made.other, made.points, made.compared, strict=True
        )
        if compared
    )
    expected = sorted(
        (match.match, *((better, other, halves) if better < other else (other, better, 2 - halves)))
        for match in played
        for better, other, halves in match.comparisons()
    )
    assert found == expected


def test_other_bots_and_copies_are_left_out() -> None:
    made = columns([row("aab", (1, 2, 3)), row("ax", (1, 2))], "ab")
    assert len(made.one) == 2
    assert made.points.tolist() == [1, 1]


def test_the_seats_are_those_of_the_bots() -> None:
    made = columns([row("ba", (1, 2))], "ab")
    assert (made.seat.tolist(), made.other_seat.tolist(), made.points.tolist()) == ([1], [0], [0.0])


def test_the_order_of_the_matches_does_not_matter() -> None:
    played = contest("abc", 5)
    one, other = columns(played, "abc"), columns(Random(1).sample(played, len(played)), "cab")
    assert (one.names, one.matches) == (other.names, other.matches)
    for a, b in ((one.match, other.match), (one.deal, other.deal), (one.seat, other.seat)):
        assert a.tolist() == b.tolist()
    assert one.points.tolist() == other.points.tolist()
