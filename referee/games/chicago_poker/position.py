"""The position with all its secrets: who holds what, what lies where, and whose decision it is.

Slots count from 0 here, from 1 in every text, event and view.
"""

from bisect import insort
from dataclasses import field
from functools import cache
from typing import Any, Literal

from referee.chance import Chance
from referee.game import Event, Outcome
from referee.gamelib.cloning import Shared, cloneable
from referee.gamelib.ranking import ranks_of
from referee.gamelib.turns import TurnState
from referee.games.chicago_poker.components import (
    FACE,
    FULL,
    NAMES,
    OTHER,
    OWN,
    SLOTS,
    UNKNOWN,
    Rules,
    names_of,
)


@cache
def _drawn(seat: int, card: int, cause: str) -> Event:
    public = {"event": "drawn", "seat": seat, "card": UNKNOWN, "cause": cause}
    return Event(public, {seat: {"card": NAMES[card]}}, True)


@cloneable
class Position(TurnState[Rules]):
    """The data of a game, and the few things every part of the rules does to it.

    `rows[slot][seat]` lists entries: a card, plus DOWN if it lies face down. `marks[slot]` is a bit per seat.
    The top of `deck` and `pile` is their end. `hands` and `discard` are sorted. `fight` is the slot of a tie,
    or -1; the seats that are asked are the tied ones.

    Views are asked for more often than the position changes, so it also keeps what they show: `shown` and
    `known` are the rows as others and as their owners see them, `thrown` is the discard in names, `bribes`
    are the actions that take a card of it (None until they are asked for), `seen` is by slot what has been
    shown of it, by watcher. Views, and clones, share these lists and those of `won`: a
    change puts another list in the place of the old one. `room` has, for each seat, a bit for each slot where
    it has place in its row; `manned` has, for each slot, a bit for each seat with cards there.
    """

    hands: list[list[int]]
    deck: list[int] = field(default_factory=list)
    discard: list[int] = field(default_factory=list)
    kinds: list[str | None]
    rows: list[list[list[int]]]
    shown: list[list[Shared[list[str]]]]
    known: list[list[Shared[list[str]]]]
    thrown: Shared[list[str]] = field(default_factory=list)
    bribes: Shared[list[str] | None] = None
    seen: list[Shared[dict[int | None, dict[str, Any]]]]
    room: list[int]
    manned: list[int]
    marks: list[int]
    pile: list[str] = field(default_factory=list)
    won: Shared[list[list[str]]]
    first: int = 0
    must: int = 0
    may: int = 0
    revolvers: int = 0
    idle: int = 0
    quiet: bool = True
    fight: int = -1
    round: int = 0
    answers: dict[int, int | None] = field(default_factory=dict)

    keys = (
        *("first", "must", "may", "revolvers", "idle", "quiet", "hands", "deck", "discard", "pile"),
        *("slots", "won", "fight"),
    )

    def __init__(self, rules: Rules, chance: Chance) -> None:
        TurnState.__init__(self, rules, chance, "action")
        seats, slots = rules.seats, SLOTS[rules.seats]
        self.hands = [[] for _ in range(seats)]
        self.kinds = [None] * slots
        self.rows = [[[] for _ in range(seats)] for _ in range(slots)]
        self.shown = [[[] for _ in range(seats)] for _ in range(slots)]
        self.known = [[[] for _ in range(seats)] for _ in range(slots)]
        self.seen = [{} for _ in range(slots)]
        self.room = [0] * seats
        self.manned = [0] * slots
        self.marks = [0] * slots
        self.won = [[] for _ in range(seats)]

    def lay(self, slot: int, seat: int, card: int, facing: int) -> None:
        """Put a card at the end of a row; `facing` is DOWN or 0."""
        row = self.rows[slot][seat]
        entry = card + facing
        row.append(entry)
        shown, known = self.shown[slot], self.known[slot]
        shown[seat] = [*shown[seat], OTHER[entry]]
        known[seat] = [*known[seat], OWN[entry]]
        self.seen[slot] = {}
        self.manned[slot] |= 1 << seat
        if len(row) == FULL:
            self.room[seat] &= ~(1 << slot)

    def lay_row(self, slot: int, seat: int, entries: list[int]) -> None:
        """Put other cards, or none, in the place of a whole row."""
        self.rows[slot][seat] = entries
        self.shown[slot][seat] = [OTHER[entry] for entry in entries]
        self.known[slot][seat] = [OWN[entry] for entry in entries]
        self.seen[slot] = {}
        if entries:
            self.manned[slot] |= 1 << seat
        else:
            self.manned[slot] &= ~(1 << seat)
        if len(entries) < FULL:
            self.room[seat] |= 1 << slot
        else:
            self.room[seat] &= ~(1 << slot)

    def open_business(self, slot: int, kind: str) -> None:
        """Turn up a business in an empty slot."""
        self.kinds[slot] = kind
        self.seen[slot] = {}
        bit = 1 << slot
        self.room = [room | bit for room in self.room]

    def close_business(self, slot: int) -> None:
        """Throw away all cards at a business, take back the markers, and leave the slot empty."""
        self.throw(*[entry & FACE for row in self.rows[slot] for entry in row])
        self.rows[slot] = [[] for _ in range(self.seats)]
        self.shown[slot] = [[]] * self.seats
        self.known[slot] = [[]] * self.seats
        self.seen[slot] = {}
        self.manned[slot] = self.marks[slot] = 0
        self.kinds[slot] = None
        bit = 1 << slot
        self.room = [room & ~bit for room in self.room]

    def throw(self, *cards: int) -> None:
        """Put cards on the discard, face up (R7)."""
        self.discard = sorted([*self.discard, *cards])
        self.thrown = names_of(self.discard)
        self.bribes = None

    def take_discard(self) -> list[int]:
        """Return the whole discard and leave it empty."""
        cards = self.discard
        self.discard = []
        self.thrown = []
        self.bribes = None
        return cards

    def stack(self, cards: list[int]) -> None:
        """Shuffle cards and make them the deck; the first in the new order is the top."""
        self.chance.shuffle("deck", cards)
        cards.reverse()
        self.deck = cards

    def take_card(self, seat: int, cause: str, events: list[Event]) -> None:
        """Move the top card of the deck into a hand; R2: an empty deck is first made anew of the discard."""
        if not self.deck:
            self.stack(self.take_discard())
            events.append(Event({"event": "reshuffled", "deck": len(self.deck)}, None, True))
        card = self.deck.pop()
        insort(self.hands[seat], card)
        events.append(_drawn(seat, card, cause))

    def spend(self, card: int) -> None:
        """Move a special card of the active seat to the discard (R11: once it has had its effect)."""
        self.hands[self.active].remove(card)
        self.throw(card)

    def mark(self, slot: int, seat: int, events: list[Event]) -> None:
        """Mark a row of five cards if there is a marker for it (R9, R10, R24)."""
        if self.rules.one_each and self.marks[slot]:
            return
        if sum(map(int.bit_count, self.marks)) < self.rules.supply:
            self.marks[slot] |= 1 << seat
            self.seen[slot] = {}
            events.append(Event({"event": "marked", "seat": seat, "slot": slot + 1}))

    def mark_late(self, events: list[Event]) -> None:
        """Mark the rows of the active seat that found no marker when they came to five cards (R24)."""
        if self.rules.each:
            return
        bit, before = 1 << self.active, len(events)
        for slot, rows in enumerate(self.rows):
            if len(rows[self.active]) == FULL and not self.marks[slot] & bit:
                self.mark(slot, self.active, events)
        if len(events) > before:  # a shootout is due: the position is not dead
            self.quiet = False
            self.idle = 0

    def finish(self, reason: str, winner: int | None, events: list[Event]) -> None:
        """End the game: the winner first and the others as `losers` says, or (R21, R22) a draw for all."""
        tiles = tuple(map(len, self.won))
        counted = winner is not None and self.rules.tiles
        ranks = ranks_of([(seat == winner, won * counted) for seat, won in enumerate(tiles)])
        ties: Literal["draw", "unordered"] = "draw" if winner is None or counted else "unordered"
        self.end(Outcome(ranks, tiles, reason, ties), events)
