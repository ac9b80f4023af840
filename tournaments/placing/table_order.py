"""The order of a round robin, a gauntlet or a ladder: by rating or by points, in pools if it is divided."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby

from msgspec.structs import replace

from tournaments.placing.places import OfficialOrder, Place, Scored, in_words, ranked, rating_key

Margin = Callable[[str, str], int]
"""How many comparisons with the second bot the first one won, less those that it lost."""

BY_RATING = ("rating", "points")
BY_POINTS = ("points", "head-to-head", "wins", "rating")


def by_rating(lines: Iterable[Scored], row: Callable[[str], object] = str) -> OfficialOrder:
    """Order by rating, and of equal ratings by points."""
    scored = {line.name: line for line in lines}

    def key(name: str) -> object:
        return *rating_key(scored[name]), -scored[name].points

    places = {name: Place(place=first, place_to=last) for name, first, last in ranked(scored, key, row)}
    return OfficialOrder(places, BY_RATING, f"Ordered by {in_words(BY_RATING)}.")


def by_points(
    lines: Iterable[Scored], margin: Margin, *, percent: bool, row: Callable[[str], object] = str
) -> OfficialOrder:
    """Order by points, and of equal points by head-to-head, wins and rating.

    With `percent` points of 100 matches count: in a gauntlet one bot plays more matches than the others.
    """
    scored = {line.name: line for line in lines}

    def worth(name: str) -> float:
        return scored[name].percent if percent else scored[name].points

    own = _head_to_head(scored, worth, margin)

    def key(name: str) -> object:
        return -worth(name), -own[name], -scored[name].wins, *rating_key(scored[name])

    places = {
        name: Place(place=first, place_to=last, head_to_head=own[name])
        for name, first, last in ranked(scored, key, row)
    }
    by = ("points of 100 matches" if percent else BY_POINTS[0], *BY_POINTS[1:])
    return OfficialOrder(places, by, f"Ordered by {in_words(by)}.")


def _head_to_head(names: Iterable[str], worth: Callable[[str], float], margin: Margin) -> dict[str, int]:
    """Return what each bot has against all bots with as many points."""
    found: dict[str, int] = {}
    for _, equals in groupby(sorted(names, key=worth), key=worth):
        tied = list(equals)
        found |= {one: sum(margin(one, other) for other in tied if other != one) for one in tied}
    return found


def in_pools(
    pools: Mapping[str, Sequence[str]],
    lines: Iterable[Scored],
    order: Callable[[list[Scored]], OfficialOrder],
) -> OfficialOrder:
    """Order each pool for itself, by the order that is given for one."""
    scored = {line.name: line for line in lines}
    orders = {pool: order([scored[name] for name in names]) for pool, names in pools.items()}
    places = {
        name: replace(place, pool=pool) for pool, one in orders.items() for name, place in one.places.items()
    }
    by = next(iter(orders.values())).ordered_by
    return OfficialOrder(places, by, f"Each pool is ordered by {in_words(by)}.")
