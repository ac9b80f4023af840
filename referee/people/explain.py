"""Describe what an action would do, in a sentence, as far as the acting seat can foresee it."""

from collections.abc import Sequence

from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.game import Game, State, View

_KEY = bytes(32)
"""The key of the luck with which hidden cards are imagined; the description does not depend on it."""


def meaning(game: Game, view: View, seat: int, action: str, names: Sequence[str]) -> str:
    """Describe the first event of an action, if the seat can foresee it; otherwise return ''.

    The event comes from a position that is imagined to fit the view. The game marks an event as news if the
    seat cannot foresee it, so the description does not depend on what was imagined.
    """
    return _foreseen(game, game.imagine(view, KeyedChance(_KEY)), seat, action, names)


def meanings(
    game: Game, view: View, seat: int, actions: Sequence[str], names: Sequence[str]
) -> dict[str, str]:
    """Describe many actions at once, as `meaning` does; those with nothing to foresee are left out."""
    state = game.imagine(view, KeyedChance(_KEY))
    found = {action: _foreseen(game, state.clone(), seat, action, names) for action in actions}
    return {action: sentence for action, sentence in found.items() if sentence}


def _foreseen(game: Game, state: State, seat: int, action: str, names: Sequence[str]) -> str:
    """Take an action in a position, which changes, and describe what the seat could foresee of it."""
    try:
        events = state.apply(seat, action)
    except IllegalActionError:
        # Where seats choose at once, the imagined position may differ in which seats have chosen already.
        return ""
    if not events or events[0].news:
        return ""
    return game.describe(events[0].seen_by(seat), names)
