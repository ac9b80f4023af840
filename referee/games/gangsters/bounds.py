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
    """Return a bound on the number of legal actions at one decision: those on the empty board.

    Every tile on the board takes away a cell for each source, and brings at most four moves and shots.
    """
    own = len(STRENGTHS) * CELLS
    common = OPEN * CELLS * (rules.piles if rules.actor else 1)
    return own + common + rules.piles * (CELLS if rules.commit else 1)
