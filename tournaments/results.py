"""What a tournament keeps of a match: the row that counts.

Ratings and tables are functions of these rows alone.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Literal

import msgspec


class Played(msgspec.Struct, frozen=True):
    """One match that was played to its end. Everything by seat is in the order of `bots`."""

    match: str
    game: str
    round: int
    """Counted from 1; formats without rounds have one."""
    block: str
    """Matches of one block have the same deal and the same bots, in rotated seats."""
    deal: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    """1 is best; equal ranks are tied."""
    scores: tuple[int, ...]
    ties: Literal["draw", "unordered"]
    """Whether equal ranks mean an equal result, or only that the game does not order these seats."""
    reason: str
    faults: tuple[str, ...]
    """By seat: the code of the fault that lost the match, or ''."""
    used_ms: tuple[int, ...]
    """Measured, and so no part of what must repeat."""
    decisions: int
    play: str
    """The hash of what was played."""
    replay: str
    """The name of the replay's file in the folder of replays."""
    digest: str = ""
    """The SHA-256 of that file; empty if nobody made it. Times are in the file, so it does not repeat."""

    def comparisons(self) -> Iterator[tuple[str, str, int]]:
        """Return every comparison of two seats as (better, other, 2) or, for a draw, (one, other, 1).

        Seats that the game does not order give none.
        """
        for a, b in combinations(range(len(self.bots)), 2):
            if self.ranks[a] < self.ranks[b]:
                yield self.bots[a], self.bots[b], 2
            elif self.ranks[b] < self.ranks[a]:
                yield self.bots[b], self.bots[a], 2
            elif self.ties == "draw":
                yield self.bots[a], self.bots[b], 1
