"""What an action would do, in a sentence, as far as the person who may take it can foresee."""

from collections.abc import Sequence

from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.game import Game, View

_KEY = bytes(32)
"""Of the luck with which hidden things are imagined; nothing told depends on it."""


def meaning(game: Game, view: View, seat: int, action: str, names: Sequence[str]) -> str:
    """Tell what follows from an action before luck, secrets or others have their say; '' if nothing does.

    It is told from a position imagined to fit the view. The game marks as news whatever a seat cannot
    foresee, so what is told does not depend on what was imagined.
    """
    state = game.imagine(view, KeyedChance(_KEY))
    try:
        events = state.apply(seat, action)
    except IllegalActionError:
        # Of seats that choose at once, the others' choices may be imagined as made, or not.
        return ""
    if not events or events[0].news:
        return ""
    return game.tell(events[0].seen_by(seat), names)
