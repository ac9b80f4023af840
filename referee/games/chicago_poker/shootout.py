"""Shootouts: compare, reinforce, capture (section 5 of RULES.md)."""

from referee.chance import picked
from referee.game import Event
from referee.games.chicago_poker.components import FACE, GANGSTERS, KINDS, NAMES, VALUES
from referee.games.chicago_poker.hands import CATEGORIES, rank
from referee.games.chicago_poker.position import Position

_SEND = [f"send {name}" for name in NAMES[:GANGSTERS]]
SENT: dict[str, int | None] = {text: card for card, text in enumerate(_SEND)} | {"send none": None}


def due(table: Position) -> list[int]:
    """Return the slots where the active seat has a marker."""
    return [slot for slot, marks in enumerate(table.marks) if marks >> table.active & 1]


def fullest(table: Position) -> int | None:
    """Return the slot with the most cards, the lowest of equals, or None if no card lies anywhere (R21)."""
    counts = [sum(map(len, rows)) for rows in table.rows]
    return counts.index(max(counts)) if any(counts) else None


def open_fire(table: Position, slot: int, events: list[Event]) -> None:
    """Turn all cards up and compare: the best hand takes the tile, equal ones owe reinforcements."""
    rows = [[entry & FACE for entry in row] for row in table.rows[slot]]
    ranks = [rank(row) if row else None for row in rows]
    top = max(worth for worth in ranks if worth is not None)
    best = [seat for seat, worth in enumerate(ranks) if worth == top]
    table.quiet = False
    table.idle = 0
    public = {
        "event": "shootout",
        "seat": table.active,
        "slot": slot + 1,
        "hands": [[NAMES[card] for card in row] for row in rows],
        "categories": [None if worth is None else CATEGORIES[worth[0]] for worth in ranks],
        "best": best,
    }
    events.append(Event(public, None, True))
    if len(best) == 1:
        _capture(table, slot, best[0], events)
    else:
        for seat, row in enumerate(rows):
            table.lay_row(slot, seat, row)
        table.phase = "reinforce"
        table.fight = slot
        table.round = 1
        _ask(table, best)


def _ask(table: Position, seats: list[int]) -> None:
    """Ask all tied seats at once, also those with nothing to send: who is asked must not tell (R16)."""
    table.tied = table.acting = tuple(seats)
    table.answers = {}


def reinforcements(table: Position, seat: int) -> list[str]:
    """Return what a tied seat may send: gangsters only (R15), or none if it has none or `reinforce=may`."""
    found = [_SEND[card] for card in table.hands[seat] if card < GANGSTERS]
    if not found or table.rules.stay:
        found.append("send none")
    return found


def send(table: Position, seat: int, card: int | None, events: list[Event]) -> None:
    """Hold an answer; with the last one, reveal them all, in seat order whatever order they came in."""
    table.answers[seat] = card
    table.acting = tuple(other for other in table.tied if other not in table.answers)
    if not table.acting:
        _reveal(table, events)


def _reveal(table: Position, events: list[Event]) -> None:
    sent = {seat: table.answers[seat] for seat in table.tied}
    values = {seat: 0 if card is None else card % VALUES + 1 for seat, card in sent.items()}
    top = max(values.values())
    best = [seat for seat in table.tied if values[seat] == top]  # R17: the others are out
    for seat, card in sent.items():
        if card is not None:
            table.hands[seat].remove(card)
            table.throw(card)
    public = {
        "event": "reinforce",
        "slot": table.fight + 1,
        "round": table.round,
        "sent": {str(seat): None if card is None else NAMES[card] for seat, card in sent.items()},
        "best": best,
    }
    events.append(Event(public, None, True))
    if table.rules.replace:
        for step in range(table.seats):
            seat = (table.active + step) % table.seats
            if sent.get(seat) is not None:
                table.take_card(seat, "replace", events)
    if len(best) > 1 and (top == 0 or table.round >= table.rules.reinforce_cap):  # R18
        winner = picked(table.chance, "lots", best)
        events.append(
            Event({"event": "lot", "slot": table.fight + 1, "among": best, "seat": winner}, None, True)
        )
        best = [winner]
    if len(best) == 1:
        _capture(table, table.fight, best[0], events)
    else:
        table.round += 1
        _ask(table, best)


def _capture(table: Position, slot: int, seat: int, events: list[Event]) -> None:
    """Give the tile to a seat, clear the business, and refill it unless that ends the game."""
    kind = table.kinds[slot]
    assert kind is not None
    table.phase = "action"
    table.fight = -1
    table.tied = ()
    table.round = 0
    table.answers = {}
    table.won[seat].append(kind)
    table.close_business(slot)
    events.append(Event({"event": "capture", "seat": seat, "slot": slot + 1, "kind": kind}, None, True))
    if meets_goal(table.won[seat], table.rules.short):
        table.finish("goal", seat, events)
    elif table.pile:
        table.open_business(slot, table.pile.pop())
        public = {"event": "tile", "slot": slot + 1, "kind": table.kinds[slot], "pile": len(table.pile)}
        events.append(Event(public, None, True))
    elif not any(table.kinds):
        table.finish("last-business", seat, events)


def meets_goal(won: list[str], short: bool) -> bool:
    """Tell whether these tiles win the game."""
    same = max(map(won.count, KINDS))
    if short:
        return same >= 2 or len(won) >= 3
    return same >= 3 or len(won) >= 5 or all(kind in won for kind in KINDS)
