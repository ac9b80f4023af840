"""The variance of block scores where some outcomes have not been seen yet. Pure.

Bots that play nearly alike split nearly every block. The variance of the scores that came is then far too
small, or zero: a lost and a won block are rare, not impossible. So virtual blocks are added, as Agresti and
Coull do for a share: z^2 = 3.84 of them, in proportion to the share of blocks that ended alike, because only
where most blocks end alike a kind of outcome can be missing.
"""

from collections.abc import Sequence
from typing import Final

Z_SQUARE: Final = 3.84
"""The square of the 97.5 % quantile: so many virtual blocks where all blocks ended alike.

With none of n blocks decided, the interval then reaches as far as the exact one of a share: to 3.7 / n.
"""


def block_variance(scores: Sequence[tuple[float, int]]) -> float:
    """Return the variance of the score of one block, given scores from 0 to 1 and how often each came.

    A virtual block lies as far from the most frequent score as those do that differ from it, one more
    counted that lies as far as a score can. There must be two blocks.

    >>> round(block_variance([(0.0, 500), (1.0, 500)]), 3)
    0.25
    >>> round(block_variance([(0.5, 100)]), 4)
    0.0093
    """
    blocks = sum(count for _, count in scores)
    mean = sum(score * count for score, count in scores) / blocks
    usual, most = max(scores, key=lambda each: (each[1], -abs(each[0] - mean), each[0]))
    farthest = max(usual, 1 - usual)
    off = sum(count * (score - usual) ** 2 for score, count in scores)
    distance = (off + farthest**2) / (blocks - most + 1)
    virtual = Z_SQUARE * most / blocks
    squares = sum(count * (score - mean) ** 2 for score, count in scores)
    found = (squares + virtual * distance) / (blocks + virtual) * blocks / (blocks - 1)
    # No score between 0 and 1 varies more.
    return min(0.25, found)
