"""How many matches are played at once without harm to any clock.

A bot that thinks needs a processor for itself: otherwise its clock runs while it waits for one. A bot whose
answers come far within the grace, which no clock counts, loses nothing when it waits a little. Such a bot is
*light*. While all bots of all running matches are light, more matches run than there are processors for
their bots, so that the processors are busy while messages travel.

A bot is heavy until it has played a match here, and again after a match in which it used its clock, or in
which more than one answer in a hundred took more than half of the grace. While a bot thinks for longer
than its grace, no match begins beyond the fair number.
"""

import time
from collections import deque
from collections.abc import Collection, Iterable
from typing import Final

from referee.hub.pairing import Pairing
from referee.hub.running_match import RunningMatch
from referee.match.clock import MS
from referee.match.match import Match
from referee.match.result import Acted

_MATCHES: Final = 8
"""A bot is judged by so many of its last matches."""

_PART_OF_GRACE: Final = 2
"""An answer is slow if it took more than this part of the grace."""

_ONE_SLOW_IN: Final = 100

_GROWTH: Final = 2
"""For so many matches that have ended, one more is played at once: a short run starts no bots in vain."""


class Pace:
    """Knows which bots are light, and so how many matches may be played at once."""

    def __init__(self, light_jobs: int) -> None:
        """While all bots are light, up to `light_jobs` matches may be played at once."""
        self._light_jobs = light_jobs
        self._ended = 0
        self._last: dict[str, deque[tuple[int, int]]] = {}
        """By bot: of each of its last matches, how many decisions it has made and how many were slow."""
        self._light: set[str] = set()

    def at_once(self, running: Collection[RunningMatch], fair: int) -> int:
        """Return how many matches may run now, with those that do; `fair` if not all bots are light."""
        most = max(fair, min(self._light_jobs, fair + self._ended // _GROWTH))
        if len(running) >= most:
            return most
        if len(running) < fair or not all(self.is_light(one.pairing) for one in running):
            return fair
        now_ns = time.monotonic_ns()
        return fair if any(_is_thinking(one.match, now_ns) for one in running) else most

    def is_light(self, pairing: Pairing) -> bool:
        """Return whether all bots of a match are light."""
        return self._light.issuperset(pairing.bots)

    def take(self, pairing: Pairing, match: Match) -> None:
        """Take note of the times in a match that has ended."""
        if not self._light_jobs or match.void_reason is not None:
            return
        self._ended += 1
        seats = range(len(pairing.bots))
        made, slow, charged = [0 for _ in seats], [0 for _ in seats], [False for _ in seats]
        slow_us = [match.clock(seat).control.grace_ms * 1_000 // _PART_OF_GRACE for seat in seats]
        for entry in match.log:
            if type(entry) is Acted and entry.by != "plan":
                seat = entry.seat
                made[seat] += 1
                slow[seat] += entry.took_us > slow_us[seat]
                charged[seat] = charged[seat] or entry.us > 0
        for seat, bot in enumerate(pairing.bots):
            if charged[seat]:
                self._last.pop(bot, None)
                self._light.discard(bot)
                continue
            last = self._last.setdefault(bot, deque(maxlen=_MATCHES))
            last.append((made[seat], slow[seat]))
            if _is_quick(last):
                self._light.add(bot)
            else:
                self._light.discard(bot)


def _is_quick(last: Iterable[tuple[int, int]]) -> bool:
    made, slow = map(sum, zip(*last, strict=True))
    return made > 0 and slow * _ONE_SLOW_IN <= made


def _is_thinking(match: Match, now_ns: int) -> bool:
    """Return whether a bot has been thinking for longer than its grace."""
    return any(
        now_ns - asked_ns > match.clock(seat).control.grace_ms * MS for seat, asked_ns in match.open_asks()
    )
