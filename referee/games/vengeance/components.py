"""What is in the box and what may be varied: gangs, figures, dice, options.

A gang is its place in GANGS. A figure is twice its gang, plus one for a boss.
"""

from itertools import combinations
from typing import Annotated, Any, Self

from referee.game import Option, Options
from referee.gamelib.rules import Is, OptionRules

GANGS = "OYBG"
GANG_NAMES = {"O": "orange", "Y": "yellow", "B": "blue", "G": "green"}
LETTERS = {
    gangs: [GANGS[gang] for gang in gangs]
    for count in range(len(GANGS))
    for gangs in combinations(range(len(GANGS)), count)
}
"""The letters of gangs that have a turn together; not to be changed."""
GANG_NUMBERS = {letter: gang for gang, letter in enumerate(GANGS)}
FIGURES = ("hood", "boss")

HOODS = 8
# What a fallen boss finds in his HQ (3.9).
REGAINED = 3
# What a boss brings in who passes his own door (3.11).
ESCORT = 3
SIDES = 6

# Where a boss is who is on no cell. (A boss who has come home is on the cell after the last.)
HQ = -1
GONE = -2

LEAST_SEATS, MOST_SEATS = 2, 4

OPTIONS = (
    Option("absent", "G", "the gang that is left out with three seats", ("G", "O", "Y", "B")),
    Option("pair_turn", "seat", "with two seats a turn is a seat's, or one gang's", ("seat", "gang")),
    Option("spare_die", "free", "whether a second die that can be used has to be", ("free", "forced")),
    Option("hq_alone", "locked", "whether a boss may leave an HQ without a hood", ("locked", "open")),
    Option(
        "overshoot",
        "free",
        "whether a boss may pass his HQ: as he likes, if he has to move (needs spare_die=forced), or never",
        ("free", "obliged", "never"),
    ),
    Option("extra_die", "forced", "whether the die after a double has to be used", ("forced", "free")),
    Option(
        "fallen_hoods",
        "pool",
        "where the five hoods go that are not regained after a fall: to the pool, or out of the game",
        ("pool", "out"),
    ),
    Option("double_spin", "each", "the spins of a double: before or after the extra die", ("each", "end")),
    Option("lives", 0, "the fall of a boss that is final; 0: none is", low=0, high=100),
    Option("ruin", "counts", "whether a ruined gang counts as a dead boss", ("counts", "ignored")),
    Option("losers", "tie", "whether the beaten are ranked by progress", ("tie", "progress")),
    Option("max_rounds", 150, "the game ends after so many rounds", low=1, high=10_000),
)

PRESETS: dict[str, Options] = {"classic": {}, "quick": {"lives": 2}}


class Rules(OptionRules, frozen=True):
    """The options of one match as the questions that the rules ask, and the gangs of the seats."""

    forced: Annotated[bool, Is("spare_die", "forced")]
    alone: Annotated[bool, Is("hq_alone", "open")]
    overshoot: Annotated[bool, Is("overshoot", "free")]
    obliged: Annotated[bool, Is("overshoot", "obliged")]
    refusable: Annotated[bool, Is("extra_die", "free")]
    excluded: Annotated[bool, Is("fallen_hoods", "out")]
    spins_last: Annotated[bool, Is("double_spin", "end")]
    lives: int
    ruin: bool
    progress: Annotated[bool, Is("losers", "progress")]
    max_rounds: int
    hands: tuple[tuple[int, ...], ...]
    """The gangs of each seat."""
    seat_of: tuple[int, ...]
    """The seat of each gang; -1 for one that is left out."""
    playing: tuple[int, ...]
    """The gangs that are not left out."""
    places: tuple[tuple[int, ...], ...]
    """The gangs that have a turn together, in order of play; the first places are one by seat."""

    @classmethod
    def of(cls, options: Options, seats: int, **computed: Any) -> Self:
        """Read resolved options."""
        hands = _hands(seats, str(options["absent"]))
        owners = {gang: seat for seat, gangs in enumerate(hands) for gang in gangs}
        by_gang = seats == LEAST_SEATS and options["pair_turn"] == "gang"
        return super().of(
            options,
            seats,
            ruin=options["ruin"] == "counts" and options["hq_alone"] == "locked",
            hands=hands,
            playing=tuple(sorted(owners)),
            seat_of=tuple(owners.get(gang, -1) for gang in range(len(GANGS))),
            places=tuple((gang,) for gang in range(len(GANGS))) if by_gang else hands,
            **computed,
        )


def roster(falls: int, excluded: bool) -> int:
    """Return how many hoods of a gang are in the game, those in its pool included (R16)."""
    return REGAINED if falls and excluded else HOODS


def _hands(seats: int, absent: str) -> tuple[tuple[int, ...], ...]:
    """Return the gangs of each seat, clockwise (1.3)."""
    if seats == LEAST_SEATS:
        return ((0, 2), (1, 3))
    left_out = GANG_NUMBERS[absent] if seats < len(GANGS) else None
    return tuple((gang,) for gang in range(len(GANGS)) if gang != left_out)
