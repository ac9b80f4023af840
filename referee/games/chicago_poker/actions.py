"""What the active seat may do with an action, and what it does (section 4 of RULES.md).

`choices` is the one place where legality is decided. Texts are made once, when this module is loaded; only
the Limousine's are too many, and are made (and remembered) when somebody holds the card.
"""

from bisect import insort
from collections.abc import Callable

from referee.game import Event
from referee.games.chicago_poker.components import (
    BR,
    DOWN,
    FACE,
    FACING,
    FULL,
    GANGSTERS,
    HAND_LIMIT,
    LM,
    LQ,
    MOST_SEATS,
    MOST_SLOTS,
    NAMES,
    PR,
    RV,
    UNKNOWN,
)
from referee.games.chicago_poker.limousine import blank_limousine, limousines
from referee.games.chicago_poker.position import Position

Effect = Callable[[Position, int, int, list[Event]], None]

_PLAY = [[f"play {name} {slot + 1}" for slot in range(MOST_SLOTS)] for name in NAMES[:GANGSTERS]]
# By open slots (a bit each), then by card; a special card cannot be played on a business.
_PLAYS = [
    [tuple(text for slot, text in enumerate(texts) if mask >> slot & 1) for texts in _PLAY]
    for mask in range(1 << MOST_SLOTS)
]
_LIQUIDATE = [[f"liquidate {slot + 1} @{seat}" for seat in range(MOST_SEATS)] for slot in range(MOST_SLOTS)]
_RAID = [[f"raid {slot + 1} @{seat}" for seat in range(MOST_SEATS)] for slot in range(MOST_SLOTS)]
_BRIBE = [f"bribe {name}" for name in NAMES]
_UP = [{"card": name} for name in NAMES]


def choices(table: Position) -> list[str]:
    """Return what the active seat may do now, in canonical order."""
    hand = table.hands[table.active]
    room = table.room[table.active]
    found = ["draw"] if can_draw(table) else []
    plays = _PLAYS[room]
    for card in hand:
        if card >= GANGSTERS:
            _add_specials(table, hand, found)
            break
        found += plays[card]
    if not found or can_stop(table):  # R4: a seat that can do nothing passes
        found.append("pass")
    return found


def can_draw(table: Position) -> bool:
    """Tell whether the active seat may draw: there is a card, and the turn can end with seven (R3)."""
    if not table.deck and not table.discard:
        return False
    held = len(table.hands[table.active])
    if held < HAND_LIMIT:
        return True
    # A hand of seven holds a gangster, so one further action and room for it are enough.
    return held == HAND_LIMIT and table.must + table.may > 1 and table.room[table.active] > 0


def can_stop(table: Position) -> bool:
    """Tell whether the active seat has done its duty and may pass whatever else it could do."""
    return table.must == 0 and len(table.hands[table.active]) <= HAND_LIMIT


def is_stuck(table: Position) -> bool:
    """Tell whether everybody can see that the active seat, when it passes, could do nothing else (R21).

    With a duty left, nobody may pass who could do anything. Without, what the hand holds is not public,
    unless it is empty or there are gangsters only.
    """
    if table.must:
        return True
    seat = table.active
    unplayable = not table.hands[seat] or (table.room[seat] == 0 and not table.rules.specials)
    return unplayable and not can_draw(table)


def _add_specials(table: Position, hand: list[int], found: list[str]) -> None:
    previous = -1
    for card in hand:
        if card >= GANGSTERS and card != previous:
            texts = _TARGETS[card](table)
            found += texts
            if not texts and table.rules.blank and card in _BLANK:  # R12
                found.append(_BLANK[card])
        previous = card


def _liquidations(table: Position) -> list[str]:
    active = table.active
    return [
        _LIQUIDATE[slot][seat]
        for slot, rows in enumerate(table.rows)
        for seat, row in enumerate(rows)
        if row and seat != active and not table.marks[slot] >> seat & 1
    ]


def _raids(table: Position) -> list[str]:
    active = table.active
    return [
        _RAID[slot][seat]
        for slot, rows in enumerate(table.rows)
        for seat, row in enumerate(rows)
        if row and seat != active
    ]


def _revolvers(table: Position) -> list[str]:
    return ["revolver"] if table.revolvers < table.rules.revolvers else []  # R23


