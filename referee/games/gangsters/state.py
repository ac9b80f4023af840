"""The turn as a machine: whose decision it is, and what follows from it.

::

    turn ──draw──▶ put ──put──▶ resolve ◀── own, common, blind, move, shoot ── turn
                                   │ two lines that pay two different seats
                                   ├────────▶ order ──first──▶ count both
                                   ▼
                     over, or the next seat that has an action: turn

`turn`, `put` and `order` are decisions of the active seat; all else happens by itself.
"""

from referee.game import Event
from referee.games.gangsters.actions import EFFECTS, can_act, choices
from referee.games.gangsters.components import GANGS, NAMES
from referee.games.gangsters.counting import NOBODY, Count, count
from referee.games.gangsters.grid import (
    COLUMN_MASK,
    COLUMN_OF,
    LINE_CELLS,
    LINE_NAMES,
    ROW_MASK,
    ROW_OF,
)
from referee.games.gangsters.position import NONE, Position
from referee.games.gangsters.reasons import GRAMMAR, why_not
from referee.games.gangsters.spelling import FIRST
from referee.games.gangsters.view import reveal, view_of


class State(Position):
    """A position of Gangsters de Chicago."""

    __slots__ = ()

    grammar = GRAMMAR
    choices = choices
    why_not = why_not
    view = view_of
    reveal = reveal

    def take(self, seat: int, action: str, events: list[Event]) -> None:
        """Take a legal action, and add what happens to `events`."""
        self.decisions += 1
        if self.phase == "order":
            self._count_both(FIRST.index(action), seat, events)
        else:
            effect, first, second = EFFECTS[action]
            effect(self, first, second, events)
            if self.phase == "turn":
                self._resolve(events)
        if self.decisions >= self.rules.ply_cap and self.ended is None:
            self.finish("cap", events)

    def _resolve(self, events: list[Event]) -> None:
        """Freeze and count the lines that the last turn completed; a shot completes none (4.1)."""
        cell, free = self.ban, self.free
        if cell != NONE:
            row, column = not free & ROW_MASK[cell], not free & COLUMN_MASK[cell]
            if row:
                self._freeze(ROW_OF[cell], events)
            if column:
                self._freeze(COLUMN_OF[cell], events)
            if row and column:
                self.pending = (ROW_OF[cell], COLUMN_OF[cell])
                if self._order_matters():
                    self.phase = "order"
                else:
                    self._count_both(ROW_OF[cell], None, events)
                return
            if row or column:
                self._count(self.complete[-1], events)
        self._close_turn(events)

    def _freeze(self, line: int, events: list[Event]) -> None:
        self.freeze(line)
        events.append(Event({"event": "completed", "line": LINE_NAMES[line]}))

    def _order_matters(self) -> bool:
        """Return whether the seat is asked which line comes first; A17: if two different seats are paid."""
        if self.rules.always:
            return True
        paid = [self.owners[result.winner] for result in map(self._result, self.pending) if result.points]
        return len(paid) > 1 and NONE not in paid and paid[0] != paid[1]

    def _count_both(self, first: int, seat: int | None, events: list[Event]) -> None:
        """Count both pending lines, `first` first; A18: the second is void if the game is over by then."""
        events.append(Event({"event": "order_chosen", "seat": seat, "first": LINE_NAMES[first]}))
        lines = sorted(self.pending, key=lambda line: line != first)
        self.phase = "turn"
        self.pending = ()
        for line in lines:
            self._count(line, events)
            if self.ended is not None:
                return
        self._close_turn(events)

    def _result(self, line: int) -> Count:
        rules = self.rules
        left_out = [gang for gang, owner in enumerate(self.owners) if owner == NONE] if rules.ignored else ()
        return count([self.board[cell] for cell in LINE_CELLS[line]], rules.cancels, left_out)

    def _count(self, line: int, events: list[Event]) -> None:
        """Count one line, pay its winner, and end the game if that reaches the target (5.1)."""
        result = self._result(line)
        gang = result.winner
        seat = NONE if gang == NOBODY else self.owners[gang]
        if seat != NONE:  # A3: what a neutral gang wins is lost
            self.pay(seat, result.points)
        scored = {
            "event": "scored",
            "line": LINE_NAMES[line],
            "totals": {GANGS[other]: total for other, total in result.totals.items()},
            "neutralised": [GANGS[other] for other in result.neutralised],
            "winner": None if gang == NOBODY else GANGS[gang],
            "seat": None if seat == NONE else seat,
            "minus": result.minus,
            "points": result.points,
            "scores": self.scores,
        }
        events.append(Event(scored))
        if seat != NONE and self.scores[seat] >= self.rules.target:
            self.finish("goal", events)

    def _close_turn(self, events: list[Event]) -> None:
        """End the game if it is time, or go on to the next seat that can act."""
        if self.ended is not None:
            return
        if not self.left:
            self.finish("exhausted" if self.free else "full", events)
            return
        stalled = self.quiet >= self.limit
        if stalled and self.rules.stall == "end":
            self.finish("stall", events)
            return
        if stalled != self.barred and self.rules.stall == "must_place":
            self.barred = stalled
            events.append(Event({"event": "barred", "on": stalled}))
        self._pass_on(events)

    def _pass_on(self, events: list[Event]) -> None:
        """Make the next seat with an action the active one (3.5): there is one while a tile can be placed."""
        if self.decisions >= self.rules.ply_cap:
            self.finish("cap", events)
            return
        seat = self.active
        while True:
            seat = (seat + 1) % self.seats
            if seat not in self.withdrawn:
                if can_act(self, seat):
                    break
                events.append(Event({"event": "skipped", "seat": seat}))
        self.begin_turn(seat, events)

    def withdraw(self, seat: int) -> list[Event]:
        """Take a seat out of the game (section 6): its gang plays on as a neutral one."""
        if self.ended is not None or seat in self.withdrawn:
            return []
        self.lists = {}
        tiles = [NAMES[kind] for kind in self.drop_out(seat)]
        events = [Event({"event": "withdrawn", "seat": seat, "tiles": tiles}, None, True)]
        if len(self.withdrawn) == self.seats - 1:
            self.finish("last_seat", events)
        elif seat != self.active:
            if not self.left and self.phase == "turn":
                self.finish("exhausted", events)
        elif self.phase == "order":
            self._count_both(self.pending[0], None, events)
        else:
            self.phase = "turn"
            self._close_turn(events)
        return events
