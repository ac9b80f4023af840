"""What people are shown of the end of a match."""

from msgspec.structs import replace

from protocol.messages import End
from referee.cli.human.match_context import standing, verdict

END = End("m", [2, 1], [3, 4], "goal", "draw", ["", ""], None)
NAMES = ["Ann", "Bob"]


def test_the_best_seat_is_shown_first() -> None:
    assert standing(END, NAMES) == [
        "The match is over: goal.",
        "  1. Bob (@1), 4 points",
        "  2. Ann (@0), 3 points",
    ]
    assert [verdict(END, seat) for seat in (0, 1)] == ["You are number 2 of 2.", "You win."]


def test_a_void_match_has_no_winner() -> None:
    end = replace(END, ranks=[1, 1], reason="", void=True)
    assert standing(end, NAMES) == ["The match was abandoned and does not count."]
    assert verdict(end, 0) == ""


def test_the_flag_decides_and_not_the_reason() -> None:
    end = replace(END, reason="void")
    assert standing(end, NAMES)[0] == "The match is over: void."
    assert verdict(end, 1) == "You win."
