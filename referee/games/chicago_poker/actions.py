"""What the active seat may do with an action, and what it does (section 4 of RULES.md).

`choices` is the one place where legality is decided. Texts are made once, when this module is loaded; only
the Limousine's are too many, and are made (and remembered) when a seat holds the card.
"""

from bisect import bisect_left, insort
from collections.abc import Callable
from functools import cache

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
# By slot, then by the seats that are victims (a bit each).
_LIQUIDATIONS, _RAIDS = (
    [
        [
            tuple(text for seat, text in enumerate(texts) if mask >> seat & 1)
            for mask in range(1 << MOST_SEATS)
        ]
        for texts in table
    ]
    for table in (_LIQUIDATE, _RAID)
)
_BRIBE = [f"bribe {name}" for name in NAMES]
_UP = [{"card": name} for name in NAMES]


def choices(position: Position) -> list[str]:
    """Return what the active seat may do now, in canonical order."""
    hand = position.hands[position.active]
    if len(hand) > HAND_LIMIT + 1:  # R3: no other card leads back to seven in this turn
        return ["revolver"]
    found = ["draw"] if can_draw(position) else []
    if room := position.room[position.active]:
        plays = _PLAYS[room]
        for card in hand:
            if card >= GANGSTERS:
                break
            found += plays[card]
    if hand and hand[-1] >= GANGSTERS:
        _add_specials(position, hand, found)
    if not found or can_stop(position):  # R4: a seat that can do nothing passes
        found.append("pass")
    return found


def can_draw(position: Position) -> bool:
    """Return whether the active seat may draw: there is a card, and the turn can end with seven (R3)."""
    if not position.deck and not position.discard:
        return False
    hand = position.hands[position.active]
    if len(hand) < HAND_LIMIT:
        return True
    # R2: a draw from an empty deck takes the discard away.
    discard = position.discard if position.deck else []
    return _can_end(position, len(hand) + 1 - HAND_LIMIT, position.must + position.may - 1, discard)


def can_end(position: Position) -> bool:
    """Return whether the turn can end with seven cards, as it can in every position of a game (R3)."""
    surplus = len(position.hands[position.active]) - HAND_LIMIT
    return surplus <= 0 or _can_end(position, surplus, position.must + position.may, position.discard)


def _can_end(position: Position, surplus: int, left: int, discard: list[int]) -> bool:
    """Return whether the active seat can be rid of the surplus with the actions left."""
    hand, revolvers = position.hands[position.active], position.revolvers
    if surplus == 1:
        return _can_shed(position, hand, left, discard, revolvers)
    # Two cards too many and one action: only the Revolver, which gives two more, leads back to seven.
    if surplus > 2 or RV not in hand or not left or revolvers >= position.rules.revolvers:
        return False
    rest = [card for card in hand if card != RV]
    return _can_shed(position, rest, left + 1, [*discard, RV], revolvers + 1)


def _can_shed(position: Position, hand: list[int], left: int, discard: list[int], revolvers: int) -> bool:
    """Return whether the seat can be rid of one card with the actions left: of the hand, or fetched first."""
    if left and hand[0] < GANGSTERS and position.room[position.active]:
        return True  # as nearly always; gangsters come first in a hand

    def sheds(card: int) -> bool:
        """Return whether playing this card makes the hand smaller."""
        if card < GANGSTERS:
            return position.room[position.active] > 0
        if card == RV:
            return revolvers < position.rules.revolvers
        if card == BR:  # it brings another card, unless it is thrown away
            return position.rules.blank and not discard
        return position.rules.blank or bool(_TARGETS[card](position))

    if left and any(map(sheds, hand)):
        return True
    return left > 1 and BR in hand and any(map(sheds, discard))


def can_stop(position: Position) -> bool:
    """Return whether the active seat has done its duty and may pass."""
    return position.must == 0 and len(position.hands[position.active]) <= HAND_LIMIT


def is_stuck(position: Position) -> bool:
    """Return whether it is public that the active seat, when it passes, could do nothing else (R21).

    With a duty left, a seat may pass only if it can do nothing. Without one, what the hand holds is not
    public, unless it is empty or there are gangsters only.
    """
    if position.must:
        return True
    seat = position.active
    unplayable = not position.hands[seat] or (position.room[seat] == 0 and not position.rules.specials)
    return unplayable and not can_draw(position)


def _add_specials(position: Position, hand: list[int], found: list[str]) -> None:
    for card in dict.fromkeys(hand[bisect_left(hand, GANGSTERS) :]):
        texts = _TARGETS[card](position)
        found += texts
        if position.rules.blank and card in _BLANK and _may_be_idle(position, card, texts):
            found.append(_BLANK[card])


