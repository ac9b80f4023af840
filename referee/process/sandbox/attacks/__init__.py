"""Attacks that a bot might try, in short and harmless forms: `referee doctor` runs them inside each level.

Executed inside the sandbox with only the standard library, by `__main__`. Each attack returns what it
reached, or nothing. All of them are capped: where nothing holds them they end by themselves, and leave
nothing behind. Imports nothing but itself.
"""

from typing import Final

from referee.process.sandbox.attacks.cache import CACHE
from referee.process.sandbox.attacks.channels import CHANNELS
from referee.process.sandbox.attacks.memory import GREEDY_MEMORY, HIDDEN_MEMORY
from referee.process.sandbox.attacks.processes import forks, left_running
from referee.process.sandbox.attacks.reach import REACH
from referee.process.sandbox.attacks.storage import STORAGE
from referee.process.sandbox.attacks.tools import Attack
from referee.process.sandbox.attacks.ways_out import WAYS_OUT


def _named(attacks: tuple[Attack, ...]) -> dict[str, Attack]:
    return {attack.__name__.replace("_", "-"): attack for attack in attacks}


QUICK: Final = _named((*REACH, *CHANNELS, *CACHE, *WAYS_OUT, *STORAGE, *HIDDEN_MEMORY))
"""Attacks that report themselves how far they got."""

GREEDY: Final[dict[str, tuple[Attack, str]]] = {"forks": (forks, "processes")} | {
    name: (attack, "memory") for name, attack in _named(GREEDY_MEMORY).items()
}
"""Attacks that the referee must end, and the limit it must name: how that went is seen from outside."""

LEFT_RUNNING: Final = "left-running"

ALL: Final[dict[str, Attack]] = (
    QUICK | {name: attack for name, (attack, _) in GREEDY.items()} | {LEFT_RUNNING: left_running}
)
