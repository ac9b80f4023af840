"""The rounds of an event, as its pages list them."""

from tournaments.pairing.rounds import Round, only_round
from tournaments.site.model import SiteEvent


def rounds_of(event: SiteEvent) -> list[Round]:
    """Return the rounds of a tournament, the last one first; a round robin or a gauntlet has one.

    A ladder has none.
    """
    if event.standings.rounds:
        return list(reversed(event.standings.rounds))
    return [only_round(event.fixtures, event.by_id)] if event.fixtures else []
