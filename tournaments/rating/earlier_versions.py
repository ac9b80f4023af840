"""Standings of a ladder in which bots have several versions: the newest are shown, the others come last."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec.structs import replace

from tournaments.rating.standings import StandingLine, Standings


def with_earlier(standings: Standings, names: Sequence[str]) -> Standings:
    """Return standings with these earlier versions of bots at their end."""
    if not names:
        return standings
    old = frozenset(names)
    return replace(
        standings,
        table=_moved(standings.table, old),
        without_forfeits=_moved(standings.without_forfeits, old),
        gaps=tuple(gap for gap in standings.gaps if not old & {gap.name, gap.other}),
        earlier=tuple(line.name for line in standings.table if line.name in old),
    )


def _moved(lines: Sequence[StandingLine], to_end: frozenset[str]) -> tuple[StandingLine, ...]:
    """Return the lines with some at their end, and the places that this makes."""
    kept = [line for line in lines if line.name not in to_end]
    rest = [line for line in lines if line.name in to_end]
    places = sorted(line.place for line in kept)
    among = [
        replace(line, place=bisect_left(places, line.place) + 1, place_to=bisect_right(places, line.place))
        for line in kept
    ]
    alone = [replace(line, place=at, place_to=at) for at, line in enumerate(rest, len(kept) + 1)]
    return (*among, *alone)
