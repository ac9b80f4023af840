"""The log of a match, and its result."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from referee.game import Outcome
from referee.match.clock import MS
from referee.match.faults import Fault, ranks_with_faults
from referee.match.seat import SeatState


class Acted(Struct, frozen=True, gc=False, tag="act", tag_field="type"):
    """An action that was taken, for the replay."""

    seat: int
    action: str
    us: int
    """Microseconds used, after grace."""
    by: Literal["bot", "plan", "house"]
    took_us: int = 0
    """Microseconds from the ask to the answer, as measured."""


class Withdrew(Struct, frozen=True, tag="leave", tag_field="type"):
    """A failed seat that the game took out by its own rule."""

    seat: int


Entry = Acted | Fault | Withdrew
"""One thing that took effect in a match."""

Log = list[Entry]
"""What took effect in a match, in order."""


class Result(Struct, frozen=True):
    """How a match ended."""

    match: str
    game: str
    names: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    ties: Literal["draw", "unordered"]
    faults: tuple[str, ...]
    """By seat: the code of its final fault, or ''."""
    used_ms: tuple[int, ...]
    decisions: int


def conclude(
    match: str, game: str, places: Sequence[SeatState], outcome: Outcome | None, log: Log, *, void: bool
) -> Result:
    """Return the result of a match.

    Without an outcome all seats failed, or all but one. A void match has no ranks and no faults.
    """
    none = (0,) * len(places)
    return Result(
        match=match,
        game=game,
        names=tuple(place.config.name for place in places),
        ranks=(1,) * len(places)
        if void
        else ranks_with_faults(outcome, [place.failed_at for place in places]),
        scores=outcome.scores if outcome is not None else none,
        reason="void" if void else outcome.reason if outcome is not None else "forfeit",
        ties=outcome.ties if outcome is not None else "unordered",
        faults=tuple("" if void else place.fault for place in places),
        used_ms=tuple(place.used_ns // MS for place in places),
        decisions=sum(isinstance(entry, Acted) for entry in log),
    )
