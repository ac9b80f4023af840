"""The turn as a machine: whose decision it is, and what follows from it (3.1).

::

    begin a turn ─▶ over, or roll two dice ─▶ first ─▶ second ─▶ the marksmen shoot ─▶ pass the turn on
                                                │        ▲             │ double
                                                └────────┘             └▶ roll one die ─▶ extra ─▶ …

`first`, `second` and `extra` are decisions; a phase without a legal action goes by of itself. A boss who
comes home, or the last one alive, ends the game wherever it stands.
"""

from referee.game import Event
from referee.games.vengeance.actions import last_choices, moves
from referee.games.vengeance.arrival import advance
from referee.games.vengeance.board import STOP
from referee.games.vengeance.components import LETTERS, SIDES
from referee.games.vengeance.position import Position
from referee.games.vengeance.reasons import GRAMMAR, why_not
from referee.games.vengeance.view import view_of
from referee.games.vengeance.wheel import spin


class State(Position):
    """A position of Vengeance."""

    __slots__ = ()

    grammar = GRAMMAR
    why_not = why_not
    view = view_of

    def choices(self, seat: int) -> list[str]:
        """Return the legal actions of the seat on turn, in canonical order."""
        del seat
        return self._first_choices() if self.phase == "first" else last_choices(self)

    def take(self, seat: int, action: str, events: list[Event]) -> None:
        """Take a legal action, and add what happens to `events`."""
        self.rolled = []
        self.spun = []
        if action == STOP:
            events.append(Event({"event": "stopped", "seat": seat, "dice": list(self.dice)}))
            self._go_on(events)
        elif not self.move(action, events):
            if self.ended is None:
                self._go_on(events)
        elif not self.reaches_decision():
            self._go_on(events)

    def fallback(self, seat: int) -> str:
        """Return what the house plays for a failed bot: `stop` if it may, else the first action."""
        legal = self.legal(seat)
        return STOP if legal[-1] == STOP else legal[0]

    def move(self, action: str, events: list[Event]) -> bool:
        """Move as the action says; return whether a die is left to be used."""
        move = self.board.moves[action]
        points = move.die or sum(self.dice)
        advance(self, move, points, events)
        if self.ended is not None or self.phase != "first" or not move.die:
            return False
        self.dice = (self.roll[1] if move.die == self.roll[0] else self.roll[0],)
        self.phase = "second"
        return True

    def _go_on(self, events: list[Event]) -> None:
        """Let the marksmen shoot, now that the moves of a roll are made, and come to the next decision."""
        while self.ended is None:
            extra = self.phase != "extra" and self.roll[0] == self.roll[1]
            if not (extra and self.rules.spins_last):
                while self.hires:  # none is left when the game is over
                    spin(self, self.hires.pop(0), events)
                if self.ended is not None:
                    return
            if extra:
                self._roll_extra(events)
            else:
                self._pass_on(events)
            if self.reaches_decision():
                return
            events.append(Event({"event": "lapsed", "seat": self.active, "dice": list(self.dice)}))

    def _roll_extra(self, events: list[Event]) -> None:
        """Roll one die more after a double, whether or not the double could be used (3.6)."""
        die = 1 + self.chance.below("dice", SIDES)
        self.phase = "extra"
        self.dice = (die,)
        self.rolled.append([die])
        self.moved = None
        self.boss_moved = False
        events.append(Event({"event": "extra_rolled", "seat": self.active, "die": die}, None, True))

    def _pass_on(self, events: list[Event]) -> None:
        """Begin the turn of the next place with a living gang, unless the rounds are used up (5.3)."""
        places, place, rounds = self.rules.places, self.place, self.round
        while True:
            place = (place + 1) % len(places)
            rounds += place == self.first
            if any(map(self.alive.__getitem__, places[place])):
                break
        if rounds > self.rules.max_rounds:
            self.finish("cap", None, events)
        elif not self._is_over(events):
            # A round counts from its first turn on.
            self.round = rounds
            self._roll_for(place, events)

    def begin_turn(self, place: int, events: list[Event]) -> None:
        """Begin the turn of a place, unless the game is over."""
        if not self._is_over(events):
            self._roll_for(place, events)

    def _is_over(self, events: list[Event]) -> bool:
        """End the game if it has come to that before a turn (5.1, 5.2)."""
        last = self.last_seat()
        if last is not None:
            self.finish("last_seat", last, events)
        elif self.is_stuck():
            self.finish("stalemate", None, events)
        return self.ended is not None

    def _roll_for(self, place: int, events: list[Event]) -> None:
        """Roll the dice for the turn of a place."""
        below = self.chance.below
        self.place = place
        self.due = self.rules.places[place]
        self.active = seat = self.rules.seat_of[self.due[0]]
        self.turn += 1
        self.phase = "first"
        self.unlock()
        self.moved = None
        self.boss_moved = False
        self.roll = self.dice = (1 + below("dice", SIDES), 1 + below("dice", SIDES))
        self.rolled.append(list(self.dice))
        due = LETTERS[self.due]
        turn = {"event": "turn_began", "seat": seat, "turn": self.turn, "round": self.round, "due": due}
        events.append(Event(turn))
        events.append(Event({"event": "rolled", "seat": seat, "dice": list(self.dice)}, None, True))

    def _first_choices(self) -> list[str]:
        """Return the moves of a fresh roll; with `spare_die=forced` none that wastes a die (R1)."""
        found = moves(self)
        if not self.rules.forced:
            return found
        trials = {text: self._tried(text) for text in found if self.board.moves[text].die}
        # A total uses both dice, and so does a first move that leaves a use for the other one.
        both = {text for text in found if text not in trials or self._goes_on(trials[text])}
        if not both:
            return found
        # R36: a move that ends the game needs no other die.
        return [text for text in found if text in both or trials[text].ended is not None]

    @staticmethod
    def _goes_on(trial: "State") -> bool:
        """Return whether the other die can be used after a first move."""
        return trial.ended is None and bool(moves(trial))

    def _tried(self, action: str) -> "State":
        """Return the state after a first move by one die."""
        trial = self.clone()
        unseen: list[Event] = []
        trial.move(action, unseen)
        return trial

    def open(self, events: list[Event]) -> None:
        """Begin the game: a decision of the seat that starts, or of the next that has one."""
        self.begin_turn(self.first, events)
        if not self.reaches_decision():
            self.pass_by(events)

    def reaches_decision(self) -> bool:
        """Ask the seat on turn for an action; return whether it has one, or the game is over."""
        if self.ended is not None:
            return True
        return self.offer(self.active, self.choices(self.active))

    def pass_by(self, events: list[Event]) -> None:
        """Let a roll go by that cannot be used, and come to the next decision."""
        events.append(Event({"event": "lapsed", "seat": self.active, "dice": list(self.dice)}))
        self._go_on(events)

    def withdraw(self, seat: int) -> list[Event] | None:
        """Take the gangs of a seat out of the game (5.4); None if it has none left, or the game is over."""
        gangs = [gang for gang in self.rules.hands[seat] if self.alive[gang]]
        if self.ended is not None or not gangs:
            return None
        self.rolled = []
        self.spun = []
        events: list[Event] = []
        for gang in gangs:
            if self.ended is None:
                self.leave(gang, "withdrawn", events)
        if self.ended is not None:
            return events
        if seat != self.active:
            self.reaches_decision()
        else:
            self._pass_on(events)
            if not self.reaches_decision():
                self.pass_by(events)
        return events
