"""How the work of a tournament is divided on this host: as its file or the command asks, or fairly."""

from referee import registry
from referee.hub.capacity import WorkDivision, divide_host
from tournaments.config.plan import Plan


def division_of(plan: Plan, jobs: int | None = None, workers: int | None = None) -> WorkDivision:
    """Return how many processes play how many matches at once; a command may ask for other numbers."""
    return divide_host(
        registry.game(plan.game).info,
        plan.seats,
        plan.level,
        jobs=jobs or plan.asked_jobs,
        workers=workers or plan.asked_workers,
    )
