"""Games that are played at random and the same in every run, for what the rules of a single game promise.

What all games promise is in `tests/contract`.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from referee.chance import KeyedChance
from referee.game import Event, GameInfo, Options, State

S = TypeVar("S", bound=State)


class Dealt(NamedTuple):
    """What a game begins with, but for its state."""

    seats: int
    options: Options
    random: Random


def games(
    new: Callable[[int, KeyedChance, Options], tuple[S, list[Event]]],
    info: GameInfo,
    seed: int,
    **numbers: Sequence[str | int],
) -> Iterator[tuple[S, Dealt]]:
    """Yield a new game for each number of seats: some options at random, and always those of `numbers`."""
    for seats in range(info.least_seats, info.most_seats + 1):
        random = Random(seed * 10 + seats)
        options: Options = {
            option.name: random.choice(option.choices)
            for option in info.options
            if option.choices and random.random() < 0.4
        }
        options |= {name: random.choice(values) for name, values in numbers.items()}
        state, _ = new(seats, KeyedChance(random.randbytes(32)), options)
        yield state, Dealt(seats, options, random)


def by_verb(random: Random, legal: Sequence[str]) -> str:
    """Choose a verb, then one of its actions; else one verb would be nearly all there is."""
    verb = random.choice(sorted({action.partition(" ")[0] for action in legal}))
    return random.choice([action for action in legal if action.partition(" ")[0] == verb])
