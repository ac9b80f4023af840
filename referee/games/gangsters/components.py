"""What is in the box and what may be varied: tiles, cartridges, options.

A tile is a small number, its kind: 0 to 11, gang by gang (R B Y G) and strength by strength, so that sorting
numbers gives the canonical order. What lies on a cell is an entry: a kind, a kind plus DEAD, or EMPTY.
"""

from itertools import permutations
from typing import Annotated, Any, Self

from referee.game import Option, Options
from referee.gamelib.first_seat import LOT
from referee.gamelib.rules import Is, OptionRules

GANGS = "RBYG"
GANG_NAMES = {"R": "red", "B": "blue", "Y": "yellow", "G": "green"}
STRENGTHS = (1, 2, 3)
COPIES = 3

NAMES = tuple(f"{gang}{strength}" for gang in GANGS for strength in STRENGTHS)
KINDS = {name: kind for kind, name in enumerate(NAMES)}
GANG_OF = tuple(kind // len(STRENGTHS) for kind in range(len(NAMES)))
STRENGTH_OF = tuple(kind % len(STRENGTHS) + 1 for kind in range(len(NAMES)))
TILES = COPIES * len(NAMES)

DEAD = len(NAMES)
EMPTY = 2 * DEAD
CODES = (*NAMES, *(f"{name}x" for name in NAMES), "")
ENTRIES = {code: entry for entry, code in enumerate(CODES)}

LEAST_SEATS, MOST_SEATS = 2, 4
OPEN = 2
"""Tiles of the common reserve."""
MOST_PILES = 4

OPTIONS = (
    Option(
        "gangs", GANGS, "the gangs of the seats, in their order", tuple(map("".join, permutations(GANGS)))
    ),
    Option("piles", 2, "face-down piles", low=1, high=MOST_PILES),
    Option("draw", "see", "a tile is drawn before or after its cell is chosen", ("see", "commit")),
    Option("refill", "auto", "who names the pile that refills the common reserve", ("auto", "actor")),
    Option("move_whose", "any", "whose tiles a seat may move", ("any", "own")),
    Option("step", "one", "how far a tile moves: one cell, or any way over free cells", ("one", "any")),
    Option("friendly_fire", "yes", "whether a seat may shoot its own gang", ("yes", "no")),
    Option("tie_below", "counts", "whether tied seconds still subtract", ("counts", "cancels")),
    Option("neutral", "compete", "whether gangs without a seat take part in counts", ("compete", "ignored")),
    Option(
        "order",
        "when_it_matters",
        "when a seat is asked which of two lines to count first",
        ("when_it_matters", "always"),
    ),
    Option("first", "0", "the seat that begins, or a lot", ("0", "1", "2", "3", LOT)),
    Option("target", 17, "the score that ends the game", low=1, high=200),
    Option("cartridges", 1, "shots of each seat; 2 unless given if there are two seats", low=0, high=9),
    Option("stall", "must_place", "what follows from too many moves in a row", ("must_place", "end", "none")),
    Option("quiet_per_seat", 4, "moves in a row, times seats, that are too many", low=1, high=100),
    Option("ply_cap", 1000, "the game ends after so many actions", low=1, high=100_000),
)

PRESETS: dict[str, Options] = {"classic": {}, "ladder": {"piles": 1}, "cancels": {"tie_below": "cancels"}}


class Rules(OptionRules, frozen=True):
    """The options of one match as the questions that the rules ask."""

    gangs: tuple[int, ...]
    """All four gangs; the first ones are the gangs of the seats."""
    piles: int
    commit: Annotated[bool, Is("draw", "commit")]
    actor: Annotated[bool, Is("refill", "actor")]
    own_only: Annotated[bool, Is("move_whose", "own")]
    far: Annotated[bool, Is("step", "any")]
    friendly: Annotated[bool, Is("friendly_fire", "yes")]
    cancels: Annotated[bool, Is("tie_below", "cancels")]
    ignored: Annotated[bool, Is("neutral", "ignored")]
    always: Annotated[bool, Is("order", "always")]
    target: int
    cartridges: int
    stall: str
    quiet_per_seat: int
    ply_cap: int

    @classmethod
    def of(cls, options: Options, seats: int, **computed: Any) -> Self:
        """Read resolved options."""
        gangs = tuple(map(GANGS.index, str(options["gangs"])))
        return super().of(options, seats, gangs=gangs, **computed)
