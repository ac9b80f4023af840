"""Gangsters de Chicago, by Frank Czarnetzki (2006), for 2 to 4 seats.

The rules are in RULES.md beside this file; the registry finds `GAME`. Pure, and imports no other game.
"""

from collections.abc import Mapping

from referee.game import Event, GameInfo, Options, SampleBot, View
from referee.gamelib.first_seat import check_first_seat, first_seat
from referee.gamelib.turn_game import TurnGame
from referee.games.gangsters import bounds, inspection, text
from referee.games.gangsters.components import (
    KINDS,
    LEAST_SEATS,
    MOST_SEATS,
    NAMES,
    OPEN,
    OPTIONS,
    PRESETS,
    Rules,
)
from referee.games.gangsters.follow import GangstersFollower
from referee.games.gangsters.imagine import fill
from referee.games.gangsters.state import State

__all__ = ["GAME", "Gangsters"]


class Gangsters(TurnGame[Rules, State]):
    """The rules of Gangsters de Chicago."""

    rules = Rules
    follower = GangstersFollower
    sentences = text.describe
    position = State
    fill = staticmethod(fill)
    longest_under = staticmethod(bounds.longest)
    widest_under = staticmethod(bounds.widest)
    draw = staticmethod(text.draw)
    pieces = staticmethod(inspection.pieces)

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
        resolved = super().resolve(given, seats)
        check_first_seat(resolved, seats)
        return resolved

    def deal(self, state: State, events: list[Event]) -> None:
        """Shuffle the tiles that no seat holds, deal them into piles, and turn up the common reserve."""
        first = first_seat(state.rules.options, state.seats, state.chance)
        tiles = [KINDS[name] for name, number in state.unseen.items() for _ in range(number)]
        state.chance.shuffle("tiles", tiles)
        piles = state.rules.piles
        state.piles = [tiles[pile::piles][::-1] for pile in range(piles)]
        for _ in range(OPEN):
            state.open_tile(state.tallest())
        state.start(
            events,
            news=True,
            first=first,
            gangs=state.letters,
            neutral=state.neutral,
            reserves=state.reserves,
            cartridges=state.cartridges,
            common=[NAMES[kind] for kind in state.common],
            piles=list(map(len, state.piles)),
        )
        state.begin_turn(first, events)

    def scores_so_far(self, view: View) -> list[int]:
        """Return the scores."""
        return list(view["scores"])


GAME = Gangsters()
