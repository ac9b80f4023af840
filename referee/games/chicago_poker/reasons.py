"""Why an action is not legal: in words, and from nothing the seat may not know."""

import re

from referee.gamelib.grammar import Grammar, verb_of
from referee.games.chicago_poker.components import CARDS, FULL, HAND_LIMIT, NAMES
from referee.games.chicago_poker.position import Position
from referee.games.chicago_poker.shootout import due

_GANGSTER = r"[RGBYP](?:1[0-5]|[1-9])"

GRAMMAR = Grammar(
    {
        "draw": (r"draw", "draw"),
        "play": (rf"play (?P<card>{_GANGSTER}) (?P<slot>[1-4])", "play R7 2"),
        "liquidate": (r"liquidate (?:[1-4] @[0-5]|-)", "liquidate 1 @3"),
        "raid": (r"raid (?:[1-4] @[0-5]|-)", "raid 1 @3"),
        "limo": (rf"limo (?:[1-4]>[1-4](?: {_GANGSTER}){{1,4}}|-)", "limo 1>3 R7 G12"),
        "revolver": (r"revolver", "revolver"),
        "bribe": (rf"bribe (?:{_GANGSTER}|LQ|PR|LM|RV|BR|-)", "bribe LQ"),
        "pass": (r"pass", "pass"),
        "shootout": (r"shootout [1-4]", "shootout 2"),
        "send": (rf"send (?:(?P<card>{_GANGSTER})|none)", "send P15"),
    }
)
"""How each verb is spelt."""

_SPECIALS = {"liquidate": "LQ", "raid": "PR", "limo": "LM", "revolver": "RV", "bribe": "BR"}
_NO_TARGET = {
    "liquidate": "no such victim: another seat with cards at that business and no marker on them",
    "raid": "no such target: another seat with cards at that business",
    "limo": "these cards cannot ride: 1 to 4 cards (with limousine=last the last ones) of your own unmarked"
    " row, to another business where your row has room for them",
    "revolver": "no more Revolvers can be played in this turn",
    "bribe": "that card is not in the discard, or your hand would end the turn with more than seven cards",
}


def explain(table: Position, seat: int, action: str) -> str:
    """Return why this action is refused."""
    if table.phase == "reinforce" and seat in table.answers:
        return "you have already answered"
    match = GRAMMAR.explain(action, table.phase == "over", seat in table.acting)
    if isinstance(match, str):
        return match
    verb = verb_of(action)
    if table.phase == "order":
        return f"first choose the next shootout: {_listed(due(table))}"
    if table.phase == "reinforce":
        return _why_not_send(table, seat, verb, match)
    return _why_not_act(table, seat, verb, match)


def _listed(slots: list[int]) -> str:
    return " or ".join(f"shootout {slot + 1}" for slot in slots)


def _why_not_send(table: Position, seat: int, verb: str, match: re.Match[str]) -> str:
    if verb != "send":
        return "your hand is tied in a shootout: send a gangster"
    card = match["card"]
    if card is None:
        return "you have a gangster and must send one"
    return f"{card} is not in your hand"


def _why_not_act(table: Position, seat: int, verb: str, match: re.Match[str]) -> str:
    held = [NAMES[card] for card in table.hands[seat]]
    if verb in {"shootout", "send"}:
        return "there is no shootout to decide now"
    if verb == "draw":
        if not table.deck and not table.discard:
            return "deck and discard are empty"
        return f"your turn would end with more than {HAND_LIMIT} cards in hand"
    if verb == "pass":
        if len(held) > HAND_LIMIT:
            return f"a turn may not end with more than {HAND_LIMIT} cards in hand"
        return f"you still owe {table.must} action{'s' * (table.must > 1)}"
    if verb == "play":
        return _why_not_play(table, seat, match["card"], int(match["slot"]) - 1)
    if _SPECIALS[verb] not in held:
        return f"{_SPECIALS[verb]} is not in your hand"
    if match.group().endswith(" -"):
        return "only with blank=yes, and only if the card has nothing to act on"
    return _NO_TARGET[verb]


def _why_not_play(table: Position, seat: int, card: str, slot: int) -> str:
    if CARDS[card] not in table.hands[seat]:
        return f"{card} is not in your hand"
    if slot >= len(table.kinds) or table.kinds[slot] is None:
        return f"there is no business in slot {slot + 1}"
    assert len(table.rows[slot][seat]) == FULL
    return f"your row in slot {slot + 1} already has {FULL} cards"
