"""Which of several actions is best, found by trials: sequential halving, with doubts in favour of the first.

Each round of trials gives every action that is still in the running the same luck, so that their differences
are the actions' own. When a share of the budget is used up, the worse half is dropped. The favourite, which
is what one would do without any search, stays to the end: it is left only for what did better beyond chance.
"""

from collections.abc import Callable, Sequence
from math import ceil, log2, sqrt
from typing import NamedTuple, Protocol

Trial = Callable[[str, int], float]
"""Tries an action with the luck of a round, and returns how that went."""

# Fewer rounds than this show nothing.
FEWEST = 4


class Doubt(NamedTuple):
    """What another action must have done better than the favourite by, to be taken."""

    errors: float
    """In standard errors: against luck."""
    error: float = 0.0
    """In the unit of the trials: against judgements that are wrong in the same way again and again."""


class Purse(Protocol):
    """What may be spent on one decision."""

    def spent(self) -> float:
        """Return the share that is used up, from 0; at 1 nothing is left."""

    def pay(self) -> None:
        """Note that one trial was made."""


def best(actions: Sequence[str], trial: Trial, purse: Purse, doubt: Doubt) -> str:
    """Return the action that does best; the first one is the favourite."""
    results: dict[str, list[float]] = {action: [] for action in actions}
    running = list(actions)
    halvings = ceil(log2(len(actions)))
    dropped = number = 0
    while len(running) > 1 and one_round(running, trial, purse, results, number):
        number += 1
        if purse.spent() >= (dropped + 1) / halvings and number >= FEWEST:
            dropped += 1
            running = better_half(running, results)
    return chosen(running, results, doubt)


def one_round(
    running: Sequence[str], trial: Trial, purse: Purse, results: dict[str, list[float]], number: int
) -> bool:
    """Try all actions once more; a round that cannot be finished does not count, and ends the search."""
    values = []
    for action in running:
        if purse.spent() >= 1:
            return False
        values.append(trial(action, number))
        purse.pay()
    for action, value in zip(running, values, strict=True):
        results[action].append(value)
    return True


def better_half(running: Sequence[str], results: dict[str, list[float]]) -> list[str]:
    """Return the favourite and the best of the others, in their old order."""
    favourite, *others = running
    others.sort(key=lambda action: sum(results[action]), reverse=True)
    kept = others[: len(running) // 2]
    return [favourite, *(action for action in running if action in kept)]


def chosen(running: Sequence[str], results: dict[str, list[float]], doubt: Doubt) -> str:
    """Return the best action, or the favourite if that may have been luck."""
    favourite = running[0]
    rounds = len(results[favourite])
    if rounds < FEWEST:
        return favourite
    leader = max(running, key=lambda action: sum(results[action]))
    gains = [one - other for one, other in zip(results[leader], results[favourite], strict=True)]
    mean = sum(gains) / rounds
    spread = sum((gain - mean) ** 2 for gain in gains) / (rounds - 1)
    return leader if mean > doubt.error + doubt.errors * sqrt(spread / rounds) else favourite
