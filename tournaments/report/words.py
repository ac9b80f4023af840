"""Ratings and likelihoods as short texts, for the page and for the terminal."""

from tournaments.rating.standings import StandingLine


def rating_text(line: StandingLine) -> str:
    """Return a rating with half its interval, or with the reason why it has no interval."""
    if line.elo is None:
        return "no rating"
    if line.interval is None or line.se == 0:
        return f"{line.elo:.0f}, {interval_text(line)}"
    low, high = line.interval
    return f"{line.elo:.0f} ± {(high - low) / 2:.0f}"


def interval_text(line: StandingLine) -> str:
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
