"""What a complete line pays: every case of the specification, and what must hold for any line."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, groupby
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.game import Options
from referee.games.gangsters.components import COPIES, DEAD, GANGS, KINDS, NAMES
from referee.games.gangsters.counting import NOBODY, Count, count
from tests.rules.acting import only, play
from tests.rules.gangsters.build import entries, position, row

# id, seats, line, totals, points with tie_below=counts, with cancels; `neutral Y 3` is won by no seat.
CASES = [
    ("S01", 4, "R3 R3 B2 B2 Y1 G1", "R6 B4 Y1 G1", "R 2", "R 2"),
    ("S02", 4, "R2 R1 B3 Y1 Y1 G1", "R3 B3 Y2 G1", "Y 1", "Y 1"),
    ("S03", 4, "R3 R3 R3 R2 R2 R2", "R15", "R 15", "R 15"),
    ("S04", 4, "R1 R1 R1 B1 B1 B1", "R3 B3", "none", "none"),
    ("S05", 4, "R3 R2 R1 B3 B2 B1", "R6 B6", "none", "none"),
    ("S06", 4, "R3 R2 B3 B2 Y1 Y1", "R5 B5 Y2", "Y 2", "Y 2"),
    ("S07", 4, "R3 B3 Y3 G1 G1 R1x", "R3 B3 Y3 G2", "G 2", "G 2"),
    ("S08", 4, "R2 R1 B3 Y3 G1 G1", "R3 B3 Y3 G2", "G 2", "G 2"),
    ("S09", 4, "R2 R1 B2 B1 Y2 Y1", "R3 B3 Y3", "none", "none"),
    ("S10", 4, "R3 B3 Y2 Y1 G2 G1", "R3 B3 Y3 G3", "none", "none"),
    ("S11", 4, "R2 R1 B3 Y2 G1 G1", "R3 B3 Y2 G2", "none", "none"),
    ("S12", 4, "R3 R3 B2 B1 Y3 G1", "R6 B3 Y3 G1", "R 3", "R 5"),
    ("S13", 4, "R3 R3 R1 B2 Y2 G2", "R7 B2 Y2 G2", "R 5", "R 7"),
    ("S14", 4, "R3 R2 R1 B2 B1 Y3", "R6 B3 Y3", "R 3", "R 6"),
    ("S15", 4, "R3 R2 B2 B1 Y2 G1", "R5 B3 Y2 G1", "R 2", "R 2"),
    ("S16", 4, "R3 R1 B3 Y2 Y1 G1", "R4 B3 Y3 G1", "R 1", "R 3"),
    ("S17", 4, "R3 R2 R1 B3x B2x Y1", "R6 Y1", "R 5", "R 5"),
    ("S18", 4, "R3 R2 B3x B3 Y1 G1", "R5 B3 Y1 G1", "R 2", "R 2"),
    ("S19", 4, "R3x R2 B2 Y1 Y1 G1", "R2 B2 Y2 G1", "G 1", "G 1"),
    ("S20", 4, "R3x B3x Y3x G3x R1 B2", "R1 B2", "B 1", "B 1"),
    ("S21", 4, "R3 R3x B3 Y1 Y1 G2", "R3 B3 Y2 G2", "none", "none"),
    ("S22", 4, "R1 R1 B3x B3x Y3x G3x", "R2", "R 2", "R 2"),
    ("S23", 4, "R3 R3 R3 B3 B3 B3", "R9 B9", "none", "none"),
    ("S24", 4, "R3 R3 R3 B3 B3 B2", "R9 B8", "R 1", "R 1"),
    ("S25", 2, "Y3 Y3 R2 R1 B1 G1", "Y6 R3 B1 G1", "neutral Y 3", "neutral Y 3"),
    ("S26", 2, "R3 R1 B3 B1 Y2 G1", "R4 B4 Y2 G1", "neutral Y 1", "neutral Y 1"),
    ("S27", 2, "R3 R2 Y3 Y2 B3 G1", "R5 Y5 B3 G1", "B 2", "B 2"),
    ("S28", 2, "R3 R3 Y3 Y2 B3 G1", "R6 Y5 B3 G1", "R 1", "R 1"),
    ("S29", 2, "Y3 Y2 G3 G2 R1 B2", "Y5 G5 B2 R1", "B 1", "B 1"),
    ("S30", 2, "R3 R2 Y3 G3 B1 B1", "R5 Y3 G3 B2", "R 2", "R 3"),
    ("S31", 3, "G3 G3 R2 B2 Y2 R1", "G6 R3 B2 Y2", "neutral G 3", "neutral G 3"),
    ("S32", 3, "G3 R3 B2 B1 Y1 Y1", "G3 R3 B3 Y2", "Y 2", "Y 2"),
    ("S33", 4, "R2 R2 B3 B1 Y3 G1", "R4 B4 Y3 G1", "Y 2", "Y 2"),
    ("S34", 4, "R3 R2 B3 B2 Y1 Y2x", "R5 B5 Y1", "Y 1", "Y 1"),
    ("S35", 2, "Y1 Y1 Y1 G1 G1 G1", "Y3 G3", "none", "none"),
    ("S36", 2, "Y3 Y2 Y1 G1 G2 G1", "Y6 G4", "neutral Y 2", "neutral Y 2"),
    ("S37", 4, "R3 R3 B3 B2 Y3 Y2", "R6 B5 Y5", "R 1", "R 6"),
    ("S38", 4, "R3 R3x B3 B2 Y3 Y2", "R3 B5 Y5", "R 3", "R 3"),
    ("S39", 4, "R3 R2 B3 B2 Y3 Y2", "R5 B5 Y5", "none", "none"),
]
IGNORED = {
    "S25": "R 2",
    "S26": "none",
    "S27": "R 2",
    "S28": "R 3",
    "S29": "B 1",
    "S30": "R 3",
    "S31": "R 1",
    "S32": "Y 2",
    "S35": "none",
    "S36": "none",
}


def scored(seats: int, line: str, **options: str) -> dict[str, object]:
    """Complete row 1 with this line: its live tile that comes last is the sixth, laid from the open tiles."""
    codes = line.split()
    last = max(place for place, code in enumerate(codes) if not code.endswith("x"))
    sixth = codes.pop(last)
    state = position(
        seats, row(1, " ".join([*codes, "-"])), common=sixth, piles=["Y1", ""], reserves=["1"] * seats
    )
    given: Options = dict(options)
    state.rules = position(seats, options=given).rules
    return only(play(state, f"common {sixth} f1"), "scored").public


def verdict(event: dict[str, object]) -> str:
    if event["winner"] is None:
        assert (event["seat"], event["points"]) == (None, 0)
        return "none"
    return f"{'neutral ' if event['seat'] is None else ''}{event['winner']} {event['points']}"


@pytest.mark.parametrize(
    ("seats", "line", "totals", "counts", "cancels"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_a_line_pays_as_the_specification_says_a3_a4_a5_a6(
    seats: int, line: str, totals: str, counts: str, cancels: str
) -> None:
    event = scored(seats, line)
    assert event["totals"] == {total[0]: int(total[1:]) for total in totals.split()}
    assert verdict(event) == counts
    assert verdict(scored(seats, line, tie_below="cancels")) == cancels


@pytest.mark.parametrize("case", IGNORED)
def test_neutral_gangs_can_be_left_out_of_counts_a3(case: str) -> None:
    seats, line = next((seats, line) for name, seats, line, *_ in CASES if name == case)
    assert verdict(scored(seats, line, neutral="ignored")) == IGNORED[case]


@pytest.mark.parametrize(
    ("line", "counts", "cancels"),
    [
        ("R2 R1 B3 Y1 Y1 G1", "RB", "RB"),
        ("R3 R3 B2 B2 Y1 G1", "", ""),
        ("R3 R3 B2 B1 Y3 G1", "", "BY"),
        ("R2 R1 B3 Y2 G1 G1", "RBYG", "RBYG"),
    ],
)
def test_a_count_names_the_gangs_that_cancel_out(line: str, counts: str, cancels: str) -> None:
    assert "".join(GANGS[gang] for gang in count(entries(line)).neutralised) == counts
    assert "".join(GANGS[gang] for gang in count(entries(line), cancels=True).neutralised) == cancels


def test_the_shares_of_all_patterns_are_those_of_the_specification() -> None:
    """All C(36, 6) lines of six live tiles, by their numbers of each kind."""
    patterns: Counter[str] = Counter()
    for line in combinations_with_replacement(KINDS.values(), 6):
        copies = [len(list(same)) for _, same in groupby(line)]
        patterns[pattern(line)] += prod(comb(COPIES, number) for number in copies)
    assert patterns.total() == comb(36, 6) == 1_947_792
    shares = {name: round(100 * number / patterns.total(), 1) for name, number in patterns.items()}
    assert shares == {
        "alone": 0.0,
        "difference to a single second": 61.2,
        "tied seconds": 22.2,
        "third takes all": 6.6,
        "third minus fourth": 4.7,
        "fourth takes all": 1.1,
        "nobody": 4.3,
    }


def pattern(line: Sequence[int]) -> str:
    result = count(line)
    if result.winner == NOBODY:
        return "nobody"
    best = result.totals[result.winner]
    above = sum(total > best for total in result.totals.values())
    if above:
        return {2: "third", 3: "fourth"}[above] + (" minus fourth" if result.minus else " takes all")
    if not result.minus:
        return "alone"
    cancelled = count(line, cancels=True).points > result.points
    return "tied seconds" if cancelled else "difference to a single second"


def lines() -> st.SearchStrategy[list[int]]:
    """Lines that the box can make, the last tile alive."""
    box = [kind for kind in KINDS.values() for _ in range(COPIES)]
    tiles = st.permutations(box).map(lambda order: order[:6])
    dead = st.lists(st.booleans(), min_size=5, max_size=5)
    return st.builds(
        lambda kinds, shot: [
            *(kind + DEAD * hit for kind, hit in zip(kinds[:5], shot, strict=True)),
            kinds[5],
        ],
        tiles,
        dead,
    )


@given(lines(), st.booleans())
def test_a_count_keeps_its_invariants(line: list[int], cancels: bool) -> None:
    result = count(line, cancels)
    assert count(line[::-1], cancels) == result
    assert count([entry for entry in line if entry < DEAD], cancels) == result
    if result.winner == NOBODY:
        assert (result.points, result.minus) == (0, 0)
    else:
        assert 1 <= result.points <= 15
        assert result.points == result.totals[result.winner] - result.minus
    assert result.totals


@given(lines(), st.permutations(range(4)), st.booleans())
def test_renaming_gangs_renames_the_result(line: list[int], names: list[int], cancels: bool) -> None:
    renamed = [DEAD * (entry >= DEAD) + 3 * names[entry % DEAD // 3] + entry % 3 for entry in line]
    before, after = count(line, cancels), count(renamed, cancels)
    assert after.points == before.points
    assert after.winner == (NOBODY if before.winner == NOBODY else names[before.winner])


@given(lines())
def test_cancelled_seconds_never_change_the_winner_and_only_raise_the_points_a4(line: list[int]) -> None:
    counts, cancels = count(line), count(line, cancels=True)
    assert counts.winner == cancels.winner
    assert counts.points <= cancels.points


def test_more_strength_may_pay_less() -> None:
    results: list[Count] = [count(entries(line)) for _, _, line, *_ in CASES[-3:-1]]
    assert [(GANGS[result.winner], result.points) for result in results] == [("R", 1), ("R", 3)]


def test_two_gangs_never_win_the_same_line() -> None:
    for first, second in combinations(NAMES, 2):
        result = count(entries(f"{first} {second}"))
        assert (result.winner == NOBODY) == (first[1] == second[1] and first[0] != second[0])
