"""The matches of a tournament: who plays whom, in which seats, with which deal. Pure.

Everything here is a function of the plan, its seed and the results of earlier rounds: a tournament that is
taken up again goes on with the same matches, the same ids and the same cards. The unit is the block: one
deal, played once for every rotation of the seats. The id of a match and its deal depend on the bots at the
table and the number of the deal, and on nothing else of the field, so that another bot in a round robin or a
gauntlet only adds matches.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import factorial, gcd

from msgspec import Struct

from tournaments.config.plan import Plan
from tournaments.pairing import formats
from tournaments.pairing.blocks import deal_label, rotated
from tournaments.results import Played

MORE_DEALS = 4
"""Deals that a knockout table plays at most to break a tie; then the lot decides."""

_TAG_LENGTH = 12
"""Hexadecimal digits: two tables of a tournament of the largest size never share a tag but by a miracle."""


class Fixture(Struct, frozen=True):
    """A match to be played."""

    match: str
    """Its id: safe as a file name, and tells bots neither seed nor names."""
    round: int
    block: str
    deal: str
    bots: tuple[str, ...]
    """Names by seat."""
    last: bool
    """Whether no later match has this deal. With common deals never: bots may join, and are dealt it too."""


def fixtures(plan: Plan, played: Sequence[Played] = ()) -> list[Fixture]:
    """Return all matches that are known, in the order in which they are best played.

    Of a round robin or gauntlet that is everything, whatever was played; of a Swiss tournament or a knockout
    the rounds so far and the next one.
    """
    if plan.format == "swiss":
        return _swiss(plan, _by_match(played))
    if plan.format == "knockout":
        return _Knockout(plan, _by_match(played)).fixtures
    tables = _tables(plan)
    return [
        fixture
        for number in range(1, plan.blocks + 1)
        for table in tables
        for fixture in _block(plan, table, 1, number)
    ]


def rightful(plan: Plan, played: Played) -> Fixture | None:
    """Return the match that the bots of a result play under its id; None if that is no match of theirs.

    It does not depend on the rest of the field, nor on other results.
    """
    found = re.search(r"-(\d{4,9})-[0-9a-f]+-r\d+\Z", played.match)
    if found is None or len(played.bots) != plan.seats:
        return None
    number = int(found[1])
    of_round = 1
    if plan.format in ("swiss", "knockout"):
        deals = plan.blocks + (MORE_DEALS if plan.format == "knockout" else 0)
        of_round += (number - 1) // deals
    ids = {fixture.match: fixture for fixture in _block(plan, played.bots, of_round, number)}
    return ids.get(played.match)


def expected(plan: Plan) -> int:
    """Return how many matches there will be; a knockout may need more, to break ties."""
    return _expected_tables(plan) * plan.blocks * plan.seats


def winner(plan: Plan, played: Sequence[Played]) -> str | None:
    """Return who has won a knockout, or None as long as nobody has."""
    return _Knockout(plan, _by_match(played)).winner


def points(played: Iterable[Played]) -> Counter[str]:
    """Return what pairs and tables are decided by: for every bot one did better than 2, for a draw 1."""
    sums: Counter[str] = Counter()
    for match in played:
        for better, other, gained in match.comparisons():
            sums[better] += gained
            sums[other] += 2 - gained
    return sums


class Balance(Struct, frozen=True):
    """How evenly matches are spread."""

    matches: int
    pairs: dict[tuple[str, str], int]
    """How often each two bots sit at one table, in all."""
    seats: dict[str, tuple[int, ...]]
    """How often each bot sits in each seat."""

    @property
    def meetings(self) -> tuple[int, int]:
        """How often the pair that meets least meets, and the one that meets most."""
        return min(self.pairs.values(), default=0), max(self.pairs.values(), default=0)

    @property
    def seating(self) -> int:
        """By how much a bot is in one seat more often than in another, at most."""
        return max((max(counts) - min(counts) for counts in self.seats.values()), default=0)

    @property
    def is_even(self) -> bool:
        """Whether every pair meets equally often, and every bot sits in every seat equally often."""
        least, most = self.meetings
        return least == most and not self.seating


def balance(planned: Iterable[Fixture]) -> Balance:
    """Count who meets whom how often, and who sits where."""
    rows = [fixture.bots for fixture in planned]
    meetings = Counter(pair for bots in rows for pair in combinations(sorted(bots), 2))
    sits = Counter((bot, seat) for bots in rows for seat, bot in enumerate(bots))
    names = sorted({bot for bot, _ in sits})
    seats = range(max(map(len, rows), default=0))
    return Balance(
        matches=len(rows),
        pairs={pair: meetings[pair] for pair in combinations(names, 2)},
        seats={name: tuple(sits[name, seat] for seat in seats) for name in names},
    )


def _by_match(played: Iterable[Played]) -> dict[str, Played]:
    return {one.match: one for one in played}


def _tables(plan: Plan) -> list[formats.Table]:
    few = plan.tables == "few"
    if plan.format == "gauntlet":
        assert plan.hero is not None
        return formats.gauntlet(plan.hero, plan.names, plan.seats, few=few)
    return formats.round_robin(plan.names, plan.seats, few=few)


def _expected_tables(plan: Plan) -> int:
    if plan.format == "swiss":
        return plan.rounds * (len(plan.bots) // plan.seats)
    if plan.format != "knockout":
        return len(_tables(plan))
    alive, tables = list(plan.names), 0
    while True:
        this = formats.knockout(alive, plan.seats)
        tables += len(this.tables)
        if this.is_final:
            return tables
        # How many go on does not depend on who.
        alive = alive[: len(this.resting) + sum(one.through for one in this.tables)]


def _block(plan: Plan, table: Sequence[str], of_round: int, number: int) -> Iterator[Fixture]:
    """Return the matches of one deal at one table: all rotations."""
    seated = _arranged(sorted(table), number)
    label = deal_label(number)
    block = f"{label}-{_tag(plan, seated, number)}"
    game = re.sub(r"[^A-Za-z0-9_-]+", "-", plan.game)[:40]
    for by in range(len(seated)):
        yield Fixture(
            match=f"{game}-{block}-r{by}",
            round=of_round,
            block=block,
            deal=label if plan.common_deals else block,
            bots=rotated(seated, by),
            last=by == len(seated) - 1 and not plan.common_deals,
        )


def _tag(plan: Plan, table: Sequence[str], number: int) -> str:
    """Return what stands for the terms and the table; with the seed in it nobody can tell names from it.

    It has the number of the deal in it too: bots that are not told whom they play must not know them again.
    """
    source = [plan.seed, plan.game, sorted(plan.options.items()), sorted(table), number]
    return hashlib.sha256(b"table:" + json.dumps(source).encode()).hexdigest()[:_TAG_LENGTH]


def _arranged(table: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the order round the table for one deal: who follows whom changes from deal to deal.

    Rotations alone would leave every bot behind the same other one in every match.
    """
    first, *rest = table
    count = factorial(len(rest))
    # A stride of about the golden section visits all orders, and soon very different ones.
    stride = next(step for step in range(max(1, count * 5 // 8), count + 1) if gcd(step, count) == 1)
    at = (number - 1) * stride % count
    seated = [first]
    while rest:
        at, next_one = divmod(at, len(rest))
        seated.append(rest.pop(next_one))
    return tuple(seated)


def _lot(plan: Plan, name: str, of_round: int = 0) -> str:
    """Return what decides between equals: as good as drawn, and always the same."""
    return hashlib.sha256(json.dumps(["lot", plan.seed, of_round, name]).encode()).hexdigest()


def _swiss(plan: Plan, done: Mapping[str, Played]) -> list[Fixture]:
    """Return the rounds so far and the next: neighbours in the standings meet; of equals, the lot decides."""
    known: list[Fixture] = []
    sums: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    rests: Counter[str] = Counter()
    # A rest is worth what draws would be.
    rest_points = plan.blocks * plan.seats * (plan.seats - 1)
    for of_round in range(1, plan.rounds + 1):
        order = sorted(plan.names, key=lambda name: (-sums[name], _lot(plan, name)))
        this = formats.swiss(order, plan.seats, met, rests)
        numbers = range((of_round - 1) * plan.blocks + 1, of_round * plan.blocks + 1)
        planned = [
            fixture
            for number in numbers
            for table in this.tables
            for fixture in _block(plan, table, of_round, number)
        ]
        known += planned
        if any(fixture.match not in done for fixture in planned):
            break
        sums.update(points(done[fixture.match] for fixture in planned))
        sums.update(dict.fromkeys(this.resting, rest_points))
        rests.update(this.resting)
        met.update(frozenset(pair) for table in this.tables for pair in combinations(table, 2))
    return known


class _Knockout:
    """A knockout as far as it is played: the matches that are known, and who has won."""

    def __init__(self, plan: Plan, done: Mapping[str, Played]) -> None:
        self._plan = plan
        self._done = done
        self._round = 0
        self.fixtures: list[Fixture] = []
        self.winner: str | None = None
        alive = list(plan.names)
        while alive:
            alive = self._play(alive)

    def _play(self, alive: Sequence[str]) -> list[str]:
        """Add a round; return who goes on, best seeds first, or nobody if there is no next round yet."""
        self._round += 1
        this = formats.knockout(alive, self._plan.seats)
        results = [self._through(one) for one in this.tables]
        if not all(results):
            return []
        if this.is_final:
            [self.winner] = results[0]
            return []
        through = {name for result in results for name in result}.union(this.resting)
        return [name for name in alive if name in through]

    def _through(self, one: formats.KnockoutTable) -> list[str]:
        """Add the matches of a table; return who goes on, or nobody as long as that is open."""
        deals = self._plan.blocks
        first = (self._round - 1) * (deals + MORE_DEALS) + 1
        sums = self._played(one.table, range(first, first + deals))
        for further in range(MORE_DEALS):
            if sums is None or not _is_tied(one, sums):
                break
            number = first + deals + further
            more = self._played(one.table, [number])
            sums = None if more is None else sums + more
        if sums is None:
            return []
        return sorted(one.table, key=lambda name: (-sums[name], _lot(self._plan, name, self._round)))[
            : one.through
        ]

    def _played(self, table: Sequence[str], numbers: Iterable[int]) -> Counter[str] | None:
        """Add the matches of these deals; return what came of them, or None if some are to be played."""
        planned = [
            fixture for number in numbers for fixture in _block(self._plan, table, self._round, number)
        ]
        self.fixtures += planned
        if any(fixture.match not in self._done for fixture in planned):
            return None
        return points(self._done[fixture.match] for fixture in planned)


def _is_tied(one: formats.KnockoutTable, sums: Mapping[str, int]) -> bool:
    """Say whether points leave open who goes on."""
    in_order = sorted((sums.get(name, 0) for name in one.table), reverse=True)
    return in_order[one.through - 1] == in_order[one.through]
