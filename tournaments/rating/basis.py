"""What a forecast rests on: how much blocks differ, and how long a match takes. Pure.

Both come from a short pilot, from results that exist, or from a stated assumption.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean, pstdev
from typing import Literal

from msgspec import Struct

from tournaments.rating.block_scores import BlockScore, block_score, sample_of
from tournaments.rating.power import coin_sd
from tournaments.rating.unseen import block_variance
from tournaments.results import Played

Source = Literal["pilot", "results", "assumption"]

_Z = 1.96
"""Standard errors to either side of what is known with 95 % certainty."""


class MatchTime(Struct, frozen=True):
    """How long a match takes on this host."""

    seconds: float
    """From the end of one match to that of the next, as many being played at once as will be."""
    error: float = 0.0
    """To either side, with 95 % certainty, as a part of it."""


class Basis(Struct, frozen=True):
    """What a forecast rests on."""

    source: Source
    blocks: int
    """That were played; 0 of an assumption."""
    sd: float
    """The standard deviation of the score of one block."""
    error: float
    """Of a number of blocks that follows from it: to either side, with 95 % certainty, as a part of it."""
    drawn: float | None
    """The part of the comparisons that were draws."""
    time: MatchTime | None
    """None if it is not known."""
    score: float | None = None
    """Of the new bot in the pilot of a sequential test."""


def of_blocks(counts: Mapping[BlockScore, int], drawn: float | None, time: MatchTime) -> Basis | None:
    """Return what the blocks of a pilot say of one bot against another; None if nothing was compared."""
    sample = sample_of(counts)
    if sample is None:
        return None
    scores = [(block.halves / block.of, count) for block, count in sorted(counts.items()) if block.of]
    error = _variance_error(scores, sample.blocks)
    return Basis("pilot", sample.blocks, sample.sd, error, drawn, time, sample.score)


def of_results(rows: Sequence[Played], source: Source, time: MatchTime) -> Basis | None:
    """Return what the blocks of many bots say; None if no group of bots has played two.

    Blocks are compared with others of the same bots: that some bots are stronger is no luck.
    """
    scores: list[tuple[float, int]] = []
    freedom = 0
    for group in _scores_by_bot(rows):
        middle, blocks = fmean(group), len(group)
        scores += [(0.5 + (score - middle) * sqrt(blocks / (blocks - 1)), 1) for score in group]
        freedom += blocks - 1
    if not freedom:
        return None
    together = _added_up(scores)
    error = _variance_error(together, freedom)
    blocks = len({row.block for row in rows})
    return Basis(source, blocks, sqrt(block_variance(together)), error, drawn_share(rows), time)


def assumed(
    seats: int, draws: float, sd: float | None, seconds: float | None, *, only_winners: bool = False
) -> Basis:
    """Return a stated assumption: a deviation, or matches that are lots of which some are drawn.

    `only_winners` is whether the game leaves the seats behind a winner without an order.
    """
    time = None if seconds is None else MatchTime(seconds)
    if sd is not None:
        return Basis("assumption", 0, sd, 0.0, None, time)
    return Basis("assumption", 0, coin_sd(seats, draws, only_winners=only_winners), 0.0, draws, time)


def drawn_share(rows: Iterable[Played], bot: str | None = None) -> float | None:
    """Return the part of the comparisons, of one bot or all, that were draws; None if there were none."""
    points = [points for row in rows for *both, points in row.comparisons() if bot is None or bot in both]
    return points.count(1) / len(points) if points else None


def match_time(rows: Sequence[Played], elapsed_s: float) -> MatchTime:
    """Return how long a match of a pilot took, given how long all took together.

    The error comes from how much thinking times of matches differ.
    """
    thinking = [sum(seat.took_us for seat in row.result.seats) for row in rows]
    spread = pstdev(thinking) / fmean(thinking) if any(thinking) else 0.0
    return MatchTime(elapsed_s / len(rows), _Z * spread / sqrt(len(rows)))


def stored_time(rows: Sequence[Played], overhead_ms: float, jobs: int) -> MatchTime:
    """Return how long a match of earlier results took, so many being played at once.

    `overhead_ms` is what a decision costs beside the time that the bot takes for it.
    """
    busy = [
        sum(seat.took_us for seat in row.result.seats) / 1e6 + row.result.decisions * overhead_ms / 1e3
        for row in rows
    ]
    error = _Z * pstdev(busy) / fmean(busy) / sqrt(len(busy)) if any(busy) else 0.0
    return MatchTime(fmean(busy) / jobs, error)


def _scores_by_bot(rows: Iterable[Played]) -> list[list[float]]:
    """Return for every bot of every group of bots its scores in the blocks that are complete.

    The last bot of a group is left out: its scores follow from those of the others.
    """
    blocks: dict[tuple[tuple[str, ...], str], list[Played]] = defaultdict(list)
    for row in rows:
        blocks[tuple(sorted(row.bots)), row.block].append(row)
    scores: dict[tuple[tuple[str, ...], str], list[float]] = defaultdict(list)
    for (bots, _), played in sorted(blocks.items(), key=lambda block: block[0]):
        if len(played) == len(bots):
            for bot in bots[:-1]:
                halves, of = block_score((row.bots.index(bot), row.result) for row in played)
                scores[bots, bot] += [halves / of] if of else []
    return [group for group in scores.values() if len(group) > 1]


def _added_up(scores: Iterable[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return every score once, with how often it came; rounding must not separate equal ones."""
    counts: dict[float, int] = defaultdict(int)
    for score, count in scores:
        counts[round(score, 9)] += count
    return sorted(counts.items())


def _variance_error(scores: Sequence[tuple[float, int]], freedom: int) -> float:
    """Return the error of a variance, as a part of it: from the fourth moment of what was observed."""
    blocks = sum(count for _, count in scores)
    middle = sum(score * count for score, count in scores) / blocks
    second, fourth = (sum(n * (score - middle) ** k for score, n in scores) / blocks for k in (2, 4))
    # Of few blocks the fourth moment is known badly: at least half of a normal distribution's is assumed.
    excess = max(1.0, fourth / second**2 - 1) if second else float(blocks)
    return _Z * sqrt(excess / freedom)
