"""Pictures of ratings as SVG: error bars, and lines over time. This module measures, the templates draw.

Pictures are as wide as the page: across everything is in percent, down in pixels, so that letters keep their
size on a phone. Colours are those of the page's style sheet.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from tournaments.rating.standings import RatingStep, StandingLine
from tournaments.report.words import rating_text

COLOURS = 8
"""Classes c0 to c7 of the style sheet; further bots have the same colours and other dashes."""

_DASHES = ("", "7 4", "2 3", "10 3 2 3")

_ROW = 46
"""Height of a bot's part of the error bars: its name, and the bar below."""
_MARGIN = 2
"""Percent left free beside the error bars, for the dots and the numbers below."""

_TOP, _BOTTOM = 14, 300
_LEFT, _RIGHT = 11, 95
_LABEL = 14
"""The least distance between two numbers at the ends of lines."""


class Look(NamedTuple):
    """What distinguishes a line from the others."""

    colour: str
    """A class of the style sheet."""
    dashes: str


def look(number: int) -> Look:
    """Return the look of the line with this number, from 0."""
    return Look(f"c{number % COLOURS}", _DASHES[number // COLOURS % len(_DASHES)])


class _Scale:
    """The place of a number on a line from `start` to `end`."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low, self._span = low, max(high - low, 1e-9)
        self._start, self._length = start, end - start

    def __call__(self, value: float) -> float:
        return round(self._start + self._length * (value - self._low) / self._span, 2)


def ticks(low: float, high: float, most: int = 6) -> list[int]:
    """Return round numbers from `low` or below to `high` or above.

    >>> ticks(1432.2, 1581.0)
    [1425, 1450, 1475, 1500, 1525, 1550, 1575, 1600]
    """
    rough = max(1.0, (high - low) / most)
    power = 10 ** math.floor(math.log10(rough))
    step = next(
        int(unit * power) for unit in (1, 2, 2.5, 5, 10) if unit * power >= rough and unit * power % 1 == 0
    )
    return list(range(math.floor(low / step) * step, math.ceil(high / step) * step + 1, step))


class Mark(NamedTuple):
    """A number on an axis."""

    value: int
    at: float


class Bar(NamedTuple):
    """A bot's rating, as a dot, and its interval, if it has one."""

    name: str
    rating: str
    x: float
    y: int
    ends: tuple[float, float] | None


class ErrorBars(NamedTuple):
    """What the template `error_bars.svg` draws."""

    bars: list[Bar]
    marks: list[Mark]
    margin: int
    bottom: int


def error_bars(table: Sequence[StandingLine]) -> ErrorBars | None:
    """Measure the picture of every rating with its interval; return None if no bot has a rating."""
    rated = [(line, line.elo) for line in table if line.elo is not None]
    if not rated:
        return None
    ends = [end for line, elo in rated for end in line.interval or (elo, elo)]
    marks = ticks(min(ends) - 5, max(ends) + 5, 5)
    x = _Scale(marks[0], marks[-1], _MARGIN, 100 - _MARGIN)
    bars = [
        Bar(
            name=line.name,
            rating=rating_text(line),
            x=x(elo),
            y=_ROW * row + 32,
            ends=None if line.interval is None else (x(line.interval[0]), x(line.interval[1])),
        )
        for row, (line, elo) in enumerate(rated)
    ]
    return ErrorBars(bars, [Mark(mark, x(mark)) for mark in marks], _MARGIN, _ROW * len(rated) + 6)


class Curve(NamedTuple):
    """A bot's rating after every step, and the place of its number at the end."""

    name: str
    look: Look
    points: str
    label_y: float
    last: float | None


class OverTime(NamedTuple):
    """What the template `over_time.svg` draws."""

    curves: list[Curve]
    levels: list[Mark]
    marks: list[Mark]
    left: int
    right: int
    bottom: int


def over_time(steps: Sequence[RatingStep], names: Sequence[str]) -> OverTime | None:
    """Measure the picture of these bots' ratings after every step; return None before there are two steps."""
    names = [name for name in names if any(name in step.elo for step in steps)]
    elos = [step.elo[name] for step in steps for name in names if name in step.elo]
    if len(steps) < 2 or not elos:
        return None
    levels = ticks(min(elos), max(elos))
    last = steps[-1]
    y = _Scale(levels[0], levels[-1], _BOTTOM, _TOP)
    x = _Scale(0, last.blocks, 0, 100)
    across = _Scale(0, last.blocks, _LEFT, _RIGHT)
    paths = [[(x(s.blocks), y(s.elo[name])) for s in steps if name in s.elo] for name in names]
    label_ys = _spread([path[-1][1] for path in paths])
    curves = [
        Curve(name, look(n), " ".join(f"{x},{y}" for x, y in path), label_y, last.elo.get(name))
        for n, (name, path, label_y) in enumerate(zip(names, paths, label_ys, strict=True))
    ]
    marks = [Mark(blocks, across(blocks)) for blocks in ticks(0, last.blocks, 4) if blocks <= last.blocks]
    return OverTime(curves, [Mark(elo, y(elo)) for elo in levels], marks, _LEFT, _RIGHT, _BOTTOM)


def _spread(wanted: Sequence[float]) -> list[float]:
    """Move numbers apart that would lie over each other."""
    order = sorted(range(len(wanted)), key=lambda n: (wanted[n], n))
    placed = list(wanted)
    above = -math.inf
    for n in order:
        placed[n] = above = max(wanted[n], above + _LABEL)
    below: float = max(_BOTTOM, _TOP + _LABEL * (len(wanted) - 1))
    for n in reversed(order):
        placed[n] = below = min(placed[n], below)
        below -= _LABEL
    return placed
