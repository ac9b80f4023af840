"""Vengeance à Chicago (Tonka and Parker, 1987), for 2 to 4 seats.

The rules are in RULES.md beside this file; the registry finds `GAME`. Pure, and imports no other game.
"""

from referee.chance import Chance
from referee.game import Event, GameInfo, SampleBot, View
from referee.gamelib.turn_game import TurnGame
from referee.games.vengeance import bounds, inspection, text
from referee.games.vengeance.board import HOUSE, Board
from referee.games.vengeance.components import GANGS, LEAST_SEATS, MOST_SEATS, OPTIONS, PRESETS, SIDES, Rules
from referee.games.vengeance.follow import VengeanceFollower
from referee.games.vengeance.imagine import fill
from referee.games.vengeance.state import State

__all__ = ["GAME", "Vengeance"]


class Vengeance(TurnGame[Rules, State]):
    """The rules of Vengeance, on a board."""

    rules = Rules
    follower = VengeanceFollower
    sentences = text.describe
    fill = staticmethod(fill)
    longest_under = staticmethod(bounds.longest)
    widest_under = staticmethod(bounds.widest)
    pieces = staticmethod(inspection.pieces)

    info = GameInfo(
        id="vengeance",
        title="Vengeance à Chicago",
        summary="bring your godfather once around Chicago, past kidnappers and the marksmen on the wheel",
        least_seats=LEAST_SEATS,
        most_seats=MOST_SEATS,
        options=OPTIONS,
        presets=PRESETS,
        hidden="luck",
        samples=(
            SampleBot(
                "vengeance",
                "sample_bots.python.vengeance",
                "it compares where its bosses and hoods would stand after each action, and how safely",
            ),
        ),
        guide="sample_bots.python.search_vengeance:VengeanceGuide",
        crowded="crowded2",
    )

    def __init__(self, board: Board = HOUSE) -> None:
        self.board = board

    def position(self, rules: Rules, chance: Chance) -> State:
        """Return a position with all figures in their HQs."""
        return State(rules, chance, self.board)

    def deal(self, state: State, events: list[Event]) -> None:
        """Roll for the start, and begin the first turn."""
        gangs = [[GANGS[gang] for gang in hand] for hand in state.rules.hands]
        state.start(events, gangs=gangs, board=self.board.shown())
        state.first = _first_seat(state.seats, state.chance, events)
        state.open(events)

    def draw(self, view: View) -> str:
        """Draw the circuit with all figures, and inside it what each gang has."""
        return text.draw(view, self.board)

    def scores_so_far(self, view: View) -> list[int]:
        """Return how far the bosses of every seat have come."""
        return inspection.progress(view)


def _first_seat(seats: int, chance: Chance, events: list[Event]) -> int:
    """Let all seats roll two dice, then those with the highest total again, until one leads (2.2, R29)."""
    rolling = list(range(seats))
    while len(rolling) > 1:
        totals = {seat: 2 + chance.below("dice", SIDES) + chance.below("dice", SIDES) for seat in rolling}
        public = {"event": "start_rolled", "totals": {str(seat): total for seat, total in totals.items()}}
        events.append(Event(public, None, True))
        rolling = [seat for seat, total in totals.items() if total == max(totals.values())]
    return rolling[0]


GAME = Vengeance()
