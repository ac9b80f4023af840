"""The option `first`: a seat, or a lot."""

import pytest

from referee.chance import ScriptedChance
from referee.errors import OptionError
from referee.gamelib.first_seat import check_first_seat, first_seat
from tests.rules.acting import LUCK


def test_a_named_seat_begins_and_no_luck_is_drawn() -> None:
    luck = ScriptedChance(LUCK.clone(), lots=[2])
    assert first_seat({"first": "1"}, 3, luck) == 1
    assert first_seat({"first": "lot"}, 3, luck) == 2


@pytest.mark.parametrize("first", ["lot", "0", "2"])
def test_a_seat_of_the_match_is_taken(first: str) -> None:
    check_first_seat({"first": first}, 3)


def test_a_seat_that_the_match_does_not_have_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(OptionError, match="with 3 seats it is lot, or 0 to 2") as refused:
        check_first_seat({"first": "3"}, 3)
    assert refused.value.option == "first"
