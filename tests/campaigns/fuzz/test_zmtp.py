"""Raw ZMTP against a gate; `python -m tests.campaigns.fuzz zmtp --inputs N` is the long form."""

import pytest

from tests.campaigns.fuzz import zmtp


def test_raw_connections_to_the_public_gate_harm_no_honest_match() -> None:
    siege = zmtp.besiege_public_gate(200, 60, "quick")
    assert siege.told.opened + siege.told.refused == 200
    assert siege.matches >= 3


def test_raw_connections_to_the_gate_of_one_bot_harm_no_match_of_others() -> None:
    siege = zmtp.besiege_gate(200, 60, "quick")
    assert siege.told.opened + siege.told.refused == 200
    assert siege.matches >= 3


def test_a_gate_that_is_gone_is_noticed_by_the_attacker() -> None:
    told = zmtp.attack("tcp://127.0.0.1:1", 3, "quick")
    assert (told.opened, told.refused) == (0, 3)


@pytest.mark.parametrize("length", [0, 255, 256, 70_000])
def test_frames_say_how_long_they_are(length: int) -> None:
    framed = zmtp.frame(bytes(length), more=True)
    assert framed[0] & 1
    assert framed.endswith(bytes(length))
    assert len(framed) == length + (2 if length < 256 else 9)
