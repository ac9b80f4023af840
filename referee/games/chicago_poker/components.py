"""What is in the box and what may be varied: cards, tiles, facing patterns, options.

A card is a small number: 0 to 74 for the gangsters (colour by colour, value by value), then one number for
each kind of special card. Sorting numbers therefore gives the canonical order. A card that lies face down in
a row is its number plus DOWN.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Self

from referee.game import Option, Options
from referee.gamelib.first_seat import LOT
from referee.gamelib.rules import Is, OptionRules

COLOURS = "RGBYP"
VALUES = 15
GANGSTERS = len(COLOURS) * VALUES
LQ, PR, LM, RV, BR = range(GANGSTERS, GANGSTERS + 5)
SPECIALS = (LQ, PR, PR, LM, RV, BR)

NAMES = (
    *(f"{colour}{value}" for colour in COLOURS for value in range(1, VALUES + 1)),
    "LQ",
    "PR",
    "LM",
    "RV",
    "BR",
)
CARDS = {name: card for card, name in enumerate(NAMES)}


def names_of(cards: Iterable[int]) -> list[str]:
    """Return the names of cards."""
    return list(map(NAMES.__getitem__, cards))


DOWN = 128
FACE = DOWN - 1
UNKNOWN = "?"
# What a row shows, by entry: to its owner, and to all others.
OWN = (*NAMES, *("" for _ in range(DOWN - len(NAMES))), *(f"({name})" for name in NAMES[:GANGSTERS]))
OTHER = (*NAMES, *("" for _ in range(DOWN - len(NAMES))), *(UNKNOWN for _ in range(GANGSTERS)))
ENTRIES = {shown: entry for entry, shown in enumerate(OWN) if shown}

KINDS = "SJDH"
KIND_NAMES = {"S": "speakeasy", "J": "jazz club", "D": "distillery", "H": "gambling house"}
COPIES = 5
FULL = 5
PATTERNS = {"S": "DDUUU", "J": "UUUDD", "D": "UUUUU", "H": "UDUDU"}
# What is added to a card played at each place of a row, by kind.
FACING = {kind: tuple(DOWN * (face == "D") for face in pattern) for kind, pattern in PATTERNS.items()}

LEAST_SEATS, MOST_SEATS = 2, 6
SLOTS = {2: 2, 3: 2, 4: 3, 5: 4, 6: 4}
MOST_SLOTS = max(SLOTS.values())
# R9: shootout markers in the English box; the French booklet sets out as many as businesses.
MARKERS = 4
DEALT = 5
HAND_LIMIT = 7
# R23: with `revolvers=0` the booklet sets no limit; a turn must end all the same.
ENDLESS = 500

FRENCH: Options = {
    "actions": "upto",
    "limousine": "last",
    "reinforce": "may",
    "replace": "no",
    "markers": "supply",
}

OPTIONS = (
    Option("edition", "en", "whose booklet sets the defaults of the next five", ("en", "fr")),
    Option("actions", "exact", "the three actions of a turn are a duty, or a maximum", ("exact", "upto")),
    Option("limousine", "any", "which cards of a row may ride: any, or the last ones", ("any", "last")),
    Option("reinforce", "must", "whether a tied seat with a gangster has to send one", ("must", "may")),
    Option("replace", "yes", "whether a reinforcement is replaced from the deck", ("yes", "no")),
    Option(
        "markers",
        "each",
        "every row of five is marked, or the first at a business, or as long as the supply lasts",
        ("each", "first", "supply"),
    ),
    Option("specials", "yes", "no: the tactical variant, 75 gangsters alone", ("yes", "no")),
    Option("goal", "full", "short: two businesses of a kind, or any three", ("full", "short")),
    Option(
        "blank",
        "no",
        "yes: a special with nothing to act on may be thrown away, and a Limousine may move no card",
        ("no", "yes"),
    ),
    Option("losers", "tied", "whether losers are ranked by their tiles", ("tied", "tiles")),
    Option("first", LOT, "the seat that begins, or a lot", (LOT, "0", "1", "2", "3", "4", "5")),
    Option("dead", "shootout", "how a dead position ends", ("shootout", "draw")),
    Option("max_turns", 1000, "the game is a draw after so many turns", low=1, high=100_000),
    Option("reinforce_cap", 20, "rounds of reinforcement before a lot decides", low=1, high=1000),
    Option("revolvers", 2, "Revolver plays in one turn; 0: no limit but the turn's", low=0, high=100),
)

PRESETS: dict[str, Options] = {
    "classic": {},
    "french": {"edition": "fr"},
    "tactical": {"specials": "no"},
    "quick": {"goal": "short"},
}


class Rules(OptionRules, frozen=True):
    """The options of one match as the questions that the rules ask."""

    exact: Annotated[bool, Is("actions", "exact")]
    last: Annotated[bool, Is("limousine", "last")]
    stay: Annotated[bool, Is("reinforce", "may")]
    replace: Annotated[bool, Is("replace", "yes")]
    each: Annotated[bool, Is("markers", "each")]
    one_each: Annotated[bool, Is("markers", "first")]
    supply: int
    """Markers that can lie on the table at the same time."""
    specials: Annotated[bool, Is("specials", "yes")]
    short: Annotated[bool, Is("goal", "short")]
    blank: Annotated[bool, Is("blank", "yes")]
    tiles: Annotated[bool, Is("losers", "tiles")]
    rescue: Annotated[bool, Is("dead", "shootout")]
    max_turns: int
    reinforce_cap: int
    revolvers: int

    @classmethod
    def of(cls, options: Options, seats: int, **computed: Any) -> Self:
        """Read resolved options."""
        revolvers = int(options["revolvers"]) or ENDLESS
        supply = supply_of(options, seats)
        most = seats * SLOTS[seats] if supply is None else supply
        return super().of(options, seats, revolvers=revolvers, supply=most, **computed)


def supply_of(options: Options, seats: int) -> int | None:
    """Return the number of shootout markers, or None if there are always enough (R9)."""
    if options["markers"] != "supply":
        return None
    return SLOTS[seats] if options["edition"] == "fr" else MARKERS


def all_cards(rules: Rules) -> list[int]:
    """Return every card of the game, in canonical order."""
    return [*range(GANGSTERS), *(SPECIALS if rules.specials else ())]


def all_tiles() -> list[str]:
    """Return the kinds of all twenty tiles."""
    return [kind for kind in KINDS for _ in range(COPIES)]
