"""Options, events and the hint for a wrong word: what all games share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import registry
from referee.errors import ConfigError, OptionError, nearest
from referee.game import Event, Option

WORD = Option("edition", "en", "whose booklet", choices=("en", "fr"))
NUMBER = Option("rounds", 4, "how many", low=1, high=6)
COINS = registry.game("coins")


def test_an_option_takes_its_words() -> None:
    assert WORD.parse("fr") == "fr"


@pytest.mark.parametrize("value", ["1", 1, "6", 6])
def test_an_option_takes_whole_numbers_in_range_as_text_or_number(value: str | int) -> None:
    parsed = NUMBER.parse(value)
    assert parsed == int(value)
    assert type(parsed) is int


def test_a_word_of_digits_stays_a_word() -> None:
    assert Option("first", "lot", "who begins", choices=("lot", "0", "1")).parse(1) == "1"


@pytest.mark.parametrize("value", [0, 7, "0", "7", "", "four", "1.5", "-1"])
def test_a_number_out_of_range_is_refused_with_the_range(value: str | int) -> None:
    with pytest.raises(OptionError, match=r"option rounds cannot be .*a whole number from 1 to 6"):
        NUMBER.parse(value)


def test_a_wrong_word_is_refused_with_the_right_ones() -> None:
    with pytest.raises(OptionError, match=r"option edition cannot be 'de': choose one of: en, fr"):
        WORD.parse("de")


@given(st.text() | st.integers())
def test_a_parsed_text_is_a_value_of_the_option_or_refused(value: str | int) -> None:
    for option in (WORD, NUMBER):
        try:
            parsed = option.parse(value)
        except OptionError:
            continue
        assert parsed in option.choices or (isinstance(parsed, int) and 1 <= parsed <= 6)


def test_options_that_are_not_given_have_their_defaults_in_the_order_of_the_game() -> None:
    assert list(COINS.resolve({"peek": "no"}, 2).items()) == [("hand", 3), ("rounds", 4), ("peek", "no")]
    assert COINS.resolve(None, 2) == {"hand": 3, "rounds": 4, "peek": "yes"}


def test_an_unknown_option_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(OptionError, match="coins has no option 'round': did you mean rounds"):
        COINS.resolve({"round": 3}, 2)


@pytest.mark.parametrize("seats", [-1, 0, 1, 5])
def test_a_wrong_number_of_seats_is_refused(seats: int) -> None:
    with pytest.raises(ConfigError, match=f"coins has 2 to 4 seats, not {seats}"):
        COINS.resolve({}, seats)


def test_resolving_leaves_what_was_given_alone() -> None:
    given_options: dict[str, str | int] = {"rounds": "2"}
    assert COINS.resolve(given_options, 2)["rounds"] == 2
    assert given_options == {"rounds": "2"}


def test_the_nearest_words_are_named_and_all_if_none_is_near() -> None:
    assert nearest("chicago-pokr", ["gangsters", "chicago-poker"]) == "did you mean chicago-poker?"
    assert nearest("xyz", ["vengeance", "chicago"]) == "choose one of: chicago, vengeance"
    assert nearest("abce", ["abcd", "abcf"]) == "did you mean abcf or abcd?"


def test_an_event_adds_fields_for_single_seats_only() -> None:
    event = Event({"event": "draw", "seat": 1}, {1: {"card": "R7"}})
    assert event.kind == "draw"
    assert event.seen_by(1) == {"event": "draw", "seat": 1, "card": "R7"}
    for watcher in (0, 2, None):
        assert event.seen_by(watcher) == {"event": "draw", "seat": 1}
    assert event.seen_by_all() == {"event": "draw", "seat": 1, "secrets": {"1": {"card": "R7"}}}


def test_an_event_may_put_a_private_field_in_place_of_the_public_one() -> None:
    event = Event({"event": "play", "card": "?"}, {0: {"card": "G3"}})
    assert event.seen_by(0)["card"] == "G3"
    assert event.seen_by(1)["card"] == "?"
    assert event.public == {"event": "play", "card": "?"}


def test_an_event_without_secrets_is_the_same_for_all() -> None:
    event = Event({"event": "pass"})
    assert event.seen_by(0) == event.seen_by(None) == event.seen_by_all() == {"event": "pass"}
