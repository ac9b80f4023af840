"""Which bots meet: the groups of each format, from names and standings alone. Pure, and without luck."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil

from msgspec import Struct

from tournaments.pairing.design import all_groups, few_groups
from tournaments.pairing.matching import most_pairs

Group = tuple[str, ...]
Met = Mapping[frozenset[str], int]
"""How often two bots have met."""


def round_robin(bots: Sequence[str], seats: int, *, few: bool = False) -> list[Group]:
    """Return groups in which all bots meet each other: all combinations, or few of them."""
    groups = few_groups(len(bots), seats) if few else all_groups(len(bots), seats)
    return [tuple(bots[number] for number in group) for group in groups]


def gauntlet(hero: str, bots: Sequence[str], seats: int, *, few: bool = False) -> list[Group]:
    """Return groups in which the hero meets all others, and these each other as in a round robin."""
    others = [bot for bot in bots if bot != hero]
    if seats == 2:
        return [(hero, other) for other in others]
    return [(hero, *group) for group in round_robin(others, seats - 1, few=few)]


class SwissRound(Struct, frozen=True):
    """One round: the groups, and the bots that rest."""

    groups: list[Group]
    resting: list[str]


def swiss(order: Sequence[str], seats: int, met: Met, rests: Mapping[str, int]) -> SwissRound:
    """Put neighbours in the standings together, best first, with as few repeated meetings as possible.

    For two seats that is exact; for more, no exchange of two bots would save another one. If the bots do not
    fill the groups, those that have rested least rest, of these the last.
    """
    spare = len(order) % seats
    places = {bot: place for place, bot in enumerate(order)}
    resting = sorted(order, key=lambda bot: (rests.get(bot, 0), -places[bot]))[:spare]
    seated = [bot for bot in order if bot not in resting]
    if seats == 2:
        return SwissRound(_pairs(seated, met), resting)
    return SwissRound(_exchanged(seated, seats, met), resting)


def _pairs(order: Sequence[str], met: Met) -> list[Group]:
    """Pair neighbours; as few pairs as possible have met before, and of those the ones that met least."""
    mates = most_pairs([_unmet(order, place, met) for place in range(len(order))])
    left = [place for place, mate in enumerate(mates) if mate < 0]
    while left:
        one = left.pop(0)
        again = min(left, key=lambda other: met.get(frozenset((order[one], order[other])), 0))
        left.remove(again)
        mates[one], mates[again] = again, one
    return [(order[one], order[mate]) for one, mate in enumerate(mates) if one < mate]


def _unmet(order: Sequence[str], place: int, met: Met) -> list[int]:
    """Return the places of the bots that this one has not met, the nearest first, of two the lower."""
    others = [
        other
        for other, bot in enumerate(order)
        if other != place and not met.get(frozenset((order[place], bot)))
    ]
    return sorted(others, key=lambda other: (abs(other - place), -other))


def _exchanged(order: Sequence[str], seats: int, met: Met) -> list[Group]:
    """Group neighbours, then exchange two bots of different groups as long as that saves meetings."""
    seated = list(order)
    places = range(len(seated))
    # The nearest first, so that bots stay near their places.
    exchanges = sorted(combinations(places, 2), key=lambda pair: (pair[1] - pair[0], pair))

    def repeated(*groups: int) -> int:
        return sum(_meetings(seated[group * seats : (group + 1) * seats], met) for group in groups)

    improved = True
    while improved:
        improved = False
        for a, b in exchanges:
            groups = (a // seats, b // seats)
            if groups[0] == groups[1] or not (before := repeated(*groups)):
                continue
            seated[a], seated[b] = seated[b], seated[a]
            if repeated(*groups) < before:
                improved = True
            else:
                seated[a], seated[b] = seated[b], seated[a]
    return [tuple(seated[at : at + seats]) for at in range(0, len(seated), seats)]


def _meetings(group: Sequence[str], met: Met) -> int:
    return sum(met.get(frozenset(pair), 0) for pair in combinations(group, 2))


class KnockoutGroup(Struct, frozen=True):
    """A group of a knockout, and how many of its bots go on."""

    group: Group
    through: int


class KnockoutRound(Struct, frozen=True):
    """One round: the groups, and the bots that go on without playing."""

    groups: list[KnockoutGroup]
    resting: list[str]
    is_final: bool


def knockout(alive: Sequence[str], seats: int) -> KnockoutRound:
    """Return the next round of the bots that are left, best seeds first.

    One full group is the final: one bot goes on. Before it, the worse half of each group is out (of an odd
    number, the smaller half), but never so many that the final could not be filled. The first rounds bring
    the field down to the seats of a match, doubled as often as possible; the best seeds rest meanwhile. Seeds
    are dealt to the groups to and fro, so that of two the best meets the last.
    """
    if len(alive) == seats:
        return KnockoutRound([KnockoutGroup(tuple(alive), 1)], [], is_final=True)
    out_of_each = seats // 2
    target = seats
    while target * 2 < len(alive):
        target *= 2
    out = len(alive) - target
    count = min(len(alive) // seats, ceil(out / out_of_each))
    out = min(out, count * out_of_each)
    resting, playing = alive[: -count * seats], alive[-count * seats :]
    dealt: list[list[str]] = [[] for _ in range(count)]
    for row in range(seats):
        seeds = playing[row * count : (row + 1) * count]
        for group, seed in zip(dealt, reversed(seeds) if row % 2 else seeds, strict=True):
            group.append(seed)
    every, more = divmod(out, count)
    groups = [
        KnockoutGroup(tuple(group), seats - every - (number >= count - more))
        for number, group in enumerate(dealt)
    ]
    return KnockoutRound(groups, list(resting), is_final=False)
