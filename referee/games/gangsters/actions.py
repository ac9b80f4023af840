"""What a seat may do in its turn, and what it does (section 3 of RULES.md).

`choices` is the one place where legality is decided.
"""

from collections.abc import Callable
from itertools import compress

from referee.game import Event
from referee.games.gangsters.components import NAMES, STRENGTHS
from referee.games.gangsters.grid import BIT, CELL_NAMES, CELLS, gathered, listed, spread, ways
from referee.games.gangsters.position import NONE, Position
from referee.games.gangsters.spelling import (
    BLIND,
    COMMON,
    COMMON_FROM,
    DRAW,
    FIRST,
    MOVE,
    OPEN_TILE,
    OWN,
    PILES,
    PUT,
    SHOOT,
    SHOTS,
)

Effect = Callable[[Position, int, int, list[Event]], None]

_WAYS = [ways(cell) for cell in range(CELLS)]


def add_moves(position: Position, seat: int, found: list[str]) -> None:
    """Add the moves of tiles to a cell beside them, or with `step=any` over any free cells (3.3, A8)."""
    if position.barred:  # A19
        return
    steps, ban, rules = position.steps, position.ban, position.rules
    if not (rules.far or rules.own_only):
        for cell, texts in enumerate(steps):
            if texts and cell != ban:
                found += texts
        return
    for cell in listed(position.alive[position.gangs[seat]] if rules.own_only else position.live):
        texts = steps[cell]
        if texts and cell != ban:
            found += _slides(cell, position.free) if rules.far else texts


def _slides(cell: int, free: int) -> list[str]:
    """Return the moves from a cell any way over free cells, with `step=any` (A8)."""
    found = []
    for way in _WAYS[cell]:
        for to in way:
            if not free & BIT[to]:
                break
            found.append(MOVE[cell][to])
    return found


def targets(position: Position, seat: int) -> int:
    """Return the tiles a seat may shoot now (3.4), as bits."""
    if not position.cartridges[seat]:
        return 0
    mine = position.alive[position.gangs[seat]]
    found = spread(mine) & position.live
    return found if position.rules.friendly else found & ~mine


def can_act(position: Position, seat: int) -> bool:
    """Say whether a seat has any action; the common reserve is empty only if all piles are."""
    if position.common or position.reserves[seat] or targets(position, seat):
        return True
    found: list[str] = []
    add_moves(position, seat, found)
    return bool(found)


def choices(position: Position, seat: int) -> list[str]:
    """Return what the active seat may do, in canonical order."""
    if position.phase == "put":
        return list(compress(PUT, position.vacant))
    if position.phase == "order":
        return [FIRST[line] for line in position.pending]
    found = _placements(position)
    add_moves(position, seat, found)
    shots = targets(position, seat)
    if shots:
        found += gathered(shots, SHOTS)
    return found


def _placements(position: Position) -> list[str]:
    """Return all ways to place a tile, or to draw one, from all three sources (3.2)."""
    rules = position.rules
    legal: list[str] = []
    for strength in position.reserves[position.active]:
        legal += position.laying(strength - 1)
    last = NONE
    for kind in position.common:
        if kind != last:  # two equal open tiles are one action
            legal += _takes(position, kind) if rules.actor else position.laying(OPEN_TILE + kind)
            last = kind
    for pile, tiles in enumerate(position.piles):
        if tiles:
            if rules.commit:
                legal += compress(BLIND[pile], position.vacant)
            else:
                legal.append(DRAW[pile])
    return legal


def _takes(position: Position, kind: int) -> list[str]:
    """Return the ways to take an open tile if the seat names the pile that refills the common reserve."""
    piles = [pile for pile, tiles in enumerate(position.piles) if tiles]
    if not piles:
        return position.laying(OPEN_TILE + kind)
    return [texts[pile] for texts in compress(COMMON_FROM[kind], position.vacant) for pile in piles]


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
    left = [other for other in position.reserves[seat] if other != strength]
    position.reserves = [*position.reserves[:seat], left, *position.reserves[seat + 1 :]]
    _place(position, position.gangs[seat] * len(STRENGTHS) + strength - 1, cell, "own", events)


def _place_common(position: Position, kind: int, cell: int, events: list[Event]) -> None:
    _take_open(position, kind, cell, position.tallest(), events)


def _take_open(position: Position, kind: int, cell: int, pile: int, events: list[Event]) -> None:
    """Place an open tile; A22: another one is turned up before anything is counted."""
    position.close_tile(kind)
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
    position.cartridges = [left - (other == seat) for other, left in enumerate(position.cartridges)]
    position.quiet = 0
    position.ban = NONE
    shot = {"event": "shot", "seat": seat, "cell": CELL_NAMES[cell], "tile": NAMES[kind]}
    events.append(Event({**shot, "cartridges": position.cartridges[seat]}))


EFFECTS: dict[str, tuple[Effect, int, int]] = {
    **{OWN[fi][cell]: (_place_own, fi, cell) for fi in STRENGTHS for cell in range(CELLS)},
    **{text: (_place_common, kind, cell) for kind, row in enumerate(COMMON) for cell, text in enumerate(row)},
    **{
        text: (take, kind, cell)
        for pile, take in enumerate(map(_take_from, PILES))
        for kind, row in enumerate(COMMON_FROM)
        for cell, text in enumerate(texts[pile] for texts in row)
    },
    **{text: (_draw, pile, 0) for pile, text in enumerate(DRAW)},
    **{text: (_place_blind, pile, cell) for pile, row in enumerate(BLIND) for cell, text in enumerate(row)},
    **{text: (_put, cell, 0) for cell, text in enumerate(PUT)},
    **{text: (_move, cell, to) for cell, row in enumerate(MOVE) for to, text in row.items()},
    **{text: (_shoot, cell, 0) for cell, text in enumerate(SHOOT)},
}
"""What each action of a turn does, and to what."""
