"""Why an action is not legal, in words. Nothing is hidden in this game, so a reason may name anything."""

from re import Match

from referee.gamelib.grammar import Grammar, verb_of
from referee.games.chicago.actions import free, sent_home, why_not_buy
from referee.games.chicago.board import BUILDING, STREET
from referee.games.chicago.components import GANG_NAMES, GANGS, NOBODY, PAWN_NAMES, PAWN_NUMBERS, PAWNS
from referee.games.chicago.position import OFF, Position

_PAWN = r"[YRGB](?:1[0-9]|20|[1-9])"

GRAMMAR = Grammar(
    {
        "buy": (r"buy (?P<rings>[123])", "buy 2"),
        "done": (r"done", "done"),
        "place": (rf"place (?P<pawn>{_PAWN}) (?P<node>{BUILDING})", "place Y1 YK"),
        "move": (rf"move (?P<pawn>{_PAWN}) (?P<node>{BUILDING}|{STREET})", "move Y1 d4"),
        "attack": (r"attack", "attack"),
        "pick": (rf"pick (?P<pawn>{_PAWN})(?: (?P<defender>{_PAWN}))?", "pick R2"),
    }
)
"""How each verb is spelt."""

_VERBS = {
    "part_buy": ("buy", "done"),
    "turn_buy": ("buy", "done"),
    "place": ("place",),
    "move": ("move",),
    "join": ("move", "attack"),
    "pick": ("pick",),
}


def why_not(position: Position, seat: int, match: Match[str]) -> str:
    """Return why an action of the seat that is to act is not legal."""
    verb = verb_of(match.string)
    if verb not in _VERBS[position.phase]:
        return _wrong_phase(position)
    if verb == "buy":
        return str(why_not_buy(position, int(match["rings"])))
    if verb == "pick":
        return _why_not_pick(position, seat, match.string.removeprefix("pick "))
    pawn = match["pawn"]
    if match["node"] not in position.board.numbers:
        return f"there is no {match['node']} on this board"
    if pawn not in PAWN_NAMES[position.gang * PAWNS : (position.gang + 1) * PAWNS]:
        return f"{pawn} is not of the gang on turn, {GANGS[position.gang]}"
    explained = _why_not_place if verb == "place" else _why_not_move
    return explained(position, PAWN_NUMBERS[pawn], position.board.numbers[match["node"]])


def _wrong_phase(position: Position) -> str:
    gang = GANG_NAMES[GANGS[position.gang]]
    picked = "an attacker and a defender" if position.rules.joint else "the defender"
    return {
        "part_buy": f"the {gang} gang is buying: buy, or done",
        "turn_buy": f"the {gang} gang may buy before it rolls: buy, or done",
        "place": f"the {gang} gang has to place its new members",
        "move": f"the {gang} gang must use all its points ({position.points} left): move",
        "join": "an attack is prepared: move another member, or attack",
        "pick": f"first pick {picked} of the next duel",
    }[position.phase]


def _why_not_pick(position: Position, seat: int, picked: str) -> str:
    if not position.rules.joint:
        defenders = ", ".join(action.split(" ")[1] for action in position.legal(seat))
        return f"{picked} is none of the defenders: {defenders}"
    pairs = [action.split(" ")[1:] for action in position.legal(seat)]
    attackers, defenders = (", ".join(dict.fromkeys(names)) for names in zip(*pairs, strict=True))
    return f"in a joint attack name an attacker ({attackers}) and a defender ({defenders})"


def _why_not_place(position: Position, pawn: int, node: int) -> str:
    name = position.board.names[node]
    first = position.unplaced(position.gang)[0]
    if pawn != first:
        return f"{PAWN_NAMES[first]} has to be placed first"
    if position.owner[node] != position.gang:
        return f"{name} does not belong to the gang"
    home = position.board.names[position.board.homes[position.gang]]
    if sent_home(position) or not free(position):
        return f"new members start from {home}"
    return f"{name} is occupied"


def _why_not_move(position: Position, pawn: int, node: int) -> str:
    board = position.board
    start = position.place[pawn]
    if start == OFF:
        return f"{PAWN_NAMES[pawn]} is not on the board"
    here, there = board.names[start], board.names[node]
    if pawn in position.attackers:
        return f"{PAWN_NAMES[pawn]} attacks in {here} and stays there"
    if node not in board.steps[start] and not position.rules.passes:
        ways = ", ".join(board.names[way] for way in board.steps[start])
        return f"{there} does not border {here}; from there steps lead to {ways}"
    return _why_not_stop(position, node) or _why_not_reach(position, start, node)


def _why_not_stop(position: Position, node: int) -> str | None:
    """Return why a member of the gang on turn could not stop at a node, however near it is."""
    board, holder = position.board, position.holder[node]
    if holder == NOBODY:
        return None
    if holder == position.gang:
        shared = position.rules.stack and node < board.buildings
        return None if shared else f"a pawn of the gang is on {board.names[node]}"
    if not position.open_to[position.gang][holder]:
        return f"a pawn of your other gang is on {board.names[node]}"
    attacked = position.place[position.attackers[0]] if position.attackers else node
    return None if node == attacked else f"the attack in {board.names[attacked]} comes first"


def _why_not_reach(position: Position, start: int, node: int) -> str:
    """Return why the points left do not take a member to a node where it could stop."""
    board = position.board
    there = board.names[node]
    if node not in board.steps[start]:
        return f"{there} cannot be reached with {position.points} points past pawns of the gang"
    return f"from gate to gate costs {position.rules.gate_cost} points; left: {position.points}"
