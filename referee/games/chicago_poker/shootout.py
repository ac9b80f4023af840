"""Shootouts: compare, reinforce, capture (section 5 of RULES.md)."""

from referee.chance import picked
from referee.game import Event
from referee.games.chicago_poker.components import FACE, GANGSTERS, KINDS, NAMES, VALUES, names_of
from referee.games.chicago_poker.hands import CATEGORIES, rank
from referee.games.chicago_poker.position import Position

_SEND = [f"send {name}" for name in NAMES[:GANGSTERS]]
SENT: dict[str, int | None] = {text: card for card, text in enumerate(_SEND)} | {"send none": None}


def due(position: Position) -> list[int]:
    """Return the slots where the active seat has a marker."""
    if not any(position.marks):
        return []  # as nearly always
    bit = 1 << position.active
    return [slot for slot, marks in enumerate(position.marks) if marks & bit]


def fullest(position: Position) -> int | None:
    """Return the slot with the most cards, the lowest of equals, or None if no card lies anywhere (R21)."""
    counts = [sum(map(len, rows)) for rows in position.rows]
    return counts.index(max(counts)) if any(counts) else None


def open_fire(position: Position, slot: int, events: list[Event]) -> None:
    """Turn all cards up and compare: the best hand takes the tile, equal ones owe reinforcements."""
    rows = [[entry & FACE for entry in row] for row in position.rows[slot]]
    ranks = [rank(row) if row else None for row in rows]
    top = max(worth for worth in ranks if worth is not None)
    best = [seat for seat, worth in enumerate(ranks) if worth == top]
    position.quiet = False
    position.idle = 0
    public = {
        "event": "shootout_held",
        "seat": position.active,
        "slot": slot + 1,
        "hands": list(map(names_of, rows)),
        "categories": [None if worth is None else CATEGORIES[worth[0]] for worth in ranks],
        "best": best,
    }
    events.append(Event(public, None, True))
    if len(best) == 1:
        _capture(position, slot, best[0], events)
    else:
        for seat, row in enumerate(rows):
            position.lay_row(slot, seat, row)
        position.phase = "reinforce"
        position.fight = slot
        position.round = 1
        # R16: a seat with nothing to send is asked too, so that being asked shows nothing.
        position.ask(*best)


def reinforcements(position: Position, seat: int) -> list[str]:
    """Return what a tied seat may send: gangsters only (R15), or none if it has none or `reinforce=may`."""
    found = [_SEND[card] for card in position.hands[seat] if card < GANGSTERS]
    if not found or position.rules.stay:
        found.append("send none")
    return found


def send(position: Position, seat: int, card: int | None, events: list[Event]) -> None:
    """Hold an answer; with the last one, reveal them all, in seat order."""
    position.answers[seat] = card
    if position.hold(seat):
        _reveal(position, events)


def _reveal(position: Position, events: list[Event]) -> None:
    sent = {seat: position.answers[seat] for seat in position.asked}
    position.answers = {}
    values = {seat: 0 if card is None else card % VALUES + 1 for seat, card in sent.items()}
    top = max(values.values())
    best = [seat for seat in position.asked if values[seat] == top]  # R17: the others are out
    for seat, card in sent.items():
        if card is not None:
            position.hands[seat].remove(card)
            position.throw(card)
    public = {
        "event": "reinforced",
        "slot": position.fight + 1,
        "round": position.round,
        "sent": {str(seat): None if card is None else NAMES[card] for seat, card in sent.items()},
        "best": best,
    }
    events.append(Event(public, None, True))
    if position.rules.replace:
        for step in range(position.seats):
            seat = (position.active + step) % position.seats
            if sent.get(seat) is not None:
                position.take_card(seat, "replace", events)
    if len(best) > 1 and (top == 0 or position.round >= position.rules.reinforce_cap):  # R18
        winner = picked(position.chance, "lots", best)
        lot = {"event": "lot_drawn", "slot": position.fight + 1, "among": best, "seat": winner}
        events.append(Event(lot, None, True))
        best = [winner]
    if len(best) == 1:
        _capture(position, position.fight, best[0], events)
    else:
        position.round += 1
        position.ask(*best)


def _capture(position: Position, slot: int, seat: int, events: list[Event]) -> None:
    """Give the tile to a seat, clear the business, and refill it unless that ends the game."""
    kind = position.kinds[slot]
    assert kind is not None
    position.phase = "action"
    position.fight = -1
    position.round = 0
    position.won = [[*won, kind] if winner == seat else won for winner, won in enumerate(position.won)]
    position.close_business(slot)
    events.append(Event({"event": "captured", "seat": seat, "slot": slot + 1, "kind": kind}, None, True))
    if meets_goal(position.won[seat], position.rules.short):
        position.finish("goal", seat, events)
    elif position.pile:
        position.open_business(slot, position.pile.pop())
        opened = {"event": "tile_opened", "slot": slot + 1, "kind": position.kinds[slot]}
        events.append(Event({**opened, "pile": len(position.pile)}, None, True))
    elif not any(position.kinds):
        position.finish("last_business", seat, events)


def meets_goal(won: list[str], short: bool) -> bool:
    """Return whether these tiles win the game."""
    if len(won) < 2:
        return False
    same = max(map(won.count, KINDS))
    if short:
        return same >= 2 or len(won) >= 3
    return same >= 3 or len(won) >= 5 or all(kind in won for kind in KINDS)
