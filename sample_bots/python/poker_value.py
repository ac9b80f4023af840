"""What things are worth in Chicago Poker: rows of cards, and businesses.

A row is valued in two steps. `strength` turns a hand into one number that compares like the hand itself. A
row that is not finished, or partly hidden, has an `Outlook`: a few things it may become, with their odds.
`chance` sets one outlook against those of all rivals. The odds are rules of thumb, not computed ones: good
enough to choose by, and quick.
"""

from collections.abc import Sequence
from functools import lru_cache

from referee.games.chicago_poker.components import FULL, KINDS, VALUES
from referee.games.chicago_poker.hands import FLUSH, FULL_HOUSE, PAIR, STRAIGHT, THREE, TWO_PAIRS, rank

Cards = tuple[int, ...]
"""Gangsters by number, sorted: rows with the same cards are then the same key of a cache."""

Outlook = tuple[tuple[float, float], ...]
"""What a row may become: pairs of odds and strength. The odds add up to 1."""

# What one more card, chosen from a hand of several, does for a hand: the odds, and what becomes of it.
_LIFTS = {
    0: (0.2, PAIR),
    PAIR: (0.15, TWO_PAIRS),
    TWO_PAIRS: (0.15, FULL_HOUSE),
    THREE: (0.15, FULL_HOUSE),
}
# The odds that a row of one colour, or one in sequence, is completed: by the number of cards it still needs.
_COLOUR_ODDS = {1: 0.4, 2: 0.2}
_SEQUENCE_ODDS = {1: 0.3, 2: 0.1}

# One tile nearer to a goal makes the way there so many times more valuable.
_STEP = 3.0
# A tile that a rival needs is worth this share of what it would be worth to that rival.
_DENIAL = 0.5


@lru_cache(maxsize=1 << 16)
def strength(cards: Cards) -> float:
    """Return a number that is greater for the better hand and equal for equal ones; 0 for no cards.

    The whole part is the category. The fraction holds the values that break ties, as digits to a radix no
    value reaches.
    """
    if not cards:
        return 0.0
    category, values = rank(cards)
    worth, digit = float(category), 1.0
    for value in values:
        digit /= VALUES + 1
        worth += value * digit
    return worth


@lru_cache(maxsize=1 << 16)
def outlook(cards: Cards, unknown: int) -> Outlook:
    """Return what a row may become if so many cards of it are hidden or still to come."""
    now = strength(cards)
    if not unknown:
        return ((1.0, now),)
    found = []
    rest = 1.0
    for odds, then in _routes(cards, unknown, now):
        if then > now:
            found.append((rest * odds, then))
            rest *= 1 - odds
    if now < PAIR:
        now = max(now, (10 + unknown) / (VALUES + 1))  # among more cards there will be a higher one
    return (*found, (rest, now))


def _routes(cards: Cards, unknown: int, now: float) -> list[tuple[float, float]]:
    """Return the ways up from here, the steepest first."""
    found = []
    top = max((card % VALUES + 1 for card in cards), default=VALUES // 2) / (VALUES + 1)
    needed = FULL - len(cards)
    if needed <= unknown:  # five cards are possible, so colour and sequence count
        if len({card // VALUES for card in cards}) == 1:
            found.append((_COLOUR_ODDS.get(needed, 0.0), FLUSH + top))
        values = {card % VALUES for card in cards}
        if values and len(values) == len(cards) and max(values) - min(values) < FULL:
            found.append((_SEQUENCE_ODDS.get(needed, 0.0), STRAIGHT + top))
    return found + _lifts(int(now), unknown, top)


def _lifts(category: int, unknown: int, top: float) -> list[tuple[float, float]]:
    """Return the ways up by equal values: several steps, as far as the cards suffice, before one."""
    if category not in _LIFTS or not unknown:
        return []
    odds, then = _LIFTS[category]
    odds = 1 - (1 - odds) ** unknown
    further = [(odds * more, worth) for more, worth in _lifts(then, unknown - 1, top)]
    return [*further, (odds, then + top)]


def expected(row: Outlook) -> float:
    """Return the mean strength of an outlook."""
    return sum(odds * worth for odds, worth in row)


def chance(mine: Outlook, rivals: Sequence[Outlook]) -> float:
    """Return the odds that the first outlook beats all others; a tie counts half."""
    total = 0.0
    for share, own in mine:
        for rival in rivals:
            share *= sum(odds if own > other else odds / 2 for odds, other in rival if own >= other)
        total += share
    return total


def tile_worth(kind: str, mine: str, rivals: Sequence[str], short: bool) -> float:
    """Return what a business of this kind is worth to me: what it brings me, or spares me.

    Tiles are written as their kinds in a row: `SSJ`.
    """
    spared = max(tile_gain(kind, won, short) for won in rivals)
    return tile_gain(kind, mine, short) + _DENIAL * spared


@lru_cache(maxsize=1 << 12)
def wins_game(kind: str, won: str, short: bool) -> bool:
    """Return whether one more tile of this kind meets a goal."""
    return min(_missing(won + kind, short)) <= 0


@lru_cache(maxsize=1 << 12)
def tile_gain(kind: str, won: str, short: bool) -> float:
    """Return how much nearer to the goals one more tile of this kind brings a seat."""
    return progress(won + kind, short) - progress(won, short)


def progress(won: str, short: bool) -> float:
    """Return how far these tiles have come: the sum over all ways to win."""
    return sum(_STEP**-missing for missing in _missing(won, short))


def _missing(won: str, short: bool) -> list[int]:
    """Return the number of tiles still missing on each way to win."""
    same = 2 if short else 3
    ways = [same - won.count(kind) for kind in KINDS]
    if short:
        return [*ways, 3 - len(won)]
    return [*ways, len(KINDS) - len(set(won)), 5 - len(won)]
