"""Matches between bots in one process: no wire, no clock."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from protocol.client import Bot, FunctionBot
from protocol.messages import AskClock, Start, TimeControl
from referee.chance import KeyedChance, deal_key
from referee.game import Game, Outcome, State
from referee.games.chicago import GAME as CHICAGO
from referee.games.chicago_poker import GAME as POKER
from referee.games.gangsters import GAME as GANGSTERS
from referee.games.vengeance import GAME as VENGEANCE
from sample_bots.python import chicago, first, gangsters, vengeance
from sample_bots.python.poker import PokerBot
from sample_bots.python.random_bot import RandomBot
from sample_bots.python.search import SearchBot

UNHURRIED = AskClock(10**9, 0, 0)
"""So much time for a move that a search is bound by its number of trials only, and so repeats."""

Make = Callable[[], Bot]


First = partial(FunctionBot, first.choose)


def searching(number: int) -> Make:
    """Return the search bot with so many trials for a decision."""

    class Searching(SearchBot):
        trials = number

    return Searching


class Hero(NamedTuple):
    """A sample that knows a game."""

    game: Game
    make: Make


HEROES = {
    "chicago": Hero(CHICAGO, partial(FunctionBot, chicago.choose)),
    "gangsters": Hero(GANGSTERS, partial(FunctionBot, gangsters.choose)),
    "poker": Hero(POKER, PokerBot),
    "vengeance": Hero(VENGEANCE, partial(FunctionBot, vengeance.choose)),
}


class Played(NamedTuple):
    """A match that is over: how it ended, and who did what."""

    outcome: Outcome
    actions: list[tuple[int, str]]


def seated(game: Game, make: Make, seat: int = 0, seats: int = 2, name: str = "m1") -> Bot:
    """Return a bot that has received the start of a match."""
    bot = make()
    bot.clock = UNHURRIED
    bot.start(Start(name, game.info.id, {}, seat, seats, [""] * seats, TimeControl(1, 1, 1, 1, 1), ""))
    return bot


def answer(hero: Hero, state: State, events: Sequence[dict[str, Any]] = ()) -> str:
    """Return what a bot does in this position, after these events, at the first seat that is to act."""
    seat = state.to_act()[0]
    bot = seated(*hero, seat, state.view(None)["seats"])
    bot.see(list(events))
    return _asked(bot, state, seat)


def match(
    game: Game, makes: Sequence[Make], deal: str, options: Mapping[str, str | int] | None = None
) -> Played:
    """Play a match to its end; every answer must be a legal action."""
    seats = len(makes)
    bots = [seated(game, make, seat, seats, deal) for seat, make in enumerate(makes)]
    state, events = game.new(seats, KeyedChance(deal_key("samples", deal)), options)
    actions: list[tuple[int, str]] = []
    while True:
        for seat, bot in enumerate(bots):
            bot.see([event.seen_by(seat) for event in events])
        outcome = state.outcome()
        if outcome is not None:
            return Played(outcome, actions)
        seat = state.to_act()[0]
        action = _asked(bots[seat], state, seat)
        events = state.apply(seat, action)
        actions.append((seat, action))


def _asked(bot: Bot, state: State, seat: int) -> str:
    view, legal = state.view(seat), state.legal(seat)[:]
    before = msgspec.json.encode((view, legal))
    action = bot.choose(view, legal)
    assert msgspec.json.encode((view, legal)) == before, "a bot changes nothing of what it is sent"
    assert isinstance(action, str)
    assert action in legal
    return action


def wins_by_deal(
    game: Game,
    hero: Make,
    other: Make,
    seats: int,
    deals: int,
    options: Mapping[str, str | int] | None = None,
) -> list[float]:
    """Return what the first bot wins of each deal against all others: it is played from every seat."""
    found = []
    for deal in range(deals):
        won = 0.0
        for seat in range(seats):
            makes = [other] * seats
            makes[seat] = hero
            ranks = match(game, makes, f"deal {deal}", options).outcome.ranks
            won += (ranks[seat] == 1) / ranks.count(1)
        found.append(won / seats)
    return found


def share_of_wins(game: Game, hero: Make, other: Make, seats: int, deals: int) -> float:
    """Return what the first bot wins against all others: each deal is played from every seat."""
    return sum(wins_by_deal(game, hero, other, seats, deals)) / deals


def told_in_two_processes(script: str) -> set[str]:
    """Return what a script prints; hashes of texts differ from process to process."""
    return {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }


def actions_of(name: str, options: Mapping[str, str | int]) -> list[tuple[int, str]]:
    """Return what happens in a match of a sample against itself and a random bot."""
    game, make = HEROES[name]
    return match(game, [make, RandomBot, make], "again", options).actions
