"""One line for every message, for people and for logs."""

import doctest

from hypothesis import given

from protocol import text
from protocol.messages import Act, Ask, AskClock, Error, FromBot, FromReferee, Hello, Limits, Welcome
from protocol.text import line
from tests.unit.protocol.strategies import from_bots, from_referees


@given(message=from_bots | from_referees)
def test_any_message_is_one_line_of_printable_ascii(message: FromBot | FromReferee) -> None:
    shown = line(message)
    assert shown.isascii()
    assert shown.isprintable()
    assert shown.split()[0] == type(message).__name__.lower()
    assert len(shown) < 6_000


def test_an_ask_shows_what_matters() -> None:
    ask = Ask("m1", 17, AskClock(1000, 30000, 50), [{"event": "draw"}] * 2, {"hand": []}, ["draw", "pass"])
    assert (
        line(ask)
        == "ask match=m1 id=17 legal=draw|pass move_ms=1000 bank_ms=30000 grace_ms=50 events=2 view=1"
    )


def test_long_lists_are_cut_and_counted() -> None:
    ask = Ask("m1", 1, AskClock(1, 1, 1), legal=[f"a{i}" for i in range(370)])
    assert "legal=a0|a1|a2|a3|+366 " in line(ask)


def test_long_texts_are_cut() -> None:
    assert line(Error("x", "y" * 1000)) == f"error code=x why={'y' * 77}..."


def test_the_log_contains_neither_token_nor_session() -> None:
    hello = Hello([1], "a", token="sesame", session="open")
    welcome = Welcome(1, "open", Limits())
    assert "sesame" not in line(hello)
    assert "open" not in line(hello) + line(welcome)


def test_a_value_that_could_be_misread_is_quoted() -> None:
    assert line(Act("m1", 1, 'say "hi"')) == 'act match=m1 id=1 action="say \\"hi\\""'
    assert line(Act("m1 id=2", 1, "a")) == 'act match="m1 id=2" id=1 action=a'
    assert line(Act("+1", 1, "-")) == 'act match="+1" id=1 action="-"'
    assert line(Error("x", "\x1b[31m\n\x7f\u202e")) == 'error code=x why="\\u001b[31m\\n\\u007f\\u202e"'


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(text).failed == 0
