"""Shootout markers (R9, R24): for each row of five, for each business, or a supply that can run out."""

from random import Random
from typing import Any

import pytest

from referee.chance import KeyedChance
from referee.game import Event, Options
from referee.games.chicago_poker import GAME
from tests.rules.acting import kinds_of, only, play
from tests.rules.chicago_poker.build import begin, position
from tests.rules.random_games import by_verb

FRENCH: Options = {"edition": "fr"}
ENGLISH: Options = {"markers": "supply"}
BOTH = {(1, 0): "R1 R3 R5 R7 R9", (1, 1): "G2 G4 G6 G8 G10"}


def test_the_french_edition_has_a_supply_and_the_english_none_that_ends_r9() -> None:
    assert GAME.resolve(FRENCH, 2)["markers"] == "supply"
    assert GAME.resolve(None, 2)["markers"] == "each"


@pytest.mark.case("Q03")
def test_a_row_of_five_takes_no_marker_when_the_supply_has_run_out_r24() -> None:
    # Two seats have two markers in the French edition, and both lie in slot 1.
    state = position(rows={**BOTH, (2, 0): "B1 B3 B5 B7"}, hands=["B9 LM"], options=FRENCH)
    events = play(state, "play B9 2")
    assert kinds_of(events) == ["played"]
    assert state.view(None)["slots"][1]["marks"] == []
    # Without a marker the row is neither frozen nor immune.
    free = position(rows={**BOTH, (2, 0): "B1 B3 B5 B7 B9"}, hands=["", "LQ"], active=1, options=FRENCH)
    free.marks[1] = 0
    assert "liquidate 2 @0" in free.legal(1)


@pytest.mark.case("Q04")
def test_a_row_that_found_no_marker_takes_one_when_its_seat_is_next_on_turn_r24() -> None:
    state = position(rows={**BOTH, (2, 0): "B1 B3 B5 B7 B9"}, hands=["Y1 Y3", "Y5 Y7 Y9"], options=FRENCH)
    state.marks[1] = 0
    events = begin(state)
    # The shootout in slot 1 brings both markers back; then the row in slot 2 takes one.
    assert kinds_of(events)[1:4] == ["shootout_held", "captured", "tile_opened"]
    assert kinds_of(events)[-1] == "marked"
    assert only(events, "marked").public == {"event": "marked", "seat": 0, "slot": 2}
    assert state.to_act() == (0,)
    # Its own shootout comes a turn later, as after a fifth card.
    events = play(state, "pass", "pass")
    assert only(events, "shootout_held").public["slot"] == 2


@pytest.mark.case("Q05")
def test_the_lowest_slot_is_first_if_a_seat_has_two_rows_for_one_marker_r24() -> None:
    rows = {(1, 0): "R1 R3 R5 R7 R9", (2, 0): "B1 B3 B5 B7 B9", (1, 1): "G1 G3 G5 G7 G9"}
    state = position(rows=rows, options=FRENCH)
    state.marks[:] = [0b10, 0]
    assert [event.public["slot"] for event in begin(state) if event.kind == "marked"] == [1]


@pytest.mark.case("Q06")
def test_the_supply_is_four_in_english_and_one_for_each_business_in_french_r9() -> None:
    supplies = {}
    for name, options in {"en": ENGLISH, "fr": FRENCH}.items():
        for seats in (3, 4, 5):
            state = position(seats, hands=["R9"], options=options)
            for slot in range(len(state.kinds)):
                for seat in range(seats):
                    state.lay_row(slot, seat, list(range(5)))  # which cards does not matter here
                    state.mark(slot, seat, [])
            supplies[name, seats] = sum(marks.bit_count() for marks in state.marks)
    assert supplies == {
        ("en", 3): 4,
        ("en", 4): 4,
        ("en", 5): 4,
        ("fr", 3): 2,
        ("fr", 4): 3,
        ("fr", 5): 4,
    }


def test_who_takes_a_marker_is_not_idle_r21_r24() -> None:
    rows = {(1, 0): "R1 R3 R5 R7 R9", (2, 0): "B1 B3 B5 B7 B9"}
    state = position(rows=rows, hands=["", ""], deck="", options={**FRENCH, "actions": "exact"})
    state.marks[:] = [0, 0]
    events = begin(state)
    assert kinds_of(events) == ["turn_began", "marked", "marked"]
    events = play(state, "pass", "pass")
    assert [event.public["idle"] for event in events if event.kind == "passed"] == [0, 1]
    assert "deadlocked" not in kinds_of(events)


