"""The table with all its secrets: who holds what, what lies where, and whose decision it is.

Slots count from 0 here, from 1 in every text, event and view.
"""

from bisect import bisect, insort

from referee.chance import Chance
from referee.game import Event, Outcome
from referee.gamelib.ranking import ranks_of
from referee.games.chicago_poker.components import FACE, FULL, NAMES, OTHER, OWN, SLOTS, UNKNOWN, Rules

_DRAWN = [{"card": name} for name in NAMES]


class Position:
    """The data of a game, and the few things every part of the rules does to it.

    `rows[slot][seat]` lists entries: a card, plus DOWN if it lies face down. `marks[slot]` is a bit per seat.
    The top of `deck` and `pile` is their end. `hands` and `discard` are sorted. `fight` is the slot of a tie,
    or -1.

    Views are asked for more often than the table changes, so the table also keeps what they show: `shown` and
    `known` are the rows as others and as their owners see them, `thrown` is the discard in names. `room` has,
    for each seat, a bit for each slot where it has place in its row.
    """

    __slots__ = (
        "acting",
        "active",
        "answers",
        "chance",
        "deck",
        "discard",
        "ended",
        "fight",
        "first",
        "hands",
        "idle",
        "kinds",
        "known",
        "lists",
        "marks",
        "may",
        "must",
        "phase",
        "pile",
        "quiet",
        "revolvers",
        "room",
        "round",
        "rows",
        "rules",
        "seats",
        "shown",
        "thrown",
        "tied",
        "turn",
        "won",
    )

    def __init__(self, rules: Rules, seats: int, chance: Chance) -> None:
        slots = SLOTS[seats]
        self.rules = rules
        self.seats = seats
        self.chance = chance
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.deck: list[int] = []
        self.discard: list[int] = []
        self.kinds: list[str | None] = [None] * slots
        self.rows: list[list[list[int]]] = [[[] for _ in range(seats)] for _ in range(slots)]
        self.shown: list[list[list[str]]] = [[[] for _ in range(seats)] for _ in range(slots)]
        self.known: list[list[list[str]]] = [[[] for _ in range(seats)] for _ in range(slots)]
        self.thrown: list[str] = []
        self.room = [0] * seats
        self.marks = [0] * slots
        self.pile: list[str] = []
        self.won: list[list[str]] = [[] for _ in range(seats)]
        self.first = 0
        self.active = 0
        self.turn = 0
        self.must = 0
        self.may = 0
        self.revolvers = 0
        self.idle = 0
        self.quiet = True
        self.phase = "action"
        self.acting: tuple[int, ...] = ()
        self.fight = -1
        self.tied: tuple[int, ...] = ()
        self.round = 0
        self.answers: dict[int, int | None] = {}
        self.ended: Outcome | None = None
        self.lists: dict[int, list[str]] = {}

    def copy_to(self, copy: "Position") -> None:
        """Make a fresh position of the same rules and seats equal to this one, and share no list with it."""
        copy.hands = list(map(list, self.hands))
        copy.deck = self.deck[:]
        copy.discard = self.discard[:]
        copy.kinds = self.kinds[:]
        copy.rows = [list(map(list, rows)) for rows in self.rows]
        copy.shown = [list(map(list, rows)) for rows in self.shown]
        copy.known = [list(map(list, rows)) for rows in self.known]
        copy.thrown = self.thrown[:]
        copy.room = self.room[:]
        copy.marks = self.marks[:]
        copy.pile = self.pile[:]
        copy.won = list(map(list, self.won))
        copy.answers = dict(self.answers)
        copy.first, copy.active, copy.turn = self.first, self.active, self.turn
        copy.must, copy.may, copy.revolvers = self.must, self.may, self.revolvers
        copy.idle, copy.quiet = self.idle, self.quiet
        copy.phase, copy.acting, copy.ended = self.phase, self.acting, self.ended
        copy.fight, copy.tied, copy.round = self.fight, self.tied, self.round

    def lay(self, slot: int, seat: int, card: int, facing: int) -> None:
        """Put a card at the end of a row; `facing` is DOWN or 0."""
        row = self.rows[slot][seat]
        entry = card + facing
        row.append(entry)
        self.shown[slot][seat].append(OTHER[entry])
        self.known[slot][seat].append(OWN[entry])
        if len(row) == FULL:
            self.room[seat] &= ~(1 << slot)

    def lay_row(self, slot: int, seat: int, entries: list[int]) -> None:
        """Put other cards, or none, in the place of a whole row."""
        self.rows[slot][seat] = entries
        self.shown[slot][seat] = [OTHER[entry] for entry in entries]
        self.known[slot][seat] = [OWN[entry] for entry in entries]
        if len(entries) < FULL:
            self.room[seat] |= 1 << slot
        else:
            self.room[seat] &= ~(1 << slot)

    def open_business(self, slot: int, kind: str) -> None:
        """Turn up a business in an empty slot."""
        self.kinds[slot] = kind
        bit = 1 << slot
        self.room = [room | bit for room in self.room]

    def close_business(self, slot: int) -> None:
        """Throw away all cards at a business, take back the markers, and leave the slot empty."""
        for row in self.rows[slot]:
            for entry in row:
                self.throw(entry & FACE)
        self.rows[slot] = [[] for _ in range(self.seats)]
        self.shown[slot] = [[] for _ in range(self.seats)]
        self.known[slot] = [[] for _ in range(self.seats)]
        self.marks[slot] = 0
        self.kinds[slot] = None
        bit = 1 << slot
        self.room = [room & ~bit for room in self.room]

    def throw(self, card: int) -> None:
        """Put a card on the discard, where everybody sees it (R7)."""
        place = bisect(self.discard, card)
        self.discard.insert(place, card)
        self.thrown.insert(place, NAMES[card])

    def take_discard(self) -> list[int]:
        """Return the whole discard and leave it empty."""
        cards = self.discard
        self.discard = []
        self.thrown = []
        return cards

    def stack(self, cards: list[int]) -> None:
        """Shuffle cards and make them the deck; the first in the new order is the top."""
        self.chance.shuffle("deck", cards)
        cards.reverse()
        self.deck = cards

    def take_card(self, seat: int, why: str, events: list[Event]) -> None:
        """Move the top card of the deck into a hand; R2: an empty deck is first made anew of the discard."""
        if not self.deck:
            self.stack(self.take_discard())
            events.append(Event({"event": "reshuffle", "deck": len(self.deck)}, None, True))
        card = self.deck.pop()
        insort(self.hands[seat], card)
        public = {"event": "draw", "seat": seat, "card": UNKNOWN, "why": why}
        events.append(Event(public, {seat: _DRAWN[card]}, True))

    def spend(self, card: int) -> None:
        """Move a special card of the active seat to the discard (R11: once it has had its effect)."""
        self.hands[self.active].remove(card)
        self.throw(card)

    def mark(self, slot: int, seat: int, events: list[Event]) -> None:
        """Mark a row that has just reached five cards (R9, R10)."""
        if self.rules.each or not self.marks[slot]:
            self.marks[slot] |= 1 << seat
            events.append(Event({"event": "marker", "seat": seat, "slot": slot + 1}))

    def finish(self, reason: str, winner: int | None, events: list[Event]) -> None:
        """End the game: the winner first and the others as `losers` says, or (R21, R22) a draw for all."""
        tiles = tuple(map(len, self.won))
        counted = winner is not None and self.rules.tiles
        ranks = ranks_of([(seat == winner, won * counted) for seat, won in enumerate(tiles)])
        self.ended = Outcome(ranks, tiles, reason, "draw" if winner is None or counted else "unordered")
        self.phase = "over"
        self.acting = ()
        events.append(Event({"event": "end", "reason": reason, "ranking": list(self.ended.ranks)}))
