"""Who meets whom: the tables of each format, from names and standings alone. Pure, and without luck."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil

from msgspec import Struct

from tournaments.pairing.design import all_tables, few_tables
from tournaments.pairing.matching import most_pairs

Table = tuple[str, ...]
Met = Mapping[frozenset[str], int]
"""How often two bots have sat at one table."""


def round_robin(bots: Sequence[str], seats: int, *, few: bool = False) -> list[Table]:
    """Return tables at which everybody meets everybody: all combinations, or few of them."""
    tables = few_tables(len(bots), seats) if few else all_tables(len(bots), seats)
    return [tuple(bots[number] for number in table) for table in tables]


def gauntlet(hero: str, bots: Sequence[str], seats: int, *, few: bool = False) -> list[Table]:
    """Return tables at which the hero meets everybody, and the others each other as at a round robin."""
    others = [bot for bot in bots if bot != hero]
    if seats == 2:
        return [(hero, other) for other in others]
    return [(hero, *table) for table in round_robin(others, seats - 1, few=few)]


class SwissRound(Struct, frozen=True):
    """One round: who sits together, and who has a rest."""

    tables: list[Table]
    resting: list[str]


def swiss(order: Sequence[str], seats: int, met: Met, rests: Mapping[str, int]) -> SwissRound:
    """Seat neighbours in the standings together, best first, with as few repeated meetings as possible.

    For two seats that is exact; for more, no exchange of two bots would save another one. If the bots do not
    fill the tables, those rest who have rested least, of these the last.
    """
    spare = len(order) % seats
    places = {bot: place for place, bot in enumerate(order)}
    resting = sorted(order, key=lambda bot: (rests.get(bot, 0), -places[bot]))[:spare]
    seated = [bot for bot in order if bot not in resting]
    if seats == 2:
        return SwissRound(_pairs(seated, met), resting)
    return SwissRound(_exchanged(seated, seats, met), resting)


def _pairs(order: Sequence[str], met: Met) -> list[Table]:
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
    """Return the places of those whom somebody has not met, the nearest first, of two the lower."""
    others = [
        other
        for other, bot in enumerate(order)
        if other != place and not met.get(frozenset((order[place], bot)))
    ]
    return sorted(others, key=lambda other: (abs(other - place), -other))


def _exchanged(order: Sequence[str], seats: int, met: Met) -> list[Table]:
    """Seat neighbours together, then exchange two bots of different tables as long as that saves meetings."""
    seated = list(order)
    places = range(len(seated))
    # The nearest first, so that bots stay near their places.
    exchanges = sorted(combinations(places, 2), key=lambda pair: (pair[1] - pair[0], pair))

    def repeated(*tables: int) -> int:
        return sum(_meetings(seated[table * seats : (table + 1) * seats], met) for table in tables)

    improved = True
    while improved:
        improved = False
        for a, b in exchanges:
            tables = (a // seats, b // seats)
            if tables[0] == tables[1] or not (before := repeated(*tables)):
                continue
            seated[a], seated[b] = seated[b], seated[a]
            if repeated(*tables) < before:
                improved = True
            else:
                seated[a], seated[b] = seated[b], seated[a]
    return [tuple(seated[at : at + seats]) for at in range(0, len(seated), seats)]


def _meetings(table: Sequence[str], met: Met) -> int:
    return sum(met.get(frozenset(pair), 0) for pair in combinations(table, 2))


class KnockoutTable(Struct, frozen=True):
    """A table of a knockout, and how many of it go on."""

    table: Table
    through: int


class KnockoutRound(Struct, frozen=True):
    """One round: the tables, and who goes on without playing."""

    tables: list[KnockoutTable]
    resting: list[str]
    is_final: bool


def knockout(alive: Sequence[str], seats: int) -> KnockoutRound:
    """Return the next round of those who are left, best seeds first.

    A full table is the final: one goes on. Before it, the worse half of each table is out (of an odd number,
    the smaller half), but never so many that the final could not be filled. The first rounds bring the field
    down to the seats of a table, doubled so many times as possible; the best seeds rest meanwhile. Seeds are
    dealt to the tables to and fro, so that of two the best meets the last.
    """
    if len(alive) == seats:
        return KnockoutRound([KnockoutTable(tuple(alive), 1)], [], is_final=True)
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
        for table, seed in zip(dealt, reversed(seeds) if row % 2 else seeds, strict=True):
            table.append(seed)
    every, more = divmod(out, count)
    tables = [
        KnockoutTable(tuple(table), seats - every - (number >= count - more))
        for number, table in enumerate(dealt)
    ]
    return KnockoutRound(tables, list(resting), is_final=False)
