"""Positions from a few words, for the tests of Gangsters de Chicago."""

from collections.abc import Sequence

from referee.chance import Chance
from referee.game import Options
from referee.games.gangsters import GAME
from referee.games.gangsters.components import COPIES, ENTRIES, KINDS, NAMES, OPEN, Rules
from referee.games.gangsters.grid import CELL_NAMES, CELL_NUMBERS, LINE_MASKS
from referee.games.gangsters.state import State
from tests.rules.acting import LUCK


def entries(codes: str) -> list[int]:
    """Return the entries of a text like `R3 B2x Y1`."""
    return [ENTRIES[code] for code in codes.split()]


def row(number: int, codes: str) -> str:
    """Return the cells of a row from a text like `R3 R2 - R1 B1 Y1`."""
    return _line([f"{column}{number}" for column in "abcdef"], codes)


def column(letter: str, codes: str) -> str:
    """Return the cells of a column from a text like `B3 B2 - B2 Y1 G1`."""
    return _line([f"{letter}{number}" for number in range(1, 7)], codes)


def _line(cells: Sequence[str], codes: str) -> str:
    pairs = zip(cells, codes.split(), strict=True)
    return " ".join(f"{cell}={code}" for cell, code in pairs if code != "-")


def crowd(holes: str, held: str) -> str:
    """Return a city that is full but for the holes; the tiles `held`, as many as holes, do not lie in it."""
    rest = [name for _ in range(COPIES) for name in NAMES]
    for tile in held.split():
        rest.remove(tile)
    cells = [cell for cell in CELL_NAMES if cell not in holes.split()]
    return " ".join(f"{cell}={tile}" for cell, tile in zip(cells, rest, strict=True))


def position(
    seats: int = 4,
    cells: str = "",
    *,
    common: str | None = None,
    piles: Sequence[str] | None = None,
    reserves: Sequence[str] | None = None,
    cartridges: Sequence[int] | None = None,
    scores: Sequence[int] | None = None,
    reached: Sequence[int] | None = None,
    active: int = 0,
    ban: str | None = None,
    quiet: int = 0,
    chance: Chance = LUCK,
    options: Options | None = None,
) -> State:
    """Return a position at the beginning of a turn, by default as after the set-up.

    `cells` is a text like `c3=R2 d3=B1x`. Reserves are texts like `123`. The piles, unless given (the top
    first), hold all tiles that are nowhere else.
    """
    state = State(Rules.of(GAME.resolve(options, seats), seats), chance.clone())
    state.begin_turn(active, [])
    for pair in cells.split():
        cell, code = pair.split("=")
        state.lay(CELL_NUMBERS[cell], KINDS[code[:2]])
        if code.endswith("x"):
            state.kill(CELL_NUMBERS[cell])
    for line, mask in enumerate(LINE_MASKS):
        if not state.free & mask:
            state.freeze(line)
    if reserves is not None:
        state.reserves = [[int(strength) for strength in reserve] for reserve in reserves]
    state.common = sorted(KINDS[tile] for tile in (common or "").split())
    if piles is None:
        _deal_rest(state, cells)
    else:
        state.piles = [[KINDS[tile] for tile in pile.split()][::-1] for pile in piles]
    state.unseen = {name: sum(pile.count(kind) for pile in state.piles) for name, kind in KINDS.items()}
    if common is None:
        for _ in range(OPEN):
            if state.tallest() >= 0:
                state.open_tile(state.tallest())
    state.left = sum(map(len, (*state.reserves, *state.piles, state.common)))
    state.cartridges = list(cartridges or state.cartridges)
    state.scores = list(scores or state.scores)
    state.reached = list(reached or state.reached)
    state.quiet = quiet
    state.ban = -1 if ban is None else CELL_NUMBERS[ban]
    return state


def _deal_rest(state: State, cells: str) -> None:
    rest = [name for name in NAMES for _ in range(COPIES)]
    gangs = [NAMES[3 * gang][0] for gang in state.gangs]
    held = [f"{gang}{fi}" for gang, fis in zip(gangs, state.reserves, strict=True) for fi in fis]
    lying = [pair.split("=")[1][:2] for pair in cells.split()]
    for tile in (*held, *lying, *(NAMES[kind] for kind in state.common)):
        rest.remove(tile)
    state.piles = [
        [KINDS[tile] for tile in rest[pile :: state.rules.piles]][::-1] for pile in range(state.rules.piles)
    ]


def legal(state: State, verb: str) -> list[str]:
    """Return the legal actions with this verb, without it."""
    found = state.legal(state.active)
    return [action.removeprefix(f"{verb} ") for action in found if action.startswith(f"{verb} ")]
