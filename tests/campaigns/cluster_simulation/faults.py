"""What goes wrong in a simulated cluster, and how often."""

from typing import Final, Literal

from msgspec import Struct

Cause = Literal[
    "a host crashed",
    "a network cut",
    "the scheduler restarted",
    "the organiser was killed",
    "a host is too slow",
    "a host lies",
    "a process on a host was killed",
    "a batch straggled",
    "unexplained",
]
"""Why a match was begun once more than it counts."""


class Faults(Struct, frozen=True):
    """How often things go wrong while faults last; without values nothing does."""

    crashes: float = 0.0
    """Of every host, in a day."""
    away_s: float = 1200.0
    """How long a host that crashed is away, on average."""
    cuts: float = 0.0
    """Of every host, in a day: nothing passes between it and the scheduler."""
    cut_s: float = 90.0
    """How long a cut lasts, on average; many are over before the scheduler notices."""
    stragglers: float = 0.0
    """The share of batches that take five to twenty times as long."""
    deaths: float = 0.0
    """The share of batches during which the process that plays is killed."""
    echoes: float = 0.0
    """The share of batches with which a result comes a second time."""
    slow: float = 0.0
    """The share of hosts that have 15 to 40 % of the speed of the others."""
    liars: float = 0.0
    """The share of hosts that send other cards, another match, or no replay."""
    strangers: float = 0.0
    """The share of hosts with other code."""
    scheduler_restarts: float = 0.0
    """In a day."""
    organiser_kills: float = 0.0
    """In a day, by kill -9: what is not committed is lost."""
    stalls: float = 0.0
    """In a day: the organiser's disk takes one to six minutes for a commit."""
    commit_s: float = 3.0
    """What a commit takes else, on average."""


NONE: Final = Faults()
A_BAD_DAY: Final = Faults(
    crashes=0.5,
    cuts=1.0,
    stragglers=0.005,
    deaths=0.0005,
    echoes=0.002,
    slow=0.02,
    liars=0.005,
    strangers=0.005,
    scheduler_restarts=6.0,
    organiser_kills=4.0,
    stalls=12.0,
)
