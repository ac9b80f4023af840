"""Results to make standings from."""

import itertools
import random
from collections.abc import Sequence
from typing import Any

from referee.match.result import Result, SeatResult
from tournaments.results import Played


def result(
    names: Sequence[str],
    ranks: Sequence[int],
    *,
    scores: Sequence[int] | None = None,
    faults: Sequence[str] = (),
    charged_ms: int = 5,
    took_us: int = 40_000,
    **settings: Any,
) -> Result:
    """Return the result of a match, given column by column."""
    points = [10 - rank for rank in ranks] if scores is None else scores
    codes = faults or [""] * len(names)
    times = (charged_ms, took_us, took_us // 4, took_us // 2)
    seats = zip(names, ranks, points, codes, strict=True)
    given: dict[str, Any] = {"match": "m", "game": "coins", "reason": "goal", "ties": "draw", "decisions": 7}
    return Result(seats=tuple(SeatResult(*seat, *times) for seat in seats), **given | settings)


def row(bots: Sequence[str], ranks: Sequence[int], **settings: Any) -> Played:
    """Return one match; its name, like that of its block, names its bots."""
    name = settings.pop("match", f"m-{''.join(bots)}")
    given: dict[str, Any] = {"round": 1, "block": f"b-{name}", "deal": f"d-{name}", "play": "ab12"}
    given |= {"replay": f"{name}.jsonl", "bots": tuple(bots)}
    own = {field: settings.pop(field) for field in Played.__struct_fields__ if field in settings}
    return Played(result=result(bots, ranks, match=name, **settings), **given | own)


def contest(
    bots: Sequence[str], blocks: int, seats: int = 2, *, fault: float = 0.0, charged_ms: int = 5
) -> list[Played]:
    """Return a round robin in which earlier bots are stronger; the same every time."""
    luck = random.Random(7)
    strength = {bot: -0.3 * number for number, bot in enumerate(bots)}
    played = []
    for number, group in enumerate(itertools.combinations(bots, seats)):
        for block, turn in itertools.product(range(blocks), range(seats)):
            order = (*group[turn:], *group[:turn])
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
                    charged_ms=charged_ms,
                )
            )
    return played


def played_on_ladder(number: int, winner: str, loser: str, **settings: Any) -> Played:
    """Return a match of a ladder: bots are versions (`bob@2`), and play under the names of their accounts."""
    match = f"coins-{number:04}-5b1d32a0c1d2-r0"
    accounts = [name.partition("@")[0] for name in (winner, loser)]
    given: dict[str, Any] = {"round": number + 1, "block": match, "deal": f"{number:04}-5b1d32a0c1d2"}
    given |= {"play": "ab12", "replay": f"{match}.jsonl", "bots": (winner, loser)} | settings
    return Played(result=result(accounts, [1, 2], match=match), **given)
