"""What a search must know of a game: which actions are worth a trial, how others answer, what is worth what.

The `Guide` here knows nothing and so guides through every game: it tries all actions, plays on at random, and
looks at nothing but the end. A game may name a guide of its own (`GameInfo.guide`); ours are made of what
their samples know.
"""

from collections.abc import Sequence
from math import exp
from typing import Generic, Protocol, TypeVar, cast

from protocol.messages import Seen, View
from referee.chance import Chance
from referee.game import Game, Outcome, State
from sample_bots.python.search_trials import Doubt

S = TypeVar("S", bound=State)

# A trial by chance need not come to an end.
LONG = 200


class Guide(Generic[S]):
    """One match of a game, seen from one seat."""

    doubt = Doubt(errors=1.5)
    """What it takes to leave the favourite."""

    def __init__(self, game: Game, seat: int, seats: int) -> None:
        self.game = game
        self.seat = seat
        self.seats = seats

    def see(self, events: Sequence[Seen]) -> None:
        """Take note of what the view will not show."""

    def imagine(self, view: View, luck: Chance) -> State:
        """Return a whole state that fits the view and the events."""
        return self.game.imagine(view, luck)

    def candidates(self, view: View, legal: list[str]) -> list[str]:
        """Return the actions worth a trial; first the favourite, which one would take without a search."""
        del view
        return list(legal)

    def begin(self, action: str) -> None:
        """Take note that a trial begins with this action of mine."""

    def reply(self, state: S, seat: int, luck: Chance) -> str:
        """Return what a seat does in a trial."""
        legal = state.legal(seat)
        return legal[luck.below("reply", len(legal))]

    def moment(self, state: S, steps: int) -> int:
        """Return how late it is in the game, after so many actions of a trial."""
        del state
        return steps

    def until(self, state: S) -> int:
        """Return the moment at which a trial stops that begins here."""
        return self.moment(state, 0) + LONG

    def value(self, state: S) -> float:
        """Return what a position is worth to my seat when a trial stops there; any unit will do."""
        return victory(state.outcome(), self.seat)


class Turned(Protocol):
    """A position of a game whose turns are counted."""

    turn: int


class TurnGuide(Guide[S]):
    """Looks some rounds ahead, by the turns that the game counts."""

    rounds = 1

    def moment(self, state: S, steps: int) -> int:
        """Count turns."""
        del steps
        return cast(Turned, state).turn

    def until(self, state: S) -> int:
        """Look ahead some rounds."""
        return self.moment(state, 0) + self.rounds * self.seats


def victory(outcome: Outcome | None, seat: int) -> float:
    """Return 1 for a seat that won alone, less if it shares the first rank, -1 if it lost, else 0."""
    if outcome is None:
        return 0.0
    return 2 * (outcome.ranks[seat] == 1) / outcome.ranks.count(1) - 1


def odds_to_win(prospects: Sequence[float], seat: int) -> float:
    """Return a seat's odds to win, where those of all seats are as the exponentials of their prospects."""
    weights = [exp(prospect - max(prospects)) for prospect in prospects]
    return weights[seat] / sum(weights)


def lead(worths: Sequence[float], seat: int) -> float:
    """Return by how much a seat is worth more than the best of its rivals."""
    return worths[seat] - max(worth for other, worth in enumerate(worths) if other != seat)
