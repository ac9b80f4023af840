"""How long a game and how wide a decision can get (section 9 of RULES.md)."""

from referee.games.chicago_poker.components import COPIES, HAND_LIMIT, KINDS, SLOTS, Rules

# The longest lists, by seats: rows of (4, 4, 1, 1) or so for the Limousine, a full discard for a bribe.
_WIDEST_ANY = {2: 144, 3: 146, 4: 224, 5: 366, 6: 370}
_WIDEST_LAST = {2: 113, 3: 115, 4: 158, 5: 236, 6: 240}
# Unless every row of five is marked, four cards of such a row may ride: 205 ways to a business.
_WIDEST_UNMARKED = {2: 281, 3: 283, 4: 496, 5: 908, 6: 912}


def longest(rules: Rules) -> int:
    """Return a bound on the number of actions of one game, answers in reinforcements included."""
    per_turn = 3 + 2 * rules.revolvers if rules.specials else 3
    # Without replacements hands run dry after seven rounds, and the eighth, when no seat sends, is the
    # last. A seat that need not send can only shorten that: it loses to one that sends, or a lot decides.
    rounds = rules.reinforce_cap if rules.replace else min(rules.reinforce_cap, HAND_LIMIT + 1)
    per_shootout = 1 + rounds * rules.seats
    return rules.max_turns * per_turn + captures(rules) * per_shootout


def widest(rules: Rules) -> int:
    """Return a bound on the number of legal actions at one decision."""
    if not rules.specials:
        return (HAND_LIMIT + 1) * SLOTS[rules.seats]
    widest_any = _WIDEST_ANY if rules.each else _WIDEST_UNMARKED
    # With `blank=yes` the Limousine may also move no card.
    return (_WIDEST_LAST if rules.last else widest_any)[rules.seats] + rules.blank


def captures(rules: Rules) -> int:
    """Return how many tiles can be taken at most: one more than all seats can hold without a goal."""
    held = 2 if rules.short else 4
    return min(held * rules.seats + 1, len(KINDS) * COPIES)
