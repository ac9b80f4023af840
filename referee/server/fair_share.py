"""The fair share of each account in the tables of a ladder. Pure: the time comes in.

A table is a match that runs. While a match waits for a bot, be it for its `ready` or for an answer, the
table's time is charged to the account of that bot; how many matches this makes does not count. Of n accounts
each has an n-th of the tables' time. An account that has used more has a debt, and pays it by waiting: then
only tables are left to it that the other accounts could not fill, and quick accounts get these first. So k
slow accounts of n cost the others, in the long run, a share of k/n of the tables' time, and no more. At any
moment, too, accounts that are not known to be quick sit at no more than their share of the tables, rounded
down, and at one at least.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from math import ceil

_SLACK_NS = 250_000_000
"""A debt up to this size has no consequence: quick accounts use a little more or less than their share."""

_SAVED_NS = 30_000_000_000
"""What an account can save at most of a share that it does not use."""

_QUICK_NS = 1_000_000_000
"""An account is quick if its last match waited for it no longer than this in all."""

_LONGEST_NS = 1_000_000_000
"""The most that one turn of the loop charges: more is time in which this host did not run."""


class FairShare:
    """Keeps the debts of accounts, and returns which of them may sit down at the next table."""

    def __init__(self, tables: int, seats: int) -> None:
        """Begin without debts; `seats` is the number of bots in a match."""
        self._tables = tables
        self._seats = seats
        self._debts_ns: Counter[str] = Counter()
        """By account: the tables' time it has used beyond its share; what it has saved is negative."""
        self._settled_ns = 0
        """When debts were last computed; 0 before that."""
        self._waits_ns: Counter[tuple[str, str]] = Counter()
        """By running match and account: how long the match has waited for it."""
        self._quick: set[str] = set()

    def charge(self, waiting: Iterable[tuple[str, str]], elapsed_ns: int) -> None:
        """Charge accounts with a time in which matches waited for them; `waiting` has match and account."""
        charged_ns = min(elapsed_ns, _LONGEST_NS)
        for one in waiting:
            self._waits_ns[one] += charged_ns
            self._debts_ns[one[1]] += charged_ns
            if self._waits_ns[one] > _QUICK_NS:
                self._quick.discard(one[1])

    def ended(self, match: str, names: Iterable[str]) -> None:
        """Take note that a match of these accounts is over."""
        for name in names:
            if self._waits_ns.pop((match, name), 0) <= _QUICK_NS:
                self._quick.add(name)

    def candidates(
        self, here: Mapping[str, int], running: Sequence[Iterable[str]], now_ns: int
    ) -> Iterator[set[str]]:
        """Return the accounts that may be in the next match, then those that may be if these are too few.

        `here` gives for each account that could play how many matches its bot takes at once; `running` are
        the accounts of each match that is being played.
        """
        shares = _Shares(here, self._tables, self._seats)
        self._settle(shares, now_ns)
        self._quick &= here.keys()
        if len(here) <= self._seats:
            # There is no match without any of them.
            yield set(here)
            return
        sitting = Counter(name for group in running for name in group)
        solvent = {name for name in here if self._debts_ns[name] <= _SLACK_NS}
        in_turn = {name for name in solvent if sitting[name] < shares.places(name)}
        slow = here.keys() - self._quick
        if self._quick and sum(not slow.isdisjoint(group) for group in running) >= shares.tables(len(slow)):
            in_turn -= slow
        yield in_turn
        if shares.spare(solvent, running):
            # Quick accounts first: a host that is busy makes them slower, and some of them debtors.
            yield in_turn | self._quick
        if shares.spare(solvent | self._quick, running):
            yield set(here)

    def _settle(self, shares: "_Shares", now_ns: int) -> None:
        """Let all accounts pay with the time that has passed.

        As many accounts as a match needs have no debt then: where all have used more than their share, debts
        are what an account has used beyond these.
        """
        elapsed_ns = now_ns - (self._settled_ns or now_ns)
        self._settled_ns = now_ns
        debts_ns, self._debts_ns = self._debts_ns, Counter()
        lowest_ns = max(0, *nsmallest(self._seats, (debts_ns[name] for name in shares.here))[-1:], 0)
        for name in debts_ns.keys() | shares.here.keys():
            debt_ns = debts_ns[name] - lowest_ns - int(elapsed_ns * shares.of_time(name))
            if debt_ns > 0 or name in shares.here:
                self._debts_ns[name] = max(debt_ns, -_SAVED_NS)


class _Shares:
    """What each of the accounts that are here may use."""

    def __init__(self, here: Mapping[str, int], tables: int, seats: int) -> None:
        self.here = here
        self._tables = tables
        self._seats = seats
        self._count = max(1, len(here))
        self._part = ceil(tables * seats / self._count)
        """An equal part of all seats at the tables."""
        self._all = sum(min(capacity, self._part) for capacity in here.values())

    def of_time(self, name: str) -> float:
        """Return how many tables an account may keep waiting, on average."""
        # Not more tables than the others could fill: an account with few opponents would occupy all of them.
        others = self._all - min(self.here.get(name, 0), self._part)
        return min(self._tables, others / self._seats) / self._count

    def tables(self, accounts: int) -> int:
        """Return at how many tables so many accounts together may sit at once while others wait."""
        return max(1, self._tables * accounts // self._count)

    def spare(self, accounts: set[str], running: Sequence[Iterable[str]]) -> int:
        """Return how many tables are left to others which these accounts could not fill."""
        fillable = sum(min(self.here[name], self.places(name)) for name in accounts) // self._seats
        taken = sum(not accounts >= set(group) for group in running)
        return max(0, self._tables - min(self._tables, fillable) - taken)

    def places(self, name: str) -> int:
        """Return at how many tables an account may sit at once while others wait."""
        return max(1, int(self.of_time(name) * self._seats))
