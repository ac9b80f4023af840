"""Pictures of ratings as SVG: error bars, and lines over time.

They are as wide as the page: across, everything is in percent, down in pixels, so that letters keep their
size on a phone. Colours are those of the page's style sheet.
"""

import math
from collections.abc import Iterable, Sequence

from tournaments.rating.standings import RatingStep, StandingLine
from tournaments.report.markup import NOTHING, Markup, element, join, text

COLOURS = 8
"""Classes c0 to c7 of the style sheet; further bots have the same colours and other dashes."""

_DASHES = (None, "7 4", "2 3", "10 3 2 3")

_ROW = 46
_MARGIN = 2.0
"""Percent left free beside the error bars, for the dots and the numbers below."""

_TOP, _BOTTOM = 14.0, 300.0
_LEFT, _RIGHT = 11.0, 95.0
_LABEL = 14
"""The least distance between two numbers at the ends of lines."""


class _Scale:
    """Where a number is on a line from `start` to `end`."""

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


def told_rating(line: StandingLine) -> str:
    """Return a rating in words: with half its interval, or 'too few'."""
    if line.elo is None:
        return "no rating"
    if line.interval is None or line.se == 0:
        return f"{line.elo:.0f}, {told_interval(line)}"
    low, high = line.interval
    return f"{line.elo:.0f} ± {(high - low) / 2:.0f}"


def told_interval(line: StandingLine) -> str:
    """Return an interval in words; an anchor has none, for it is fixed."""
    if line.interval is None:
        return "too few"
    return "fixed" if line.se == 0 else "{:.0f} to {:.0f}".format(*line.interval)


def error_bars(table: Sequence[StandingLine]) -> Markup:
    """Draw the rating of every bot with its interval; nothing if nobody has a rating."""
    rated = [line for line in table if line.elo is not None]
    if not rated:
        return NOTHING
    ends = [end for line in rated for end in (line.interval or (line.elo or 0.0,) * 2)]
    marks = ticks(min(ends) - 5, max(ends) + 5, 5)
    x = _Scale(marks[0], marks[-1], _MARGIN, 100 - _MARGIN)
    bottom = _ROW * len(rated) + 6
    parts = [
        element("line", x1=_percent(x(m)), x2=_percent(x(m)), y1=0, y2=bottom, class_="grid") for m in marks
    ]
    parts += [_across(mark, x(mark), bottom + 16) for mark in marks]
    parts += [_error_bar(line, x, _ROW * n) for n, line in enumerate(rated)]
    told = "; ".join(f"{line.name} {told_rating(line)}" for line in rated)
    return _svg(bottom + 24, f"Ratings with 95 % intervals: {told}.", parts)


def _error_bar(line: StandingLine, x: _Scale, top: int) -> Markup:
    y = top + 32
    parts = [
        element("title", text(f"{line.name}: {told_rating(line)}")),
        element("text", text(_short(line.name)), x=_percent(_MARGIN), y=top + 18, class_="name"),
        element("text", text(told_rating(line)), x=_percent(100 - _MARGIN), y=top + 18, class_="value"),
    ]
    if line.interval is not None:
        low, high = (_percent(x(end)) for end in line.interval)
        parts.append(element("line", x1=low, x2=high, y1=y, y2=y, class_="bar"))
        parts += [element("line", x1=end, x2=end, y1=y - 5, y2=y + 5, class_="bar") for end in (low, high)]
    # A hollow dot has no interval: nobody knows how far off it is.
    kind = "dot" if line.interval is not None else "dot hollow"
    parts.append(element("circle", cx=_percent(x(line.elo or 0.0)), cy=y, r=5, class_=kind))
    return element("g", *parts)


