"""Chicago Poker, by Bruno Cathala and Bruno Faidutti (2007), for 2 to 6 seats.

The rules are in RULES.md beside this file; the registry finds `GAME`. Pure, and imports no other game.
"""

from collections.abc import Mapping

from referee.game import Event, GameInfo, Options, SampleBot, View
from referee.gamelib.first_seat import check_first_seat, first_seat
from referee.gamelib.turn_game import TurnGame
from referee.games.chicago_poker import bounds, inspection, text
from referee.games.chicago_poker.components import (
    DEALT,
    FRENCH,
    LEAST_SEATS,
    MOST_SEATS,
    NAMES,
    OPTIONS,
    PRESETS,
    Rules,
    all_cards,
    all_tiles,
)
from referee.games.chicago_poker.follow import PokerFollower
from referee.games.chicago_poker.imagine import fill
from referee.games.chicago_poker.state import State

__all__ = ["GAME", "ChicagoPoker"]


class ChicagoPoker(TurnGame[Rules, State]):
    """The rules of Chicago Poker."""

    rules = Rules
    follower = PokerFollower
    sentences = text.describe
    position = State
    fill = staticmethod(fill)
    longest_under = staticmethod(bounds.longest)
    widest_under = staticmethod(bounds.widest)
    draw = staticmethod(text.draw)
    pieces = staticmethod(inspection.pieces)
    lasting = staticmethod(inspection.lasting)

    info = GameInfo(
        id="chicago-poker",
        title="Chicago Poker",
        summary="poker hands laid out card by card, partly face down, for the businesses of Chicago",
        least_seats=LEAST_SEATS,
        most_seats=MOST_SEATS,
        options=OPTIONS,
        presets=PRESETS,
        simultaneous=True,
        hidden="hands",
        samples=(
            SampleBot(
                "poker",
                "sample_bots.python.poker",
                "it pursues the businesses where its row stands the best chance, and draws when it has none",
            ),
        ),
        guide="sample_bots.python.search_poker:PokerGuide",
        crowded="crowded2204",
    )

    def resolve(self, options: Mapping[str, str | int] | None, seats: int) -> Options:
        """Return all options with their values; `edition=fr` sets the defaults of the French readings."""
        given = dict(options or {})
        if str(given.get("edition")) == "fr":
            given = {**FRENCH, **given}
        resolved = super().resolve(given, seats)
        check_first_seat(resolved, seats)
        return resolved

    def deal(self, state: State, events: list[Event]) -> None:
        """Shuffle, deal, turn up the first businesses, and begin the first turn."""
        rules, chance = state.rules, state.chance
        state.stack(all_cards(rules))
        state.hands = [sorted(state.deck.pop() for _ in range(DEALT)) for _ in state.hands]
        state.pile = all_tiles()
        chance.shuffle("tiles", state.pile)
        state.pile.reverse()
        for slot in range(len(state.kinds)):
            state.open_business(slot, state.pile.pop())
        state.first = state.active = first_seat(rules.options, state.seats, chance)
        dealt = {seat: {"hand": [NAMES[card] for card in hand]} for seat, hand in enumerate(state.hands)}
        slots, pile, deck = list(state.kinds), len(state.pile), len(state.deck)
        state.start(events, dealt, True, first=state.first, slots=slots, pile=pile, deck=deck)
        state.begin_turn(events)

    def rare_views(self) -> list[View]:
        """Return a shootout of two equal hands, and a hand of nine cards."""
        return [inspection.tie(self), inspection.nine_cards(self)]

    def scores_so_far(self, view: View) -> list[int]:
        """Return the tiles that every seat has won."""
        return list(map(len, view["won"]))


GAME = ChicagoPoker()
