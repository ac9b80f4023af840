"""Describe what an action would do, in a sentence, as far as the acting seat can foresee it."""

from collections.abc import Sequence

from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.game import Game, View

_KEY = bytes(32)
"""The key of the luck with which hidden cards are imagined; the description does not depend on it."""


def meaning(game: Game, view: View, seat: int, action: str, names: Sequence[str]) -> str:
    """Describe the first event of an action, if the seat can foresee it; otherwise return ''.

    The event comes from a position that is imagined to fit the view. The game marks an event as news if the
    seat cannot foresee it, so the description does not depend on what was imagined.
    """
    state = game.imagine(view, KeyedChance(_KEY))
    try:
        events = state.apply(seat, action)
    except IllegalActionError:
        # Where seats choose at once, the imagined position may differ in which seats have chosen already.
        return ""
    if not events or events[0].news:
        return ""
    return game.describe(events[0].seen_by(seat), names)
