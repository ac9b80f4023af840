"""The result of a match: what documents and logs show of it."""

from referee.game import Outcome
from referee.match.result import Result, conclude

NAMES = ("Ann", "Bob")


def result(reason: str, void_reason: str | None = None) -> Result:
    outcome = Outcome((1, 2), (7, 3), reason)
    return conclude("m-1", "coins", NAMES, (5, 6), outcome, [], void_reason=void_reason)


def test_the_columns_of_a_match_that_counts() -> None:
    assert result("most coins").columns() == {
        "match": "m-1",
        "game": "coins",
        "reason": "most coins",
        "ties": "draw",
        "decisions": 0,
        "void": False,
        "void_reason": None,
        "names": ["Ann", "Bob"],
        "ranks": [1, 2],
        "scores": [7, 3],
        "faults": ["", ""],
        "charged_ms": [5, 6],
        "took_us": [0, 0],
        "median_us": [0, 0],
        "slowest_us": [0, 0],
    }


def test_a_void_match_has_a_flag_a_reason_for_the_operator_and_none_for_bots() -> None:
    found = result("most coins", "the power failed")
    assert (found.void, found.void_reason, found.public_reason) == (True, "the power failed", "")
    columns = found.columns()
    assert [columns[field] for field in ("void", "void_reason", "reason")] == [True, "the power failed", ""]
    assert columns["ranks"] == [1, 1]


def test_a_match_without_a_text_can_be_void_too() -> None:
    assert (result("most coins", "").void, result("most coins", "").void_reason) == (True, "")


def test_a_game_may_end_for_a_reason_of_the_name_void() -> None:
    found = result("void")
    assert (found.void, found.void_reason, found.public_reason) == (False, None, "void")
    assert found.ranks == (1, 2)
