"""What is in the box and what may be varied: gangs, pawns, rings, dice, options.

A gang is a number, 0 to 3 for Y R G B. A pawn is a number as well: twenty to a gang, so that pawn // PAWNS is
its gang and sorting pawns gives the canonical order. `NOBODY` stands for no gang and for no pawn.
"""

import re
from typing import Annotated, Any, Self

from referee.game import Option, Options
from referee.gamelib.rules import Is, Named, OptionRules

GANGS = "YRGB"
GANG_NAMES = {"Y": "yellow", "R": "red", "G": "green", "B": "blue"}
MOST_GANGS = len(GANGS)
PAWNS = 20
NOBODY = -1

PAWN_NAMES = tuple(f"{colour}{number}" for colour in GANGS for number in range(1, PAWNS + 1))
PAWN_NUMBERS = {name: pawn for pawn, name in enumerate(PAWN_NAMES)}

CASH = 125_000
MOST_RINGS = 4
# By number of rings: what a member is worth, what it costs (four rings are not for sale), and its duel die.
VALUES = (0, 10_000, 25_000, 40_000, 50_000)
PRICES = VALUES[:MOST_RINGS]
DUEL_DICE = (
    (),
    (1, 2, 3, 4, 5, 6),
    (3, 3, 4, 4, 5, 6),
    (4, 4, 5, 5, 6, 6),
    (5, 5, 5, 6, 6, 6),
)

PARTS = "ABCD"
"""The phases of the game. In the code and on the wire `phase` is the kind of decision, as in every game."""
ROUNDS = 6
FACES = 12
MOVE_DICE = {"1-12": tuple(range(1, 13)), "11-22": tuple(range(11, 23))}
TRACK = 22
"""The movement track ends here, and so does a face of the move die."""

LEAST_SEATS, MOST_SEATS = 2, 4
FEWEST_RINGS = MOST_GANGS * MOST_RINGS
# All pawns with four rings, and a marker on every building: as good as no limit.
ALL_RINGS = MOST_GANGS * PAWNS * MOST_RINGS
ALL_TOKENS = 92

OPTIONS = (
    Option("move_die", "1-12", "faces of the move die; also twelve numbers from 0 to 22", tuple(MOVE_DICE)),
    Option("income", "phase", "buildings pay once in a phase, or after every round", ("phase", "round")),
    Option("gate_cost", 1, "points from one gate to another", low=1, high=2),
    Option(
        "balance_scope",
        "phase",
        "over what weak and third-force purchases are balanced",
        ("session", "phase", "game"),
    ),
    Option("phase_placement", "owned", "where phases B, C, D place what they buy", ("owned", "home")),
    Option("tokens", 20, "ownership tokens of a gang; 0: no limit", low=0, high=ALL_TOKENS),
    Option("rings", 150, "rings in the game, 16 at least; 0: no limit", low=0, high=ALL_RINGS),
    Option(
        "duel_reward", "current", "the loser's value at the last throw, or the first", ("current", "initial")
    ),
    Option("attrition", "none", "what a tie that kills the other brings", ("none", "ring", "full")),
    Option("casinos_needed", 3, "casinos that win; with two seats by default 4", low=2, high=4),
    Option("five_scope", "gang", "whose members of four rings are counted", ("gang", "seat")),
    Option("allied", "block", "what two gangs of one seat do when they meet", ("block", "duel")),
    Option("variant_stack", "no", "yes: variant I, members of a gang share buildings", ("no", "yes")),
    Option(
        "stack_choice",
        "alternate",
        "with variant I: who picks from the second duel on",
        ("alternate", "defender"),
    ),
    Option(
        "joint_attack", "no", "yes: members attack a building together; sets variant_stack=yes", ("no", "yes")
    ),
    Option("pass_own", "no", "yes: members pass pawns of their own gang", ("no", "yes")),
    Option("variant_casino", "no", "yes: variant II, casinos pay only if occupied", ("no", "yes")),
    Option("phases", 4, "phases of the game", low=1, high=len(PARTS)),
    Option("rounds", ROUNDS, "rounds of a phase", low=1, high=ROUNDS),
)

PRESETS: dict[str, Options] = {
    "classic": {},
    "stacks": {"variant_stack": "yes"},
    "joint": {"variant_stack": "yes", "joint_attack": "yes"},
    "guards": {"variant_casino": "yes"},
    "far": {"move_die": "11-22"},
    "quick": {"phases": 2, "rounds": 4},
}


class Rules(OptionRules, frozen=True):
    """The options of one match as the questions that the rules ask."""

    faces: tuple[int, ...]
    every_round: Annotated[bool, Is("income", "round")]
    gate_cost: int
    scope: Annotated[str, Named("balance_scope")]
    all_home: Annotated[bool, Is("phase_placement", "home")]
    tokens: int
    rings: int
    initial: Annotated[bool, Is("duel_reward", "initial")]
    attrition: str
    casinos: Annotated[int, Named("casinos_needed")]
    five_by_seat: Annotated[bool, Is("five_scope", "seat")]
    allies_duel: Annotated[bool, Is("allied", "duel")]
    stack: Annotated[bool, Is("variant_stack", "yes")]
    alternate: Annotated[bool, Is("stack_choice", "alternate")]
    joint: Annotated[bool, Is("joint_attack", "yes")]
    passes: Annotated[bool, Is("pass_own", "yes")]
    guarded: Annotated[bool, Is("variant_casino", "yes")]
    parts: Annotated[int, Named("phases")]
    rounds: int

    @classmethod
    def of(cls, options: Options, seats: int, **computed: Any) -> Self:
        """Read resolved options."""
        return super().of(
            options,
            seats,
            faces=faces_of(str(options["move_die"])),
            tokens=int(options["tokens"]) or ALL_TOKENS,
            rings=int(options["rings"]) or ALL_RINGS,
            **computed,
        )


def faces_of(move_die: str) -> tuple[int, ...]:
    """Return the faces of the move die an option names, or nothing if it names none.

    >>> faces_of("11-22")[0]
    11
    """
    if move_die in MOVE_DICE:
        return MOVE_DICE[move_die]
    words = move_die.split(",")
    if len(words) != FACES or not all(re.fullmatch(r"0|[1-9][0-9]?", word, re.ASCII) for word in words):
        return ()
    faces = tuple(map(int, words))
    return faces if max(faces) <= TRACK else ()


def gangs_at(seats: int) -> int:
    """Return how many gangs play: a seat runs two of them if there are two seats (R17, R19)."""
    return 3 if seats == 3 else MOST_GANGS


def order_of(part: int, gangs: int) -> tuple[int, ...]:
    """Return the gangs in the order of a part: clockwise from its colour, absent ones left out."""
    turned = ((part + step) % MOST_GANGS for step in range(MOST_GANGS))
    return tuple(gang for gang in turned if gang < gangs)
