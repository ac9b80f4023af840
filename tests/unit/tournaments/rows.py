"""Results to make tables from."""

import itertools
import random
from collections.abc import Sequence
from typing import Any

from tournaments.results import Played


def row(bots: Sequence[str], ranks: Sequence[int], **settings: Any) -> Played:
    """Return one match; its name, like that of its block, says who played."""
    name = settings.pop("match", f"m-{''.join(bots)}")
    seats = len(bots)
    given: dict[str, Any] = {
        "match": name,
        "game": "coins",
        "round": 1,
        "block": f"b-{name}",
        "deal": f"d-{name}",
        "bots": tuple(bots),
        "ranks": tuple(ranks),
        "scores": tuple(10 - rank for rank in ranks),
        "ties": "draw",
        "reason": "goal",
        "faults": ("",) * seats,
        "used_ms": (5,) * seats,
        "decisions": 7,
        "play": "ab12",
        "replay": f"{name}.jsonl",
    }
    return Played(**given | settings)


def contest(
    bots: Sequence[str], blocks: int, seats: int = 2, *, fault: float = 0.0, used_ms: int = 5
) -> list[Played]:
    """Return a round robin in which earlier bots are stronger; the same every time."""
    luck = random.Random(7)
    strength = {bot: -0.3 * number for number, bot in enumerate(bots)}
    played = []
    for number, table in enumerate(itertools.combinations(bots, seats)):
        for block, turn in itertools.product(range(blocks), range(seats)):
            order = (*table[turn:], *table[:turn])
            form = [luck.gauss(strength[bot], 1) for bot in order]
            ranks = [1 + sum(other > one for other in form) for one in form]
            faults = [""] * seats
            if luck.random() < fault:
                faults[ranks.index(seats)] = luck.choice(["late", "crashed"])
            name = f"{number}-{block:03}"
            played.append(
                row(
                    order,
                    ranks,
                    match=f"m-{name}-r{turn}",
                    block=name,
                    deal=name,
                    faults=tuple(faults),
                    used_ms=(used_ms,) * seats,
                )
            )
    return played
