"""Chicago, by Jean Claude Soheir (1991), for 2 to 4 seats. The rules are in RULES.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.chance import Chance
from referee.errors import OptionError
from referee.game import Event, Game, GameInfo, Option, Options, SampleBot, Seen, View
from referee.games.chicago import bounds, inspection, text
from referee.games.chicago.board import HOUSE, Board
from referee.games.chicago.components import (
    FACES,
    FEWEST_RINGS,
    GANGS,
    LEAST_SEATS,
    MOST_SEATS,
    OPTIONS,
    PRESETS,
    TRACK,
    Rules,
    faces_of,
)
from referee.games.chicago.follow import ChicagoFollower
from referee.games.chicago.imagine import imagine
from referee.games.chicago.state import State

__all__ = ["GAME", "Chicago"]


class Chicago(Game):
    """The rules of Chicago, on one board."""

    def __init__(self, board: Board = HOUSE) -> None:
        self.board = board
        self.info = GameInfo(
            id="chicago",
            title="Chicago",
            summary="gangs of the twenties walk, duel and pay their way to bars and casinos",
            least_seats=LEAST_SEATS,
            most_seats=MOST_SEATS,
            options=(*OPTIONS, Option("board", board.name, "the board, by its name", (board.name,))),
            presets=PRESETS,
            hidden="luck",
            samples=(
                SampleBot(
                    "chicago",
                    "sample_bots.python.chicago",
                    "it weighs what a building or a duel would bring against what leaving a place costs",
                ),
            ),
            guide="sample_bots.python.search_chicago:ChicagoGuide",
            crowded="crowded1045",
        )

    def resolve(self, options: Mapping[str, str | int] | None, seats: int) -> Options:
        """Return all options with their values.

        `move_die` may also be twelve numbers; two seats need four casinos by default.
        """
        given = dict(options or {})
        if seats == LEAST_SEATS:
            given.setdefault("casinos_needed", 4)
        move_die = str(given.pop("move_die", "1-12"))
        if not faces_of(move_die):
            valid = f"it is 1-12, 11-22, or {FACES} whole numbers from 0 to {TRACK} with commas between them"
            raise OptionError(f"option move_die cannot be {move_die!r}: {valid}", option="move_die")
        resolved = super().resolve(given, seats)
        resolved["move_die"] = move_die
        if 0 < int(resolved["rings"]) < FEWEST_RINGS:
            valid = f"it is 0 (no limit), or a whole number from {FEWEST_RINGS} on"
            raise OptionError(f"option rings cannot be {resolved['rings']}: {valid}", option="rings")
        return resolved

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[State, list[Event]]:
        """Set the game up and let the first gang buy."""
        rules = Rules.of(self.resolve(options, seats), seats)
        state = State(rules, chance, self.board)
        start = {
            "event": "started",
            "seats": seats,
            "options": dict(rules.options),
            "gangs": list(GANGS[: state.gangs]),
            "board": self.board.name,
        }
        events = [Event(start)]
        state.begin_part(0, events)
        state.proceed(events)
        return state, events

    def imagine(self, view: View, chance: Chance) -> State:
        """Return the state of a view; nothing is hidden but the luck to come, which is that of `chance`."""
        return imagine(view, chance, self.board)

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        """Return the view of a seat (None: the public) rebuilt from the events it saw, and nothing else."""
        return ChicagoFollower(seat, self.board).follow(events)

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of actions of one game."""
        return bounds.longest(Rules.of(self.resolve(options, seats), seats))

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of legal actions at one decision."""
        return bounds.widest(Rules.of(self.resolve(options, seats), seats), self.board)

    def draw(self, view: View) -> str:
        """Draw the position of a view in characters, several lines, for people."""
        return text.draw(view, self.board)

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        """Return a sentence for an event as a seat saw it; `names` are the names of the seats."""
        return text.describe(event, names)

    def pieces(self, revealed: View) -> Iterator[str]:
        """Return rings, tokens and buildings."""
        return inspection.pieces(revealed, self.board)

    def lasting(self, event: Seen, seat: int | None) -> Seen | None:
        """Leave out how duels went: the view shows the survivors, their rings and the money."""
        del seat
        return inspection.lasting(event)

    def rare_views(self) -> list[View]:
        """Return an attack on several members in one building."""
        return [inspection.attack(self)]


GAME = Chicago()
