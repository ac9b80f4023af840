"""What this host can bear: how many matches at once without bots taking processors from each other."""

import os
from functools import cache
from typing import Final

from msgspec import Struct

from referee.game import GameInfo
from referee.process.sandbox.cgroup import processor_quota
from referee.process.spec import Level

_CORES_OF_A_WORKER: Final = 4
"""For so many processors one worker is started: it serves as many quick bots as they can run."""

_STARTS_OF_A_CORE: Final = 2
"""For each processor so many bots are started at once."""

_LIGHT_FOR_A_CORE: Final = 8
"""For each processor so many matches of light bots are played at once: more gain nothing."""


class WorkDivision(Struct, frozen=True):
    """How the work is divided on this host."""

    workers: int = 1
    """Processes that play, each with a hub of its own; with one, the organiser plays itself."""
    jobs: int = 1
    """Matches at once, of all workers together."""
    light_jobs: int = 0
    """Matches at once while all their bots answer quickly (`referee.hub.pace`), if more than `jobs`."""

    @property
    def most(self) -> int:
        """Return how many matches may be played at once at most."""
        return max(self.jobs, self.light_jobs)


def cores() -> int:
    """Return how many processors we may use: of a part of one too few bots could think at once."""
    return max(1, int(min(len(os.sched_getaffinity(0)), _quota())))


@cache
def _quota() -> float:
    # Read once: the hub asks how many processors there are in every turn in which a match waits.
    return processor_quota()


def starts_at_once(jobs: int) -> int:
    """Return how many bots are started at once: more would make each other's hellos late."""
    return max(jobs, _STARTS_OF_A_CORE * cores())


def thinking_at_once(info: GameInfo, seats: int) -> int:
    """Return how many bots of one match may be to act at the same time."""
    return seats if info.simultaneous else 1


def fair_jobs(info: GameInfo, seats: int, spare: int = 0) -> int:
    """Return how many matches may run at once with a processor for every bot that is to act; at least 1.

    So many processors are left to the referee itself (`spare_cores`).
    """
    return max(1, (cores() - spare) // thinking_at_once(info, seats))


def spare_cores(workers: int, level: Level) -> int:
    """Return how many processors are left to the referee itself.

    A hub works on one match at a time, whose bots wait meanwhile, so it takes no processor from a bot. An
    organiser beside its workers does, and so does the start of a box for every match.
    """
    return 0 if workers == 1 else 1 if level == "trusted" else 2


def divide_host(
    info: GameInfo, seats: int, level: Level, *, jobs: int | None = None, workers: int | None = None
) -> WorkDivision:
    """Return how the work is divided where it was not asked for: fairly for the clocks of all bots.

    No worker is without a match: if there is room for one match only beside an organiser, that one plays.
    """
    crew = workers or max(1, cores() // _CORES_OF_A_WORKER)
    at_once = jobs or fair_jobs(info, seats, spare_cores(crew, level))
    light_jobs = 0 if jobs else _LIGHT_FOR_A_CORE * cores()
    if min(crew, at_once) == 1:
        return WorkDivision(1, jobs or fair_jobs(info, seats), light_jobs)
    return WorkDivision(min(crew, at_once), at_once, light_jobs)
