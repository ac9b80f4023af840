"""The matches of `referee play` and `referee sprt`: deals, each with the seats rotated. Pure.

A block is one deal played once for every rotation of the seats, so that no bot owes a lead to the cards or to
the seat. More bots than seats make several groups: all combinations in the order the bots are named. Groups
take turns, and every block has a deal of its own, numbered from 1 through all groups.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, combinations, count, islice
from math import comb

from msgspec import Struct

from referee.hub.fixture import Fixture, Planner, deal_name


class Contest(Struct, frozen=True):
    """What the matches are made from, except for their number."""

    game: str
    bots: tuple[str, ...]
    """Names, all different."""
    seats: int
    seed: str
    options: Mapping[str, str | int] = {}
    """All of the game's, with their values."""
    mirrored: bool = True
    """Whether a deal is played in all rotations; otherwise once, and the seats rotate from deal to deal."""

    def __repr__(self) -> str:
        return f"<Contest of {self.game}: {', '.join(self.bots)}>"

    @property
    def planner(self) -> Planner:
        """What names the matches and their deals. A deal is known by its number: `--deal` repeats it."""
        return Planner(self.game, self.seed, self.options, numbered_deals=True)


def blocks(contest: Contest) -> Iterator[list[Fixture]]:
    """Return the blocks of a contest, without end: the groups in turn, and then again."""
    groups = list(combinations(contest.bots, contest.seats))
    planner = contest.planner
    for number in count():
        turn, at = divmod(number, len(groups))
        rotations = range(contest.seats) if contest.mirrored else [turn % contest.seats]
        shared = len(rotations) > 1
        yield planner.block(groups[at], deal_name(number + 1), rotations=rotations, shared=shared)


def fixtures_of(contest: Contest, *, deals: int | None = None, matches: int | None = None) -> list[Fixture]:
    """Return what to play: so many blocks, or so many matches (the last block may then be incomplete).

    With neither, every group plays one block.
    """
    if matches is not None:
        return list(islice(chain.from_iterable(blocks(contest)), matches))
    if deals is None:
        deals = comb(len(contest.bots), contest.seats)
    return list(chain.from_iterable(islice(blocks(contest), deals)))


def single(contest: Contest, deal: str) -> list[Fixture]:
    """Return the one match of this deal in which the bots sit in the order they are named."""
    name = deal_name(int(deal)) if deal.isdecimal() else deal
    return contest.planner.block(contest.bots, name, rotations=[0], shared=contest.mirrored)
