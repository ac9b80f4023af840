"""Which hand is better: categories and tie-breaks (section 3 of RULES.md)."""

from collections.abc import Sequence

from referee.games.chicago_poker.components import COLOURS, FULL, GANGSTERS, VALUES

CATEGORIES = (
    "high-card",
    "pair",
    "two-pairs",
    "three",
    "straight",
    "flush",
    "full-house",
    "four",
    "rainbow-straight",
    "straight-flush",
    "chicago-poker",
)
PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, RAINBOW, STRAIGHT_FLUSH, CHICAGO = range(1, 11)

_SHAPES = {
    (5,): CHICAGO,
    (4, 1): FOUR,
    (4,): FOUR,
    (3, 2): FULL_HOUSE,
    (3, 1, 1): THREE,
    (3, 1): THREE,
    (3,): THREE,
    (2, 2, 1): TWO_PAIRS,
    (2, 2): TWO_PAIRS,
    (2, 1, 1, 1): PAIR,
    (2, 1, 1): PAIR,
    (2, 1): PAIR,
    (2,): PAIR,
}

_VALUE = [card % VALUES + 1 for card in range(GANGSTERS)]

Rank = tuple[int, tuple[int, ...]]


def rank(cards: Sequence[int]) -> Rank:
    """Return what a row of 1 to 5 gangsters is worth: the category, then the values that break ties.

    The values come in groups, the largest group first, high before low. Tuples of Python compare as R19 asks:
    what is the beginning of another is less.
    """
    values = sorted(map(_VALUE.__getitem__, cards), reverse=True)
    if len(set(values)) == len(values):
        order = tuple(values)
        return _unpaired(cards, order) if len(order) == FULL else 0, order
    groups = sorted({(values.count(value), value) for value in values}, reverse=True)
    return _SHAPES[tuple(count for count, _ in groups)], tuple(value for _, value in groups)


def _unpaired(cards: Sequence[int], order: tuple[int, ...]) -> int:
    """Return the category of five cards of different values, highest first."""
    colours = len({card // VALUES for card in cards})
    if order[0] - order[-1] == FULL - 1:  # R20: no wrap, as 1 is low only
        if colours == 1:
            return STRAIGHT_FLUSH
        return RAINBOW if colours == len(COLOURS) else STRAIGHT
    return FLUSH if colours == 1 else 0