def over_time(steps: Sequence[RatingStep], names: Sequence[str]) -> Markup:
    """Draw how the ratings of these bots came about, numbered from 1; nothing before there are two steps."""
    drawn = [name for name in names if any(name in step.elo for step in steps)]
    elos = [step.elo[name] for step in steps for name in drawn if name in step.elo]
    if len(steps) < 2 or not elos:
        return NOTHING
    levels = ticks(min(elos), max(elos))
    last = steps[-1].blocks
    y = _Scale(levels[0], levels[-1], _BOTTOM, _TOP)
    x = _Scale(0, last, 0, 100)
    lines = {name: [(x(s.blocks), y(s.elo[name])) for s in steps if name in s.elo] for name in drawn}
    parts = [_level(level, y(level)) for level in levels]
    outer = _Scale(0, 100, _LEFT, _RIGHT)
    parts += [
        _across(blocks, outer(x(blocks)), _BOTTOM + 18) for blocks in ticks(0, last, 4) if blocks <= last
    ]
    # Lines cannot be in percent: they are drawn in a field of their own that is stretched.
    parts.append(
        element(
            "svg",
            *(_line(number, name, lines[name]) for number, name in enumerate(drawn)),
            x=_percent(_LEFT),
            width=_percent(_RIGHT - _LEFT),
            height=_BOTTOM,
            viewBox=f"0 0 100 {_BOTTOM:g}",
            preserveAspectRatio="none",
        )
    )
    spots = _spread([lines[name][-1][1] for name in drawn])
    parts += [_number(n, y) for n, y in enumerate(spots)]
    told = "; ".join(f"{name} ends at {steps[-1].elo[name]:.0f}" for name in drawn if name in steps[-1].elo)
    return _svg(_BOTTOM + 26, f"Ratings over the blocks played: {told}.", parts)


def swatch(number: int) -> Markup:
    """Draw a piece of the line with this number (from 0), for a legend."""
    line = element("line", x1=0, x2=28, y1=5, y2=5, class_=_series(number), stroke_dasharray=_dash(number))
    return element("svg", line, width=28, height=10, aria_hidden="true", class_="swatch")


def _level(elo: int, y: float) -> Markup:
    return join(
        (
            element("line", x1=_percent(_LEFT), x2=_percent(_RIGHT), y1=y, y2=y, class_="grid"),
            element("text", text(elo), x=_percent(_LEFT - 1.5), y=round(y + 4, 2), class_="tick right"),
        )
    )


def _across(value: int, x: float, y: float) -> Markup:
    return element("text", text(value), x=_percent(x), y=y, class_="tick middle")


def _line(number: int, name: str, points: Sequence[tuple[float, float]]) -> Markup:
    path = " ".join(f"{x},{y}" for x, y in points)
    return element(
        "polyline",
        element("title", text(name)),
        points=path,
        class_=_series(number),
        stroke_dasharray=_dash(number),
        vector_effect="non-scaling-stroke",
    )


def _number(number: int, y: float) -> Markup:
    colour = f"end c{number % COLOURS}"
    return element("text", text(number + 1), x=_percent(_RIGHT + 1), y=round(y + 4, 2), class_=colour)


def _series(number: int) -> str:
    return f"series c{number % COLOURS}"


def _dash(number: int) -> str | None:
    return _DASHES[number // COLOURS % len(_DASHES)]


def _spread(wanted: Sequence[float]) -> list[float]:
    """Move numbers apart that would lie over each other."""
    order = sorted(range(len(wanted)), key=lambda n: (wanted[n], n))
    placed = list(wanted)
    above = -math.inf
    for n in order:
        placed[n] = above = max(wanted[n], above + _LABEL)
    below = max(_BOTTOM, _TOP + _LABEL * (len(wanted) - 1))
    for n in reversed(order):
        placed[n] = below = min(placed[n], below)
        below -= _LABEL
    return placed


def _percent(share: float) -> str:
    return f"{share:g}%"


def _short(name: str) -> str:
    """Return a name that fits beside its rating; the whole one is in the title."""
    return name if len(name) <= 26 else name[:25] + "…"


def _svg(height: float, label: str, parts: Iterable[Markup]) -> Markup:
    return element("svg", *parts, height=f"{height:g}", role="img", aria_label=label, class_="picture")