def _may_be_idle(position: Position, card: int, texts: list[str]) -> bool:
    """Return whether `blank=yes` permits a special without effect: it has nothing to act on (R12).

    A Limousine may move no card at all (R14). Bribery has something to act on even if the hand is too full.
    """
    if card == LM:
        return True
    return not position.discard if card == BR else not texts


def _liquidations(position: Position) -> list[str]:
    others = ~(1 << position.active)
    found: list[str] = []
    marks = position.marks
    for slot, manned in enumerate(position.manned):
        found += _LIQUIDATIONS[slot][manned & ~marks[slot] & others]
    return found


def _raids(position: Position) -> list[str]:
    others = ~(1 << position.active)
    found: list[str] = []
    for slot, manned in enumerate(position.manned):
        found += _RAIDS[slot][manned & others]
    return found


def _revolvers(position: Position) -> list[str]:
    return ["revolver"] if position.revolvers < position.rules.revolvers else []  # R23


def _briberies(position: Position) -> list[str]:
    hand, left = position.hands[position.active], position.must + position.may - 1
    if position.bribes is None:
        position.bribes = [_BRIBE[card] for card in dict.fromkeys(position.discard)]
    if len(hand) > HAND_LIMIT:
        # The hand does not shrink: afterwards the surplus must be played (R3), the fetched card or another.
        rest = [card for card in hand if card != BR]
        if not _can_shed(position, rest, left, [BR], position.revolvers):
            return [
                _BRIBE[card]
                for card in dict.fromkeys(position.discard)
                if _can_shed(position, [card], left, [BR], position.revolvers)
            ]
    return position.bribes


_TARGETS: dict[int, Callable[[Position], list[str]]] = {
    LQ: _liquidations,
    PR: _raids,
    LM: limousines,
    RV: _revolvers,
    BR: _briberies,
}
_BLANK = {LQ: "liquidate -", PR: "raid -", LM: "limo -", BR: "bribe -"}


def _draw(position: Position, _first: int, _second: int, events: list[Event]) -> None:
    position.take_card(position.active, "action", events)


@cache
def _played(seat: int, slot: int, card: int, up: bool) -> Event:
    public = {"event": "played", "seat": seat, "slot": slot + 1, "up": up}
    if up:
        return Event({**public, "card": NAMES[card]})
    return Event({**public, "card": UNKNOWN}, {seat: _UP[card]})


def _play(position: Position, card: int, slot: int, events: list[Event]) -> None:
    seat = position.active
    row = position.rows[slot][seat]
    kind = position.kinds[slot]
    assert kind is not None
    facing = FACING[kind][len(row)]
    position.hands[seat].remove(card)
    position.lay(slot, seat, card, facing)
    events.append(_played(seat, slot, card, not facing))
    if len(row) == FULL:
        position.mark(slot, seat, events)


def _liquidate(position: Position, slot: int, target: int, events: list[Event]) -> None:
    *rest, entry = position.rows[slot][target]
    position.lay_row(slot, target, rest)
    position.throw(entry & FACE)
    position.spend(LQ)
    public = {
        "event": "liquidated",
        "seat": position.active,
        "slot": slot + 1,
        "target": target,
        "card": NAMES[entry & FACE],
    }
    events.append(Event(public, None, entry >= DOWN))


def _raid(position: Position, slot: int, target: int, events: list[Event]) -> None:
    row = position.rows[slot][target]
    cards = {str(place): NAMES[entry & FACE] for place, entry in enumerate(row, 1) if entry >= DOWN}
    position.spend(PR)
    public = {"event": "raided", "seat": position.active, "slot": slot + 1, "target": target}
    events.append(Event(public, {position.active: {"cards": cards}}, bool(cards)))


def _revolver(position: Position, _first: int, _second: int, events: list[Event]) -> None:
    position.spend(RV)
    position.revolvers += 1
    position.may += 2  # R5, R6
    events.append(Event({"event": "revolver_played", "seat": position.active}))


def _bribe(position: Position, card: int, _second: int, events: list[Event]) -> None:
    seat = position.active
    cards = position.take_discard()
    cards.remove(card)
    insort(position.hands[seat], card)
    position.stack(position.deck[::-1] + cards)
    position.spend(BR)
    public = {"event": "bribed", "seat": seat, "card": UNKNOWN, "deck": len(position.deck)}
    events.append(Event(public, {seat: _UP[card]}))


def _blank_target(position: Position, card: int, _second: int, events: list[Event]) -> None:
    position.spend(card)
    public = {"event": "raided", "seat": position.active, "slot": None, "target": None}
    if card == LQ:
        public |= {"event": "liquidated", "card": None}
    events.append(Event(public))


def _blank_bribe(position: Position, _first: int, _second: int, events: list[Event]) -> None:
    position.spend(BR)
    events.append(
        Event({"event": "bribed", "seat": position.active, "card": None, "deck": len(position.deck)})
    )


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
