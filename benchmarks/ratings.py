"""Ratings of a large event: how long they take, and the likelihoods of all pairs."""

import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee.match.result import Result, SeatResult
from tournaments.rating.ratings import rate
from tournaments.results import Played

_BOTS, _MATCHES = 500, 100_000
_SEATS = (2, 4)


def measure(size: Size) -> Sequence[Sheet]:
    """Rate 500 bots from 100,000 matches, or from fewer where less is measured."""
    part = min(1.0, size.steps / 40_000)
    bots, matches = max(4, round(_BOTS * part)), max(100, round(_MATCHES * part))
    rows: list[tuple[Cell, ...]] = []
    slowest = 0.0
    for seats in _SEATS:
        names, played = _event(bots, matches, seats)
        rated = _seconds(partial(rate, played, names), size.repetitions)
        likely = _seconds(rate(played, names).likelihoods, 1)
        slowest = max(slowest, rated)
        rows.append((f"{bots} bots, {matches} matches of {seats} seats", rated, likely))
    goal = Goal(f"seconds to rate {bots} bots from {matches} matches", slowest, "at most", 3)
    columns = ("event", "ratings s", "likelihoods of all pairs s")
    return [Sheet("ratings", "Ratings, processor time", columns, rows, [goal])]


def _seconds(work: Callable[[], Any], times: int) -> float:
    taken = []
    for _ in range(times):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return median(taken)


def _event(bots: int, matches: int, seats: int) -> tuple[list[str], list[Played]]:
    """Return names and results of blocks of any bots; earlier ones are stronger."""
    luck = random.Random(1)
    names = [f"bot{n:03}" for n in range(bots)]
    played = []
    for block in range(matches // seats):
        group = luck.sample(range(bots), seats)
        for turn in range(seats):
            form = [luck.gauss(-3 * bot / bots, 1.5) for bot in group]
            ranks = [1 + sum(other > one for other in form) for one in form]
            bots_of = tuple(names[bot] for bot in group)
            seats_of = tuple(SeatResult(name, rank) for name, rank in zip(bots_of, ranks, strict=True))
            played.append(_row(f"{block}", f"{block}-{turn}", bots_of, seats_of))
    return names, played


def _row(block: str, match: str, bots: tuple[str, ...], seats: tuple[SeatResult, ...]) -> Played:
    result = Result(match=match, game="any", reason="goal", ties="draw", decisions=1, seats=seats)
    return Played(round=1, block=block, deal=block, bots=bots, result=result, play="", replay="")
