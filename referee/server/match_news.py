"""What the author of a remote bot reads while it plays: a line for each match that is over.

It is made of what the bot itself is sent, `start` and `end`, so it has nothing that the bot may not know;
names may be aliases.
"""

import shlex
from collections.abc import Iterator
from typing import Any

from referee.hub.fixture import is_rated
from referee.server.playing_process import Credentials
from referee.wording import clean

_MOST_OPEN = 1_024
"""Matches that are remembered; a bot has at most 256 at once."""


class MatchNews:
    """Follows the matches of one bot."""

    def __init__(self) -> None:
        self._open: dict[str, dict[str, Any]] = {}
        """By match: its `start`."""
        self.played = 0

    @property
    def open_matches(self) -> list[dict[str, Any]]:
        """The `start` of each match that is not over."""
        return list(self._open.values())

    def started(self, start: dict[str, Any]) -> None:
        """Take note of a match that begins."""
        if len(self._open) < _MOST_OPEN:
            self._open[str(start.get("match", ""))] = start

    def ended(self, end: dict[str, Any]) -> tuple[str, str]:
        """Return a line about a match that is over, and the fault of the bot in it, or ''."""
        match = str(end.get("match", ""))
        start = self._open.pop(match, None)
        if start is None:
            return "", ""
        try:
            return self._line(match, start, end)
        except (KeyError, IndexError, TypeError, ValueError):
            # A daemon that sends something else is no reason for the bot to stop.
            return f"{match}: over", ""

    def lost(self) -> Iterator[tuple[str, str]]:
        """Return each match that is not over, with a line: the bot has ended, and with it lost them."""
        for match, start in self._open.items():
            yield match, clean(f"{match}{_against(start)}: lost, because your bot ended in it")

    def _line(self, match: str, start: dict[str, Any], end: dict[str, Any]) -> tuple[str, str]:
        seat, names = int(start["seat"]), [str(name) for name in start["names"]]
        against = _against(start)
        if end.get("void"):
            return clean(f"{match}{against}: void, it does not count"), ""
        self.played += 1
        ranks, scores, faults = end["ranks"], end["scores"], [str(code) for code in end["faults"]]
        shown = " : ".join(str(int(scores[number])) for number in _own_first(seat, len(names)))
        parts = [_verdict([int(rank) for rank in ranks], seat), f"score {shown}"]
        parts += [f"your fault: {faults[seat]}"] if faults[seat] else []
        parts += [
            f"{name}'s fault: {code}"
            for number, (name, code) in enumerate(zip(names, faults, strict=True))
            if code and number != seat
        ]
        deal = match.removeprefix(f"{start.get('game', '')}-")
        parts += [] if is_rated(deal) else ["not rated"]
        return clean(f"{match}{against}: {', '.join(parts)}"), faults[seat]


def where_to_read_why(match: str, site: str, credentials: Credentials | None) -> str:
    """Return a line that says where the author reads the reason of a fault; `site` is '' if there is none."""
    if not site:
        return f"  why: ask the organiser for the output of: referee why {clean(shlex.quote(match))}"
    if credentials is None:
        return f"  why: {site} (ask its organiser for a link to the log of your bot)"
    key = shlex.quote(str(credentials.path.absolute()))
    return f"  why: referee site login {site} --key {key} --server-key {shlex.quote(credentials.server)}"


def _against(start: dict[str, Any]) -> str:
    """Return the other bots of a match in words; nothing if its `start` does not name them."""
    seat, names = start.get("seat"), start.get("names")
    others = [str(name) for n, name in enumerate(names) if n != seat] if isinstance(names, list) else []
    return f" against {', '.join(others)}" if others else ""


def _own_first(seat: int, seats: int) -> list[int]:
    return [seat, *(number for number in range(seats) if number != seat)]


def _verdict(ranks: list[int], seat: int) -> str:
    """Return how the match ended for a seat.

    >>> _verdict([1, 2], 0), _verdict([1, 1], 0), _verdict([3, 1, 2], 0)
    ('won', 'tied', 'rank 3 of 3')
    """
    own = ranks[seat]
    if len(ranks) == 2:
        return "tied" if ranks[0] == ranks[1] else "won" if own == 1 else "lost"
    return f"rank {own} of {len(ranks)}"
