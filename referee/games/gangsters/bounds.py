"""How long a game and how wide a decision can get (section 9 of RULES.md)."""

from referee.games.gangsters.components import OPEN, STRENGTHS, TILES, Rules
from referee.games.gangsters.grid import CELLS, SIDE


def longest(rules: Rules) -> int:
    """Return a bound on the number of actions of one game."""
    if rules.stall == "none":
        return rules.ply_cap
    # Before every placement and every shot there are at most `limit` moves in a row.
    turns = (TILES + rules.cartridges * rules.seats) * (rules.quiet_per_seat * rules.seats + 1)
    hidden = TILES - len(STRENGTHS) * rules.seats - OPEN
    draws = 0 if rules.commit else hidden
    return min(turns + draws + SIDE, rules.ply_cap)


def widest(rules: Rules) -> int:
    """Return a bound on the number of legal actions at one decision.

    Every tile on the board takes away a cell for each source of tiles. With `step=one` it brings at most four
    moves and shots, so that the empty board has the longest list. With `step=any` a tile has at most ten
    moves, a free cell can be reached by at most four tiles, and each tile may be shot.
    """
    by_cell = len(STRENGTHS) + OPEN * (rules.piles if rules.actor else 1) + rules.piles * rules.commit
    draws = 0 if rules.commit else rules.piles
    if not rules.far:
        return CELLS * by_cell + draws
    lists = [
        (CELLS - tiles) * by_cell + min(2 * (SIDE - 1) * tiles, 4 * (CELLS - tiles)) + tiles
        for tiles in range(CELLS + 1)
    ]
    return max(lists) + draws
