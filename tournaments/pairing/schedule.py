"""The matches of a tournament: which bots meet, in which seats, with which deal. Pure.

Everything here is a function of the plan, its seed and the results of earlier rounds: a tournament that is
continued goes on with the same matches, the same ids and the same cards. The unit is the block: one deal,
played once for every rotation of the seats. The id of a match and its deal depend on the bots of the group
and the number of the deal, and on nothing else of the field, so that another bot in a round robin or a
gauntlet only adds matches.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import factorial, gcd

from msgspec import Struct

from referee.hub.fixture import Fixture, Planner, deal_name, number_of
from tournaments.config.plan import Plan
from tournaments.pairing import formats
from tournaments.results import Played

MORE_DEALS = 4
"""Deals that a knockout group plays at most to break a tie; then the lot decides."""


def fixtures(plan: Plan, played: Sequence[Played] = ()) -> list[Fixture]:
    """Return all matches that are known, deal by deal; `order_of_play` says in which order they are played.

    Of a round robin or gauntlet these are all matches; of a Swiss tournament or a knockout the rounds so far
    and the next one. Before the luck is drawn no match is known.
    """
    if not plan.is_drawn:
        return []
    if plan.format == "swiss":
        return _swiss(plan, _by_match(played))
    if plan.format == "knockout":
        return _Knockout(plan, _by_match(played)).fixtures
    groups = _groups(plan)
    return [
        fixture
        for number in range(1, plan.blocks + 1)
        for group in _in_turn(plan, groups, number)
        for fixture in _block(plan, group, 1, number)
    ]


def counted(wanted: Iterable[Fixture], played: Iterable[Played]) -> list[Played]:
    """Return the results of planned matches: a plan may have lost bots since the others were played."""
    bots = {fixture.match: fixture.bots for fixture in wanted}
    return [row for row in played if bots.get(row.match) == row.bots]


def rightful(plan: Plan, played: Played) -> Fixture | None:
    """Return the match that the bots of a result play under its id; None if that is no match of theirs.

    It does not depend on the rest of the field, nor on other results.
    """
    # An opaque id has no number. Block and deal have it, and are compared with what follows from it.
    names = (played.match, played.block, played.deal)
    number = next((found for name in names if (found := number_of(name)) is not None), None)
    if number is None or len(played.bots) != plan.seats:
        return None
    of_round = 1
    if plan.format in ("swiss", "knockout"):
        deals = plan.blocks + (MORE_DEALS if plan.format == "knockout" else 0)
        of_round += (number - 1) // deals
    ids = {fixture.match: fixture for fixture in _block(plan, played.bots, of_round, number)}
    return ids.get(played.match)


def expected(plan: Plan) -> int:
    """Return how many matches there will be; a knockout may need more, to break ties."""
    return _expected_groups(plan) * plan.blocks * plan.seats


def winner(plan: Plan, played: Sequence[Played]) -> str | None:
    """Return the winner of a knockout, or None as long as there is none."""
    return _Knockout(plan, _by_match(played)).winner


def points(played: Iterable[Played]) -> Counter[str]:
    """Return the points that decide rounds: 2 for every bot that did worse, 1 for a draw."""
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
    """How often each two bots meet, in all."""
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
    """Count how often bots meet, and how often each sits in each seat."""
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


def _groups(plan: Plan) -> list[formats.Group]:
    few = plan.groups == "few"
    if plan.format == "gauntlet":
        assert plan.hero is not None
        return formats.gauntlet(plan.hero, plan.names, plan.seats, few=few)
    return formats.round_robin(plan.names, plan.seats, few=few)


def _expected_groups(plan: Plan) -> int:
    if plan.format == "swiss":
        return plan.rounds * (len(plan.bots) // plan.seats)
    if plan.format != "knockout":
        return len(_groups(plan))
    alive, groups = list(plan.names), 0
    while True:
        this = formats.knockout(alive, plan.seats)
        groups += len(this.groups)
        if this.is_final:
            return groups
        # How many go on does not depend on which.
        alive = alive[: len(this.resting) + sum(one.through for one in this.groups)]


def planner_of(plan: Plan) -> Planner:
    """Return what names the matches and deals of a tournament; raises PlanError before the luck is drawn."""
    plan.check_drawn()
    return Planner(
        plan.game,
        plan.seed,
        plan.options,
        numbered_deals=plan.common_deals,
        opaque_ids=plan.aliases,
        operator_seed="" if plan.luck is None else plan.luck.operator_seed,
        beacon=None if plan.luck is None else plan.luck.beacon,
    )


def _block(plan: Plan, group: Sequence[str], of_round: int, number: int) -> list[Fixture]:
    """Return the matches of one deal in one group: all rotations.

    The deal is shared even if it has one rotation: with common deals a bot that joins later gets it too.
    """
    # Where names are hidden, no order of names may show in the seats.
    names = sorted(group)
    seats = sorted(names, key=lambda name: _draw(plan, "seats", names, name)) if plan.aliases else names
    order = _arranged(seats, number)
    return planner_of(plan).block(order, deal_name(number), round=of_round)


def _in_turn(plan: Plan, groups: Sequence[formats.Group], number: int) -> Sequence[formats.Group]:
    """Return the groups in the order in which they play a deal.

    If names are hidden, or if a bot meets one deal in several groups, that is a lot: which opponent comes
    first would show which it is, and could make up for what a bot knows of the deal later. Of common deals
    the order is always the same, so that a group plays many of them before the next group does.
    """
    if not plan.aliases and not plan.common_deals:
        return groups
    turn = 0 if plan.common_deals else number
    return sorted(groups, key=lambda group: _draw(plan, "groups", turn, sorted(group)))


def _draw(plan: Plan, *what: object) -> str:
    """Return a lot about something: unpredictable without the seed, and always the same."""
    return hashlib.sha256(json.dumps(["draw", plan.seed, *what]).encode()).hexdigest()


def _arranged(group: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the order of the seats for one deal: which bot follows which changes from deal to deal.

    Rotations alone would leave every bot behind the same other one in every match.
    """
    first, *rest = group
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
    """Return what decides between equals: unpredictable without the seed, and always the same."""
    return hashlib.sha256(json.dumps(["lot", plan.seed, of_round, name]).encode()).hexdigest()


