"""What people are shown of the end of a match."""

from msgspec.structs import replace

from protocol.messages import End
from referee.people.verdict import standing, verdict

END = End("m", [2, 1], [3, 4], "goal", "draw", ["", ""], None)
NAMES = ["Ann", "Bob"]


def test_the_best_seat_is_shown_first() -> None:
    assert standing(END, NAMES) == [
        "The match is over: goal.",
        "  1. Bob (@1), 4 points",
        "  2. Ann (@0), 3 points",
    ]
    assert [verdict(END, NAMES, seat) for seat in (0, 1, None)] == [
        "Bob wins with 4 points; you have 3.",
        "You win with 4 points; Ann has 3.",
        "Bob wins with 4 points; Ann has 3.",
    ]


def test_the_end_is_described_in_the_words_of_the_game() -> None:
    told = standing(END, NAMES, "Bob wins with the businesses the goal asks for.")
    assert told[0] == "The match is over: goal. Bob wins with the businesses the goal asks for."


def test_a_reason_of_several_words_is_printed_as_words() -> None:
    assert standing(replace(END, reason="last_seat"), NAMES)[0] == "The match is over: last seat."


def test_the_result_of_many_seats_is_a_sentence_with_the_own_place() -> None:
    end = replace(END, ranks=[3, 1, 2], scores=[1, 9, 5], faults=["", "", ""])
    names = ["Ann", "Bob", "Cy"]
    assert verdict(end, names, 0) == "Bob wins with 9 points; Cy has 5, you have 1. You are number 3 of 3."
    assert verdict(end, names, 1) == "You win with 9 points; Cy has 5, Ann has 1."


def test_seats_that_share_the_first_place_are_all_named() -> None:
    end = replace(END, ranks=[1, 1], scores=[4, 4])
    assert verdict(end, NAMES, 0) == "A draw: you and Bob have 4 points."
    assert verdict(replace(end, ties="unordered"), NAMES, 0) == "You and Bob win with 4 points."
    three = replace(END, ranks=[1, 3, 1], scores=[4, 1, 4], faults=["", "", ""], ties="unordered")
    assert verdict(three, ["Ann", "Bob", "Cy"], 1) == (
        "Ann and Cy win with 4 points; you have 1. You are number 3 of 3."
    )


def test_a_fault_is_described_in_words() -> None:
    end = replace(END, reason="forfeit", ranks=[2, 1], scores=[0, 0], faults=["crashed", ""])
    assert "  2. Ann (@0), 0 points, ended its process in mid-match (crashed)" in standing(end, NAMES)
    assert verdict(end, NAMES, 1) == "You win; Ann ended its process in mid-match (crashed)."
    assert verdict(end, NAMES, 0) == "Bob wins; you are out by a fault (crashed)."


def test_a_void_match_has_no_winner() -> None:
    end = replace(END, ranks=[1, 1], reason="", void=True)
    assert standing(end, NAMES) == ["The match was abandoned and does not count."]
    assert verdict(end, NAMES, 0) == ""


def test_the_flag_decides_and_not_the_reason() -> None:
    end = replace(END, reason="void")
    assert standing(end, NAMES)[0] == "The match is over: void."
    assert verdict(end, NAMES, 1) == "You win with 4 points; Ann has 3."
