"""Why an action is not legal, in words. Nothing is hidden in this game, so a reason may name anything."""

from referee.gamelib.grammar import Grammar, verb_of
from referee.games.chicago.actions import free, sent_home, why_not_buy
from referee.games.chicago.board import BUILDING, STREET
from referee.games.chicago.components import GANG_NAMES, GANGS, PAWN_NAMES, PAWN_NUMBERS, PAWNS
from referee.games.chicago.position import OFF, Position

_PAWN = r"[YRGB](?:1[0-9]|20|[1-9])"

GRAMMAR = Grammar(
    {
        "buy": (r"buy (?P<rings>[123])", "buy 2"),
        "done": (r"done", "done"),
        "place": (rf"place (?P<pawn>{_PAWN}) (?P<node>{BUILDING})", "place Y1 YK"),
        "move": (rf"move (?P<pawn>{_PAWN}) (?P<node>{BUILDING}|{STREET})", "move Y1 d4"),
        "pick": (rf"pick (?P<pawn>{_PAWN})", "pick R2"),
    }
)
"""How each verb is spelt."""

_STAGES = {
    "phase_buy": ("buy", "done"),
    "turn_buy": ("buy", "done"),
    "place": ("place",),
    "move": ("move",),
    "pick": ("pick",),
}


def explain(table: Position, seat: int, action: str) -> str:
    """Return why this action is refused."""
    match = GRAMMAR.explain(action, table.ended is not None, seat in table.acting)
    if isinstance(match, str):
        return match
    verb = verb_of(action)
    if verb not in _STAGES[table.stage]:
        return _wrong_stage(table)
    if verb == "buy":
        return str(why_not_buy(table, int(match["rings"])))
    pawn = match["pawn"]
    if verb == "pick":
        return f"{pawn} is none of the defenders: {', '.join(a.split(' ')[1] for a in table.choices)}"
    if match["node"] not in table.board.numbers:
        return f"there is no {match['node']} on this board"
    if pawn not in PAWN_NAMES[table.active * PAWNS : (table.active + 1) * PAWNS]:
        return f"{pawn} is not of the gang on turn, {GANGS[table.active]}"
    explained = _why_not_place if verb == "place" else _why_not_move
    return explained(table, PAWN_NUMBERS[pawn], table.board.numbers[match["node"]])


def _wrong_stage(table: Position) -> str:
    gang = GANG_NAMES[GANGS[table.active]]
    return {
        "phase_buy": f"the {gang} gang is buying: buy, or done",
        "turn_buy": f"the {gang} gang may buy before it rolls: buy, or done",
        "place": f"the {gang} gang has to place its new members",
        "move": f"the {gang} gang must use all its points ({table.points} left): move",
        "pick": "first pick the defender of the next duel",
    }[table.stage]


def _why_not_place(table: Position, pawn: int, node: int) -> str:
    name = table.board.names[node]
    first = table.unplaced(table.active)[0]
    if pawn != first:
        return f"{PAWN_NAMES[first]} has to be placed first"
    if table.owner[node] != table.active:
        return f"{name} does not belong to the gang"
    home = table.board.names[table.board.homes[table.active]]
    if sent_home(table) or not free(table):
        return f"new members start from {home}"
    return f"{name} is occupied"


def _why_not_move(table: Position, pawn: int, node: int) -> str:
    board = table.board
    start = table.place[pawn]
    if start == OFF:
        return f"{PAWN_NAMES[pawn]} is not on the board"
    here, there = board.names[start], board.names[node]
    if node not in board.steps[start]:
        ways = ", ".join(board.names[way] for way in board.steps[start])
        return f"{there} does not border {here}; from there one goes to {ways}"
    holder = table.holder[node]
    if holder == table.active:
        return f"a pawn of the gang is on {there}"
    if not table.open_to[table.active][holder]:
        return f"a pawn of your other gang is on {there}"
    return f"from gate to gate costs {table.rules.gate_cost} points; left: {table.points}"
