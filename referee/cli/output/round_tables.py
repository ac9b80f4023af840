"""Print the rounds of a tournament, and the bracket of a knockout."""

from collections.abc import Iterator, Sequence
from typing import Final

import click

from referee.cli.output.printer import show_table
from referee.wording import clean, plural
from tournaments.pairing.rounds import Round, RoundGroup
from tournaments.report.bracket import Bracket, Slot, bracket_of, decision_text

WIDTH: Final = 79
"""Columns of a terminal that a bracket may use."""
_LEAST_NAME: Final = 8
"""A name that is cut shorter cannot be recognised; then the rounds are listed instead."""
_MOST_LISTED: Final = 100
"""Groups of a round that are printed; all of them are in CSV and JSON."""


def show_rounds(rounds: Sequence[Round]) -> None:
    """Print every round: its groups with their points, which bots go on and why, and which rest."""
    for at, one in enumerate(rounds):
        if at:
            click.echo()
        click.echo(f"{one.title}: {one.played} of {plural(one.matches, 'match')} played")
        _show_groups(one.groups[:_MOST_LISTED])
        if len(one.groups) > _MOST_LISTED:
            click.echo(f"Only the first {_MOST_LISTED} of {len(one.groups)} groups.")
        if one.resting:
            click.echo(clean(f"Resting: {', '.join(one.resting)}"))


def _show_groups(groups: Sequence[RoundGroup]) -> None:
    is_knockout = any(group.goes_on for group in groups)
    heads = ["group, with points", "matches", *(["goes on", "decided"] if is_knockout else [])]
    rows = [
        [
            _scores(group),
            f"{group.played} of {group.matches}",
            *([_through(group), decision_text(group).removeprefix("decided ")] if is_knockout else []),
        ]
        for group in groups
    ]
    show_table(heads, rows, numbers=["matches"], aligned_in_pipes=True)


def _scores(group: RoundGroup) -> str:
    if not group.played:
        return ", ".join(group.bots)
    return ", ".join(f"{bot} {points:g}" for bot, points in group.scores)


def _through(group: RoundGroup) -> str:
    names = ", ".join(group.through) or "open"
    return (
        f"{names} ({'winner' if group.title == 'Final' else 'third'})"
        if group.title and group.through
        else names
    )


def show_bracket(rounds: Sequence[Round]) -> None:
    """Print the bracket of a knockout as a tree or, if it does not fit, its rounds one by one."""
    bracket = bracket_of(rounds)
    lines = [] if bracket is None else bracket_lines(bracket)
    if not lines:
        show_rounds(rounds)
        return
    for line in lines:
        click.echo(line)


def bracket_lines(bracket: Bracket, width: int = WIDTH) -> list[str]:
    """Return a bracket as lines, or none if it is no tree or too wide."""
    digits = max(
        len(_points(slot, bot)) for column in bracket.columns for slot in column.slots for bot in slot.bots
    )
    # A column is a name, its points and the lines to the next one; the winner's name comes last.
    count = len(bracket.columns)
    fits = (width - count * (digits + 5)) // (count + 1)
    longest = max(len(clean(bot)) for slot in bracket.columns[0].slots for bot in slot.bots)
    titles = max(len(column.title) for column in bracket.columns)
    name = min(max(longest, titles - digits - 4), fits)
    if not bracket.is_tree or fits < min(_LEAST_NAME, longest):
        return []
    drawing = _Drawing(name, digits)
    lines = drawing.draw(bracket)
    return [*lines, *_remarks(bracket)]


def _points(slot: Slot, bot: str) -> str:
    """Return the points of a bot, with a star where a tie was broken; '' for one that rests."""
    group = slot.group
    if group is None or not group.played:
        return ""
    star = "*" if decision_text(group) and bot in group.through else ""
    return f"{dict(group.scores)[bot]:g}{star}"


class _Drawing:
    """A page of characters on which a bracket is drawn, column by column."""

    def __init__(self, name: int, digits: int) -> None:
        self._name = name
        self._digits = digits
        self._lines: list[list[str]] = []

    def draw(self, bracket: Bracket) -> list[str]:
        """Return the lines of the page."""
        rows = [(3 * at, 3 * at + 1) for at in range(len(bracket.columns[0].slots))]
        step = self._name + self._digits + 5
        for at, column in enumerate(bracket.columns):
            for slot, (top, bottom) in zip(column.slots, rows, strict=True):
                self._slot(slot, at * step, top, bottom)
            ends = [bottom for _, bottom in rows]
            rows = list(zip(ends[::2], ends[1::2], strict=False)) or rows
        if bracket.winner:
            self._put(len(bracket.columns) * step, rows[0][1], self._cut(bracket.winner))
        titles = "".join(self._cut(column.title, step - 1).ljust(step) for column in bracket.columns)
        return [titles.rstrip(), *("".join(line).rstrip() for line in self._lines)]

    def _slot(self, slot: Slot, left: int, top: int, bottom: int) -> None:
        """Draw the bots of a slot, and the line to the next column if one goes on."""
        after = left + self._name + 1 + self._digits
        is_open = slot.group is not None and not slot.group.through
        rows = [top, bottom] if slot.group is not None else [bottom]
        for row, bot in zip(rows, slot.bots, strict=True):
            points = _points(slot, bot)
            self._put(left, row, f"{self._cut(bot).ljust(self._name)} {points.rjust(self._digits)}")
        if slot.group is None:
            self._put(after, bottom, " ── ")
            return
        self._put(after, top, " ┐")
        for row in range(top + 1, bottom):
            self._put(after, row, " │")
        self._put(after, bottom, " ┘" if is_open else " ┴─ ")

    def _put(self, left: int, row: int, text: str) -> None:
        while len(self._lines) <= row:
            self._lines.append([])
        line = self._lines[row]
        line += [" "] * (left + len(text) - len(line))
        line[left : left + len(text)] = text

    def _cut(self, name: str, width: int = 0) -> str:
        text, width = clean(name), width or self._name
        return text if len(text) <= width else text[: width - 1] + "…"


def _remarks(bracket: Bracket) -> Iterator[str]:
    """Return what the drawing does not show: broken ties, and the match for third place."""
    found = [
        f"* {column.title}: {', '.join(slot.group.through)}, {decision_text(slot.group)}"
        for column in bracket.columns
        for slot in column.slots
        if slot.group is not None and slot.group.through and decision_text(slot.group)
    ]
    if bracket.third is not None and (group := bracket.third.group) is not None:
        how = decision_text(group)
        found.append(f"Third place: {_scores(group)}{f' ({how})' if how else ''}")
    if found:
        yield ""
    yield from map(clean, found)
