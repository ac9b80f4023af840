"""The option `first`: the seat that begins, by its number or by lot."""

from referee.chance import Chance
from referee.errors import OptionError
from referee.game import Options

LOT = "lot"


def check_first_seat(options: Options, seats: int) -> None:
    """Refuse resolved options whose first seat is none of the match."""
    first = options["first"]
    if first != LOT and int(first) >= seats:
        valid = f"with {seats} seats it is {LOT}, or 0 to {seats - 1}"
        raise OptionError(f"option first cannot be {first!r}: {valid}", option="first")


def first_seat(options: Options, seats: int, chance: Chance) -> int:
    """Return the seat that begins; a lot is drawn from the stream `lots`."""
    first = options["first"]
    return chance.below("lots", seats) if first == LOT else int(first)
