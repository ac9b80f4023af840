"""Ratings and likelihoods as short texts, for the page and for the terminal."""

from typing import TYPE_CHECKING

from tournaments.rating.memory import LEVEL, MemoryLine

if TYPE_CHECKING:
    # Not imported: standings need numpy, and `play` prints no ratings.
    from tournaments.rating.standings import StandingLine


def rating_text(line: "StandingLine") -> str:
    """Return a rating with half its interval, or with the reason why it has no interval."""
    if line.elo is None:
        return "no rating"
    if line.interval is None or line.se == 0:
        return f"{line.elo:.0f}, {interval_text(line)}"
    low, high = line.interval
    return f"{line.elo:.0f} ± {(high - low) / 2:.0f}"


def interval_text(line: "StandingLine") -> str:
    """Return an interval; the rating of an anchor is fixed and has none."""
    if line.interval is None:
        return "too few"
    return "fixed" if line.se == 0 else "{:.0f} to {:.0f}".format(*line.interval)


def percent(share: float) -> str:
    """Return a likelihood in percent; never 0 or 100, because no finite number of matches proves that.

    >>> percent(0.8312), percent(0.99999)
    ('83.1 %', 'over 99.9 %')
    """
    if share > 0.999:
        return "over 99.9 %"
    return "under 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"


def chance(p: float) -> str:
    """Return the probability of a test.

    >>> chance(0.0312), chance(0.00001)
    ('0.031', 'under 0.0001')
    """
    return "under 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.001 else f"{p:.3f}"


def memory_warning(line: MemoryLine) -> str:
    """Return what it means that a bot is named, and what to do."""
    return (
        f"bot {line.name} seems to remember deals: it won {line.first:.0f} % of its comparisons in the "
        f"first match of a deal and {line.later:.0f} % in the later ones ({line.deals} deals, chance without "
        f"memory {chance(line.p)}; honest bots are named in {100 * LEVEL:g} % of all runs at most). "
        "Play it at level contest, where bots keep nothing, and see docs/security.md"
    )
