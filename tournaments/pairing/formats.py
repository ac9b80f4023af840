"""Which bots meet: the groups of round robin, pools, gauntlet and knockout. Pure, and without luck."""

from collections.abc import Sequence
from math import ceil

from msgspec import Struct

from tournaments.pairing.design import all_groups, few_groups

Group = tuple[str, ...]


def round_robin(bots: Sequence[str], seats: int, *, few: bool = False) -> list[Group]:
    """Return groups in which all bots meet each other: all combinations, or few of them."""
    groups = few_groups(len(bots), seats) if few else all_groups(len(bots), seats)
    return [tuple(bots[number] for number in group) for group in groups]


def pools(bots: Sequence[str], count: int) -> list[Group]:
    """Divide bots, the best seeds first, into pools of about equal strength: they are dealt to and fro.

    A bot that is added at the end changes no pool of the others.

    >>> pools("abcdefgh", 3)
    [('a', 'f', 'g'), ('b', 'e', 'h'), ('c', 'd')]
    """
    dealt: list[list[str]] = [[] for _ in range(count)]
    for number, bot in enumerate(bots):
        row, at = divmod(number, count)
        dealt[count - 1 - at if row % 2 else at].append(bot)
    return [tuple(pool) for pool in dealt]


def pool_name(number: int) -> str:
    """Return the name of a pool by its number from 0.

    >>> pool_name(0), pool_name(25), pool_name(26)
    ('A', 'Z', 'AA')
    """
    above, letter = divmod(number, 26)
    return (pool_name(above - 1) if above else "") + chr(ord("A") + letter)


def gauntlet(hero: str, bots: Sequence[str], seats: int, *, few: bool = False) -> list[Group]:
    """Return groups in which the hero meets all others, and these each other as in a round robin."""
    others = [bot for bot in bots if bot != hero]
    if seats == 2:
        return [(hero, other) for other in others]
    return [(hero, *group) for group in round_robin(others, seats - 1, few=few)]


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
