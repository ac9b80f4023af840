"""What a seat may do in its turn, and what it does (section 3 of RULES.md).

`choices` is the one place where legality is decided. All texts are made once, when this module is loaded.
"""

from collections.abc import Callable
from itertools import compress

from referee.game import Event
from referee.games.gangsters.components import MOST_PILES, NAMES, STRENGTHS
from referee.games.gangsters.grid import (
    BIT,
    CELL_NAMES,
    CELLS,
    LINE_NAMES,
    NEAR,
    listed,
    spread,
    steps,
    ways,
)
from referee.games.gangsters.position import NONE, Position

Effect = Callable[[Position, int, int, list[Event]], None]

_PILES = range(MOST_PILES)
_OWN = [[f"own {strength} {name}" for name in CELL_NAMES] for strength in (0, *STRENGTHS)]
_COMMON = [[f"common {tile} {name}" for name in CELL_NAMES] for tile in NAMES]
_COMMON_FROM = [[[f"{text} from {pile + 1}" for pile in _PILES] for text in texts] for texts in _COMMON]
_DRAW = [f"draw {pile + 1}" for pile in _PILES]
_BLIND = [[f"blind {pile + 1} {name}" for name in CELL_NAMES] for pile in _PILES]
_PUT = [f"put {name}" for name in CELL_NAMES]
_MOVE = [
    {to: f"move {name} {CELL_NAMES[to]}" for way in ways(cell) for to in way}
    for cell, name in enumerate(CELL_NAMES)
]
_SHOOT = [f"shoot {name}" for name in CELL_NAMES]
FIRST = [f"first {line}" for line in LINE_NAMES]


def _steps_by_free(cell: int) -> dict[int, tuple[str, ...]]:
    """Return the moves from a cell for every set of its neighbours that may be free."""
    near = steps(cell)
    sets = [[to for place, to in enumerate(near) if chosen >> place & 1] for chosen in range(1 << len(near))]
    return {sum(BIT[to] for to in free): tuple(_MOVE[cell][to] for to in free) for free in sets}


_STEPS = [_steps_by_free(cell) for cell in range(CELLS)]
_WAYS = [ways(cell) for cell in range(CELLS)]


def movers(position: Position, seat: int) -> int:
    """Return the tiles a seat may move to a neighbouring cell now (3.3), as bits."""
    if position.barred:  # A19
        return 0
    found = position.live & ~position.frozen & spread(position.free)
    if position.ban != NONE:
        found &= ~BIT[position.ban]
    return found & position.alive[position.gangs[seat]] if position.rules.own_only else found


def targets(position: Position, seat: int) -> int:
    """Return the tiles a seat may shoot now (3.4), as bits."""
    if not position.cartridges[seat]:
        return 0
    mine = position.alive[position.gangs[seat]]
    found = spread(mine) & position.live
    return found if position.rules.friendly else found & ~mine


def can_act(position: Position, seat: int) -> bool:
    """Say whether a seat has any action; the common reserve is empty only if all piles are."""
    return bool(
        position.common or position.reserves[seat] or movers(position, seat) or targets(position, seat)
    )


def choices(position: Position, seat: int) -> list[str]:
    """Return what the active seat may do, in canonical order."""
    if position.phase == "put":
        return list(compress(_PUT, position.vacant))
    if position.phase == "order":
        return [FIRST[line] for line in position.pending]
    legal = _placements(position)
    free = position.free
    moving = listed(movers(position, seat))
    if position.rules.far:
        for cell in moving:
            legal += _slides(cell, free)
    else:
        for cell in moving:
            legal += _STEPS[cell][free & NEAR[cell]]
    shots = targets(position, seat)
    if shots:
        legal += [_SHOOT[cell] for cell in listed(shots)]
    return legal


def _slides(cell: int, free: int) -> list[str]:
    """Return the moves from a cell any way over free cells, with `step=any` (A8)."""
    found = []
    for way in _WAYS[cell]:
        for to in way:
            if not free & BIT[to]:
                break
            found.append(_MOVE[cell][to])
    return found


def _placements(position: Position) -> list[str]:
    """Return all ways to place a tile, or to draw one, from all three sources (3.2)."""
    vacant, rules = position.vacant, position.rules
    legal: list[str] = []
    for strength in position.reserves[position.active]:
        legal += compress(_OWN[strength], vacant)
    last = NONE
    for kind in position.common:
        if kind != last:  # two equal open tiles are one action
            legal += _takes(position, kind) if rules.actor else compress(_COMMON[kind], vacant)
            last = kind
    for pile, tiles in enumerate(position.piles):
        if tiles:
            if rules.commit:
                legal += compress(_BLIND[pile], vacant)
            else:
                legal.append(_DRAW[pile])
    return legal


