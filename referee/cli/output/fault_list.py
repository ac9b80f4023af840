"""The list of matches that a bot lost by a fault, each with the command that explains it."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from referee.match.faults import MEANING, FaultCode
from referee.wording import clean, shell_line

MOST_LISTED = 10
"""The largest number of matches in a list."""


class FaultEntry(Struct, frozen=True):
    """A fault that cost a bot a match."""

    match: str
    bot: str
    seat: int
    fault: str
    is_person: bool = False


def fault_lines(faults: Iterable[FaultEntry], replays: Path) -> list[str]:
    """Return the list with its title; nothing if there was no fault."""
    lines = [_line(each, replays) for each in faults]
    return ["Lost by a fault:", *shortened(lines)] if lines else []


def shortened(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = len(lines) - MOST_LISTED
    return [*lines[:MOST_LISTED], *([f"  and {more} more"] if more > 0 else [])]


def _line(entry: FaultEntry, replays: Path) -> str:
    text = f"{MEANING[FaultCode(entry.fault)]} ({entry.fault})"
    # A person closes the connection only by resigning.
    text = "resigned" if entry.is_person and entry.fault == FaultCode.DISCONNECTED else text
    here = Path.cwd()
    shown = replays.relative_to(here) if replays.is_relative_to(here) else replays
    where = "" if shown == Path("replays") else f" --replays {shell_line([str(shown)])}"
    return clean(f"  {entry.bot} (seat {entry.seat}) {text}: referee why {entry.match}{where}")
