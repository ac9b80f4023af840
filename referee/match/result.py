"""What a match leaves behind: the actions that were taken, and its result.

The result is one struct from the end of the match to the replay, the store, the standings and the page: each
of them carries it whole. A new fact about a seat is a new field of `SeatResult`.
"""

from collections.abc import Sequence
from statistics import median_low
from typing import Any, Final, Literal

from msgspec import Struct, structs

from referee.game import Outcome
from referee.match.faults import Fault, ranks_with_faults


class Acted(Struct, frozen=True, gc=False, tag="act", tag_field="type"):
    """An action that was taken, for the replay."""

    seat: int
    action: str
    us: int
    """Microseconds charged to the clock of the seat, after grace."""
    by: Literal["bot", "plan", "house"]
    took_us: int = 0
    """Microseconds from the ask to the answer, as measured; 0 where there was no ask."""


class Withdrew(Struct, frozen=True, tag="leave", tag_field="type"):
    """A failed seat that the game took out by its own rule."""

    seat: int


Entry = Acted | Fault | Withdrew
"""One thing that took effect in a match."""

Log = list[Entry]
"""What took effect in a match, in order."""


_UNITS: Final = ("_ms", "_us")
"""Ends of names that have no plural."""


class SeatResult(Struct, frozen=True, gc=False):
    """How a match ended for one seat."""

    name: str
    """The name that the bots saw; it may be an alias."""
    rank: int = 1
    """1 is best; equal ranks are tied."""
    score: int = 0
    fault: str = ""
    """The code of the fault that lost the seat its match, or ''."""
    charged_ms: int = 0
    """Time charged to its clock, after the grace of every answer. Times are measured: no run repeats them."""
    took_us: int = 0
    """The time its answers really took, all together. Only answers that came into play are counted here."""
    median_us: int = 0
    """What half of its answers took, at most."""
    slowest_us: int = 0
    """What its slowest answer took."""


class Result(Struct, frozen=True, gc=False, tag="result", tag_field="type"):
    """How a match ended."""

    match: str
    game: str
    seats: tuple[SeatResult, ...]
    reason: str
    """A word of the game's, or `forfeit`. Of a void match: why it is void, which may be about a secret."""
    ties: Literal["draw", "unordered"]
    """Whether equal ranks mean an equal result, or only that the game does not order these seats."""
    decisions: int
    void: bool = False
    """Whether the match does not count. Then all ranks are equal and no seat has a fault."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all seats."""
        return tuple(seat.name for seat in self.seats)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of all seats."""
        return tuple(seat.rank for seat in self.seats)

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores of all seats."""
        return tuple(seat.score for seat in self.seats)

    @property
    def faults(self) -> tuple[str, ...]:
        """The codes of the final faults of all seats, '' where there is none."""
        return tuple(seat.fault for seat in self.seats)

    def columns(self) -> dict[str, Any]:
        """Return the result for documents and logs: every field of the seats as a list, `rank` as `ranks`."""
        facts = structs.asdict(self)
        seats = facts.pop("seats")
        for field in SeatResult.__struct_fields__:
            column = field if field.endswith(_UNITS) else f"{field}s"
            facts[column] = [getattr(seat, field) for seat in seats]
        return facts | {"reason": self.public_reason, "void_reason": self.void_reason}

    @property
    def public_reason(self) -> str:
        """What every bot and spectator may know of the reason: nothing, if the match is void."""
        return "" if self.void else self.reason

    @property
    def void_reason(self) -> str | None:
        """Why the match is void, for the operator; None if it counts."""
        return self.reason if self.void else None


def conclude(
    match: str,
    game: str,
    names: Sequence[str],
    charged_ms: Sequence[int],
    outcome: Outcome | None,
    log: Sequence[Entry],
    *,
    void_reason: str | None = None,
) -> Result:
    """Return the result that follows from the log of a match and from what the game says at its end.

    Without an outcome all seats failed, or all but one. With a `void_reason` the match does not count.
    """
    seats = range(len(names))
    took: list[list[int]] = [[] for _ in names]
    final: dict[int, Fault] = {}
    decisions = 0
    for entry in log:
        if isinstance(entry, Acted):
            decisions += 1
            # The house answers for a bot that is late: then the time is measured too.
            if entry.by == "bot" or entry.took_us:
                took[entry.seat].append(entry.took_us)
        elif isinstance(entry, Fault) and entry.final:
            final[entry.seat] = entry
    failed_at = [final[seat].moment if seat in final else None for seat in seats]
    ranks = (1,) * len(names) if void_reason is not None else ranks_with_faults(outcome, failed_at)
    scores = (0,) * len(names) if outcome is None else outcome.scores
    return Result(
        match=match,
        game=game,
        seats=tuple(
            SeatResult(
                name=names[seat],
                rank=ranks[seat],
                score=scores[seat],
                fault=final[seat].code.value if seat in final and void_reason is None else "",
                charged_ms=charged_ms[seat],
                **_answer_times(took[seat]),
            )
            for seat in seats
        ),
        reason=_reason(outcome) if void_reason is None else void_reason,
        ties="unordered" if outcome is None else outcome.ties,
        decisions=decisions,
        void=void_reason is not None,
    )


def _answer_times(took: Sequence[int]) -> dict[str, int]:
    """Return the fields of a seat's result that say what its answers really took."""
    return {
        "took_us": sum(took),
        "median_us": median_low(took) if took else 0,
        "slowest_us": max(took, default=0),
    }


def _reason(outcome: Outcome | None) -> str:
    return "forfeit" if outcome is None else outcome.reason
