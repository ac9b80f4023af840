"""Chicago Poker for people: a position in characters, an event in a sentence."""

from collections.abc import Mapping
from typing import Any

from referee.game import View
from referee.gamelib.ranking import winners
from referee.gamelib.wording import Names, Seen, Sentences, count, seat_mark, verdict, who
from referee.games.chicago_poker.components import KIND_NAMES, PATTERNS, supply_of


def draw(view: View) -> str:
    """Draw the position of a view: the businesses with all rows, then what each seat holds and has won."""
    lines = [_headline(view)]
    for number, slot in enumerate(view["slots"], 1):
        lines += _business(number, slot)
    lines.append("")
    for seat, size in enumerate(view["hands"]):
        mark = ">" if seat == view["active"] else " "
        tiles = " ".join(view["won"][seat]) or "none"
        lines.append(f"{mark} {seat_mark(view, seat)}  hand {_held(view, seat, size)}  tiles {tiles}")
    lines.append("")
    lines.append(f"  deck {view['deck']}  tiles to come {view['pile']}{_markers(view)}")
    lines.append(f"  discard {' '.join(view['discard']) or 'empty'}")
    return "\n".join(lines)


def _markers(view: View) -> str:
    """Return how many markers are left, if they can run out."""
    supply = supply_of(view["options"], view["seats"])
    used = sum(len(slot["marks"]) for slot in view["slots"])
    return "" if supply is None else f"  markers {supply - used}"


def _headline(view: View) -> str:
    turn = f"turn {view['turn']}"
    if view["phase"] == "over":
        return f"{turn}, {verdict(view)}"
    if view["phase"] == "order":
        return f"{turn}, @{view['active']} chooses the next shootout"
    if view["phase"] == "reinforce":
        fight = view["fight"]
        tied = " ".join(f"@{seat}" for seat in fight["tied"])
        return f"{turn}, tie in slot {fight['slot']}, round {fight['round']}: {tied} send reinforcements"
    return f"{turn}, @{view['active']} acts: {view['must']} owed, {view['may']} more allowed"


def _business(number: int, slot: Mapping[str, Any]) -> list[str]:
    kind = slot["kind"]
    if kind is None:
        return ["", f"  [{number}] no business"]
    lines = ["", f"  [{number}] {kind} {KIND_NAMES[kind]} {PATTERNS[kind]}"]
    for seat, row in enumerate(slot["rows"]):
        cells = "".join(f"{shown:<6}" for shown in row)
        marker = " * shootout" if seat in slot["marks"] else ""
        lines.append(f"      @{seat}  {cells:<30}{marker}".rstrip())
    return lines


def _held(view: View, seat: int, size: int) -> str:
    if "cards" in view:
        cards = view["cards"][seat]
    elif seat == view["you"]:
        cards = view["hand"]
    else:
        return str(size)
    return " ".join(cards) or "empty"


def _where(event: Seen) -> str:
    return f"slot {event['slot']}"


def _card(name: str) -> str:
    return "a card" if name == "?" else name


describe = Sentences(
    {
        "order_asked": "Shootouts are due in slots {slots}; {seat} chooses which is next.",
        "reshuffled": "The discard is shuffled into a new deck of {deck}.",
        "marked": "{seat} has five cards in slot {slot} and takes a shootout marker.",
        "revolver_played": "{seat} plays the Revolver and may take two more actions.",
        "passed": "{seat} passes.",
        "lot_drawn": "A lot among {among} gives slot {slot} to {seat}.",
        "deadlocked": "No seat can do anything: there is a shootout in slot {slot}, where most cards lie.",
        "captured": "{seat} takes the {kind} in slot {slot}.",
        "tile_opened": "A {kind} opens in slot {slot}; {pile} to come.",
    },
    slots=lambda slots, _names: " and ".join(map(str, slots)),
    deck=lambda number, _names: count(number, "card"),
    among=who,
    kind=lambda kind, _names: KIND_NAMES[kind],
    pile=lambda number, _names: count(number, "tile"),
)


