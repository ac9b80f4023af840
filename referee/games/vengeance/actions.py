"""What the seat on turn may do: the legal actions, in canonical order (3.3, 7.1)."""

from collections.abc import Sequence
from itertools import product

from referee.games.vengeance.board import STOP
from referee.games.vengeance.components import HQ, SIDES
from referee.games.vengeance.contents import ADMITS, FREE, FREE_HOODS
from referee.games.vengeance.position import Position

# The different numbers of one or two dice, in ascending order.
_FACES: dict[tuple[int, ...], tuple[int, ...]] = {
    dice: tuple(sorted(set(dice))) for count in (1, 2) for dice in product(range(1, SIDES + 1), repeat=count)
}


def moves(position: Position) -> list[str]:
    """Return the moves the dice allow, without a look ahead."""
    found = _moves(position, position.rules.overshoot)
    if not found and position.rules.obliged and not may_stop(position):  # R21
        found = _moves(position, True)
    return found


def _moves(position: Position, passing: bool) -> list[str]:
    """Return the moves the dice allow; `passing`: a boss may pass his own HQ."""
    faces = _FACES[position.dice]
    total = sum(position.dice) if position.phase == "first" else 0
    found: list[str] = []
    for gang in position.due:
        # R17: a gang whose boss fell in this turn waits for the next one.
        if position.alive[gang] and not position.locked[gang]:
            if not position.boss_moved:
                _add_boss(position, gang, faces, passing, found)
            _add_hoods(position, gang, faces, total, found)
    return found


def may_stop(position: Position) -> bool:
    """Return whether the die that is left may stay unused: the second (R1), or the extra die (R37)."""
    rules = position.rules
    return rules.refusable if position.phase == "extra" else position.phase == "second" and not rules.forced


def last_choices(position: Position) -> list[str]:
    """Return the moves of the second or the extra die, and `stop` if it may be left."""
    found = moves(position)
    if found and may_stop(position):
        found.append(STOP)
    return found


def _add_boss(position: Position, gang: int, faces: Sequence[int], passing: bool, found: list[str]) -> None:
    """Add the moves of a boss: he needs company (3.4), and enters his HQ by the exact number (3.11)."""
    board, cell = position.board, position.bosses[gang]
    if cell == HQ:
        if not position.hq[gang] and not position.rules.alone:
            return
    elif FREE[position.cells[cell]] != gang:
        return
    left = board.left[gang][cell + 1]
    reach = board.reach[gang][cell + 1]
    admits, cells, texts = ADMITS[gang], position.cells, board.boss_texts[gang]
    far = 2 * SIDES if passing else left
    # In loops as short as these, a comprehension takes longer to begin than to run.
    add = found.append
    for die in faces:
        if die == left or (die <= far and admits[cells[reach[die]]]):
            add(texts[die])


def _add_hoods(position: Position, gang: int, faces: Sequence[int], total: int, found: list[str]) -> None:
    """Add the moves of hoods by one die, then those by the total of both."""
    board, cells, admits = position.board, position.cells, ADMITS[gang]
    texts, reach = board.hood_texts[gang], board.reach[gang]
    starts, add = origins(position, gang), found.append
    for origin in starts:
        ahead, spelt = reach[origin], texts[origin]
        for die in faces:
            if admits[cells[ahead[die]]]:
                add(spelt[die])
    if total:
        sums = board.sum_texts[gang]
        for origin in starts:
            if admits[cells[reach[origin][total]]]:
                add(sums[origin])


def origins(position: Position, gang: int) -> list[int]:
    """Return where the gang has a hood that may still move with this roll: the HQ first, then cells."""
    bits = position.hoods[gang]
    moved = position.moved
    # R2: a hood that has used a die may not use the other one.
    if moved is not None and moved[0] == gang and FREE_HOODS[position.cells[moved[1]]] == 1:
        bits &= ~(1 << moved[1])
    found = [0] if position.hq[gang] else []
    while bits:
        low = bits & -bits
        found.append(low.bit_length())
        bits ^= low
    return found
