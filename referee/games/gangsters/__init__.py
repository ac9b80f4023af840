"""Gangsters de Chicago, by Frank Czarnetzki (2006), for 2 to 4 seats. The rules are in RULES.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.chance import Chance
from referee.game import Event, Game, GameInfo, Options, SampleBot, View
from referee.games.gangsters import bounds, inspection, text
from referee.games.gangsters.components import (
    GANGS,
    LEAST_SEATS,
    MOST_SEATS,
    NAMES,
    OPEN,
    OPTIONS,
    PRESETS,
    Rules,
)
from referee.games.gangsters.follow import GangstersFollower
from referee.games.gangsters.imagine import imagine
from referee.games.gangsters.position import NONE
from referee.games.gangsters.state import State

__all__ = ["GAME", "Gangsters"]


class Gangsters(Game):
    """The rules of Gangsters de Chicago."""

    info = GameInfo(
        id="gangsters",
        title="Gangsters de Chicago",
        summary="gangs of three strengths fill rows and columns of the city; the majority of each line pays",
        least_seats=LEAST_SEATS,
        most_seats=MOST_SEATS,
        options=OPTIONS,
        presets=PRESETS,
        hidden="pieces",
        samples=(
            SampleBot(
                "gangsters",
                "sample_bots.python.gangsters",
                "it takes what adds most to its rows and columns, less what that leaves to the next seat",
            ),
        ),
        guide="sample_bots.python.search_gangsters:GangstersGuide",
    )

    def resolve(self, options: Mapping[str, str | int] | None, seats: int) -> Options:
        """Return all options with their values; with two seats there are two cartridges each by default."""
        given = dict(options or {})
        if seats == LEAST_SEATS:
            given.setdefault("cartridges", 2)
        return super().resolve(given, seats)

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[State, list[Event]]:
        """Shuffle the tiles that no seat holds, deal them into piles, and turn up the common reserve."""
        rules = Rules.of(self.resolve(options, seats), seats)
        state = State(rules, chance)
        tiles = [kind for kind, number in enumerate(state.unseen) for _ in range(number)]
        chance.shuffle("tiles", tiles)
        state.piles = [tiles[pile :: rules.piles][::-1] for pile in range(rules.piles)]
        for _ in range(OPEN):
            state.open_tile(state.tallest())
        start = {
            "event": "started",
            "seats": seats,
            "options": dict(rules.options),
            "first": 0,
            "gangs": [GANGS[gang] for gang in state.gangs],
            "neutral": [GANGS[gang] for gang, owner in enumerate(state.owners) if owner == NONE],
            "reserves": list(map(list, state.reserves)),
            "cartridges": state.cartridges[:],
            "common": [NAMES[kind] for kind in state.common],
            "piles": list(map(len, state.piles)),
        }
        events = [Event(start, None, True)]
        state.begin_turn(0, events)
        return state, events

    def imagine(self, view: View, chance: Chance) -> State:
        """Return a whole state that fits the view: hidden things are drawn from `chance`."""
        return imagine(view, chance)

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        """Return the view of a seat (None: the public) rebuilt from the events it saw, and nothing else."""
        return GangstersFollower(seat).follow(events)

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of actions of one game."""
        return bounds.longest(Rules.of(self.resolve(options, seats), seats))

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        """Return a bound on the number of legal actions at one decision."""
        return bounds.widest(Rules.of(self.resolve(options, seats), seats))

    def draw(self, view: View) -> str:
        """Draw the position of a view in characters, several lines, for people."""
        return text.draw(view)

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        """Return a sentence for an event as a seat saw it; `names` are the names of the seats."""
        return text.describe(event, names)

    def pieces(self, revealed: View) -> Iterator[str]:
        """Return all tiles."""
        return inspection.pieces(revealed)


GAME = Gangsters()
