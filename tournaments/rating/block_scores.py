"""The scores of a bot in blocks: one number for each deal, and what many of them say. Pure.

A block is one deal in which the bot has every seat once. Its matches are not independent, blocks are; so all
errors come from how much blocks differ.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log, log10, sqrt
from typing import Final, NamedTuple

from referee.match.result import Result
from tournaments.rating.unseen import block_variance

NELO: Final = 800 / log(10)
"""Normalised Elo points for a score that is one standard deviation of a match above one half."""


class BlockScore(NamedTuple):
    """The score of the new bot in one block."""

    halves: int
    """Its half points: two for every old bot it was ranked before, one for a draw."""
    of: int
    """Two for every comparison with an old bot. Seats the game does not order are not compared."""


class Sample(NamedTuple):
    """What the scores of some blocks say."""

    blocks: int
    score: float
    """The part of its comparisons that the bot won."""
    sd: float
    """The standard deviation of the score of one block; outcomes not seen yet are taken into account."""


def sample_of(counts: Mapping[BlockScore, int]) -> Sample | None:
    """Return what block scores say; None before there are two blocks and a comparison."""
    blocks = sum(counts.values())
    halves = sum(block.halves * count for block, count in counts.items())
    of = sum(block.of * count for block, count in counts.items())
    if blocks < 2 or not of:
        return None
    score = halves / of
    # Of blocks with fewer comparisons than others the surplus counts, not the share.
    usual = of / blocks
    scores = [
        (score + (block.halves - score * block.of) / usual, count) for block, count in sorted(counts.items())
    ]
    return Sample(blocks, score, sqrt(block_variance(scores)))


def score_of(counts: Mapping[BlockScore, int]) -> float | None:
    """Return the part of its comparisons that the bot won; None if there were none."""
    of = sum(block.of * count for block, count in counts.items())
    return sum(block.halves * count for block, count in counts.items()) / of if of else None


def split_share(counts: Mapping[BlockScore, int]) -> float | None:
    """Return the part of the blocks with comparisons in which the bot had exactly one half."""
    compared = Counter({block: count for block, count in counts.items() if block.of})
    split = sum(count for block, count in compared.items() if 2 * block.halves == block.of)
    return split / compared.total() if compared else None


def expected_score(elo: float) -> float:
    """Return the score that this difference leads to.

    >>> expected_score(0), round(expected_score(200), 3)
    (0.5, 0.76)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the difference that leads to this score, which is above 0 and below 1.

    >>> round(elo_of(0.76))
    200
    """
    return 400 * log10(score / (1 - score))


def nelo_of(score: float, sd: float, seats: int) -> float:
    """Return a score in normalised Elo, given the standard deviation of a block of so many matches.

    The mean of a block of n matches has 1/n of the variance of a match, were they independent: so the
    deviation that a match would have is that of the block times the root of n.

    >>> round(nelo_of(0.52, 0.25, 2), 1)
    19.7
    """
    return NELO * (score - 0.5) / (sd * sqrt(seats))


def score_of_nelo(nelo: float, sd: float, seats: int) -> float:
    """Return the score that is this normalised Elo."""
    return 0.5 + nelo / NELO * sd * sqrt(seats)


def block_score(results: Iterable[tuple[int, Result]]) -> BlockScore:
    """Return the score of the new bot in a block, given the matches with the seat it had in each."""
    halves = of = 0
    for seat, result in results:
        own = result.seats[seat].rank
        for other, rank in enumerate(result.ranks):
            if other == seat or (rank == own and result.ties == "unordered"):
                continue
            of += 2
            halves += 2 if own < rank else int(own == rank)
    return BlockScore(halves, of)
