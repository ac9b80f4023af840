"""The matches of a tournament: which bots meet, in which seats, with which deal. Pure.

Everything here is a function of the plan, its seed and the results of earlier rounds: a tournament that is
continued goes on with the same matches, the same ids and the same cards. The unit is the block: one deal,
played once for every rotation of the seats. The id of a match and its deal depend on the bots of the group,
their versions and the number of the deal, and on nothing else of the field, so that another bot in a round
robin or a gauntlet only adds matches, and another version of a bot concerns only its own.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from msgspec import Struct

from referee.hub.fixture import Fixture, number_of
from tournaments.config.plan import Plan
from tournaments.pairing import formats
from tournaments.pairing.blocks import block, in_turn
from tournaments.pairing.knockout import MORE_DEALS, Knockout
from tournaments.pairing.rounds import Round
from tournaments.pairing.swiss_rounds import SwissRounds
from tournaments.results import Played


def fixtures(plan: Plan, played: Sequence[Played] = ()) -> list[Fixture]:
    """Return all matches that are known, deal by deal; `order_of_play` says in which order they are played.

    Of a round robin or gauntlet these are all matches; of a Swiss tournament or a knockout the rounds so far
    and the next one. Before the luck is drawn no match is known, nor as long as bots are missing.
    """
    if not _is_settled(plan):
        return []
    if plan.format == "swiss":
        return SwissRounds(plan, by_match(played)).fixtures
    if plan.format == "knockout":
        return Knockout(plan, by_match(played)).fixtures
    groups = _groups(plan)
    there = {one.match for one in played} if plan.left_out else set()
    return [
        fixture
        for number in range(1, plan.blocks + 1)
        for group in in_turn(plan, groups, number)
        for fixture in block(plan, group, 1, number)
        # A bot that was left out later keeps its results, and plays no more.
        if fixture.match in there or not plan.left_out.keys() & set(group)
    ]


def rounds_of(plan: Plan, played: Sequence[Played]) -> tuple[Round, ...]:
    """Return the rounds of a Swiss tournament or a knockout that are known; other formats have none."""
    if not _is_settled(plan):
        return ()
    if plan.format == "swiss":
        return tuple(SwissRounds(plan, by_match(played)).rounds)
    if plan.format == "knockout":
        return tuple(Knockout(plan, by_match(played)).rounds)
    return ()


def _is_settled(plan: Plan) -> bool:
    return plan.is_drawn and _has_bots(plan)


def _has_bots(plan: Plan) -> bool:
    """Return whether bots can meet: submissions may still be missing, and a hero may be left out."""
    return len(plan.bots) >= plan.seats and (plan.hero is None or plan.hero in plan.names)


def is_over(planned: Sequence[Fixture], played: Sequence[Played]) -> bool:
    """Return whether all matches are played; a tournament without any has not begun."""
    return bool(planned) and len(planned) == len(played)


def counted(wanted: Iterable[Fixture], played: Iterable[Played]) -> list[Played]:
    """Return the results of planned matches: a plan may have lost bots since the others were played."""
    bots = {fixture.match: fixture.bots for fixture in wanted}
    return [row for row in played if bots.get(row.result.match) == row.bots]


def rightful(plan: Plan, played: Played) -> Fixture | None:
    """Return the match that the bots of a result play under its id; None if that is no match of theirs.

    It depends neither on the rest of the field nor on other results, but on the versions of the bots at the
    time.
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
    ids = {fixture.match: fixture for fixture in block(plan, played.bots, of_round, number)}
    return ids.get(played.match)


def expected(plan: Plan) -> int:
    """Return how many matches there will be; a knockout may need more, to break ties."""
    return _expected_groups(plan) * plan.blocks * plan.seats if _has_bots(plan) else 0


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


def by_match(played: Iterable[Played]) -> dict[str, Played]:
    """Return results by the ids of their matches."""
    return {one.result.match: one for one in played}


def _groups(plan: Plan) -> list[formats.Group]:
    few = plan.groups == "few"
    if plan.format == "gauntlet":
        assert plan.hero is not None
        return formats.gauntlet(plan.hero, plan.names, plan.seats, few=few)
    return [group for pool in pools_of(plan) for group in formats.round_robin(pool, plan.seats, few=few)]


def pools_of(plan: Plan) -> list[tuple[str, ...]]:
    """Return the pools of a round robin, each with its bots; one if it is not divided."""
    return formats.pools(plan.names, plan.pools)


def _expected_groups(plan: Plan) -> int:
    if plan.format == "swiss":
        return plan.rounds * (len(plan.bots) // plan.seats)
    if plan.format != "knockout":
        return sum(not plan.left_out.keys() & set(group) for group in _groups(plan))
    alive, groups, out = list(plan.names), 0, 0
    while True:
        this = formats.knockout(alive, plan.seats)
        groups += len(this.groups)
        if this.is_final:
            return groups + (plan.third_place and out == plan.seats)
        out = sum(len(one.group) - one.through for one in this.groups)
        # How many go on does not depend on which.
        alive = alive[: len(this.resting) + sum(one.through for one in this.groups)]
