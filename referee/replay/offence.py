"""The message that caused a fault: found in the dossier, and quoted with a mark where it goes wrong."""

from collections.abc import Sequence
from typing import Final

from referee.match.faults import Fault, FaultCode
from referee.replay.dossier import Said
from referee.wording import clean

_OF_MESSAGES: Final = (FaultCode.MALFORMED, FaultCode.TOO_LARGE)
"""Faults that one bad message causes."""

_WIDTH: Final = 72
"""Characters of a quoted line."""


def offences(faults: Sequence[Fault], messages: Sequence[Said]) -> dict[int, Said]:
    """Return the bad messages of a seat by the index of the fault that each caused.

    Older dossiers have the last messages only, so both are counted from the last one.
    """
    caused = [number for number, fault in enumerate(faults) if fault.code in _OF_MESSAGES]
    bad = [said for said in messages if said.bytes]
    return dict(zip(reversed(caused), reversed(bad), strict=False))


def quote_lines(said: Said) -> list[str]:
    """Return a bad message for people: the part around its mark, and below it the mark."""
    mark = max(said.mark, 0)
    start = max(0, mark - _WIDTH // 2) if len(said.line) > _WIDTH else 0
    shown = clean(said.line[start : start + _WIDTH])
    begin, end = "…" if start else "", "…" if start + _WIDTH < len(said.line) else ""
    lines = [f"{begin}{shown}{end}"]
    return lines if said.mark < 0 else [*lines, f"{' ' * (len(begin) + mark - start)}^ here"]
