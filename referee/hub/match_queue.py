"""The matches that wait: which may begin, which bots they lack, and which bots must end first."""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from referee.errors import ConfigError, nearest
from referee.hub.assignment import lacking, seats_for
from referee.hub.deal_guard import DealGuard
from referee.hub.pairing import Pairing
from referee.hub.roster import Roster
from referee.hub.session import Session
from referee.process.spec import BotSpec


class MatchQueue:
    """Matches in the order in which they are to be played, as far as their bots and the deal guard allow."""

    def __init__(self, roster: Roster, guard: DealGuard) -> None:
        self._roster = roster
        self._guard = guard
        self._pairings: deque[Pairing] = deque()

    def __len__(self) -> int:
        return len(self._pairings)

    def add(self, pairing: Pairing) -> None:
        """Put a match at the end; raises ConfigError if one of its bots is not known."""
        for name in pairing.bots:
            if name not in self._roster.specs:
                hint = nearest(name, self._roster.specs)
                raise ConfigError(f"match {pairing.match}: no bot {name!r}: {hint}")
        self._pairings.append(pairing)

    def __iter__(self) -> Iterator[Pairing]:
        return iter(self._pairings)

    def clear(self) -> None:
        """Forget all matches."""
        self._pairings.clear()

    def take(self, sessions: Collection[Session], most: int) -> tuple[Pairing, list[Session | None]] | None:
        """Remove and return the first of the next `most` matches that can begin, with its bots by seat."""
        for pairing in self._guard.allowed(self._next(most)):
            seats = seats_for(pairing.bots, sessions, self._roster.failures)
            if seats is not None:
                self._pairings.remove(pairing)
                return pairing, seats
        return None

    def changes(
        self, sessions: Collection[Session], most: int, matches: int
    ) -> tuple[list[Session], list[str]]:
        """Return the bots to be dismissed and those to be started, so that more matches can begin.

        Dismissed are bots that play no match and for whose end one of the next `most` matches waits. Started
        are the bots that the first `matches` lack which may begin: one name for each process.
        """
        allowed, leaving = self._guard.divide(self._next(most))
        idle = [one for one in sessions if one.spec is not None and one.spec in leaving and one.is_free]
        return idle, list(self._lacking(allowed[:matches], sessions))

    def _lacking(self, allowed: Iterable[Pairing], sessions: Collection[Session]) -> Iterator[str]:
        wanted: Counter[str] = Counter()
        at_once: Counter[str] = Counter()
        for pairing in allowed:
            in_match = Counter(pairing.bots)
            wanted += in_match
            at_once |= in_match
        for name in wanted:
            ours = [session for session in sessions if session.name == name]
            failed, capacity = len(self._roster.failures[name]), self._roster.capacity(name)
            count = lacking(ours, failed, capacity, wanted[name], at_once[name])
            if self._roster.specs[name].single:
                count = min(count, 1 - len(ours))
            for _ in range(count):
                yield name

    def _next(self, most: int) -> Iterator[tuple[Pairing, list[BotSpec]]]:
        """Return the next matches, with their bots."""
        specs = self._roster.specs
        for pairing in islice(self._pairings, most):
            yield pairing, [specs[name] for name in pairing.bots]
