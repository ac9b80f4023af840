"""How often honest events are called badly fitted, and how often cycles and odd pairs are found."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from tests.campaigns.statistics.claim import Claim, share
from tests.campaigns.statistics.worlds import World
from tournaments.rating.columns import columns
from tournaments.rating.misfit import LEVEL, Misfit, misfit
from tournaments.rating.ratings import rate

HONEST: Final[Mapping[str, World]] = {
    "two seats, three equal bots, 30 deals": World(2, (0.0,) * 3, 30),
    "two seats, three bots, 12 deals": World(2, (0.8, 0.0, -0.8), 12, cards=0.3),
    "two seats, five bots, the cards decide": World(2, (1.0, 0.5, 0.0, -0.5, -1.0), 40, cards=0.85),
    "two seats, five bots, form matters": World(2, (1.0, 0.5, 0.0, -0.5, -1.0), 40, form=0.5, cards=0.2),
    "two seats, four bots, many draws": World(2, (0.6, 0.2, -0.2, -0.6), 60, draws=0.9, cards=0.3),
    "two seats, six bots far apart": World(2, (5.0, 3.0, 1.0, -1.0, -3.0, -5.0), 20, cards=0.4),
    "two seats, ten bots": World(2, tuple(0.3 * n for n in range(10)), 20, cards=0.5),
    "two seats, four bots, common deals": World(
        2, (0.6, 0.2, -0.2, -0.6), 40, cards=0.4, form=0.3, common=True
    ),
    "two seats, four bots, few common deals": World(
        2, (0.6, 0.2, -0.2, -0.6), 10, cards=0.4, form=0.3, common=True
    ),
    "three seats, three bots, few deals": World(3, (0.3, 0.0, -0.3), 10, cards=0.3, form=0.2),
    "four seats, five bots": World(4, (0.8, 0.4, 0.0, -0.4, -0.8), 15, cards=0.4, form=0.2),
    "four seats, four bots, only the winner is known": World(
        4, (0.8, 0.4, 0.0, -0.8), 60, cards=0.3, winner_only=True
    ),
    "three seats, five bots, only the winner is known": World(
        3, (0.8, 0.4, 0.0, -0.4, -0.8), 15, cards=0.3, form=0.2, winner_only=True
    ),
}
"""Worlds that ratings describe."""


def cycle(bots: int, odds: float, deals: int, *, cards: float = 0.3) -> World:
    """Return bots in a ring, of which each beats the next at these odds (in log odds); others are even."""
    names = "abcdefghij"[:bots]
    liking = {(names[n], names[(n + 1) % bots]): odds for n in range(bots)}
    return World(2, (0.0,) * bots, deals, cards=cards, liking=liking)


CYCLIC: Final[Mapping[str, World]] = {
    "rock, paper, scissors at 90:10, 15 deals": cycle(3, 2.2, 15),
    "rock, paper, scissors at 75:25, 30 deals": cycle(3, 1.1, 30),
    "rock, paper, scissors at 60:40, 100 deals": cycle(3, 0.405, 100),
    "a ring of five at 75:25, 40 deals": cycle(5, 1.1, 40),
}
"""Worlds that ratings do not describe."""

ODD: Final = World(2, (0.4, 0.2, 0.0, -0.2, -0.4), 60, cards=0.3, liking={("e", "a"): 1.2})
"""One pair of ten is off, by 27 of 100 comparisons; it makes no cycle that is beyond chance."""


def found(world: World, luck: Random) -> Misfit:
    """Play an event, and test it."""
    played = world.play(luck)
    return misfit(columns(played, world.bots), rate(played, world.bots))


def claims(times: int) -> Iterator[Claim]:
    """Return what holds in honest and in other worlds."""
    for title, world in HONEST.items():
        luck = Random(14)
        reports = [found(world, luck) for _ in range(times)]
        yield share(f"{title}: poor", sum(one.poor for one in reports), times, most=LEVEL)
        yield share(f"{title}: a cycle", sum(bool(one.cycles) for one in reports), times, most=LEVEL)
    for title, world in CYCLIC.items():
        luck = Random(14)
        reports = [found(world, luck) for _ in range(times)]
        yield share(f"{title}: poor", sum(one.poor for one in reports), times, least=0.8)
        yield share(f"{title}: the cycle", sum(bool(one.cycles) for one in reports), times)
    luck = Random(14)
    reports = [found(ODD, luck) for _ in range(times)]
    named = sum(
        any({one.name, one.other} == {"a", "e"} and one.named for one in each.pairs) for each in reports
    )
    yield share("one pair of ten is off: poor", sum(each.poor for each in reports), times, least=0.8)
    yield share("one pair of ten is off: named", named, times, least=0.5)
