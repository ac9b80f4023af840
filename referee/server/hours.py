"""The hours of a ladder: when its matches are rated, by the clock on the wall of one time zone. Pure.

`Mon-Fri 18:00-23:00` is a span on some days of the week, `18:00-23:00` one on all days. A span that ends
earlier than it begins ends on the next day. Hours follow the wall clock, so they survive the change to summer
time: a span in the hour that is skipped is shorter on that day, one in the hour that comes twice is longer.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct

from referee.errors import ConfigError

Outside = Literal["unrated", "nothing"]
"""What is played outside of the hours."""

Mode = Literal["rated", "unrated", "nothing"]
"""What is played at a moment."""

DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_DAY: Final = 24 * 60
_SPAN: Final = re.compile(r"(?:(?P<days>\S+)\s+)?(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d)")
_NAMES: Final = {"daily": range(7)} | {day.lower(): range(n, n + 1) for n, day in enumerate(DAYS)}
_MINUTE: Final = timedelta(minutes=1)
_AHEAD: Final = 8 * _DAY
"""Minutes in which hours have changed at least once, unless they never do."""


class Span(Struct, frozen=True):
    """A part of some days of the week, in minutes after midnight; after the end of a day it goes on."""

    days: frozenset[int]
    begin: int
    end: int

    def has(self, day: int, minute: int) -> bool:
        """Return whether it contains a minute of a day of the week."""
        today = day in self.days and self.begin <= minute < self.end
        return today or ((day - 1) % 7 in self.days and minute + _DAY < self.end)


class Hours(Struct, frozen=True):
    """When matches are rated, and what is played otherwise."""

    spans: tuple[Span, ...]
    zone: str
    outside: Outside = "unrated"
    text: str = ""
    """The spans as the operator has written them."""

    def in_words(self) -> str:
        """Describe the hours, which hold for months."""
        rest = {"unrated": "other matches are not rated", "nothing": "no matches at other times"}
        return f"{self.text} ({self.zone}); {rest[self.outside]}"

    def mode(self, now: datetime) -> Mode:
        """Return what is played at a moment, which has a time zone."""
        here = now.astimezone(ZoneInfo(self.zone))
        minute = here.hour * 60 + here.minute
        return "rated" if any(span.has(here.weekday(), minute) for span in self.spans) else self.outside

    def change(self, now: datetime) -> datetime | None:
        """Return when another mode begins, in the zone of the hours; None if that is always the same."""
        mode = self.mode(now)
        # In UTC: a minute later is a minute later there, also when clocks on the wall are changed.
        moment = now.astimezone(UTC).replace(second=0, microsecond=0)
        for _ in range(_AHEAD):
            moment += _MINUTE
            if self.mode(moment) != mode:
                return moment.astimezone(ZoneInfo(self.zone))
        return None

    def sentence(self, now: datetime) -> str:
        """Describe what is played now, and until when."""
        mode, change = self.mode(now), self.change(now)
        what = {"rated": "matches are rated", "unrated": "matches are not rated", "nothing": "no matches"}
        if change is None:
            return f"{what[mode]} at all times"
        when = f"{DAYS[change.weekday()]} {change:%H:%M} ({self.zone})"
        return f"{what[mode]} until {when}" if mode == "rated" else f"{what[mode]} now; rated from {when}"


def read_hours(texts: Sequence[str], zone: str, outside: Outside) -> Hours:
    """Return the hours that an operator has written. Raises ConfigError."""
    check_zone(zone)
    return Hours(tuple(map(read_span, texts)), zone, outside, ", ".join(text.strip() for text in texts))


def check_zone(zone: str) -> None:
    """Refuse what is no name of a time zone."""
    if zone not in available_timezones():
        raise ConfigError(f"there is no time zone {zone!r}: names are like Europe/Berlin, or UTC")


def read_span(text: str) -> Span:
    """Return a span that an operator has written. Raises ConfigError."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise ConfigError(
            f"{text!r} are no hours: write them like 'Mon-Fri 18:00-23:00', 'Sat,Sun 10:00-24:00' or "
            "'18:00-02:00'"
        )
    begin, end = (60 * int(hour) + int(minute) for hour, minute in (found.group(2, 3), found.group(4, 5)))
    if begin >= _DAY or end > _DAY or begin == end or int(found[3]) > 59 or int(found[5]) > 59:
        raise ConfigError(f"{text!r} are no hours: they are from 00:00 to 24:00, and begin and end differ")
    days = frozenset(day for part in (found["days"] or "daily").split(",") for day in _days(part, text))
    return Span(days, begin, end if end > begin else end + _DAY)


def _days(part: str, text: str) -> Sequence[int]:
    """Return the days of the week of `Mon`, `Mon-Fri` or `daily`."""
    first, dash, last = part.lower().partition("-")
    if first not in _NAMES or (dash and (last not in _NAMES or "daily" in (first, last))):
        raise ConfigError(
            f"{text!r}: {part!r} are no days: they are {', '.join(DAYS)}, as in Mon-Fri, or daily"
        )
    if not dash:
        return _NAMES[first]
    begin, end = _NAMES[first][0], _NAMES[last][0]
    return [day % 7 for day in range(begin, end + 1 if end >= begin else end + 8)]
