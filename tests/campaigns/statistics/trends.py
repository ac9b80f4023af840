"""How often bots that change, or do better on one host, are named, and bots that do neither."""

from collections.abc import Iterator
from math import exp
from random import Random
from statistics import fmean
from typing import NamedTuple

from tests.campaigns.statistics.claim import Claim, share
from tests.campaigns.statistics.worlds import World
from tests.unit.tournaments.rows import row
from tournaments.rating.columns import columns
from tournaments.rating.ratings import rate
from tournaments.rating.trends import LEVEL, DriftLine, HostLine, drift, host_effects
from tournaments.results import Played


class LadderWorld(NamedTuple):
    """A ladder on which near bots meet more often; bots are b0, b1 and so on."""

    strengths: tuple[float, ...]
    """In log odds."""
    matches: int
    growth: float = 0.0
    """What the first bot gains over the whole time, in log odds."""

    def play(self, luck: Random) -> tuple[list[Played], list[str]]:
        """Return the results and the names of the bots."""
        names = [f"b{number}" for number in range(len(self.strengths))]
        played = []
        for number in range(1, self.matches + 1):
            one = luck.randrange(len(names))
            others = [bot for bot in range(len(names)) if bot != one]
            near = [exp(-abs(self.strengths[one] - self.strengths[bot])) for bot in others]
            (other,) = luck.choices(others, near)
            lead = self.strengths[one] - self.strengths[other]
            grown = self.growth * number / self.matches
            lead += grown * ((one == 0) - (other == 0))
            ranks = (1, 2) if luck.random() < 1 / (1 + exp(-lead)) else (2, 1)
            played.append(row((names[one], names[other]), ranks, match=f"m{number:06}", round=number))
        return played, names


STEADY = {
    "six equal bots, 600 matches": LadderWorld((0.0,) * 6, 600),
    "twelve bots, 1,500 matches": LadderWorld(tuple(0.4 * n for n in range(12)), 1_500),
}
GROWING = LadderWorld((0.0, 0.5, 0.2, -0.3, -0.6, 0.1), 1_500, growth=2.0)
"""The first bot gains 347 Elo points in 1,500 matches."""


def drifts(world: LadderWorld, luck: Random) -> tuple[DriftLine, ...]:
    """Play a ladder, and test its bots."""
    played, names = world.play(luck)
    return drift(columns(played, names), rate(played, names).elo)


def on_hosts(world: World, luck: Random, slow: float = 0.0) -> tuple[HostLine, ...]:
    """Play a round robin whose second half is on another host, on which bot a loses matches it won."""
    played = world.play(luck)
    hosts = {}
    for number, match in enumerate(played):
        hosts[match.match] = "one" if number < len(played) / 2 else "two"
        if hosts[match.match] == "two" and "a" in match.bots and luck.random() < slow:
            ranks = [2 if bot == "a" else 1 for bot in match.bots]
            played[number] = row(match.bots, ranks, match=match.match, block=match.block, deal=match.deal)
    return host_effects(columns(played, world.bots), rate(played, world.bots).elo, hosts)


def briefly_on_another(lead: float, deals: int, luck: Random) -> tuple[HostLine, ...]:
    """Play 200 deals of two bots on one host, and a few more on another one; the host does not matter."""
    world = World(2, (lead, 0.0), 200 + deals)
    played = world.play(luck)
    hosts = {match.match: "one" if number < 400 else "two" for number, match in enumerate(played)}
    return host_effects(columns(played, world.bots), rate(played, world.bots).elo, hosts)


BRIEF = {"even": (0.0, 10), "at 90:10": (2.2, 10), "at 98:2": (3.9, 15)}
"""By title: the lead of one bot in log odds, and the deals on the other host."""

HOSTED = World(2, (0.8, 0.3, 0.0, -0.6), 60, cards=0.4)


def claims(times: int) -> Iterator[Claim]:
    """Return how often bots are named."""
    for title, world in STEADY.items():
        luck = Random(6)
        named = sum(any(line.named for line in drifts(world, luck)) for _ in range(times))
        yield share(f"drift, {title}: any named", named, times, most=LEVEL)
    luck = Random(6)
    reports = [drifts(GROWING, luck) for _ in range(times)]
    named = sum(line.named and line.name == "b0" for lines in reports for line in lines)
    yield share("drift, one of six gains 347 Elo in 1,500 matches: named", named, times, least=0.8)
    mean = fmean(line.slope.value for lines in reports for line in lines if line.name == "b0")
    # The true slope is 232; its opponents take up some of it, because they seem to grow weaker.
    yield Claim("drift, one of six gains 347 Elo in 1,500 matches: mean slope", mean, 150, 240)
    luck = Random(6)
    named = sum(any(line.named for line in on_hosts(HOSTED, luck)) for _ in range(times))
    yield share("hosts, four bots, 60 deals of each pair: any named", named, times, most=LEVEL)
    for title, (lead, deals) in BRIEF.items():
        luck = Random(6)
        named = sum(any(line.named for line in briefly_on_another(lead, deals, luck)) for _ in range(times))
        yield share(f"hosts, two bots {title}, {deals} deals on one: any named", named, times, most=LEVEL)
    luck = Random(6)
    named = sum(
        any(line.named and line.name == "a" for line in on_hosts(HOSTED, luck, 0.4)) for _ in range(times)
    )
    yield share(
        "hosts, a bot loses 40 % of its matches on one host for no other reason: named", named, times, 0.8
    )