def _swiss(plan: Plan, done: Mapping[str, Played]) -> list[Fixture]:
    """Return the rounds so far and the next: neighbours in the standings meet; of equals, the lot decides."""
    # Imported late, with NumPy: `play` starts in half the time without it.
    from tournaments.pairing.swiss import Course

    # Bots are numbered by lot, so that the order in the file decides nothing.
    names = sorted(plan.names, key=lambda name: _lot(plan, name))
    known: list[Fixture] = []
    sums: Counter[str] = Counter()
    course = Course(len(names), plan.seats, plan.rounds)
    # A rest is worth what draws would be.
    rest_points = plan.blocks * plan.seats * (plan.seats - 1)
    for of_round in range(1, plan.rounds + 1):
        order = sorted(range(len(names)), key=lambda bot: (-sums[names[bot]], bot))
        groups = [tuple(names[bot] for bot in group) for group in course.next(order)]
        numbers = range((of_round - 1) * plan.blocks + 1, of_round * plan.blocks + 1)
        planned = [
            fixture
            for number in numbers
            for group in _in_turn(plan, groups, number)
            for fixture in _block(plan, group, of_round, number)
        ]
        known += planned
        if any(fixture.match not in done for fixture in planned):
            break
        sums.update(points(done[fixture.match] for fixture in planned))
        sums.update(dict.fromkeys(set(names).difference(*groups), rest_points))
    return known


class _Knockout:
    """A knockout as far as it is played: the matches that are known, and the winner."""

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
        """Add a round; return the bots that go on, best seeds first, or none before the round is over."""
        self._round += 1
        this = formats.knockout(alive, self._plan.seats)
        results = [self._through(one) for one in this.groups]
        if not all(results):
            return []
        if this.is_final:
            [self.winner] = results[0]
            return []
        through = {name for result in results for name in result}.union(this.resting)
        return [name for name in alive if name in through]

    def _through(self, one: formats.KnockoutGroup) -> list[str]:
        """Add the matches of a group; return the bots that go on, or none as long as that is open."""
        deals = self._plan.blocks
        first = (self._round - 1) * (deals + MORE_DEALS) + 1
        sums = self._played(one.group, range(first, first + deals))
        for further in range(MORE_DEALS):
            if sums is None or not _is_tied(one, sums):
                break
            number = first + deals + further
            more = self._played(one.group, [number])
            sums = None if more is None else sums + more
        if sums is None:
            return []
        return sorted(one.group, key=lambda name: (-sums[name], _lot(self._plan, name, self._round)))[
            : one.through
        ]

    def _played(self, group: Sequence[str], numbers: Iterable[int]) -> Counter[str] | None:
        """Add the matches of these deals; return their points, or None if some are to be played."""
        planned = [
            fixture for number in numbers for fixture in _block(self._plan, group, self._round, number)
        ]
        self.fixtures += planned
        if any(fixture.match not in self._done for fixture in planned):
            return None
        return points(self._done[fixture.match] for fixture in planned)


def _is_tied(one: formats.KnockoutGroup, sums: Mapping[str, int]) -> bool:
    """Say whether points leave open which bots go on."""
    in_order = sorted((sums.get(name, 0) for name in one.group), reverse=True)
    return in_order[one.through - 1] == in_order[one.through]
