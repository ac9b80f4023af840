"""Vengeance à Chicago (Tonka and Parker, 1987), for 2 to 4 seats. The rules are in RULES.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.chance import Chance
from referee.game import Event, Game, GameInfo, SampleBot, View
from referee.games.vengeance import bounds, inspection, text
from referee.games.vengeance.board import HOUSE, Board
from referee.games.vengeance.components import (
    GANGS,
    LEAST_SEATS,
    MOST_SEATS,
    OPTIONS,
    PRESETS,
    SIDES,
    Rules,
)
from referee.games.vengeance.follow import VengeanceFollower
from referee.games.vengeance.imagine import imagine
from referee.games.vengeance.state import State

__all__ = ["GAME", "Vengeance"]


class Vengeance(Game):
    """The rules of Vengeance, on a board."""

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

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[State, list[Event]]:
        """Put all figures into their HQs, roll for the start, and begin the first turn."""
        rules = self._rules(seats, options)
        state = State(rules, chance, self.board)
        start = {
            "event": "started",
            "seats": seats,
            "options": dict(rules.options),
            "gangs": [[GANGS[gang] for gang in gangs] for gangs in rules.hands],
            "board": self.board.shown(),
        }
        events = [Event(start)]
        state.first = _first_seat(seats, chance, events)
        state.open(events)
        return state, events

    def imagine(self, view: View, chance: Chance) -> State:
        """Return the state whose view this is; the luck to come is drawn from `chance`."""
        return imagine(view, chance, self.board)

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        """Return the view of a seat (None: the public) rebuilt from the events it saw, and nothing else."""
        return VengeanceFollower(seat).follow(events)

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of actions of one game."""
        return bounds.longest(self._rules(seats, options))

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of legal actions at one decision."""
        return bounds.widest(self._rules(seats, options))

    def draw(self, view: View) -> str:
        """Draw the position of a view in characters, several lines, for people."""
        return text.draw(view, self.board)

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        """Return a sentence for an event as a seat saw it; `names` are the names of the seats."""
        return text.describe(event, names)

    def pieces(self, revealed: View) -> Iterator[str]:
        """Return all hoods and bosses."""
        return inspection.pieces(revealed)

    def _rules(self, seats: int, options: Mapping[str, str | int] | None) -> Rules:
        return Rules.of(self.resolve(options, seats), seats)


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
