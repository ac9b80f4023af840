"""The turn as a machine: whose decision it is, and what follows from it.

::

    begin a turn ─▶ due shootouts ──none──▶ action ──▶ … ──▶ end of the turn ──▶ over, or the next turn begins
                     │one  │several             ▲
                     │     └▶ order ─▶ shootout │
                     └▶ shootout ──tie──▶ reinforce (all tied seats at once, as often as they tie)
                            └── capture ──▶ over, or the due shootouts that are left

Begin, shootout, capture and end happen by themselves; `order`, `reinforce` and `action` are decisions.
"""

from referee.game import Event
from referee.games.chicago_poker.actions import EFFECTS, choices, is_stuck
from referee.games.chicago_poker.limousine import ride
from referee.games.chicago_poker.position import Position
from referee.games.chicago_poker.reasons import GRAMMAR, why_not
from referee.games.chicago_poker.shootout import SENT, due, fullest, open_fire, reinforcements, send
from referee.games.chicago_poker.view import reveal, view_of

_SHOOT = [f"shootout {slot}" for slot in range(1, 5)]


class State(Position):
    """A position of Chicago Poker."""

    __slots__ = ()

    grammar = GRAMMAR
    why_not = why_not
    view = view_of
    reveal = reveal

    def choices(self, seat: int) -> list[str]:
        """Return the legal actions of a seat that is to act, in canonical order."""
        if self.phase == "action":
            return choices(self)
        if self.phase == "order":
            return [_SHOOT[slot] for slot in due(self)]
        return reinforcements(self, seat)

    def take(self, seat: int, action: str, events: list[Event]) -> None:
        """Take a legal action, and add what happens to `events`."""
        if self.phase != "action":
            self._answer(seat, action, events)
        elif action == "pass":
            self._pass(events)
        else:
            self.quiet = False
            self.idle = 0
            if self.must:
                self.must -= 1
            else:
                self.may -= 1
            known = EFFECTS.get(action)
            if known is None:
                ride(self, action, events)
            else:
                effect, first, second = known
                effect(self, first, second, events)
            if not self.must and not self.may:
                self._end_turn(events)

    def _answer(self, seat: int, action: str, events: list[Event]) -> None:
        """Take a decision that costs no action: which shootout is next, or what to send."""
        if self.phase == "order":
            self.phase = "action"
            open_fire(self, _SHOOT.index(action), events)
        else:
            send(self, seat, SENT[action], events)
        if self.phase == "action":
            self._settle(events)

    def _pass(self, events: list[Event]) -> None:
        # R21: a turn counts as idle if nothing happened in it and nothing could.
        self.idle = self.idle + 1 if self.quiet and is_stuck(self) else 0
        self.quiet = False
        self.must = self.may = 0
        events.append(Event({"event": "passed", "seat": self.active, "idle": self.idle}))
        self._end_turn(events)

    def _end_turn(self, events: list[Event]) -> None:
        if self.turn >= self.rules.max_turns:  # R22
            self.finish("cap", None, events)
        elif self.idle >= self.seats and not (self.rules.rescue and fullest(self) is not None):  # R21
            self.finish("stalemate", None, events)
        else:
            self.active = (self.active + 1) % self.seats
            self.begin_turn(events)

    def begin_turn(self, events: list[Event]) -> None:
        """Begin the turn of the active seat and go on to the next decision."""
        self.turn += 1
        allowance = min(self.turn, 3)
        self.must, self.may = (allowance, 0) if self.rules.exact else (0, allowance)
        self.revolvers = 0
        self.quiet = True
        events.append(
            Event(
                {
                    "event": "turn_began",
                    "seat": self.active,
                    "turn": self.turn,
                    "must": self.must,
                    "may": self.may,
                }
            )
        )
        if self.idle >= self.seats:  # R21: the position is dead, and a shootout brings it back to life
            slot = fullest(self)
            assert slot is not None
            events.append(Event({"event": "deadlocked", "slot": slot + 1}))
            open_fire(self, slot, events)
        if self.phase == "action":
            self._settle(events)

    def _settle(self, events: list[Event]) -> None:
        """Hold the shootouts that are due, until the active seat or the tied ones have to decide."""
        while self.phase == "action":
            slots = due(self)
            if not slots:
                self.mark_late(events)
                self.ask(self.active)
                return
            if len(slots) == 1:
                open_fire(self, slots[0], events)
            else:  # R1
                self.phase = "order"
                self.ask(self.active)
                numbers = [slot + 1 for slot in slots]
                events.append(Event({"event": "order_asked", "seat": self.active, "slots": numbers}))
