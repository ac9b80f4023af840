"""Late entries: whether a format takes a bot after the first match, and what its author reads if not."""

from tournaments.config.file_keys import Format
from tournaments.config.plan import Plan


def takes_late(format: Format) -> bool:
    """Return whether a bot may be added after the first match.

    The pairings of a Swiss tournament and of a knockout follow from all earlier results: with another bot it
    would be another tournament.
    """
    return format in ("round-robin", "gauntlet")


def too_late(plan: Plan) -> str:
    """Return what the author of a late bot reads: '' if the format takes it."""
    if takes_late(plan.format):
        return ""
    when = f"the next event starts {plan.next_event}" if plan.next_event else "it can play in the next event"
    return f"{plan.name} has begun, and a {plan.format} takes no bots after its first match: {when}"
