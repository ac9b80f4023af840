"""Rounds of a tournament: which bots met, what came of it, and which go on. Pure.

Schedule, standings and pages all read these. They follow from the plan and the results alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from referee.hub.fixture import Fixture
from tournaments.results import Played

Decision = Literal["", "points", "further deals", "lot"]
"""What decided which bots of a knockout group go on; '' as long as it is open, and in other formats."""


class RoundGroup(Struct, frozen=True):
    """Bots that meet in a round, and how far they are."""

    bots: tuple[str, ...]
    """The best first; bots with equal points in the order of their seeds or, if the lot decided, in its."""
    points: tuple[float, ...]
    """Of each bot, so far. Swiss and knockout: 2 for every bot that did worse, 1 for a draw. Other formats:
    the first place of a match is worth 1, shared among the bots that have it."""
    matches: int
    """That are planned so far."""
    played: int
    deals: int
    deals_done: int
    """Deals that were played in all rotations."""
    title: str = ""
    """`Final` or `Third place`; '' for other groups."""
    goes_on: int = 0
    """How many bots stay in the knockout; of the final and of the match for third place, one."""
    through: tuple[str, ...] = ()
    """The bots that go on, or have won; none as long as that is open."""
    decided: Decision = ""
    further: int = 0
    """Deals that were added to break a tie."""

    @property
    def is_over(self) -> bool:
        """Whether all matches that are planned have results."""
        return self.played == self.matches

    @property
    def scores(self) -> list[tuple[str, float]]:
        """Every bot with its points, the best first."""
        return list(zip(self.bots, self.points, strict=True))

    @property
    def losers(self) -> tuple[str, ...]:
        """The bots that are out, the best first; none as long as that is open."""
        return tuple(bot for bot in self.bots if self.through and bot not in self.through)


class Round(Struct, frozen=True):
    """A round: its groups, and the bots that rest."""

    number: int
    """Counted from 1."""
    title: str
    """`Round 2`, or in a knockout `Quarterfinals`, `Semifinals`, `Final`."""
    groups: tuple[RoundGroup, ...]
    resting: tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether all matches that are planned have results."""
        return all(group.is_over for group in self.groups)

    @property
    def matches(self) -> int:
        """The number of matches that are planned so far."""
        return sum(group.matches for group in self.groups)

    @property
    def played(self) -> int:
        """The number of matches that have results."""
        return sum(group.played for group in self.groups)


def points(played: Iterable[Played]) -> Counter[str]:
    """Return the points that decide rounds: 2 for every bot that did worse, 1 for a draw."""
    sums: Counter[str] = Counter()
    for match in played:
        for better, other, gained in match.comparisons():
            sums[better] += gained
            sums[other] += 2 - gained
    return sums


def first_places(played: Iterable[Played]) -> dict[str, float]:
    """Return the first places of matches; one that several bots share is divided among them."""
    shares: defaultdict[str, Fraction | int] = defaultdict(int)
    for match in played:
        first = [bot for bot, seat in zip(match.bots, match.result.seats, strict=True) if seat.rank == 1]
        # Most matches have one winner, and whole numbers are much quicker than fractions.
        share = 1 if len(first) == 1 else Fraction(1, len(first))
        for bot in first:
            shares[bot] += share
    return {bot: round(float(share), 3) for bot, share in shares.items()}


def group_of(
    bots: Sequence[str],
    planned: Sequence[Fixture],
    done: Mapping[str, Played],
    *,
    by_first_places: bool = False,
) -> RoundGroup:
    """Return how far bots are that meet in these matches."""
    there = [done[fixture.match] for fixture in planned if fixture.match in done]
    sums: Mapping[str, float] = first_places(there) if by_first_places else points(there)
    order = sorted(bots, key=lambda bot: -sums.get(bot, 0))
    still_open = {fixture.block for fixture in planned if fixture.match not in done}
    deals = len({fixture.block for fixture in planned})
    return RoundGroup(
        bots=tuple(order),
        points=tuple(sums.get(bot, 0) for bot in order),
        matches=len(planned),
        played=len(there),
        deals=deals,
        deals_done=deals - len(still_open),
    )


def only_round(planned: Iterable[Fixture], done: Mapping[str, Played]) -> Round:
    """Return all groups of a round robin or a gauntlet: they meet in one round."""
    groups: dict[tuple[str, ...], list[Fixture]] = {}
    for fixture in planned:
        groups.setdefault(tuple(sorted(fixture.bots)), []).append(fixture)
    found = [group_of(bots, groups[bots], done, by_first_places=True) for bots in sorted(groups)]
    return Round(1, "All groups", tuple(found))
