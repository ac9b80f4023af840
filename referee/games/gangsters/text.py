"""Gangsters de Chicago for people: a position in characters, an event in a sentence."""

from referee.game import View
from referee.gamelib.ranking import winners
from referee.gamelib.wording import Names, Seen, Sentences, count, seat_mark, verdict, who
from referee.games.gangsters.components import GANG_NAMES
from referee.games.gangsters.grid import SIDE


def draw(view: View) -> str:
    """Draw the position of a view: the city, then what each seat has, then the tiles to come.

    A dead tile has an x, a complete line a star, and the tile that may not be moved now stands in brackets.
    """
    lines = [_headline(view), "", f"       {''.join(_label(view, column) for column in 'abcdef')}".rstrip()]
    for row in range(SIDE):
        cells = "".join(_cell(view, cell) for cell in range(SIDE * row, SIDE * row + SIDE))
        lines.append(f"  {_label(view, str(row + 1))}{cells}".rstrip())
    lines += ["       x dead  * complete line  [ ] placed or moved in the last turn", ""]
    lines += [_seat(view, seat) for seat in range(view["seats"])]
    lines.append("")
    if view["neutral"]:
        lines.append(f"  neutral gangs {' '.join(view['neutral'])}")
    lines.append(f"  common reserve {' '.join(view['common']) or 'empty'}")
    lines.append(f"  face down {_piles(view)}")
    return "\n".join(lines)


def _headline(view: View) -> str:
    turn = f"turn {view['turn']}"
    if view["phase"] == "over":
        return f"{turn}, {verdict(view)}"
    if view["phase"] == "put":
        return f"{turn}, @{view['active']} has drawn {view['drawn']} and places it"
    if view["phase"] == "order":
        return f"{turn}, @{view['active']} chooses which line counts first: {' or '.join(view['pending'])}"
    barred = ", moves are barred" if view["barred"] else ""
    return f"{turn}, @{view['active']} to place, move or shoot{barred}"


def _label(view: View, line: str) -> str:
    return f"{line}{'*' if line in view['complete'] else ''}".ljust(5)


def _cell(view: View, cell: int) -> str:
    code = view["board"][cell] or "."
    column, row = "abcdef"[cell % SIDE], cell // SIDE + 1
    return f"[{code}]".ljust(5) if view["ban"] == f"{column}{row}" else f"{code:<5}"


def _seat(view: View, seat: int) -> str:
    mark = ">" if seat == view["active"] else " "
    gang = view["gangs"][seat]
    start = f"{mark} {seat_mark(view, seat)} {gang}  score {view['scores'][seat]}"
    if seat in view["withdrawn"]:
        return f"{start}  has left"
    reserve = " ".join(f"{gang}{strength}" for strength in view["reserves"][seat]) or "empty"
    return f"{start}  reserve {reserve}  cartridges {view['cartridges'][seat]}"


def _piles(view: View) -> str:
    if "tiles" in view:
        return "; ".join(" ".join(tiles) or "empty" for tiles in view["tiles"])
    sizes = " + ".join(map(str, view["piles"]))
    unseen = " ".join(f"{tile}:{number}" for tile, number in view["unseen"].items() if number)
    return f"{sizes}  ({unseen})" if unseen else sizes


def _line(name: str) -> str:
    return f"row {name}" if name.isdigit() else f"column {name}"


describe = Sentences(
    {
        "turn_began": "Turn {turn}: {seat} acts.",
        "drawn": "{seat} draws {tile} from pile {pile}.",
        "refilled": "Pile {pile} gives {tile} to the common reserve.",
        "moved": "{seat} moves {tile} from {from} to {to}.",
        "shot": "{seat} shoots {tile} on {cell} and has {cartridges} left.",
        "skipped": "{seat} can do nothing and is skipped.",
    },
    cartridges=lambda number, _names: count(number, "cartridge"),
)


@describe.add
def _started(event: Seen, names: Names) -> str:
    seated = ", ".join(
        f"{names[seat]} leads the {GANG_NAMES[gang]} gang" for seat, gang in enumerate(event["gangs"])
    )
    common = " and ".join(event["common"])
    return f"{seated}; {common} lie open, and {names[event['first']]} begins."


@describe.add
def _placed(event: Seen, names: Names) -> str:
    sources = {"own": "from the own reserve", "common": "from the common reserve"}
    source = sources.get(event["from"], f"from {event['from']}")
    return f"{names[event['seat']]} places {event['tile']} {source} on {event['cell']}."


@describe.add
def _completed(event: Seen, _names: Names) -> str:
    line = _line(event["line"])
    return f"{line[0].upper()}{line[1:]} is complete."


@describe.add
def _order_chosen(event: Seen, names: Names) -> str:
    line = _line(event["first"])
    if event["seat"] is None:
        return f"Of the two lines {line} is counted first."
    return f"{names[event['seat']]} has {line} counted first."


@describe.add
def _scored(event: Seen, names: Names) -> str:
    totals = ", ".join(f"{gang} {total}" for gang, total in event["totals"].items()) or "no live tile"
    start = f"{_line(event['line'])} has {totals}"
    start = start[0].upper() + start[1:]
    if event["neutralised"]:
        start += f" ({' '.join(event['neutralised'])} cancel out)"
    if event["winner"] is None:
        return f"{start}: no gang scores."
    points = count(event["points"], "point")
    if event["seat"] is None:
        return f"{start}: the {GANG_NAMES[event['winner']]} gang wins {points}, which no seat gets."
    return f"{start}: {names[event['seat']]} gets {points} and has {event['scores'][event['seat']]}."


@describe.add
def _barred(event: Seen, _names: Names) -> str:
    if event["on"]:
        return "There were too many moves in a row: until a seat places or shoots, no tile may be moved."
    return "Tiles may be moved again."


@describe.add
def _withdrawn(event: Seen, names: Names) -> str:
    taken = f" with {' '.join(event['tiles'])}" if event["tiles"] else ""
    return f"{names[event['seat']]} leaves the game{taken}; the gang plays on as a neutral one."


_REASONS = {
    "goal": "by reaching the target",
    "full": "with the city full",
    "exhausted": "with no tile left to place",
    "stall": "after too many moves in a row",
    "last_seat": "as the only one left",
    "cap": "as the last action has been taken",
}


@describe.add
def _ended(event: Seen, names: Names) -> str:
    best = winners(event["ranking"])
    result = f"{who(best, names)} {'wins' if len(best) == 1 else 'share the win'}"
    return f"{result} {_REASONS[event['reason']]}; the scores are {' '.join(map(str, event['scores']))}."