def test_the_drawing_shows_how_many_markers_are_left() -> None:
    state = position(rows={(1, 0): "R1 R3 R5 R7 R9"}, options=FRENCH)
    assert "markers 1" in GAME.draw(state.view(None))
    assert "markers" not in GAME.draw(position().view(None))


class Ledger:
    """Rows and markers, kept from the public events alone."""

    def __init__(self, seats: int, options: Options, slots: int) -> None:
        sizes = {"each": seats * slots, "first": slots, "supply": 4 if options["edition"] == "en" else slots}
        self.supply = sizes[str(options["markers"])]
        self.one_each = options["markers"] == "first"
        self.rows = {(slot, seat): 0 for slot in range(1, slots + 1) for seat in range(seats)}
        self.marked: set[tuple[int, int]] = set()
        self.refused = 0

    def may_mark(self, slot: int) -> bool:
        if self.one_each and any(other == slot for other, _ in self.marked):
            return False
        return len(self.marked) < self.supply

    def hear(self, events: list[Event]) -> None:
        """Follow events; where a row comes to five cards, the next event is `marked` exactly if it may be."""
        seen = [event.public for event in events]
        for event, following in zip(seen, [*seen[1:], {"event": "none"}], strict=True):
            self._hear(event, following)

    def _hear(self, event: dict[str, Any], following: dict[str, Any]) -> None:
        kind: str = event["event"]
        seat: Any = event.get("seat")
        slot: Any = event.get("slot")
        if kind == "marked":
            assert self.rows[slot, seat] == 5
            assert (slot, seat) not in self.marked
            assert self.may_mark(slot)
            self.marked.add((slot, seat))
        elif kind == "liquidated" and slot is not None:
            assert (slot, event["target"]) not in self.marked
            self.rows[slot, event["target"]] -= 1
        elif kind == "captured":
            self.marked = {(other, owner) for other, owner in self.marked if other != slot}
            self.rows |= {(other, owner): 0 for other, owner in self.rows if other == slot}
        elif kind in {"played", "limo_played"} and event.get("from", 1) is not None:
            if kind == "limo_played":
                assert (event["from"], seat) not in self.marked
                self.rows[event["from"], seat] -= len(event["put"])
                slot = event["to"]
            self.rows[slot, seat] += len(event.get("put", [0]))
            if self.rows[slot, seat] == 5:
                assert (following["event"] == "marked") == self.may_mark(slot)
                self.refused += not self.may_mark(slot)

    def waiting(self, seat: int) -> list[int]:
        """Return the slots where a seat has a row of five without a marker, though there is one for it."""
        rows = [slot for (slot, owner), size in self.rows.items() if owner == seat and size == 5]
        return [slot for slot in rows if (slot, seat) not in self.marked and self.may_mark(slot)]


@pytest.mark.parametrize("edition", ["en", "fr"])
@pytest.mark.parametrize("markers", ["each", "first", "supply"])
def test_markers_are_taken_and_come_back_as_the_rules_say_r9_r10_r24(edition: str, markers: str) -> None:
    refused = 0
    for seats in (2, 3, 4, 6):
        for deal in range(4):
            random = Random(f"{edition}{markers}{seats}{deal}")
            given: Options = {"edition": edition, "markers": markers, "actions": "exact", "goal": "full"}
            state, events = GAME.new(seats, KeyedChance(random.randbytes(32)), given)
            ledger = Ledger(seats, GAME.resolve(given, seats), len(state.kinds))
            ledger.hear(events)
            while state.to_act():
                seat = random.choice(state.to_act())
                legal, turn = state.legal(seat), state.turn
                plays = [action for action in legal if action.startswith("play")]
                # Long rows make markers scarce.
                longest = sorted(plays, key=lambda action: -len(state.rows[int(action[-1]) - 1][seat]))
                action = longest[0] if longest and random.random() < 0.7 else by_verb(random, legal)
                ledger.hear(state.apply(seat, action))
                if state.turn > turn and state.phase == "action":
                    assert ledger.waiting(state.active) == []
            refused += ledger.refused
    assert bool(refused) == (markers != "each")
