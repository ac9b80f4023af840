"""Which bots results link: groups, parts, and the bots whose mean is the gauge of a group."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tournaments.rating.columns import Array

_LITTLE_KNOWN = 0.25
"""A bot weighs less in the gauge if less is known of it than this part of what is known of the median one."""

Links = NDArray[np.bool_]


class Linked(NamedTuple):
    """What results link, each part and group as the numbers of its bots."""

    groups: list[list[int]]
    """Bots that a chain of comparisons connects."""
    parts: list[list[int]]
    """Bots of which each took points from each other, directly or in a chain."""
    cores: list[list[int]]
    """By group: the bots whose mean is its gauge."""

    def named(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the groups with the names of their bots, the largest first."""
        groups = (tuple(names[bot] for bot in group) for group in self.groups)
        return sorted(groups, key=lambda group: (-len(group), group))


def link(games: Array, points: Array) -> Linked:
    """Return what these results link."""
    groups = _partition(_closure(games > 0))
    reach = _closure(points > 0)
    parts = _partition(reach & reach.T)
    weight = games.sum(axis=1)
    return Linked(groups, parts, [_core(group, parts, weight) for group in groups])


def _core(group: list[int], parts: Sequence[list[int]], weight: Array) -> list[int]:
    """Return the largest part of a group, of equal ones that with the most results; without a link, all."""
    inside = [part for part in parts if part[0] in set(group)]
    most = max(inside, key=lambda part: (len(part), round(float(weight[part].sum()), 6), -part[0]))
    return most if len(most) > 1 else group


def gauge(linked: Linked, information: Array, anchor: int | None = None) -> Array:
    """Return the matrix that moves every group so that the mean of its core is 0, or its anchor.

    In the mean, a bot of which little is known weighs little: its error would be the error of all others.
    """
    matrix = np.eye(len(information))
    for group, core in zip(linked.groups, linked.cores, strict=True):
        if anchor is not None and anchor in group:
            matrix[group, anchor] -= 1
            continue
        usual = _LITTLE_KNOWN * float(np.median(information[core]))
        weight = np.minimum(information[core] / usual, 1.0)
        matrix[np.ix_(group, core)] -= weight / weight.sum()
    return matrix


def _closure(links: Links) -> Links:
    """Return what can be reached from what."""
    reach = links | np.eye(len(links), dtype=np.bool_)
    for _ in range(len(links).bit_length()):
        number = reach.astype(np.float32)
        further = (number @ number) > 0
        if (further == reach).all():
            break
        reach = further
    return reach


def _partition(alike: Links) -> list[list[int]]:
    """Return the classes of an equivalence."""
    return [list(group) for group in sorted({tuple(np.flatnonzero(row).tolist()) for row in alike})]
