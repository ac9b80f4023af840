"""Why an action is not legal: in words, and from nothing the seat may not know."""

from re import Match

from referee.gamelib.grammar import Grammar, verb_of
from referee.games.gangsters.components import DEAD, EMPTY, GANG_OF, KINDS, NAMES
from referee.games.gangsters.grid import BIT, CELL_NAMES, CELL_NUMBERS, LINE_NAMES, NEAR
from referee.games.gangsters.position import Position

_CELL = r"(?P<cell>[a-f][1-6])"

GRAMMAR = Grammar(
    {
        "own": (rf"own (?P<strength>[1-3]) {_CELL}", "own 3 a1"),
        "common": (
            rf"common (?P<tile>[RBYG][1-3]) {_CELL}(?: from (?P<pile>[1-4]))?",
            "common Y2 c3",
            "common Y2 c3 from 1",
        ),
        "draw": (r"draw (?P<pile>[1-4])", "draw 2"),
        "put": (rf"put {_CELL}", "put f6"),
        "blind": (rf"blind (?P<pile>[1-4]) {_CELL}", "blind 1 a1"),
        "move": (rf"move (?P<from>[a-f][1-6]) {_CELL}", "move c3 c4"),
        "shoot": (rf"shoot {_CELL}", "shoot d3"),
        "first": (r"first [1-6a-f]", "first 3", "first c"),
    }
)
"""How each verb is spelt."""

Words = dict[str, str]


def why_not(position: Position, seat: int, match: Match[str]) -> str:
    """Return why an action of the seat that is to act is not legal."""
    verb, words = verb_of(match.string), match.groupdict()
    if position.phase == "order":
        lines = " or ".join(LINE_NAMES[line] for line in position.pending)
        return f"choose the line to be counted first: {lines}"
    if verb == "first":
        return "there are no two lines to be counted now"
    if position.phase == "put":
        return _why_not_put(position, verb, words)
    if verb == "shoot":
        return _why_not_shoot(position, seat, CELL_NUMBERS[words["cell"]])
    return _why_not_source(position, seat, verb, words) or _why_not_cell(position, words)


def _why_not_put(position: Position, verb: str, words: Words) -> str:
    if verb != "put":
        return f"you have drawn {NAMES[position.drawn]}: put it on a free cell"
    return f"{words['cell']} is not free"


def _why_not_source(position: Position, seat: int, verb: str, words: Words) -> str:
    """Return what is wrong with where the tile comes from, or nothing."""
    if verb == "put":
        return "you have drawn no tile"
    if verb == "own":
        return "" if int(words["strength"]) in position.reserves[seat] else "that tile is not in your reserve"
    if verb == "common":
        return _why_not_common(position, words)
    if verb == "move":
        return _why_not_mover(position, seat, words["from"])
    if (verb == "blind") != position.rules.commit:
        return "tiles are drawn with 'blind'" if position.rules.commit else "tiles are drawn with 'draw'"
    return "" if _has_tiles(position, words["pile"]) else f"pile {words['pile']} is empty or does not exist"


def _why_not_common(position: Position, words: Words) -> str:
    if KINDS[words["tile"]] not in position.common:
        return f"{words['tile']} is not in the common reserve"
    pile = words.get("pile")
    asked = position.rules.actor and any(position.piles)
    if pile is None:
        return "name the pile that refills the common reserve: 'from 1'" if asked else ""
    if not asked:
        return "the common reserve is refilled without a word from you: leave out 'from'"
    return "" if _has_tiles(position, pile) else f"pile {pile} is empty or does not exist"


def _has_tiles(position: Position, pile: str) -> bool:
    return int(pile) <= len(position.piles) and bool(position.piles[int(pile) - 1])


def _why_not_mover(position: Position, seat: int, name: str) -> str:
    cell = CELL_NUMBERS[name]
    entry = position.board[cell]
    if entry == EMPTY:
        return f"there is no tile on {name}"
    if entry >= DEAD:
        return f"the tile on {name} is dead"
    if position.barred:
        return f"there were {position.quiet} moves in a row: a seat must place or shoot first"
    if position.frozen & BIT[cell]:
        return f"{name} lies on a complete line"
    if cell == position.ban:
        return f"the tile on {name} was placed or moved in the turn just before"
    if position.rules.own_only and GANG_OF[entry] != position.gangs[seat]:
        return "with move_whose=own you may move tiles of your own gang only"
    return ""


def _why_not_cell(position: Position, words: Words) -> str:
    """Return what is wrong with where the tile is to go."""
    start, name = words.get("from"), words["cell"]
    if start is None or NEAR[CELL_NUMBERS[start]] & BIT[CELL_NUMBERS[name]]:
        return f"{name} is not free"
    if not position.rules.far:
        return f"{name} is not next to {start} in its row or column"
    if start == name or (start[0] != name[0] and start[1] != name[1]):
        return f"{name} is not another cell of the row or column of {start}"
    return f"the way from {start} to {name} is not free"


def _why_not_shoot(position: Position, seat: int, cell: int) -> str:
    entry, name = position.board[cell], CELL_NAMES[cell]
    if not position.cartridges[seat]:
        return "you have no cartridge left"
    if entry == EMPTY:
        return f"there is no tile on {name}"
    if entry >= DEAD:
        return f"the tile on {name} is dead already"
    if not NEAR[cell] & position.alive[position.gangs[seat]]:
        return f"no live tile of your own gang is next to {name}"
    return "with friendly_fire=no you may not shoot your own gang"