@describe.add
def _started(event: Seen, names: Names) -> str:
    kinds = ", ".join(KIND_NAMES[kind] for kind in event["slots"])
    dealt = f"; you hold {' '.join(event['hand'])}" if "hand" in event else ""
    seated = who(range(event["seats"]), names)
    return f"{seated} sit down around {kinds}; {names[event['first']]} begins{dealt}."


@describe.add
def _turn_began(event: Seen, names: Names) -> str:
    must, may = event["must"], event["may"]
    allowance = f"{count(must, 'action')} to take" if must else f"up to {count(may, 'action')}"
    return f"Turn {event['turn']}: {names[event['seat']]} has {allowance}."


@describe.add
def _drawn(event: Seen, names: Names) -> str:
    why = " as a replacement" if event["cause"] == "replace" else ""
    return f"{names[event['seat']]} draws {_card(event['card'])}{why}."


@describe.add
def _played(event: Seen, names: Names) -> str:
    down = "" if event["up"] else " face down"
    return f"{names[event['seat']]} plays {_card(event['card'])}{down} in {_where(event)}."


@describe.add
def _liquidated(event: Seen, names: Names) -> str:
    if event["slot"] is None:
        return f"{names[event['seat']]} throws the Liquidation away."
    return (
        f"{names[event['seat']]} liquidates {event['card']} of {names[event['target']]} in {_where(event)}."
    )


@describe.add
def _raided(event: Seen, names: Names) -> str:
    if event["slot"] is None:
        return f"{names[event['seat']]} throws a Police Raid away."
    raid = f"{names[event['seat']]} raids {names[event['target']]} in {_where(event)}"
    if "cards" not in event:
        return f"{raid}."
    found = ", ".join(f"{card} in place {place}" for place, card in event["cards"].items())
    return f"{raid} and finds {found or 'nothing face down'}."


@describe.add
def _limo_played(event: Seen, names: Names) -> str:
    if event["from"] is None:
        return f"{names[event['seat']]} throws the Limousine away."
    cards = " ".join(card if up or card == "?" else f"({card})" for card, up in event["put"])
    return (
        f"{names[event['seat']]}'s Limousine takes {cards} from slot {event['from']} to slot {event['to']}."
    )


@describe.add
def _bribed(event: Seen, names: Names) -> str:
    if event["card"] is None:
        return f"{names[event['seat']]} throws the Bribery away."
    return (
        f"{names[event['seat']]} bribes the police for {_card(event['card'])} of the discard;"
        f" the rest is shuffled into a deck of {count(event['deck'], 'card')}."
    )


@describe.add
def _shootout_held(event: Seen, names: Names) -> str:
    hands = "; ".join(
        f"{names[seat]} {' '.join(row)} ({str(event['categories'][seat]).replace('-', ' ')})"
        for seat, row in enumerate(event["hands"])
        if row
    )
    best = event["best"]
    result = f"{who(best, names)} {'is best' if len(best) == 1 else 'are tied'}"
    return f"Shootout in {_where(event)}: {hands}; {result}."


@describe.add
def _reinforced(event: Seen, names: Names) -> str:
    sent = ", ".join(f"{names[int(seat)]} sends {card or 'no card'}" for seat, card in event["sent"].items())
    best = event["best"]
    result = f"{who(best, names)} {'prevails' if len(best) == 1 else 'are still tied'}"
    return f"Reinforcements for {_where(event)}, round {event['round']}: {sent}; {result}."


_REASONS = {
    "goal": "with the businesses the goal asks for",
    "last_business": "by taking the last business",
    "stalemate": "no seat can do anything any more",
    "cap": "the last turn has been played",
}


@describe.add
def _ended(event: Seen, names: Names) -> str:
    best = winners(event["ranking"])
    if len(best) == 1:
        return f"{who(best, names)} wins {_REASONS[event['reason']]}."
    return f"The game is a draw: {_REASONS[event['reason']]}."
