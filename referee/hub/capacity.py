"""What this host can bear: how many matches at once without bots taking processors from each other."""

import os

from referee.game import GameInfo


def cores() -> int:
    """Return how many processors we may use."""
    return len(os.sched_getaffinity(0))


def thinking_at_once(info: GameInfo, seats: int) -> int:
    """Return how many bots of one match may be to act at the same time."""
    return seats if info.simultaneous else 1


def fair_jobs(info: GameInfo, seats: int) -> int:
    """Return how many matches may run at once with a processor for every bot that is to act; at least 1."""
    return max(1, cores() // thinking_at_once(info, seats))
