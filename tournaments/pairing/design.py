"""Few groups in which all meet equally often: balanced designs, found by their symmetry. Pure.

All combinations of n bots at k seats are balanced but many. A design is a choice of them in which every pair
still meets equally often. We look for those that turning produces: n points on a circle (or one in the middle
and n - 1 around it), a few base groups, and all turns of each. Which pairs meet how often then follows from
the distances inside the base groups alone, so the search is small. It is bounded in steps and not in time,
and the same on every host.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb

from msgspec import Struct

from referee.chance import KeyedChance

_STEPS = 20_000
"""Of the search for one number of base groups."""

_CANDIDATES = 2_000
"""Base groups among which is searched; of more, a sample is drawn."""

_MOST_BASES = 24
"""More than this make a design that saves little: then an uneven one is taken."""

_MEETINGS = 4
"""How often pairs meet at most in an uneven design, on average."""

_STARTS = 8
"""How many base groups an uneven design is begun with, to take the best."""

_GOOD = (0, 1)
"""An unevenness with which the search is content: all meet, no pair more than once more than another."""

Group = tuple[int, ...]
Round = tuple[Group, ...]
"""Groups that play at the same time; the bots in none of them rest."""


class _Listed(Struct, frozen=True):
    """A design that the search below does not find: several circles of equally many bots, turned together."""

    around: int
    bases: tuple[Group, ...]

    def groups(self) -> tuple[Group, ...]:
        """Return all turns of the base groups."""
        return tuple(
            tuple(sorted(point - point % self.around + (point + by) % self.around for point in base))
            for base in self.bases
            for by in range(self.around)
        )


# Found by a longer search: base groups are replaced one by one as long as that makes meetings more even.
# Pairs meet 3 or 4 times in the first two, 2 times with 31 bots, and 2 or 3 times in the others.
_LISTED = {
    (12, 5): _Listed(6, ((0, 6, 8, 9, 10), (0, 1, 6, 7, 10), (0, 1, 2, 4, 9), (0, 1, 4, 6, 11))),
    (14, 5): _Listed(7, ((0, 7, 9, 11, 12), (0, 1, 4, 9, 10), (0, 1, 2, 8, 12), (0, 2, 4, 7, 8))),
    (20, 6): _Listed(10, ((0, 1, 2, 6, 10, 17), (0, 2, 10, 13, 14, 15), (0, 3, 6, 15, 17, 19))),
    (22, 6): _Listed(11, ((0, 2, 5, 11, 12, 15), (0, 4, 12, 14, 19, 20), (0, 1, 2, 5, 16, 18))),
    (30, 6): _Listed(
        10,
        (
            (0, 6, 9, 16, 21, 29),
            (0, 1, 4, 12, 13, 20),
            (2, 4, 9, 11, 13, 19),
            (6, 12, 19, 21, 22, 24),
            (9, 12, 17, 23, 26, 27),
            (0, 11, 14, 15, 22, 27),
            (5, 7, 11, 25, 28, 29),
        ),
    ),
    (31, 6): _Listed(31, ((0, 10, 14, 20, 28, 29), (1, 3, 8, 9, 12, 27))),
    (32, 6): _Listed(
        16,
        (
            (1, 7, 8, 10, 12, 20),
            (0, 10, 20, 24, 26, 27),
            (4, 7, 14, 15, 16, 20),
            (0, 14, 16, 20, 21, 31),
            (2, 14, 16, 21, 23, 29),
        ),
    ),
}


class _Base(Struct, frozen=True):
    """A group that is turned round the circle."""

    group: Group
    meets: tuple[int, ...]
    """For each distance, and last for the middle: how often all turns together bring such a pair together."""


class _Circle(Struct, frozen=True):
    """Where the bots stand: on a circle, with or without one in the middle, which has the highest number."""

    around: int
    middle: bool

    @property
    def bots(self) -> int:
        return self.around + self.middle

    def base(self, group: Group) -> _Base:
        """Return a base group with the meetings it makes."""
        half = self.around // 2
        meets = [0] * (half + self.middle)
        ring = [point for point in group if point < self.around]
        for a, b in combinations(ring, 2):
            distance = min((a - b) % self.around, (b - a) % self.around)
            # Opposite points come together twice in a whole turn.
            meets[distance - 1] += 2 if 2 * distance == self.around else 1
        if len(ring) < len(group):
            meets[half] += len(ring)
        return _Base(group, tuple(meets))

    def turns(self, group: Group) -> Iterator[Group]:
        """Return all turns of a group."""
        for by in range(self.around):
            yield tuple(
                sorted((point + by) % self.around if point < self.around else point for point in group)
            )

    def bases(self, seats: int) -> list[_Base]:
        """Return one group of all that are turns of each other; none that less than a turn repeats."""
        found: list[_Base] = []
        seen: set[Group] = set()
        for group in self._groups(seats):
            if group in seen:
                continue
            turns = set(self.turns(group))
            seen |= turns
            if len(turns) == self.around:
                found.append(self.base(group))
        return found

    def _groups(self, seats: int) -> Iterator[Group]:
        """Return groups with the point 0, which every group can be turned to."""
        if comb(self.bots - 1, seats - 1) <= _CANDIDATES:
            for rest in combinations(range(1, self.bots), seats - 1):
                yield (0, *rest)
            return
        chance = KeyedChance(bytes(32))
        for _ in range(_CANDIDATES):
            rest_of_all = list(range(1, self.bots))
            chance.shuffle("tables", rest_of_all)
            yield (0, *sorted(rest_of_all[: seats - 1]))


def all_groups(bots: int, seats: int) -> tuple[Group, ...]:
    """Return every combination."""
    return tuple(combinations(range(bots), seats))


def is_listed(bots: int, seats: int) -> bool:
    """Say whether few groups come from the list. Until version 0.3 they were others."""
    return (bots, seats) in _LISTED


@cache
def few_groups(bots: int, seats: int) -> tuple[Group, ...]:
    """Return few groups in which pairs meet equally often or, if none are found, as equally as possible.

    Every bot is in equally many groups in any case. No group comes twice.
    """
    if seats == 2 or bots - seats <= 1:
        return all_groups(bots, seats)
    if is_listed(bots, seats):
        return _LISTED[bots, seats].groups()
    circles = [_Circle(bots, middle=False), _Circle(bots - 1, middle=True)]
    candidates = {circle: circle.bases(seats) for circle in circles}
    for count in range(1, _MOST_BASES + 1):
        # With the middle there is one turn less: of equally many base groups it makes fewer groups.
        for circle in reversed(circles):
            times = _even(circle, seats, count)
            if times and circle.around * count < comb(bots, seats):
                chosen = _exact(candidates[circle], count, times)
                if chosen:
                    return _turned(circle, chosen)
    if comb(bots, seats) <= bots * _MOST_BASES:
        return all_groups(bots, seats)
    return _turned(circles[0], _uneven(candidates[circles[0]]))


def _turned(circle: _Circle, bases: list[_Base]) -> tuple[Group, ...]:
    return tuple(turn for base in bases for turn in circle.turns(base.group))


def _even(circle: _Circle, seats: int, count: int) -> int:
    """Return how often each pair would meet with so many base groups, or 0 if that is no whole number."""
    meetings, rest = divmod(circle.around * count * comb(seats, 2), comb(circle.bots, 2))
    return 0 if rest else meetings


def _exact(bases: list[_Base], count: int, times: int) -> list[_Base] | None:
    """Find so many base groups that together bring every pair together so many times."""
    steps = _STEPS

    def search(left: tuple[int, ...], start: int, wanted: int) -> list[_Base] | None:
        nonlocal steps
        if not wanted:
            return [] if not any(left) else None
        for at in range(start, len(bases)):
            steps -= 1
            if steps < 0:
                return None
            after = tuple(have - less for have, less in zip(left, bases[at].meets, strict=True))
            if min(after) < 0:
                continue
            found = search(after, at + 1, wanted - 1)
            if found is not None:
                return [bases[at], *found]
        return None

    return search((times,) * len(bases[0].meets), 0, count) if bases else None


def _uneven(bases: list[_Base]) -> list[_Base]:
    """Take base groups one by one, each time the one after which meetings differ least; stop at the best.

    The first one decides much, so several are tried.
    """
    step = max(1, len(bases) // _STARTS)
    return min((_grown(bases, first) for first in bases[::step]), key=_unevenness)


def _grown(bases: list[_Base], first: _Base) -> list[_Base]:
    chosen = best = [first]
    most = _MEETINGS * len(first.meets) // comb(len(first.group), 2) + 1
    while len(chosen) < min(most, len(bases)) and _unevenness(best)[:2] > _GOOD:
        sums = _sums(chosen)
        rest = [base for base in bases if base not in chosen]
        squares = [sum(map(_square, sums, base.meets)) for base in rest]
        chosen = [*chosen, rest[squares.index(min(squares))]]
        best = min(best, chosen, key=_unevenness)
    return best


def _square(have: int, more: int) -> int:
    return (have + more) ** 2


def _sums(bases: list[_Base]) -> list[int]:
    return [sum(column) for column in zip(*(base.meets for base in bases), strict=True)]


def _unevenness(bases: list[_Base]) -> tuple[int, int, int]:
    """Return what is to be small: pairs short of two meetings, differences, groups."""
    sums = _sums(bases)
    return max(0, 2 - min(sums)), max(sums) - min(sums), len(bases)
