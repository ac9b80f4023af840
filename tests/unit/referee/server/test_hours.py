"""The hours of a ladder, at moments that the tests choose."""

from datetime import UTC, datetime, timedelta

import pytest

from referee.errors import ConfigError
from referee.server.hours import read_hours

BERLIN = "Europe/Berlin"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("moment", "mode"),
    [
        ("2026-11-18T17:59:59+01:00", "unrated"),  # a Wednesday
        ("2026-11-18T18:00:00+01:00", "rated"),
        ("2026-11-18T22:59:59+01:00", "rated"),
        ("2026-11-18T23:00:00+01:00", "unrated"),
        ("2026-11-21T19:00:00+01:00", "unrated"),
        ("2026-11-21T10:00:00+01:00", "rated"),
        ("2026-11-21T23:59:59+01:00", "rated"),
        ("2026-11-22T00:00:00+01:00", "unrated"),
    ],
)
def test_days_and_hours_are_those_of_the_zone(moment: str, mode: str) -> None:
    hours = read_hours(["Mon-Fri 18:00-23:00", "Sat 10:00-12:00", "sat 20:00-24:00"], BERLIN, "unrated")
    assert hours.mode(at(moment)) == mode


def test_a_span_that_ends_earlier_than_it_begins_ends_on_the_next_day() -> None:
    hours = read_hours(["Sun 22:00-02:00"], "UTC", "nothing")
    assert hours.mode(at("2026-11-22T23:30:00+00:00")) == "rated"
    assert hours.mode(at("2026-11-23T01:59:00+00:00")) == "rated"
    assert hours.mode(at("2026-11-23T02:00:00+00:00")) == "nothing"
    assert hours.mode(at("2026-11-22T01:00:00+00:00")) == "nothing", "it is of Sunday, not of Saturday"


@pytest.mark.parametrize("day", ["2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25", "2026-07-01"])
def test_rated_matches_begin_at_six_on_the_wall_also_when_clocks_are_changed(day: str) -> None:
    hours = read_hours(["18:00-23:00"], BERLIN, "unrated")
    noon = datetime.fromisoformat(f"{day}T10:00:00+00:00")
    change = hours.change(noon)
    assert change is not None
    assert f"{change:%H:%M}" == "18:00"
    assert hours.mode(change) == "rated"
    assert hours.mode(change - timedelta(minutes=1)) == "unrated"


def test_a_span_in_the_hour_that_is_skipped_is_not_played_and_does_no_harm() -> None:
    hours = read_hours(["02:00-03:00"], BERLIN, "nothing")
    before = datetime.fromisoformat("2026-03-29T00:30:00+00:00")
    change = hours.change(before)
    assert change is not None
    assert f"{change:%d %H:%M}" == "30 02:00", "on the day before, clocks go from 2 to 3"


def test_what_is_played_is_said_with_its_end() -> None:
    hours = read_hours(["Mon-Fri 18:00-23:00"], BERLIN, "unrated")
    assert hours.sentence(at("2026-11-18T12:00:00+01:00")) == (
        "matches are not rated now; rated from Wed 18:00 (Europe/Berlin)"
    )
    assert hours.sentence(at("2026-11-20T18:30:00+01:00")) == (
        "matches are rated until Fri 23:00 (Europe/Berlin)"
    )
    assert hours.sentence(at("2026-11-21T12:00:00+01:00")).endswith("rated from Mon 18:00 (Europe/Berlin)")
    assert hours.in_words() == "Mon-Fri 18:00-23:00 (Europe/Berlin); other matches are not rated"
    always = read_hours(["00:00-24:00"], "UTC", "nothing")
    assert always.sentence(at("2026-11-21T12:00:00+01:00")) == "matches are rated at all times"


@pytest.mark.parametrize(
    "text", ["18:00", "6pm-8pm", "Mon 25:00-26:00", "Mon 10:00-10:00", "10:61-11:00", "Montag 10:00-11:00"]
)
def test_hours_that_are_none_are_quoted(text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        read_hours([text], "UTC", "unrated")


def test_a_zone_that_does_not_exist_is_refused_with_an_example() -> None:
    with pytest.raises(ConfigError, match="no time zone 'Berlin': names are like Europe/Berlin"):
        read_hours(["18:00-20:00"], "Berlin", "unrated")
