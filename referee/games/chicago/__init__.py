"""Chicago, by Jean Claude Soheir (1991), for 2 to 4 seats.

The rules are in RULES.md beside this file; the registry finds `GAME`. Pure, and imports no other game.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from referee.chance import Chance
from referee.errors import OptionError
from referee.game import Event, GameInfo, Option, Options, SampleBot, View
from referee.gamelib.turn_game import TurnGame
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
from referee.games.chicago.imagine import fill
from referee.games.chicago.state import State

__all__ = ["GAME", "Chicago"]


class Chicago(TurnGame[Rules, State]):
    """The rules of Chicago, on one board."""

    rules = Rules
    sentences = text.describe
    fill = staticmethod(fill)
    longest_under = staticmethod(bounds.longest)
    lasting = staticmethod(inspection.lasting)

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
            crowded="crowded110",
        )

    def resolve(self, options: Mapping[str, str | int] | None, seats: int) -> Options:
        """Return all options with their values.

        `move_die` may also be twelve numbers; two seats need four casinos by default. Joint attacks bring
        variant I with them, since it alone lets members of one gang be in one building.
        """
        given = dict(options or {})
        if seats == LEAST_SEATS:
            given.setdefault("casinos_needed", 4)
        if str(given.get("joint_attack")) == "yes":
            given.setdefault("variant_stack", "yes")
        move_die = str(given.pop("move_die", "1-12"))
        if not faces_of(move_die):
            valid = f"it is 1-12, 11-22, or {FACES} whole numbers from 0 to {TRACK} with commas between them"
            raise OptionError(f"option move_die cannot be {move_die!r}: {valid}", option="move_die")
        resolved = super().resolve(given, seats)
        resolved["move_die"] = move_die
        if 0 < int(resolved["rings"]) < FEWEST_RINGS:
            valid = f"it is 0 (no limit), or a whole number from {FEWEST_RINGS} on"
            raise OptionError(f"option rings cannot be {resolved['rings']}: {valid}", option="rings")
        if resolved["joint_attack"] == "yes" and resolved["variant_stack"] == "no":
            clash = "option joint_attack cannot be 'yes' with variant_stack=no"
            raise OptionError(f"{clash}: joint attacks are part of variant I", option="joint_attack")
        return resolved

    def position(self, rules: Rules, chance: Chance) -> State:
        """Return a position with every gang at home."""
        return State(rules, chance, self.board)

    def deal(self, state: State, events: list[Event]) -> None:
        """Let the first gang buy."""
        state.start(events, gangs=list(GANGS[: state.gangs]), board=self.board.name)
        state.begin_part(0, events)
        state.proceed(events)

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        """Return the view of a seat (None: the public) rebuilt from the events it saw, and nothing else."""
        return ChicagoFollower(seat, self.board).follow(events)

    def widest_under(self, rules: Rules) -> int:
        """Return a bound on the number of legal actions at one decision."""
        return bounds.widest(rules, self.board)

    def draw(self, view: View) -> str:
        """Draw the map, then what every gang has."""
        return text.draw(view, self.board)

    def pieces(self, revealed: View) -> Iterator[str]:
        """Return rings, tokens and buildings."""
        return inspection.pieces(revealed, self.board)

    def rare_views(self) -> list[View]:
        """Return attacks on several members in one building."""
        return [inspection.attack(self), inspection.joint_attack(self)]

    def scores_so_far(self, view: View) -> list[int]:
        """Return the wealth of every seat."""
        return inspection.wealth(view)


GAME = Chicago()
