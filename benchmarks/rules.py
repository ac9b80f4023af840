"""Rules alone: steps per second of every game, by seats."""

import random
import time
from collections.abc import Callable, Sequence
from itertools import count as numbers
from statistics import median

from benchmarks.samples import GAME
from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.game import Game, State

STEPS_PER_S = 30_000
"""The promised rate of every game with any number of seats."""
MORE_STEPS_PER_S = {GAME: 40_000}
"""Games with a higher promised rate."""

Extra = Callable[[State, int], object]


def nothing(state: State, seat: int) -> None:
    """Do no more than a step needs."""
    del state, seat


def view_of_seat(state: State, seat: int) -> object:
    """Build the view of the seat that is to act."""
    return state.view(seat)


def _clone(state: State, seat: int) -> object:
    del seat
    return state.clone()


def seconds_per_step(game: Game, seats: int, steps: int, extra: Extra, luck: Callable[[], float]) -> float:
    """Play random games and return the CPU of one step: to_act, legal, apply, outcome, and `extra`.

    `luck` gives numbers from 0 to below 1, and picks among the legal actions. Deals are not counted.
    """
    done, used = 0, 0.0
    for number in numbers():
        state, _ = game.new(seats, KeyedChance(deal_key("rules", str(number))))
        began = time.process_time()
        while done < steps and state.outcome() is None:
            for seat in tuple(state.to_act()):
                legal = state.legal(seat)
                extra(state, seat)
                state.apply(seat, legal[int(luck() * len(legal))])
                done += 1
        used += time.process_time() - began
        if done >= steps:
            break
    return used / done


def measure(size: Size) -> Sequence[Sheet]:
    """Measure every registered game."""
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    for game in registry.games().values():
        slowest = float("inf")
        for seats in range(game.info.least_seats, game.info.most_seats + 1):
            bare, view, clone = (
                median(
                    1 / seconds_per_step(game, seats, size.steps, extra, random.Random(repetition).random)
                    for repetition in range(size.repetitions)
                )
                for extra in (nothing, view_of_seat, _clone)
            )
            rows.append((game.info.id, seats, round(bare), round(view), round(clone), 1e6 / view))
            slowest = min(slowest, bare)
        promised = MORE_STEPS_PER_S.get(game.info.id, STEPS_PER_S)
        goals.append(Goal(f"{game.info.id}, steps/s", slowest, "at least", promised))
    columns = ("game", "seats", "legal+apply /s", "with view /s", "with clone /s", "µs with view")
    return [Sheet("rules", "Rules alone, random actions, per second of CPU", columns, rows, goals)]


def bare_us(steps: int) -> float:
    """Return the microseconds that the rules take of a decision of the benchmark's bots, view included."""
    return 1e6 * seconds_per_step(registry.game(GAME), 2, steps, view_of_seat, lambda: 0.0)
