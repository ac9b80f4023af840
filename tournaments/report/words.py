"""Ratings and likelihoods as short texts, for the page and for the terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from tournaments.placing.places import span_text
from tournaments.rating.memory import LEVEL, MemoryLine

if TYPE_CHECKING:
    # Not imported: standings need numpy, and `play` prints no ratings.
    from tournaments.rating.clustered import Estimate
    from tournaments.rating.standings import StandingLine, Standings

TIME_TITLE: Final = "Time (measured; the grace of an answer is not charged):"


def place_text(line: "StandingLine") -> str:
    """Return a place, or the places that several bots share."""
    return span_text(line.place, line.place_to)


def pool_place_text(line: "StandingLine") -> str:
    """Return a place after the name of its pool, if it has one."""
    return f"{line.pool} {place_text(line)}" if line.pool else place_text(line)


def leaders_text(names: Sequence[str], most: int = 4) -> str:
    """Return the bots in the first place, not too many of them.

    >>> leaders_text(["a"]), leaders_text("abcdef")
    ('a', 'a, b, c, d and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def lot_sentence(standings: "Standings") -> str:
    """Return which places only the lot decided, or ''."""
    names = [line.name for line in standings.table if line.by_lot]
    return f"Decided by lot: the places of {', '.join(names)}." if names else ""


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


def whole_percent(share: float) -> str:
    """Return a likelihood in percent without decimals; never 0 or 100.

    >>> whole_percent(0.8312), whole_percent(0.99999), whole_percent(0.001)
    ('83', '>99', '<1')
    """
    if share > 0.99:
        return ">99"
    return "<1" if share < 0.01 else f"{100 * share:.0f}"


def range_text(value: "Estimate", form: str) -> str:
    """Return the interval of an estimate, each end in this form."""
    return "too few" if value.interval is None else " to ".join(_text(end, form) for end in value.interval)


def estimate_text(value: "Estimate", form: str) -> str:
    """Return an estimate with half its interval, if it has one."""
    text = _text(value.value, form)
    if value.interval is None:
        return f"{text}, too few"
    return f"{text} ± {_text((value.interval[1] - value.interval[0]) / 2, form)}"


def _text(value: float, form: str) -> str:
    """Return a number in a form, without the sign of a zero."""
    text = form % value
    return text if float(text) else text.lstrip("+-")


def draws_sentence(standings: "Standings") -> str:
    """Return how many comparisons are drawn."""
    if standings.draws is None:
        return ""
    if not standings.draws.value:
        return "No comparison was drawn."
    return f"Of 100 comparisons {estimate_text(standings.draws, '%.1f')} were drawn."


def mirroring_sentence(standings: "Standings") -> str:
    """Return what it gained to play every deal in all rotations."""
    saved = standings.mirroring
    if saved is None:
        return "No deal was played in all rotations of the seats, or nothing varied in those that were."
    if saved.interval is None:
        return "There are too few deals to say what it gained to play each in all rotations of the seats."
    figure = f"variance changed by {-saved.value:+.0f} %, 95 % interval {range_text(_less(saved), '%+.0f')}"
    if saved.is_nothing:
        return f"To play every deal in all rotations of the seats gained about nothing here ({figure})."
    if saved.value < 0:
        return (
            "To play every deal in all rotations of the seats cost precision here: deals suit bots in every "
            f"seat ({figure})."
        )
    worth = 100 / (100 - min(saved.value, 99.0))
    return (
        "To play every deal in all rotations of the seats gained precision here: without it the same errors "
        f"would take {worth:.1f} times as many matches ({figure})."
    )


def _less(value: "Estimate") -> "Estimate":
    """Return an estimate of the opposite."""
    assert value.interval is not None
    return msgspec.structs.replace(
        value, value=-value.value, interval=(-value.interval[1], -value.interval[0])
    )


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
