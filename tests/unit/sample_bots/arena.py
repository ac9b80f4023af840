"""Matches of Chicago Poker between bots in one process: no wire, no clock."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import NamedTuple

from protocol.client import Bot
from protocol.messages import Start, TimeControl, View
from referee.chance import KeyedChance, deal_key
from referee.game import Outcome
from referee.games.chicago_poker import GAME
from sample_bots.python import first

Make = Callable[[], Bot]


class First(Bot):
    """The sample bot `first` as a class."""

    def choose(self, view: View, legal: list[str]) -> str:
        return first.choose(view, legal)


class Played(NamedTuple):
    """A match that is over: how it ended, and who did what."""

    outcome: Outcome
    actions: list[tuple[int, str]]


def seated(make: Make, seat: int = 0, seats: int = 2, match: str = "m1") -> Bot:
    """Return a bot that has been told of a match."""
    bot = make()
    bot.start(Start(match, GAME.info.id, {}, seat, seats, [""] * seats, TimeControl(1, 1, 1, 1, 1), ""))
    return bot


def play(makes: Sequence[Make], deal: str, options: Mapping[str, str | int] | None = None) -> Played:
    """Play a match to its end; every answer must be a legal action."""
    seats = len(makes)
    bots = [seated(make, seat, seats, deal) for seat, make in enumerate(makes)]
    state, events = GAME.new(seats, KeyedChance(deal_key("samples", deal)), options)
    actions: list[tuple[int, str]] = []
    while True:
        for seat, bot in enumerate(bots):
            bot.see([event.seen_by(seat) for event in events])
        outcome = state.outcome()
        if outcome is not None:
            return Played(outcome, actions)
        seat = state.to_act()[0]
        view, legal = state.view(seat), state.legal(seat)[:]
        before = deepcopy((view, legal))
        action = bots[seat].choose(view, legal)
        assert (view, legal) == before, "a bot changes nothing of what it is sent"
        assert isinstance(action, str)
        assert action in legal
        events = state.apply(seat, action)
        actions.append((seat, action))


def share_of_wins(hero: Make, other: Make, seats: int, deals: int) -> float:
    """Return what the first bot wins against all others: each deal is played from every seat."""
    won = 0.0
    for deal in range(deals):
        for seat in range(seats):
            makes = [other] * seats
            makes[seat] = hero
            ranks = play(makes, f"deal {deal}").outcome.ranks
            won += (ranks[seat] == 1) / ranks.count(1)
    return won / (deals * seats)
