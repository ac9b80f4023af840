"""Swiss tournaments with random results, and selections of few groups: repeated meetings, rests, evenness."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from time import process_time
from typing import NamedTuple

from tests.campaigns.statistics.claim import Claim
from tournaments.pairing.design import Group, Round, few_groups
from tournaments.pairing.swiss import Course, is_free, most_repeats

SPREAD = 200
"""The standard deviation of the bots' strengths, in Elo."""


class Field(NamedTuple):
    """A Swiss tournament."""

    bots: int
    seats: int
    rounds: int

    def __str__(self) -> str:
        return f"{self.bots} bots, {self.seats} seats, {self.rounds} rounds"


SMALL = (Field(6, 2, 5), Field(7, 2, 7), Field(8, 2, 7), Field(5, 2, 8), Field(9, 3, 4), Field(10, 3, 4))
TIGHT = (
    Field(12, 2, 11),
    Field(15, 3, 7),
    Field(16, 4, 4),
    Field(16, 4, 5),
    Field(20, 4, 5),
    Field(24, 4, 5),
    Field(25, 5, 6),
)
CROWDED = (Field(12, 3, 5), Field(12, 4, 3), Field(14, 4, 4), Field(16, 2, 20))
LARGE = (Field(256, 2, 8), Field(255, 2, 8), Field(256, 3, 8), Field(256, 4, 8), Field(256, 6, 8))


class Event(NamedTuple):
    """What a tournament was like."""

    rounds: list[Round]
    repeats: int
    """Repeated meetings, each counted once for every earlier one of the two bots."""
    rests: int
    """By how much one bot rested more often than another, at most, after any round."""
    distance: float
    """The mean difference of the places of two bots that met."""
    slowest: float
    """The longest time that a round took to make, in seconds of the processor."""


def event(field: Field, seed: int) -> Event:
    """Play a Swiss tournament with random results."""
    luck = random.Random(seed)
    strength = [luck.gauss(0, SPREAD) for _ in range(field.bots)]
    points = [0.0] * field.bots
    met: Counter[tuple[int, ...]] = Counter()
    rests = [0] * field.bots
    course = Course(*field)
    rounds: list[Round] = []
    apart: list[int] = []
    uneven, slowest = 0, 0.0
    for _ in range(field.rounds):
        order = sorted(range(field.bots), key=lambda bot: (-points[bot], bot))
        begun = process_time()
        rounds.append(course.next(order))
        slowest = max(slowest, process_time() - begun)
        place = {bot: number for number, bot in enumerate(order)}
        for bot in set(order).difference(*rounds[-1]):
            rests[bot] += 1
            points[bot] += (field.seats - 1) / 2
        uneven = max(uneven, max(rests) - min(rests))
        for pair in (tuple(sorted(pair)) for group in rounds[-1] for pair in combinations(group, 2)):
            met[pair] += 1
            apart.append(abs(place[pair[0]] - place[pair[1]]))
            odds = 1 / (1 + 10 ** ((strength[pair[1]] - strength[pair[0]]) / 400))
            points[pair[0] if luck.random() < odds else pair[1]] += 1
    repeats = sum(count * (count - 1) // 2 for count in met.values())
    return Event(rounds, repeats, uneven, sum(apart) / len(apart), slowest)


def unevenness(groups: tuple[Group, ...], bots: int) -> int:
    """Return how much more often one pair meets than another."""
    met = Counter(pair for group in groups for pair in combinations(group, 2))
    counts = [met[pair] for pair in combinations(range(bots), 2)]
    return max(counts) - min(counts)


def claims(times: int) -> Iterator[Claim]:
    """Simulate; the largest fields are played less often."""
    for fields, events in ((SMALL, times), (CROWDED, times // 10), (TIGHT, times // 10), (LARGE, 1)):
        for field in fields:
            found = [event(field, seed) for seed in range(max(1, events))]
            most = most_repeats(*field)
            assert most is not None
            way = "free" if is_free(*field) else "planned"
            yield Claim(f"{field} ({way}): most repeats", max(one.repeats for one in found), 0, most)
            yield Claim(f"{field}: difference of rests", max(one.rests for one in found), 0, 1)
            yield Claim(f"{field}: places apart", sum(one.distance for one in found) / len(found))
            yield Claim(f"{field}: seconds for a round", max(one.slowest for one in found), 0, 2)
    for seats in (3, 4, 5, 6):
        found_uneven = [unevenness(few_groups(bots, seats), bots) for bots in range(seats, 41)]
        yield Claim(f"few groups of {seats}, up to 40 bots: unevenness", max(found_uneven), 0, 1)