def _takes(position: Position, kind: int) -> list[str]:
    """Return the ways to take an open tile if the seat names the pile that refills the common reserve."""
    piles = [pile for pile, tiles in enumerate(position.piles) if tiles]
    if not piles:
        return list(compress(_COMMON[kind], position.vacant))
    return [texts[pile] for texts in compress(_COMMON_FROM[kind], position.vacant) for pile in piles]


def _place(position: Position, kind: int, cell: int, source: str, events: list[Event]) -> None:
    position.lay(cell, kind)
    position.left -= 1
    position.quiet = 0
    position.ban = cell
    seat, tile = position.active, NAMES[kind]
    placed = {"event": "placed", "seat": seat, "tile": tile, "cell": CELL_NAMES[cell], "from": source}
    events.append(Event(placed))


def _place_own(position: Position, strength: int, cell: int, events: list[Event]) -> None:
    seat = position.active
    position.reserves[seat] = [other for other in position.reserves[seat] if other != strength]
    _place(position, position.gangs[seat] * len(STRENGTHS) + strength - 1, cell, "own", events)


def _place_common(position: Position, kind: int, cell: int, events: list[Event]) -> None:
    _take_open(position, kind, cell, position.tallest(), events)


def _take_open(position: Position, kind: int, cell: int, pile: int, events: list[Event]) -> None:
    """Place an open tile; A22: another one is turned up before anything is counted."""
    position.common.remove(kind)
    _place(position, kind, cell, "common", events)
    if pile != NONE:
        tile = NAMES[position.open_tile(pile)]
        events.append(Event({"event": "refilled", "tile": tile, "pile": pile + 1}, None, True))


def _take_from(pile: int) -> Effect:
    """Return the effect of taking an open tile and refilling from this pile."""

    def take(position: Position, kind: int, cell: int, events: list[Event]) -> None:
        _take_open(position, kind, cell, pile, events)

    return take


def _draw(position: Position, pile: int, _cell: int, events: list[Event]) -> None:
    kind = position.turn_up(pile)
    position.drawn, position.drawn_from = kind, pile
    position.phase = "put"
    drawn = {"event": "drawn", "seat": position.active, "pile": pile + 1, "tile": NAMES[kind]}
    events.append(Event(drawn, None, True))


def _put(position: Position, cell: int, _second: int, events: list[Event]) -> None:
    kind = position.drawn
    position.drawn = NONE
    position.phase = "turn"
    _place(position, kind, cell, f"pile {position.drawn_from + 1}", events)


def _place_blind(position: Position, pile: int, cell: int, events: list[Event]) -> None:
    _draw(position, pile, cell, events)
    _put(position, cell, 0, events)


def _move(position: Position, cell: int, to: int, events: list[Event]) -> None:
    kind = position.lift(cell)
    position.lay(to, kind)
    position.quiet += 1
    position.ban = to
    moved = {"event": "moved", "seat": position.active, "tile": NAMES[kind]}
    events.append(Event({**moved, "from": CELL_NAMES[cell], "to": CELL_NAMES[to]}))


def _shoot(position: Position, cell: int, _second: int, events: list[Event]) -> None:
    seat, kind = position.active, position.kill(cell)
    position.cartridges[seat] -= 1
    position.quiet = 0
    position.ban = NONE
    shot = {"event": "shot", "seat": seat, "cell": CELL_NAMES[cell], "tile": NAMES[kind]}
    events.append(Event({**shot, "cartridges": position.cartridges[seat]}))


EFFECTS: dict[str, tuple[Effect, int, int]] = {
    **{_OWN[fi][cell]: (_place_own, fi, cell) for fi in STRENGTHS for cell in range(CELLS)},
    **{
        text: (_place_common, kind, cell) for kind, row in enumerate(_COMMON) for cell, text in enumerate(row)
    },
    **{
        text: (take, kind, cell)
        for pile, take in enumerate(map(_take_from, _PILES))
        for kind, row in enumerate(_COMMON_FROM)
        for cell, text in enumerate(texts[pile] for texts in row)
    },
    **{text: (_draw, pile, 0) for pile, text in enumerate(_DRAW)},
    **{text: (_place_blind, pile, cell) for pile, row in enumerate(_BLIND) for cell, text in enumerate(row)},
    **{text: (_put, cell, 0) for cell, text in enumerate(_PUT)},
    **{text: (_move, cell, to) for cell, row in enumerate(_MOVE) for to, text in row.items()},
    **{text: (_shoot, cell, 0) for cell, text in enumerate(_SHOOT)},
}
"""What each action of a turn does, and to what."""
