"""A bot that searches: it plays every game, and begins where the samples for single games end.

At each decision it imagines states that fit its view and its events, tries the likeliest actions in
each of them, lets all seats play on for a while as the samples would, and takes the action after which it
stood best (`search_trials`). A guide for each game, which the game names, decides what is
worth a trial, how others answer and what a position is worth.

It uses a share of the time for a move, never the bank, and makes no more than a number of trials, which
`python -m sample_bots.python.search 100` sets. Its luck is made of match and seat: as long as that number is
the bound, and not the clock, it does the same again in the same match.
"""

import sys
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from time import perf_counter
from typing import Any

from protocol.client import Bot, run
from protocol.messages import AskClock, Seen, Start, View
from referee import registry
from referee.chance import KeyedChance
from referee.game import Game, State
from sample_bots.python.search_guide import Guide
from sample_bots.python.search_trials import best

# The share of the time for a move that is used; the rest is for a machine that has other things to do.
SHARE = 0.125


class Budget:
    """What one decision may cost: a number of trials, and time by the clock of the ask."""

    def __init__(self, trials: int, clock: AskClock, timer: Callable[[], float]) -> None:
        self._trials = trials
        self._seconds = SHARE * clock.move_ms / 1000
        self._timer = timer
        self._began = self._last = timer()
        self._made = 0
        self._longest = 0.0

    def spent(self) -> float:
        """Return the share that is used up, as if a trial as long as the longest had already begun."""
        time = self._timer() - self._began + self._longest
        return max(self._made / self._trials, time / self._seconds if self._seconds else 1.0)

    def pay(self) -> None:
        """Note that one trial was made, and how long it took."""
        now = self._timer()
        self._longest = max(self._longest, now - self._last)
        self._last = now
        self._made += 1


class Imagined:
    """The imagined states of one decision, one for each round of trials."""

    def __init__(self, guide: Guide[Any], view: View, luck: bytes) -> None:
        self._guide = guide
        self._view = view
        self._luck = luck
        self._rounds: list[tuple[State, KeyedChance]] = []

    def trial(self, action: str, number: int) -> float:
        """Take an action in the state of a round, play on, and return the value of the result."""
        guide = self._guide
        while len(self._rounds) <= number:
            self._rounds.append(self.imagine(len(self._rounds)))
        imagined, chance = self._rounds[number]
        state, luck = imagined.clone(), chance.clone()
        end = guide.until(state)
        guide.begin(action)
        state.apply(guide.seat, action)
        steps = 1
        while (acting := state.to_act()) and guide.moment(state, steps) < end:
            state.apply(acting[0], guide.reply(state, acting[0], luck))
            steps += 1
        return guide.value(state)

    def imagine(self, number: int) -> tuple[State, KeyedChance]:
        """Return the state of a round, and the luck for what the guide leaves to it."""
        chance = KeyedChance(sha256(self._luck + number.to_bytes(8, "big")).digest())
        return self._guide.imagine(self._view, chance), chance


def guide_of(game: Game) -> type[Guide[Any]]:
    """Return the guide that a game names, or the one that knows no game."""
    if not game.info.guide:
        return Guide
    module, _, name = game.info.guide.partition(":")
    found: type[Guide[Any]] = getattr(import_module(module), name)
    return found


class SearchBot(Bot):
    """One match of the search bot."""

    trials = 400
    """At most so many for one decision."""

    timer: Callable[[], float] = staticmethod(perf_counter)

    def start(self, start: Start) -> None:
        """Find a guide for the game, and make the luck of this match."""
        game = registry.game(start.game)
        self._guide = guide_of(game)(game, start.seat, start.seats)
        self.luck = sha256(f"{start.match}:{start.seat}".encode()).digest()

    def see(self, events: list[Seen]) -> None:
        """Remember what the view will not show."""
        self._guide.see(events)

    def choose(self, view: View, legal: list[str]) -> str:
        """Return the action that did best in trials."""
        if len(legal) == 1:
            return legal[0]
        budget = Budget(self.trials, self.clock, self.timer)
        actions = self._guide.candidates(view, legal)
        self.luck = sha256(self.luck).digest()
        return best(actions, Imagined(self._guide, view, self.luck).trial, budget, self._guide.doubt)


def main() -> None:
    """Play until the referee says goodbye."""
    words = sys.argv[1:]
    if words:
        if len(words) > 1 or not words[0].isdecimal() or not int(words[0]):
            sys.stderr.write(f"search: give the number of trials for a decision, such as 100, not {words}\n")
            sys.exit(2)
        SearchBot.trials = int(words[0])
    # One match at a time: while it thinks about one, the clock of another would run.
    run(SearchBot, name="search")


if __name__ == "__main__":
    main()
