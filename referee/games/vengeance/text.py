"""Vengeance for people: a position in characters, an event in a sentence."""

from collections.abc import Sequence

from referee.game import View
from referee.gamelib.ranking import winners
from referee.gamelib.wording import Names, Seen, Sentences, count, seat_mark, verdict, who
from referee.games.vengeance.board import KINDS, Board
from referee.games.vengeance.components import GANG_NAMES, GANGS

_WIDE = 8
_MARKS = {"plain": " ", "shoot": "+", "safe": "o", "danger": "!"}


def draw(view: View, board: Board) -> str:
    """Draw the position of a view: the circuit with all figures, and inside it what each gang has."""
    side = board.size // 4
    inside = ["", *_gang_lines(view), "", *_LEGEND]
    room = _WIDE * (side - 1) - 4
    lines = [_headline(view), "", *_row(view, board, range(side + 1))]
    for step in range(1, side):
        west, east = _box(view, board, board.size - step), _box(view, board, side + step)
        lines += [f"{west[part]}    {_next(inside):<{room}}{east[part]}" for part in range(2)]
    lines += _row(view, board, range(3 * side, 2 * side - 1, -1))
    return "\n".join(line.rstrip() for line in lines + inside)


def _next(lines: list[str]) -> str:
    return lines.pop(0) if lines else ""


def _row(view: View, board: Board, cells: Sequence[int]) -> list[str]:
    boxes = [_box(view, board, cell) for cell in cells]
    return ["".join(box[part] for box in boxes) for part in range(2)]


def _box(view: View, board: Board, cell: int) -> tuple[str, str]:
    """Return the two lines of a cell: its number, kind and door, and who stands there."""
    door = f"<{GANGS[board.exits.index(cell)]}" if cell in board.exits else ""
    label = f"{cell}{_MARKS[board.kinds[cell]]}{door}"
    shown = view["cells"].get(str(cell))
    return f"{label:<{_WIDE}}", f"{_compact(shown) if shown else '.':<{_WIDE}}"


def _compact(shown: Seen) -> str:
    text = f"{shown['gang']}*" * shown["boss"] + shown["gang"] * shown["hoods"]
    hostage = shown["hostage"]
    return f"{text}({hostage['gang']}{'*' * hostage['boss']})" if hostage else text


def _headline(view: View) -> str:
    turn = f"turn {view['turn']}, round {view['round']}"
    if view["phase"] == "over":
        return f"{turn}, {verdict(view)}"
    roll, left = (" ".join(map(str, view[key])) for key in ("roll", "dice"))
    hires = f", spins due for {' '.join(view['hires'])}" if view["hires"] else ""
    due = " ".join(view["due"])
    return f"{turn}, @{view['active']} ({due}), {view['phase']} move: rolled {roll}, left {left}{hires}"


def _gang_lines(view: View) -> list[str]:
    lines = []
    for letter, gang in view["gangs"].items():
        mark = ">" if letter in view["due"] else " "
        where = gang["boss"] if gang["boss"] in {"hq", None} else f"on {gang['boss']}"
        notes = [gang["state"]] * (gang["state"] != "active") + ["locked"] * gang["locked"]
        lines.append(
            f"{mark} {letter} {seat_mark(view, gang['seat'])}  boss {where or 'gone'} ({gang['progress']})"
            f"  hq {gang['hq']}  pool {gang['pool']}  falls {gang['falls']}  {' '.join(notes)}".rstrip()
        )
    return lines


_LEGEND = [
    f"  {', '.join(f'{_MARKS[kind]} {kind}' for kind in KINDS if kind != 'plain')}, <O door of orange",
    "  O hood, O* boss, O(Y) orange holds yellow",
    "  boss on 20 (12): he has come 12 points of his way",
]


def _figure(event: Seen) -> str:
    return f"{GANG_NAMES[event['gang']]} {event['figure']}"


def _gang(gang: str, _names: Names) -> str:
    return GANG_NAMES[gang]


def _hoods(number: int, _names: Names) -> str:
    return count(number, "hood")


describe = Sentences(
    {
        "turn_began": "Turn {turn}, round {round}: {seat} moves {due}.",
        "rolled": "{seat} rolls {dice}.",
        "extra_rolled": "After the double {seat} rolls one die more, a {die}.",
        "recruited": "At the door of the {gang} HQ {count} can be recruited.",
        "kidnapped": "On cell {cell} {by} takes the {gang} {figure} hostage.",
        "freed": "The {gang} {figure} on cell {cell} is free.",
        "reformed": "The {gang} gang breaks up, {lost} lost; its boss starts again from his HQ with {hq}.",
        "hired": "On shooting cell {cell} {gang} hires the marksmen.",
        "spun": "The wheel spins for {gang}: the rifles point at cells {cells[0]} and {cells[1]}.",
        "lapsed": "{seat} can do nothing with {dice}.",
        "stopped": "{seat} leaves the {dice} unused.",
    },
    gang=_gang,
    by=_gang,
    due=lambda due, _names: " and ".join(map(GANG_NAMES.__getitem__, due)),
    dice=lambda dice, _names: " and ".join(map(str, dice)),
    count=_hoods,
    lost=_hoods,
    hq=_hoods,
)


@describe.add
def _started(event: Seen, names: Names) -> str:
    seated = [
        f"{names[seat]} leads {' and '.join(map(GANG_NAMES.__getitem__, gangs))}"
        for seat, gangs in enumerate(event["gangs"])
    ]
    cells = len(event["board"]["cells"])
    return f"On board {event['board']['name']} with {cells} cells, {', '.join(seated)}."


@describe.add
def _start_rolled(event: Seen, names: Names) -> str:
    totals = event["totals"]
    rolled = ", ".join(f"{names[int(seat)]} {total}" for seat, total in totals.items())
    best = [int(seat) for seat, total in totals.items() if total == max(totals.values())]
    result = f"{who(best, names)} {'begins' if len(best) == 1 else 'roll again'}"
    return f"The dice for the start are {rolled}; {result}."


@describe.add
def _moved(event: Seen, _names: Names) -> str:
    points = "both dice" if event["by"] == "sum" else f"a {event['by']}"
    source = "the HQ" if event["from"] == "hq" else f"cell {event['from']}"
    target = "home to his HQ" if event["to"] == "hq" else f"to cell {event['to']}"
    return f"The {_figure(event)} goes with {points} from {source} {target}."


_CAUSES = {
    "ambush": "walks into an ambush on cell {} and is liquidated",
    "gang": "is executed by his kidnappers on cell {}",
    "rescue": "is liquidated by a rescuer on cell {}",
    "wheel": "is shot by the marksmen on cell {}",
}


@describe.add
def _killed(event: Seen, _names: Names) -> str:
    return f"The {_figure(event)} {_CAUSES[event['cause']].format(event['cell'])}."


@describe.add
def _eliminated(event: Seen, _names: Names) -> str:
    why = "its boss has fallen for the last time" if event["cause"] == "lives" else "its seat has withdrawn"
    return f"The {GANG_NAMES[event['gang']]} gang is out of the game: {why}."


_ENDINGS = {
    "goal": "{} wins: the boss is home from his tour of inspection",
    "last_seat": "{} wins: no other boss is left who could",
    "stalemate": "No figure can ever move again; first by progress: {}",
    "cap": "The last round is over; first by progress: {}",
}


@describe.add
def _ended(event: Seen, names: Names) -> str:
    best = who(winners(event["ranking"]), names)
    return f"{_ENDINGS[event['reason']].format(best)}."
