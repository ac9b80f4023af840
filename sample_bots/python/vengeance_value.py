"""What a position of Vengeance is worth to a seat, for the sample bot; the unit is one point of progress.

Nothing here is proven, and the numbers are guesses that do well. Whoever changes one of them and plays a
hundred matches against the old bot will learn more than from any explanation.
"""

from referee.games.vengeance.components import GANGS, GONE, HOODS, HQ, SIDES
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


def value(table: Position, seat: int) -> float:
    """Return what a position is worth to a seat."""
    if table.ended is not None:
        return WIN if table.ended.ranks[seat] == 1 else -WIN
    total, held = 0.0, captures(table)
    for owner, gangs in enumerate(table.rules.hands):
        worths = sorted((gang_value(table, gang, held) for gang in gangs if table.alive[gang]), reverse=True)
        # One boss has to come home, not two: the better gang counts most.
        worth = sum(worth / (1 + place) for place, worth in enumerate(worths))
        total += worth if owner == seat else -RIVAL * worth
    return total + sum(hire_value(table, hirer, seat) for hirer in table.hires)


def captures(table: Position) -> list[tuple[int, int]]:
    """Return kidnappers and hostages, by their gangs."""
    pairs = [(CAPTORS[content], HOSTAGES[content]) for content in table.cells if content]
    return [
        (captor >> 1, hostage >> 1) for captor, hostage in pairs if captor is not None and hostage is not None
    ]


def gang_value(table: Position, gang: int, held: list[tuple[int, int]]) -> float:
    """Return how well a gang stands: its boss, his company, his risks, and its hoods."""
    boss = table.bosses[gang]
    worth = HOOD * (HOODS - table.pool[gang])
    worth += HELD_HOOD * sum((captor == gang) - (hostage == gang) for captor, hostage in held)
    if boss == HQ:
        return worth + stones(table, gang, table.board.exits[gang] - 1)
    worth += table.board.progress(gang, boss) + stones(table, gang, boss)
    content = table.cells[boss]
    if HOSTAGES[content] == 2 * gang + 1:
        return worth - HELD_BOSS + help_near(table, gang, boss)
    hoods = FREE_HOODS[content] if FREE[content] == gang else 0
    worth += COMPANY[hoods] if hoods else help_near(table, gang, boss)
    return worth - (FALL + table.board.progress(gang, boss)) * risk(table, gang, boss, hoods)


def stones(table: Position, gang: int, boss: int) -> float:
    """Return what the hoods one die ahead of a boss are worth."""
    # Two laps in a row, so that the last cell is followed by the first.
    road = table.hoods[gang] * (1 + (1 << table.board.size))
    ahead = (road >> boss + 1 & (1 << SIDES) - 1).bit_count()
    return STEPPING_STONE * min(ahead, MOST_STONES)


def help_near(table: Position, gang: int, boss: int) -> float:
    """Return what it is worth that hoods can reach a boss who needs them."""
    return HELP_NEAR * (1 - missed(table, gang, boss))


def missed(table: Position, gang: int, cell: int) -> float:
    """Return the chance that no hood of a gang can reach a cell next turn, as if each had his own roll."""
    size, hoods, odds = table.board.size, table.hoods[gang], 1.0
    for points in range(1, 2 * SIDES + 1):
        if hoods >> (cell - points) % size & 1:
            odds *= 1 - REACHED[points]
    way_out = (cell - table.board.exits[gang]) % size + 1
    if table.hq[gang] and way_out <= 2 * SIDES:
        odds *= 1 - REACHED[way_out]
    return odds


def risk(table: Position, gang: int, boss: int, hoods: int) -> float:
    """Return the chance that a boss comes to grief before his next turn."""
    kind = table.board.kinds[boss]
    rivals = [other for other in range(len(GANGS)) if other != gang and table.bosses[other] != GONE]
    exposed = kind == "danger" or (kind != "safe" and not hoods)
    odds = SPINS * len(rivals) * RIFLES / table.board.size if exposed else 0.0
    if not hoods and HOSTAGES[table.cells[boss]] is None:
        # Alone he is taken by the first who comes by; half of those who are taken get away.
        free = 1.0
        for rival in rivals:
            free *= missed(table, rival, boss)
        odds += (1 - free) / 2
    return min(odds, 1.0)


def hire_value(table: Position, hirer: int, seat: int) -> float:
    """Return what a spin of the wheel for a gang is worth on average, as all cells are equally likely."""
    total = 0.0
    for cell, content in enumerate(table.cells):
        kind = table.board.kinds[cell]
        if content and kind != "safe":
            for victim in (BLASTS if kind == "danger" else SHOTS)[hirer][content]:
                total += loss(table, victim) * (-1 if table.rules.seat_of[victim >> 1] == seat else RIVAL)
    return total * RIFLES / table.board.size


def loss(table: Position, figure: int) -> float:
    """Return what the death of a figure costs its gang."""
    gang = figure >> 1
    return FALL + table.board.progress(gang, table.bosses[gang]) if figure & 1 else HOOD
