"""The clock of a seat as its replay shows it: for each decision what it took, what was charged and left."""

from typing import Final, Literal

from msgspec import Struct

from referee.match.faults import Fault
from referee.match.result import Acted
from referee.replay.format import Replay

NO_ANSWER: Final = ""
"""What `by` is for a decision that was never answered."""


class LedgerLine(Struct, frozen=True):
    """One decision of one seat, times in microseconds."""

    decision: int
    """The id of its ask."""
    action: str
    """Empty if the seat never answered."""
    by: Literal["bot", "plan", "house", ""]
    took_us: int
    """From the ask to the answer."""
    charged_us: int
    """What was charged, after grace."""
    move_us: int
    bank_us: int
    """What was left in the bank after it."""

    @property
    def free_us(self) -> int:
        """What was not charged: the grace of the answer, and time in which the referee itself was late."""
        return max(0, self.took_us - self.charged_us)


def ledger(replay: Replay, seat: int) -> list[LedgerLine]:
    """Return the decisions a seat was asked for, in order; an unanswered one comes last."""
    clock = replay.header.clock_of(seat)
    bank_us = clock.bank_ms * 1000
    lines: list[LedgerLine] = []
    asked = 0
    failed = False
    for entry in replay.entries:
        if entry.seat != seat:
            continue
        move_us = (clock.move_ms if lines else clock.first_ms) * 1000
        if isinstance(entry, Fault):
            asked, failed = entry.decision, entry.final
        elif isinstance(entry, Acted) and (entry.by == "bot" or (entry.by == "house" and not failed)):
            line = _line(entry, len(lines) + 1, move_us, bank_us)
            bank_us = line.bank_us
            lines.append(line)
    if failed and asked > len(lines):
        move_us = (clock.move_ms if lines else clock.first_ms) * 1000
        lines.append(LedgerLine(asked, "", NO_ANSWER, 0, 0, move_us, bank_us))
    return lines


def _line(entry: Acted, decision: int, move_us: int, bank_us: int) -> LedgerLine:
    over_us = max(0, entry.us - move_us)
    bank_us = max(0, bank_us - over_us)
    return LedgerLine(decision, entry.action, entry.by, entry.took_us, entry.us, move_us, bank_us)
