"""The matches that wait: which may begin, which bots they lack, and which bots must end first."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from referee.errors import ConfigError, nearest
from referee.hub.assignment import free_by_name, lacking, seats_for
from referee.hub.deal_guard import DealGuard
from referee.hub.pairing import Pairing
from referee.hub.roster import Roster
from referee.hub.session import Session
from referee.process.spec import BotSpec

_LOOK_AHEAD: Final = 4
"""So many matches, for each that may run at once, are looked at for one that can begin."""


class MatchQueue:
    """Matches in the order in which they are to be played, as far as their bots and the deal guard allow."""

    def __init__(self, roster: Roster, guard: DealGuard) -> None:
        self._roster = roster
        self._guard = guard
        self._pairings: deque[Pairing] = deque()
        self._deals: Counter[bytes] = Counter()
        """By key of a deal: how many matches of it wait. A queue may be too long to be looked through."""
        self.stamp = 0
        """Another number after every change."""

    def __len__(self) -> int:
        return len(self._pairings)

    def add(self, pairing: Pairing) -> None:
        """Put a match at the end; raises ConfigError if one of its bots is not known."""
        for name in pairing.bots:
            if name not in self._roster.specs:
                hint = nearest(name, self._roster.specs)
                raise ConfigError(f"match {pairing.match}: no bot {name!r}: {hint}")
        self._pairings.append(pairing)
        self._count(pairing, 1)

    def of_deal(self, key: bytes) -> int:
        """Return how many matches have this deal, which is known by its key."""
        return self._deals[key]

    def _count(self, pairing: Pairing, more: int) -> None:
        self.stamp += 1
        self._deals[pairing.key] += more
        if not self._deals[pairing.key]:
            del self._deals[pairing.key]

    def __iter__(self) -> Iterator[Pairing]:
        return iter(self._pairings)

    def first(self, most: int) -> list[Pairing]:
        """Return the first matches."""
        return list(islice(self._pairings, most))

    def remove(self, pairings: Iterable[Pairing]) -> None:
        """Remove matches that are played elsewhere; they are near the beginning."""
        for pairing in pairings:
            self._remove(pairing)

    def _remove(self, pairing: Pairing) -> None:
        self._pairings.remove(pairing)
        self._count(pairing, -1)

    def put_back(self, pairings: Sequence[Pairing]) -> None:
        """Put matches at the beginning, in this order."""
        self._pairings.extendleft(reversed(pairings))
        for pairing in pairings:
            self._count(pairing, 1)

    def clear(self) -> None:
        """Forget all matches."""
        self._pairings.clear()
        self._deals.clear()
        self.stamp += 1

    def take(
        self, sessions: Collection[Session], at_once: int, fits: Callable[[Pairing], bool] | None
    ) -> tuple[Pairing, list[Session | None]] | None:
        """Remove and return the first of the next matches that fits and can begin, with its bots by seat.

        `at_once` is how many may run at the same time. Without `fits`, all fit.
        """
        free = free_by_name(sessions)
        for pairing in filter(fits, self._guard.allowed(self._next(at_once))):
            seats = seats_for(pairing.bots, free, self._roster.failures)
            if seats is not None:
                self._remove(pairing)
                return pairing, seats
        return None

    def changes(
        self,
        sessions: Collection[Session],
        at_once: int,
        matches: int,
        fits: Callable[[Pairing], bool] | None,
    ) -> tuple[list[Session], list[str]]:
        """Return the bots to be dismissed and those to be started, so that more matches can begin.

        Dismissed are bots that play no match and for whose end one of the next matches waits. Started
        are the bots that the first `matches` lack which may begin and fit: one name for each process.
        """
        allowed, leaving = self._guard.divide(self._next(at_once))
        idle = [one for one in sessions if one.spec is not None and one.spec in leaving and one.is_free]
        return idle, list(self._lacking(islice(filter(fits, allowed), matches), sessions))

    def _lacking(self, allowed: Iterable[Pairing], sessions: Collection[Session]) -> Iterator[str]:
        wanted: Counter[str] = Counter()
        at_once: Counter[str] = Counter()
        for pairing in allowed:
            in_match = Counter(pairing.bots)
            wanted += in_match
            at_once |= in_match
        by_name: dict[str, list[Session]] = {name: [] for name in wanted}
        for session in sessions:
            if session.name in by_name:
                by_name[session.name].append(session)
        for name, ours in by_name.items():
            failed, capacity = len(self._roster.failures[name]), self._roster.capacity(name)
            count = lacking(ours, failed, capacity, wanted[name], at_once[name])
            spec = self._roster.specs[name]
            if spec.single:
                count = 0 if spec.awaited else min(count, 1 - len(ours))
            for _ in range(count):
                yield name

    def _next(self, at_once: int) -> Iterator[tuple[Pairing, list[BotSpec]]]:
        """Return the next matches, with their bots."""
        specs = self._roster.specs
        for pairing in islice(self._pairings, _LOOK_AHEAD * at_once):
            yield pairing, [specs[name] for name in pairing.bots]