def _briberies(table: Position) -> list[str]:
    # The hand does not shrink: with eight cards, one more action is needed to play the surplus.
    if len(table.hands[table.active]) > HAND_LIMIT and table.must + table.may < 2:
        return []
    return [_BRIBE[card] for card in dict.fromkeys(table.discard)]


_TARGETS: dict[int, Callable[[Position], list[str]]] = {
    LQ: _liquidations,
    PR: _raids,
    LM: limousines,
    RV: _revolvers,
    BR: _briberies,
}
_BLANK = {LQ: "liquidate -", PR: "raid -", LM: "limo -", BR: "bribe -"}


def _draw(table: Position, _first: int, _second: int, events: list[Event]) -> None:
    table.take_card(table.active, "action", events)


def _play(table: Position, card: int, slot: int, events: list[Event]) -> None:
    seat = table.active
    row = table.rows[slot][seat]
    kind = table.kinds[slot]
    assert kind is not None
    facing = FACING[kind][len(row)]
    table.hands[seat].remove(card)
    table.lay(slot, seat, card, facing)
    if facing:
        public = {"event": "play", "seat": seat, "slot": slot + 1, "up": False, "card": UNKNOWN}
        events.append(Event(public, {seat: _UP[card]}))
    else:
        events.append(
            Event({"event": "play", "seat": seat, "slot": slot + 1, "up": True, "card": NAMES[card]})
        )
    if len(row) == FULL:
        table.mark(slot, seat, events)


def _liquidate(table: Position, slot: int, target: int, events: list[Event]) -> None:
    *rest, entry = table.rows[slot][target]
    table.lay_row(slot, target, rest)
    table.throw(entry & FACE)
    table.spend(LQ)
    public = {
        "event": "liquidate",
        "seat": table.active,
        "slot": slot + 1,
        "target": target,
        "card": NAMES[entry & FACE],
    }
    events.append(Event(public, None, entry >= DOWN))


def _raid(table: Position, slot: int, target: int, events: list[Event]) -> None:
    row = table.rows[slot][target]
    cards = {str(place): NAMES[entry & FACE] for place, entry in enumerate(row, 1) if entry >= DOWN}
    table.spend(PR)
    public = {"event": "raid", "seat": table.active, "slot": slot + 1, "target": target}
    events.append(Event(public, {table.active: {"cards": cards}}, bool(cards)))


def _revolver(table: Position, _first: int, _second: int, events: list[Event]) -> None:
    table.spend(RV)
    table.revolvers += 1
    table.may += 2  # R5, R6
    events.append(Event({"event": "revolver", "seat": table.active}))


def _bribe(table: Position, card: int, _second: int, events: list[Event]) -> None:
    seat = table.active
    cards = table.take_discard()
    cards.remove(card)
    insort(table.hands[seat], card)
    table.stack(table.deck[::-1] + cards)
    table.spend(BR)
    public = {"event": "bribe", "seat": seat, "card": UNKNOWN, "deck": len(table.deck)}
    events.append(Event(public, {seat: _UP[card]}))


def _blank_target(table: Position, card: int, _second: int, events: list[Event]) -> None:
    table.spend(card)
    public = {"event": "raid", "seat": table.active, "slot": None, "target": None}
    if card == LQ:
        public |= {"event": "liquidate", "card": None}
    events.append(Event(public))


def _blank_bribe(table: Position, _first: int, _second: int, events: list[Event]) -> None:
    table.spend(BR)
    events.append(Event({"event": "bribe", "seat": table.active, "card": None, "deck": len(table.deck)}))


EFFECTS: dict[str, tuple[Effect, int, int]] = {
    "draw": (_draw, 0, 0),
    "revolver": (_revolver, 0, 0),
    "liquidate -": (_blank_target, LQ, 0),
    "raid -": (_blank_target, PR, 0),
    "limo -": (blank_limousine, 0, 0),
    "bribe -": (_blank_bribe, 0, 0),
}
"""What every action but `pass` and the Limousine does: a function and two numbers for it."""

EFFECTS |= {text: (_play, card, slot) for card, texts in enumerate(_PLAY) for slot, text in enumerate(texts)}
EFFECTS |= {text: (_bribe, card, 0) for card, text in enumerate(_BRIBE)}
for _slot in range(MOST_SLOTS):
    for _seat in range(MOST_SEATS):
        EFFECTS[_LIQUIDATE[_slot][_seat]] = (_liquidate, _slot, _seat)
        EFFECTS[_RAID[_slot][_seat]] = (_raid, _slot, _seat)
