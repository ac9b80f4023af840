"""What a position of Vengeance is worth to a seat, for the sample bot; the unit is one point of progress.

Nothing here is proven, and the numbers are guesses that do well. To change one of them and play
a hundred matches against the old bot teaches more than any explanation.
"""

from functools import cache

from referee.games.vengeance.components import GANGS, GONE, HQ, SIDES
from referee.games.vengeance.contents import BLASTS, CAPTORS, FREE, FREE_HOODS, HOSTAGES, SHOTS
from referee.games.vengeance.position import Position

WIN = 10_000.0
# A boss who falls loses his progress, and his men, and time.
FALL = 14.0
HOOD = 1.2
# What a boss gains by company on his cell (none, one hood, two), and by hoods that can come to him.
COMPANY = (0.0, 9.0, 11.0)
HELP_NEAR = 4.0
# Hoods one die ahead of the boss are cells he can step on without being alone.
STEPPING_STONE = 1.5
MOST_STONES = 3
# How much a rival's fortune counts against ours.
RIVAL = 0.35
HELD_BOSS = 12.0
HELD_HOOD = 0.6
# About so many spins a rival gang brings about between two of our turns.
SPINS = 0.4
# Each spin points at two of the cells.
RIFLES = 2

# The chance that two dice can carry a hood over so many cells: by one die, or by the total.
_WAYS = [{first, second, first + second} for first in range(1, SIDES + 1) for second in range(1, SIDES + 1)]
REACHED = [sum(points in ways for ways in _WAYS) / len(_WAYS) for points in range(2 * SIDES + 1)]

CAPTIVES = [
    None if captor is None or hostage is None else (captor >> 1, hostage >> 1)
    for captor, hostage in zip(CAPTORS, HOSTAGES, strict=True)
]
"""By content of a cell: the gang of the kidnapper and that of the hostage, if there are such."""


def value(position: Position, seat: int) -> float:
    """Return what a position is worth to a seat."""
    if position.ended is not None:
        return WIN if position.ended.ranks[seat] == 1 else -WIN
    total, held = 0.0, captures(position)
    for owner, gangs in enumerate(position.rules.hands):
        worths = sorted(
            (gang_value(position, gang, held) for gang in gangs if position.alive[gang]), reverse=True
        )
        # One boss has to come home, not two: the better gang counts most.
        worth = sum(worth / (1 + place) for place, worth in enumerate(worths))
        total += worth if owner == seat else -RIVAL * worth
    return total + sum(hire_value(position, hirer, seat) for hirer in position.hires)


def captures(position: Position) -> list[int]:
    """Return for each gang how many more figures it holds than others hold of it."""
    held = [0 for _ in GANGS]
    for captive in filter(None, map(CAPTIVES.__getitem__, position.cells)):
        captor, hostage = captive
        held[captor] += 1
        held[hostage] -= 1
    return held


def gang_value(position: Position, gang: int, held: list[int]) -> float:
    """Return how well a gang stands: its boss, his company, his risks, and its hoods."""
    boss = position.bosses[gang]
    worth = HOOD * position.in_play(gang) + HELD_HOOD * held[gang]
    if boss == HQ:
        return worth + stones(position, gang, position.board.exits[gang] - 1)
    worth += position.board.progress(gang, boss) + stones(position, gang, boss)
    content = position.cells[boss]
    if HOSTAGES[content] == 2 * gang + 1:
        return worth - HELD_BOSS + help_near(position, gang, boss)
    hoods = FREE_HOODS[content] if FREE[content] == gang else 0
    worth += COMPANY[hoods] if hoods else help_near(position, gang, boss)
    return worth - (FALL + position.board.progress(gang, boss)) * risk(position, gang, boss, hoods)


def stones(position: Position, gang: int, boss: int) -> float:
    """Return what the hoods one die ahead of a boss are worth."""
    # Two laps in a row, so that the last cell is followed by the first.
    road = position.hoods[gang] * (1 + (1 << position.board.size))
    ahead = (road >> boss + 1 & (1 << SIDES) - 1).bit_count()
    return STEPPING_STONE * min(ahead, MOST_STONES)


def help_near(position: Position, gang: int, boss: int) -> float:
    """Return what it is worth that hoods can reach a boss who needs them."""
    return HELP_NEAR * (1 - missed(position, gang, boss))


def missed(position: Position, gang: int, cell: int) -> float:
    """Return the chance that no hood of a gang can reach a cell next turn, as if each had his own roll."""
    size, hoods = position.board.size, position.hoods[gang]
    # Two laps in a row, so that the first cell follows the last.
    odds = all_miss((hoods * (1 + (1 << size)) >> cell + size - 2 * SIDES) & (1 << 2 * SIDES) - 1)
    way_out = (cell - position.board.exits[gang]) % size + 1
    if position.hq[gang] and way_out <= 2 * SIDES:
        odds *= 1 - REACHED[way_out]
    return odds


@cache
def all_miss(behind: int) -> float:
    """Return the chance that no hood reaches a cell; the highest bit is a hood one cell behind it."""
    odds = 1.0
    for points in range(1, 2 * SIDES + 1):
        if behind >> 2 * SIDES - points & 1:
            odds *= 1 - REACHED[points]
    return odds


def risk(position: Position, gang: int, boss: int, hoods: int) -> float:
    """Return the chance that a boss comes to grief before his next turn."""
    kind = position.board.kinds[boss]
    rivals = [other for other in range(len(GANGS)) if other != gang and position.bosses[other] != GONE]
    exposed = kind == "danger" or (kind != "safe" and not hoods)
    odds = SPINS * len(rivals) * RIFLES / position.board.size if exposed else 0.0
    if not hoods and HOSTAGES[position.cells[boss]] is None:
        # Alone he is taken by the first who comes by; half of those who are taken get away.
        free = 1.0
        for rival in rivals:
            free *= missed(position, rival, boss)
        odds += (1 - free) / 2
    return min(odds, 1.0)


def hire_value(position: Position, hirer: int, seat: int) -> float:
    """Return what a spin of the wheel for a gang is worth on average, as all cells are equally likely."""
    total = 0.0
    for cell, content in enumerate(position.cells):
        kind = position.board.kinds[cell]
        if content and kind != "safe":
            for victim in (BLASTS if kind == "danger" else SHOTS)[hirer][content]:
                total += loss(position, victim) * (
                    -1 if position.rules.seat_of[victim >> 1] == seat else RIVAL
                )
    return total * RIFLES / position.board.size


def loss(position: Position, figure: int) -> float:
    """Return what the death of a figure costs its gang."""
    gang = figure >> 1
    return FALL + position.board.progress(gang, position.bosses[gang]) if figure & 1 else HOOD
