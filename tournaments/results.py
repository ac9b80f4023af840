"""The row that is kept of a match: which match of the tournament it was, and its result.

Ratings and standings are functions of these rows alone.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import msgspec

from referee.hub.pairing import Finished
from referee.match.result import Result, SeatResult


class Played(msgspec.Struct, frozen=True, gc=False):
    """One match that was played. Everything by seat is in the order of `bots`."""

    round: int
    """Counted from 1; formats without rounds have one."""
    block: str
    """Matches of one block have the same deal and the same bots, in rotated seats."""
    deal: str
    bots: tuple[str, ...]
    """The entrants; the names in the result may be aliases."""
    result: Result
    play: str
    """The hash of what was played."""
    replay: str
    """The name of the replay's file in the folder of replays; '' if there is none."""
    digest: str = ""
    """The SHA-256 of that file; '' if there is none. Times are in the file, so it does not repeat."""
    host: str = ""
    """The name of the host that it was played on."""
    speed: float = 0.0
    """How fast that host was about then, in pieces of a fixed work in a second; 0 if it is not known."""

    @property
    def match(self) -> str:
        """The id of the match."""
        return self.result.match

    def seats(self) -> Iterator[tuple[str, SeatResult]]:
        """Return every bot with how the match ended for it, by seat."""
        return zip(self.bots, self.result.seats, strict=True)

    def document(self) -> dict[str, Any]:
        """Return the row for documents, with the result in columns; hosts are the organiser's own."""
        left_out = ("result", "host", "speed")
        return self.result.columns() | {
            field: getattr(self, field) for field in self.__struct_fields__ if field not in left_out
        }

    def comparisons(self) -> Iterator[tuple[str, str, int]]:
        """Return every comparison of two seats as (better, other, 2) or, for a draw, (one, other, 1).

        Seats that the game does not order give none.
        """
        draws = self.result.ties == "draw"
        for (bot, seat), (other, others) in combinations(self.seats(), 2):
            if seat.rank < others.rank:
                yield bot, other, 2
            elif others.rank < seat.rank:
                yield other, bot, 2
            elif draws:
                yield bot, other, 1


def played(finished: Finished, round: int, block: str) -> Played:
    """Return the row of a finished match."""
    return Played(
        round=round,
        block=block,
        deal=finished.pairing.deal,
        bots=finished.pairing.bots,
        result=finished.result,
        play=finished.play,
        replay=finished.replay.name if finished.replay is not None else "",
        digest=finished.digest,
        host=finished.host,
        speed=finished.speed,
    )


def hosts_of(rows: Iterable[Played]) -> dict[str, str]:
    """Return by id of a match on which host it was played; empty if all were on one."""
    found = {row.match: row.host for row in rows if row.host}
    return found if len(set(found.values())) > 1 else {}
