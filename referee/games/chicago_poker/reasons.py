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


def why_not(position: Position, seat: int, match: re.Match[str]) -> str:
    """Return why an action of a seat that is to act is not legal."""
    verb = verb_of(match.string)
    if position.phase == "order":
        return f"first choose the next shootout: {_listed(due(position))}"
    if position.phase == "reinforce":
        return _why_not_send(verb, match)
    return _why_not_act(position, seat, verb, match)


def _listed(slots: list[int]) -> str:
    return " or ".join(f"shootout {slot + 1}" for slot in slots)


def _why_not_send(verb: str, match: re.Match[str]) -> str:
    if verb != "send":
        return "your hand is tied in a shootout: send a gangster"
    card = match["card"]
    if card is None:
        return "you have a gangster and must send one"
    return f"{card} is not in your hand"


def _why_not_act(position: Position, seat: int, verb: str, match: re.Match[str]) -> str:
    held = [NAMES[card] for card in position.hands[seat]]
    if verb in {"shootout", "send"}:
        return "there is no shootout to decide now"
    if len(held) > HAND_LIMIT + 1 and verb not in {"draw", "pass"}:
        return f"your turn would end with more than {HAND_LIMIT} cards in hand: play the Revolver"
    if verb == "draw":
        if not position.deck and not position.discard:
            return "deck and discard are empty"
        return f"your turn would end with more than {HAND_LIMIT} cards in hand"
    if verb == "pass":
        if len(held) > HAND_LIMIT:
            return f"a turn may not end with more than {HAND_LIMIT} cards in hand"
        return f"you still owe {position.must} action{'s' * (position.must > 1)}"
    if verb == "play":
        return _why_not_play(position, seat, match["card"], int(match["slot"]) - 1)
    if _SPECIALS[verb] not in held:
        return f"{_SPECIALS[verb]} is not in your hand"
    if match.group().endswith(" -"):
        return "only with blank=yes, and (but for the Limousine) only if the card has nothing to act on"
    return _NO_TARGET[verb]


def _why_not_play(position: Position, seat: int, card: str, slot: int) -> str:
    if CARDS[card] not in position.hands[seat]:
        return f"{card} is not in your hand"
    if slot >= len(position.kinds) or position.kinds[slot] is None:
        return f"there is no business in slot {slot + 1}"
    assert len(position.rows[slot][seat]) == FULL
    return f"your row in slot {slot + 1} already has {FULL} cards"
