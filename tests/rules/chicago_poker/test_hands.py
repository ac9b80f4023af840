"""Which hand wins: the hands of the booklets, short hands, and exact frequencies."""

from collections import Counter
from itertools import combinations_with_replacement
from math import comb, prod

import pytest

from referee.games.chicago_poker.components import VALUES
from referee.games.chicago_poker.hands import CATEGORIES, rank
from tests.rules.chicago_poker.build import cards

CASES = [
    ("H01", "R9 G9 B9 Y9 P9", "R4 G4 B4 Y4 P4", "A"),
    ("H02", "R1 G1 B1 Y1 P1", "R11 R12 R13 R14 R15", "A"),
    ("H03", "R1 R2 R3 R4 R5", "R11 G12 B13 Y14 P15", "A"),
    ("H04", "R1 G2 B3 Y4 P5", "R15 G15 B15 Y15 P14", "A"),
    ("H05", "R2 G2 B2 Y2", "R15 G15 B15 R14 G14", "A"),
    ("H06", "R8 G8 B8 R1 G1", "R7 G7 B7 R5 G5", "A"),
    ("H07", "R1 G1 B1 R2 G2", "R15 R14 R13 R12 R10", "A"),
    ("H08", "R1 R2 R3 R4 R6", "R11 G12 B13 Y14 R15", "A"),
    ("H09", "R1 G2 B3 Y4 R5", "R15 G15 B15 Y1 Y2", "A"),
    ("H10", "R1 G1 B1", "R15 G15 B14 Y14 P13", "A"),
    ("H11", "R1 G1 B2 Y2", "R15 G15 B14 Y13 P12", "A"),
    ("H12", "R1 G1", "R15 G14 B13 Y12 P10", "A"),
    ("H13", "R12 G11 B10 Y9 R8", "G9 B8 Y7 P6 G5", "A"),
    ("H14", "R11 R2 R3 R4 R5", "G8 G7 G6 G4 G3", "A"),
    ("H15", "R11 R9 R4 R3 R1", "G11 G9 G4 G3 G2", "B"),
    ("H16", "R11 G11 R6 G6 B1", "B11 Y11 R2 G2 P15", "A"),
    ("H17", "R11 G11 R6 G6 B4", "B11 Y11 B6 Y6 P3", "A"),
    ("H18", "R11 G11 R6 G6", "B11 Y11 B6 Y6 P1", "B"),
    ("H19", "R9 G9", "R7 G7 B15 Y14 P13", "A"),
    ("H20", "R9 G9 R5 G4 B3", "B9 Y9 B5 Y4 P3", "tie"),
    ("H21", "R9 G9 R5 G4", "B9 Y9 B5 Y4 P1", "B"),
    ("H22", "R9 G9 R5 G4 B3", "B9 Y9 B6", "B"),
    ("H23", "R15", "G14 B13 Y12 P10 R9", "A"),
    ("H24", "R15", "G15 B1", "B"),
    ("H25", "R15", "G15", "tie"),
    ("H26", "R5 R6 R7 R8 R9", "G5 G6 G7 G8 G9", "tie"),
    ("H27", "R15 G1 B2 Y3 P4", "R5 G5", "B"),
    ("H28", "R1 G2 B3 Y4 R5", "G6 P5 G4 R3 B2", "B"),
    ("H29", "R3 R4 R5 R6", "G2 B2", "B"),
    ("H30", "R6 G7 B8 Y9", "G2 B2", "B"),
    ("H31", "R6 G6 B6 Y6", "G15 B15 Y15 P14 R14", "A"),
    ("H32", "R1 G2 B3 Y4 P5", "P1 R2 G3 B4 Y5", "tie"),
    ("H33", "R7 G7 B7 R2 G3", "R6 G6 B6 R15 G14", "A"),
    ("H34", "R2 R7 R9 R11 R13", "G2 G7 G9 G11 G13", "tie"),
    ("H35", "R14 G13 B12 Y11 R10", "R15 G14 P13 Y12 R11", "B"),
    ("H36", "R1 R3 R5 R7 R9", "R2 G3 B4 Y5 P6", "B"),
]


@pytest.mark.parametrize(
    ("first", "second", "better"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_the_better_hand_wins_in_any_order_of_its_cards(first: str, second: str, better: str) -> None:
    a, b = cards(first), cards(second)
    assert not set(a) & set(b)
    found = "A" if rank(a) > rank(b) else "B" if rank(b) > rank(a) else "tie"
    assert found == better
    assert rank(a[::-1]) == rank(a)
    assert rank(sorted(b)) == rank(b)


@pytest.mark.parametrize(
    ("names", "category"),
    [
        ("R9 G9 B9 Y9 P9", "chicago-poker"),
        ("R5 R6 R7 R8 R9", "straight-flush"),
        ("R1 G2 B3 Y4 P5", "rainbow-straight"),
        ("R2 G2 B2 Y2 P9", "four"),
        ("R2 G2 B2 Y2", "four"),
        ("R2 G2 B2 Y3 P3", "full-house"),
        ("R2 R3 R4 R5 R7", "flush"),
        ("R2 R3 R4 G5 Y6", "straight"),
        ("R2 G2 B2", "three"),
        ("R2 G2 B3 Y3", "two-pairs"),
        ("R2 G2 B3 Y4", "pair"),
        ("R2 G3 B4 Y5", "high-card"),
    ],
)
def test_a_hand_is_called_by_its_highest_category(names: str, category: str) -> None:
    assert CATEGORIES[rank(cards(names))[0]] == category


def test_a_missing_kicker_is_less_than_any_card_r19() -> None:
    assert rank(cards("R9 G9")) < rank(cards("B9 Y9 P1"))
    assert rank(cards("R15")) < rank(cards("G15 B1"))
    assert rank(cards("R9 G9 P14")) > rank(cards("B9 Y9 P13 Y12 G11"))


def test_a_straight_does_not_wrap_around_r20() -> None:
    assert rank(cards("R15 G1 B2 Y3 P4"))[0] == 0
    assert rank(cards("R13 R14 R15 R1 R2")) == (CATEGORIES.index("flush"), (15, 14, 13, 2, 1))


def test_the_categories_are_as_frequent_as_combinatorics_says() -> None:
    """All C(75, 5) hands, by the values they hold and the colourings these allow."""
    found: Counter[str] = Counter()
    for values in combinations_with_replacement(range(VALUES), 5):
        counts = Counter(values)
        colourings: dict[tuple[int, ...], int]
        if len(counts) == 5:
            colourings = {(0, 0, 0, 0, 0): 5, (0, 1, 2, 3, 4): 120, (0, 1, 0, 1, 2): 5**5 - 125}
        else:
            seen: Counter[int] = Counter()
            colours = []
            for value in values:
                colours.append(seen[value])
                seen[value] += 1
            colourings = {tuple(colours): prod(comb(5, count) for count in counts.values())}
        for colouring, hands in colourings.items():
            hand = [colour * VALUES + value for colour, value in zip(colouring, values, strict=True)]
            found[CATEGORIES[rank(hand)[0]]] += hands
    assert sum(found.values()) == comb(75, 5) == 17_259_390
    assert found == {
        "chicago-poker": 15,
        "straight-flush": 55,
        "rainbow-straight": 1_320,
        "four": 5_250,
        "full-house": 21_000,
        "flush": 14_960,
        "straight": 33_000,
        "three": 341_250,
        "two-pairs": 682_500,
        "pair": 6_825_000,
        "high-card": 9_335_040,
    }
