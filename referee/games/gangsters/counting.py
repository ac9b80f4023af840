"""What a complete line pays, and to which gang (section 4 of RULES.md)."""

from collections.abc import Collection, Iterable
from functools import cache
from typing import NamedTuple

from referee.games.gangsters.components import DEAD, GANG_OF, GANGS, STRENGTH_OF

NOBODY = -1


class Count(NamedTuple):
    """The result of one count; gangs are numbers."""

    totals: dict[int, int]
    """By gang, in the order of gangs; a gang with no live tile in the line has none."""
    neutralised: list[int]
    """The tied gangs that were passed over."""
    winner: int
    """A gang, or `NOBODY`."""
    minus: int
    points: int


def count(entries: Iterable[int], cancels: bool = False, ignored: Collection[int] = ()) -> Count:
    """Count a line: add up its live tiles by gang, and settle who is paid."""
    sums = [0] * len(GANGS)
    for entry in entries:
        if entry < DEAD:
            sums[GANG_OF[entry]] += STRENGTH_OF[entry]
    return settle(tuple(sums), cancels, tuple(ignored))


@cache
def settle(sums: tuple[int, ...], cancels: bool = False, ignored: tuple[int, ...] = ()) -> Count:
    """Return who is paid: the best gang alone with its total gets the difference to the next lower total.

    A4: tied gangs below the winner subtract like a single one, unless `cancels` passes them over as well.
    The gangs in `ignored` are left out. Few sums are possible, so each result is kept; not to be changed.
    """
    totals = {gang: total for gang, total in enumerate(sums) if total and gang not in ignored}
    present = sorted(totals.values(), reverse=True)
    alone = [total for total in present if present.count(total) == 1]
    if not alone:
        return Count(totals, list(totals), NOBODY, 0, 0)
    best = alone[0]
    lower = alone[1:] if cancels else [total for total in present if total < best]
    minus = lower[0] if lower else 0  # A6: nothing below is a difference to 0
    floor = minus if cancels else best
    tied = [gang for gang, total in totals.items() if total not in alone and total > floor]
    winner = next(gang for gang, total in totals.items() if total == best)
    return Count(totals, tied, winner, minus, best - minus)
