"""How much the blocks of a bot vary, with an allowance for outcomes that have not been seen yet.

If two bots are nearly alike, mirrored blocks nearly all split. The few that do not decide everything, and
where none has been seen yet, the observed spread is zero, as if a decided block were impossible. Therefore a
few virtual decided blocks are added to the spread and to the number of blocks, as in the intervals of Wilson
and of Agresti and Coull for a share. Where blocks vary as usual, both effects cancel.
"""

from collections.abc import Sequence
from typing import Final

VIRTUAL: Final = 3.0
"""Virtual decided blocks. Three are what 0 of n leaves possible with 95 % (the rule of three)."""
_LARGEST: Final = 0.25
"""No score between 0 and 1 varies more: that of a lot between 0 and 1."""
_FIRST: Final = 0.1
"""The weight of a wholly decided block among those seen, from which the size of virtual ones is taken."""


def allowed(squares: float, fourths: float, largest: float, blocks: int) -> float:
    """Return the sum of squared surpluses of these blocks as it has to be taken; never less than it is.

    A surplus is the points of a bot in a block less those expected. `squares` and `fourths` are the sums of
    its second and fourth powers, `largest` is the square if one side takes the whole block: w^2 p (1 - p) for
    blocks of weight w. Virtual blocks are as large as decided ones have been, and without any they are that.

    >>> round(allowed(0.0, 0.0, 1.0, 100), 3)
    2.828
    >>> allowed(50.0, 50.0, 1.0, 100)
    50.0
    """
    if not blocks or largest <= 0:
        return squares
    typical = (fourths + _FIRST * largest**2) / (squares + _FIRST * largest)
    return max(squares, (squares + VIRTUAL * min(typical, largest)) / (1 + VIRTUAL / blocks) ** 2)


def block_variance(scores: Sequence[tuple[float, int]]) -> float:
    """Return the variance of the score of one block, given scores from 0 to 1 and how often each came.

    There must be two blocks.

    >>> round(block_variance([(0.0, 500), (1.0, 500)]), 3)
    0.25
    >>> round(block_variance([(0.5, 100)]), 4)
    0.0071
    """
    blocks = sum(count for _, count in scores)
    mean = sum(score * count for score, count in scores) / blocks
    squares, fourths = (sum(count * (score - mean) ** power for score, count in scores) for power in (2, 4))
    return min(_LARGEST, allowed(squares, fourths, _LARGEST, blocks) / (blocks - 1))
