"""Chicago Poker, by Bruno Cathala and Bruno Faidutti (2007), for 2 to 6 seats. The rules are in RULES.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from referee.chance import Chance
from referee.errors import OptionError
from referee.game import Event, Game, GameInfo, Options, SampleBot, Seen, View
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
from referee.games.chicago_poker.imagine import imagine
from referee.games.chicago_poker.state import State

__all__ = ["GAME", "ChicagoPoker"]


class ChicagoPoker(Game):
    """The rules of Chicago Poker."""

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
        if resolved["first"] != "lot" and int(resolved["first"]) >= seats:
            valid = f"with {seats} seats it is lot, or 0 to {seats - 1}"
            raise OptionError(f"option first cannot be {resolved['first']!r}: {valid}", option="first")
        return resolved

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[State, list[Event]]:
        """Shuffle, deal, turn up the first businesses, and begin the first turn."""
        rules = Rules.of(self.resolve(options, seats), seats)
        state = State(rules, chance)
        state.stack(all_cards(rules))
        for seat in range(seats):
            state.hands[seat] = sorted(state.deck.pop() for _ in range(DEALT))
        state.pile = all_tiles()
        chance.shuffle("tiles", state.pile)
        state.pile.reverse()
        for slot in range(len(state.kinds)):
            state.open_business(slot, state.pile.pop())
        first = rules.options["first"]
        state.first = state.active = chance.below("lots", seats) if first == "lot" else int(first)
        public = {
            "event": "started",
            "seats": seats,
            "options": dict(rules.options),
            "first": state.first,
            "slots": list(state.kinds),
            "pile": len(state.pile),
            "deck": len(state.deck),
        }
        dealt = {seat: {"hand": [NAMES[card] for card in hand]} for seat, hand in enumerate(state.hands)}
        events = [Event(public, dealt, True)]
        state.begin_turn(events)
        return state, events

    def imagine(self, view: View, chance: Chance) -> State:
        """Return a whole state that fits the view: hidden things are drawn from `chance`."""
        return imagine(view, chance)

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        """Return the view of a seat (None: the public) rebuilt from the events it saw, and nothing else."""
        return PokerFollower(seat).follow(events)

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
        """Return all cards and tiles."""
        return inspection.pieces(revealed)

    def lasting(self, event: Seen, seat: int | None) -> Seen:
        """Leave out what a raid shows, and the places of cards that have left a row."""
        return inspection.lasting(event, seat)

    def rare_views(self) -> list[View]:
        """Return a shootout of two equal hands."""
        return [inspection.tie(self)]


GAME = ChicagoPoker()
