"""What bots are called in their matches."""

from collections.abc import Sequence

from tournaments.config.plan import Plan


def aliases(seats: int) -> tuple[str, ...]:
    """Return the names that bots see when names are hidden.

    >>> aliases(3)
    ('seat-0', 'seat-1', 'seat-2')
    """
    return tuple(f"seat-{seat}" for seat in range(seats))


def names_in_match(plan: Plan, bots: Sequence[str]) -> tuple[str, ...]:
    """Return what bots are called in their match: by name, by pseudonym or by seat."""
    return aliases(len(bots)) if plan.aliases else tuple(map(plan.shown, bots))
