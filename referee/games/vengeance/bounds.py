"""How long a game and how wide a decision can get (section 9 of RULES.md)."""

from referee.games.vengeance.components import HOODS, Rules


def longest(rules: Rules) -> int:
    """Return a bound on the number of actions of one game: two for the roll of a turn, one for a double."""
    return 3 * len(rules.places) * rules.max_rounds


def widest(rules: Rules) -> int:
    """Return a bound on the number of legal actions at one decision."""
    # Eight hoods apart have two dice and the total each, and the boss beside one of them has two dice.
    return (3 * HOODS + 2) * max(map(len, rules.places))
