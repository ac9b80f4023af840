"""The position as the poker bot sees it: its view, and what it remembers from events.

The view shows what lies on the position now. Two things it leaves to the memory of a bot: what a police raid
showed, and which cards lay face up before a limousine took them to face-down places.
"""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.messages import Seen, View
from referee.games.chicago_poker.components import CARDS, FULL, GANGSTERS, NAMES, UNKNOWN
from sample_bots.python.poker_value import Cards, Outlook, outlook, tile_worth, wins_game


@dataclass(slots=True)
class Rival:
    """A rival's row at one business; `entries` are card numbers in order, None for what I do not know."""

    seat: int
    entries: list[int | None]
    marked: bool
    held: int
    """Cards in the rival's hand."""

    def outlook(self, future: int) -> Outlook:
        """Return what this row may become if its owner can add so many cards."""
        cards = tuple(sorted(entry for entry in self.entries if entry is not None))
        added = min(future, FULL - len(self.entries), self.held)
        return outlook(cards, len(self.entries) - len(cards) + added)

    def without_last(self) -> "Rival":
        """Return the row as it is after a liquidation."""
        return Rival(self.seat, self.entries[:-1], self.marked, self.held)


@dataclass(slots=True)
class Business:
    """A face-up business: my row there and those of all rivals, empty ones too."""

    slot: int
    kind: str
    worth: float
    decisive: bool
    """Winning it wins the game."""
    mine: Cards
    marked: bool
    """My own row is marked: the shootout comes when my next turn begins."""
    rivals: list[Rival]

    @property
    def room(self) -> int:
        """How many cards I can still play here."""
        return FULL - len(self.mine)

    @property
    def urgent(self) -> bool:
        """Whether a rival's shootout comes before my next turn."""
        return any(rival.marked for rival in self.rivals)

    def outlooks(self) -> list[Outlook]:
        """Return what the rivals' rows may become until the shootout."""
        # Where one is due there is little time left; otherwise every rival has at least a turn.
        future = 1 if self.urgent or self.marked else 2
        return [rival.outlook(future) for rival in self.rivals]


class Position:
    """One position: my hand, the actions I have left, the businesses."""

    def __init__(self, view: View, memory: "Memory") -> None:
        self.me: int = view["you"]
        self.left: int = view["must"] + view["may"]
        self.held = len(view["hand"])
        self.hand = tuple(CARDS[name] for name in view["hand"] if CARDS[name] < GANGSTERS)
        self.discard = [CARDS[name] for name in view["discard"] if CARDS[name] < GANGSTERS]
        self.businesses = {
            number: self._business(view, number, memory)
            for number, slot in enumerate(view["slots"], 1)
            if slot["kind"] is not None
        }

    def _business(self, view: View, number: int, memory: "Memory") -> Business:
        slot = view["slots"][number - 1]
        won = ["".join(kinds) for kinds in view["won"]]
        short = view["options"]["goal"] == "short"
        others = [seat for seat in range(view["seats"]) if seat != self.me]
        return Business(
            slot=number,
            kind=slot["kind"],
            worth=tile_worth(slot["kind"], won[self.me], [won[seat] for seat in others], short),
            decisive=wins_game(slot["kind"], won[self.me], short),
            # My own face-down cards stand in brackets.
            mine=tuple(sorted(CARDS[shown.strip("()")] for shown in slot["rows"][self.me])),
            marked=self.me in slot["marks"],
            rivals=[
                Rival(
                    seat,
                    memory.complete(number, seat, slot["rows"][seat]),
                    seat in slot["marks"],
                    view["hands"][seat],
                )
                for seat in others
            ],
        )


class Memory:
    """What I have ever known of the cards in each row, by slot and seat."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, int], list[str]] = {}
        self._loose: dict[tuple[int, int], set[str]] = {}
        """Cards of which it is not known in which of the places they lie: they rode face down in company, or
        may have moved up."""
        self._notes: dict[str, Callable[[Seen], None]] = {
            "played": self._played,
            "liquidated": self._liquidated,
            "raided": self._raided,
            "limo_played": self._limo_played,
            "captured": self._captured,
        }

    def note(self, event: Seen) -> None:
        """Take note of one event."""
        if event.get("slot", event.get("from")) is not None:  # a blank special acts on nothing
            note = self._notes.get(event["event"])
            if note is not None:
                note(event)

    def complete(self, slot: int, seat: int, shown: list[str]) -> list[int | None]:
        """Return a row as card numbers, with the face-down ones I remember; None for the others."""
        known = self._row(slot, seat)
        if len(known) != len(shown):  # I have not seen all events
            known = shown
        return [
            CARDS.get(now) if now != UNKNOWN else None if memory in shown else CARDS.get(memory)
            for now, memory in zip(shown, known, strict=True)
        ]

    def _row(self, slot: int, seat: int) -> list[str]:
        return self._rows.setdefault((slot, seat), [])

    def _played(self, event: Seen) -> None:
        self._row(event["slot"], event["seat"]).append(event["card"])

    def _liquidated(self, event: Seen) -> None:
        key = event["slot"], event["target"]
        row, unsure = self._row(*key), self._unsure(key)
        # After a limousine the card may lie in another place than the one I noted.
        gone = event["card"] if event["card"] in row else UNKNOWN
        if gone not in row:
            return
        place = row.index(gone) + 1
        if place in unsure and len(unsure) > 1:
            # It may have lain in any of these places, so which cards have moved up is not known.
            moved = row[min(unsure) - 1 : max(unsure)]
            self._loose.setdefault(key, set()).update({*moved} - {UNKNOWN, gone})
        row.remove(gone)

    def _raided(self, event: Seen) -> None:
        row = self._row(event["slot"], event["target"])
        cards = event.get("cards")  # there only if I am the raider
        if cards:
            self._loose.pop((event["slot"], event["target"]), None)
            for place, card in cards.items():
                if int(place) <= len(row):
                    row[int(place) - 1] = card

    def _limo_played(self, event: Seen) -> None:
        taken, left = self._parted(event)
        self._row(event["from"], event["seat"])[:] = left
        put = [card for card, _ in event["put"]]
        # Who rides face down is known as a set, if at all; the order stays the owner's secret.
        riders = [card for card in taken if card not in put and card in NAMES]
        if put.count(UNKNOWN) > 1:
            self._loose.setdefault((event["to"], event["seat"]), set()).update(riders)
        seen = [riders.pop() if card == UNKNOWN and riders else card for card in put]
        self._row(event["to"], event["seat"]).extend(seen)

    def _parted(self, event: Seen) -> tuple[list[str], list[str]]:
        """Return the cards that a limousine takes and those it leaves, as far as they are known."""
        key = event["from"], event["seat"]
        row, loose, unsure = self._row(*key), self._loose.get(key, set()), self._unsure(key)
        if unsure & {*event["take"]} and unsure - {*event["take"]}:  # which of them rode is not known
            row = [UNKNOWN if card in loose else card for card in row]
            self._loose.pop(key, None)
        taken = [card for place, card in enumerate(row, 1) if place in event["take"]]
        return taken, [card for place, card in enumerate(row, 1) if place not in event["take"]]

    def _unsure(self, key: tuple[int, int]) -> set[int]:
        """Return the places of a row in which not the cards need lie that I noted."""
        loose = self._loose.get(key, set())
        return {place for place, card in enumerate(self._row(*key), 1) if card in loose or card == UNKNOWN}

    def _captured(self, event: Seen) -> None:
        for known in (self._rows, self._loose):
            for key in [key for key in known if key[0] == event["slot"]]:
                del known[key]
