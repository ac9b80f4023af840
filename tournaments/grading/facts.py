"""What grading a bot found out, before any points: whether it starts, follows the protocol, and wins."""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from tournaments.grading.confinement import Confinement
from tournaments.rating.block_scores import BlockScore
from tournaments.rating.clustered import Estimate, Sums, percentage


class BotStart(Struct, frozen=True):
    """Whether the bot starts, says hello and plays the games."""

    started: bool
    why: str = ""
    """Why it did not, for its author."""
    stderr: str = ""
    """The end of what it wrote to stderr."""


class ConformanceTrial(Struct, frozen=True):
    """What the conformance kit found."""

    passed: bool
    failures: tuple[str, ...] = ()
    """A line for each step that failed."""
    out_of_time: bool = False
    """Whether the time was over before all steps were examined."""


class StaffMeeting(Struct, frozen=True):
    """The matches of the bot against one staff bot in one game."""

    game: str
    against: str
    blocks: tuple[BlockScore, ...]
    """The scores of the deals that were played in all rotations."""
    planned: int
    """The matches that were to be played."""
    played: int
    faults: dict[str, int] = {}
    """Matches that the bot lost by a fault, by its code."""
    staff_faults: dict[str, int] = {}
    """Matches that the staff bot lost by a fault, by its code."""
    void: tuple[str, ...] = ()
    """Why matches came to no verdict, through no fault of a bot."""


class GradingFacts(Struct, frozen=True):
    """Everything that was found out about one bot."""

    bot: str
    start: BotStart
    conformance: ConformanceTrial | None
    """None if the scale has no points for it, or the bot does not start."""
    meetings: tuple[StaffMeeting, ...]
    confinement: Confinement
    out_of_time: bool
    """Whether matches were left out because the time was over."""
    interrupted: bool
    limit_s: float
    took_s: float
    stderr: str = ""
    """The end of what the bot wrote before it ended by itself in a match."""
    cautions: tuple[str, ...] = ()
    """What the teacher is warned of."""


def win_rate(blocks: Iterable[BlockScore]) -> Estimate | None:
    """Return the percentage of comparisons that were won, a draw being half; None if there was none."""
    scores = list(blocks)
    above = np.array([block.halves for block in scores], dtype=float)
    below = np.array([block.of for block in scores], dtype=float)
    return percentage(Sums(above, below), 1) if scores else None
