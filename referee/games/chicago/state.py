"""The game as a machine: whose decision it is, and what follows from it.

::

    phase ─▶ phase_buy, then place, gang by gang ─▶ rounds ─▶ income, goals ─▶ over, or the next phase
                                                      │
    in each round a turn of each gang:  turn_buy (from round 2) ─▶ roll ─▶ move … ─▶ the next turn
                                                                            │ ▲
                                                                            pick  (variant_stack)

Rolls, duels, captures and income happen by themselves; `phase_buy`, `place`, `turn_buy`,
`move` and `pick` are decisions. Where a gang has nothing to decide it is not asked.
"""

from referee.errors import IllegalActionError
from referee.game import Event, Outcome, View
from referee.game import State as GameState
from referee.games.chicago.actions import BUYS, DONE, PICKS, placings, purchases, steps
from referee.games.chicago.components import GANGS, PAWN_NAMES, PAWN_NUMBERS, PHASES, order_of
from referee.games.chicago.duel import arrive, fight
from referee.games.chicago.ending import end_phase, pay_round
from referee.games.chicago.position import Position
from referee.games.chicago.reasons import explain
from referee.games.chicago.view import view_of


class State(Position, GameState):
    """A position of Chicago."""

    __slots__ = ()

    def to_act(self) -> tuple[int, ...]:
        """Return the seat that owes an action: there is only ever one."""
        return self.acting

    def legal(self, seat: int) -> list[str]:
        """Return the actions this seat may take now, in canonical order; not to be changed."""
        return self.choices if seat in self.acting else []

    def apply(self, seat: int, action: str) -> list[Event]:
        """Take an action and return what happened; an illegal one changes nothing."""
        if seat not in self.acting or action not in self.choices:
            raise IllegalActionError(seat, action, explain(self, seat, action))
        events: list[Event] = []
        if self.stage == "move":
            _, pawn, node = action.split(" ")
            self._step(PAWN_NUMBERS[pawn], self.board.numbers[node], events)
            going_on = self._asks_for_step(events)
        elif self.stage == "place":
            going_on = self._place(action, events)
        elif self.stage == "pick":
            fight(self, PICKS.index(action), events)
            going_on = self._asks_for_step(events)
        else:
            going_on = self._buy(action, events)
        if not going_on:
            self.proceed(events)
        return events

    def fallback(self, seat: int) -> str:
        """Return `done`, or else the first legal action: a house that plays a seat on spends nothing."""
        legal = self.legal(seat)
        return DONE if DONE in legal else legal[0]

    # What one gang does. Each returns whether somebody has to decide before the next gang comes.

    def _buy(self, action: str, events: list[Event]) -> bool:
        if action != DONE:
            self.recruit(BUYS.index(action), events)
            if self._asks_to_buy():
                return True
        return self.stage == "turn_buy" and self._roll(events)

    def _asks_to_buy(self) -> bool:
        found = purchases(self)
        if found:
            self.ask(self.active, found)
        return bool(found)

    def _place(self, action: str, events: list[Event]) -> bool:
        _, pawn, building = action.split(" ")
        self.put(PAWN_NUMBERS[pawn], self.board.numbers[building])
        events.append(Event({"event": "placed", "pawn": pawn, "at": building}))
        return self._asks_to_place()

    def _asks_to_place(self) -> bool:
        found = placings(self)
        if found:
            self.ask(self.active, found)
        return bool(found)

    def _roll(self, events: list[Event]) -> bool:
        gang = self.active
        if not self.members[gang]:
            why = "no_member" if self.reserve[gang] else "out"
            events.append(Event({"event": "skip", "gang": GANGS[gang], "why": why}))
            return False
        self.stage = "move"
        faces = self.rules.faces
        self.points = faces[self.chance.below("dice", len(faces))]
        events.append(Event({"event": "roll", "gang": GANGS[gang], "points": self.points}, None, True))
        return self._asks_for_step(events)

    def _asks_for_step(self, events: list[Event]) -> bool:
        if self.stage == "pick":
            return True
        if not self.points:
            return False
        found = steps(self)
        if not found:  # 5.5: the last member died, or all are shut in by their allies
            events.append(Event({"event": "lapse", "gang": GANGS[self.active], "points": self.points}))
            self.points = 0
            return False
        self.ask(self.active, found)
        return True

    def _step(self, pawn: int, node: int, events: list[Event]) -> None:
        names = self.board.names
        start = self.place[pawn]
        jump = self.board.is_jump(start, node)
        self.points -= self.rules.gate_cost if jump else 1
        events.append(
            Event(
                {
                    "event": "moved",
                    "pawn": PAWN_NAMES[pawn],
                    "from": names[start],
                    "to": names[node],
                    "left": self.points,
                    "gate": jump,
                }
            )
        )
        self.lift(pawn)
        arrive(self, pawn, node, events)

    # How the game goes from gang to gang, from round to round, from phase to phase.

    def begin_phase(self, phase: int, events: list[Event]) -> None:
        """Begin a phase, before anybody has bought."""
        self.phase, self.round = phase, 0
        self.order = order_of(phase, self.gangs)
        self.stage = "phase_buy"
        self.cursor = -1
        for bought in self.bought:
            bought[2] = 0
            if self.rules.scope != "game":
                bought[:2] = 0, 0
        order = [GANGS[gang] for gang in self.order]
        events.append(Event({"event": "phase", "phase": PHASES[phase], "order": order}))

    def proceed(self, events: list[Event]) -> None:
        """Go on to the next gang that has something to decide, or to the end."""
        while self.ended is None:
            self.cursor += 1
            if self.cursor == len(self.order):
                self._end_stage(events)
            elif self._enter(self.order[self.cursor], events):
                return

    def _enter(self, gang: int, events: list[Event]) -> bool:
        """Let a gang begin; return whether it has to decide something."""
        if self.round:
            return self._begin_turn(gang, events)
        former, self.active = self.active, gang
        kind, asks = (
            ("buying", self._asks_to_buy) if self.stage == "phase_buy" else ("placing", self._asks_to_place)
        )
        if asks():
            events.append(Event({"event": kind, "gang": GANGS[gang]}))
            return True
        self.active = former  # what no event tells must not show
        return False

    def _begin_turn(self, gang: int, events: list[Event]) -> bool:
        self.active = gang
        self.stage = "turn_buy"
        if self.rules.scope == "session":
            self.bought[gang][:2] = 0, 0
        events.append(Event({"event": "turn", "gang": GANGS[gang]}))
        # R7: in the first round the phase purchase stands for this one.
        return (self.round > 1 and self._asks_to_buy()) or self._roll(events)

    def _end_stage(self, events: list[Event]) -> None:
        """All gangs of the order have had their say: go on to placing, to the next round or phase."""
        self.cursor = -1
        if not self.round and self.stage == "phase_buy":
            self.stage = "place"
        elif self.round < self.rules.rounds:
            if self.round and self.rules.every_round:
                pay_round(self, events)
            self.round += 1
            events.append(Event({"event": "round", "phase": PHASES[self.phase], "round": self.round}))
        else:
            end_phase(self, events)
            if self.ended is None:
                self.begin_phase(self.phase + 1, events)

    def view(self, seat: int | None) -> View:
        """Return the position; it is the same for all, but for `you`."""
        return view_of(self, seat)

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        return self.ended

    def clone(self) -> "State":
        """Return an independent copy, luck included."""
        copy = State.__new__(State)
        self.copy_to(copy)
        return copy
