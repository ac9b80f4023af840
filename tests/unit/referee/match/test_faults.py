"""What a bot can do wrong, and how those who did are ranked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.game import Outcome
from referee.match.faults import ADVICE, FORGIVABLE, MEANING, PROFILES, FaultCode, ranks_with_faults


def outcome(*ranks: int) -> Outcome:
    return Outcome(ranks, (0,) * len(ranks), "over")


def test_the_list_of_codes_is_closed() -> None:
    assert [code.value for code in FaultCode] == [
        "late", "illegal", "malformed", "too-large", "flood", "disconnected",
        "crashed", "no-hello", "not-ready", "version", "memory", "cpu",
    ]  # fmt: skip


@pytest.mark.parametrize("words", [MEANING, ADVICE])
def test_every_fault_has_a_meaning_and_a_cure_in_plain_words(words: dict[FaultCode, str]) -> None:
    assert set(words) == set(FaultCode)
    assert len(set(words.values())) == len(FaultCode)


def test_only_slips_are_forgivable() -> None:
    assert {FaultCode.LATE, FaultCode.ILLEGAL, FaultCode.MALFORMED} == FORGIVABLE


def test_strict_forgives_nothing_and_classroom_forgives_two() -> None:
    assert {name: profile.strikes for name, profile in PROFILES.items()} == {"strict": 1, "classroom": 3}
    assert all(name == profile.name for name, profile in PROFILES.items())


@pytest.mark.parametrize(
    ("game", "failed_at", "ranks"),
    [
        (outcome(2, 1, 3), (None, None, None), (2, 1, 3)),
        (outcome(1, 1, 3), (None, None, None), (1, 1, 3)),
        (outcome(1, 2, 3), (4, None, None), (3, 1, 2)),
        (outcome(1, 2, 2, 4), (7, None, None, None), (4, 1, 1, 3)),
        (outcome(1, 2, 3, 4), (5, 9, None, None), (4, 3, 1, 2)),
        (outcome(1, 2, 3, 4), (5, 5, None, None), (3, 3, 1, 2)),
        (outcome(1, 2), (0, 0), (1, 1)),
        (None, (3, None), (2, 1)),
        (None, (None, 0), (1, 2)),
        (None, (2, 2), (1, 1)),
        (None, (1, None, 3), (3, 1, 2)),
        (None, (0, 0, 0), (1, 1, 1)),
    ],
)
def test_those_who_faulted_rank_behind_all_others_and_later_falls_are_better(
    game: Outcome | None, failed_at: tuple[int | None, ...], ranks: tuple[int, ...]
) -> None:
    assert ranks_with_faults(game, failed_at) == ranks


@given(st.lists(st.tuples(st.integers(1, 4), st.none() | st.integers(0, 3)), min_size=2, max_size=5))
def test_ranks_are_those_of_a_competition(seats: list[tuple[int, int | None]]) -> None:
    failed_at = [moment for _, moment in seats]
    ranks = ranks_with_faults(outcome(*(rank for rank, _ in seats)), failed_at)
    for rank in ranks:
        assert rank == 1 + sum(other < rank for other in ranks)
    stayed = [rank for rank, moment in zip(ranks, failed_at, strict=True) if moment is None]
    fell = [rank for rank, moment in zip(ranks, failed_at, strict=True) if moment is not None]
    assert max(stayed, default=0) < min(fell, default=9)
