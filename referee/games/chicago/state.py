"""The game as a machine: whose decision it is, and what follows from it.

::

    part ─▶ part_buy, then place, gang by gang ─▶ rounds ─▶ income, goals ─▶ over, or the next part
                                                      │
    in each round a turn of each gang:  turn_buy ─▶ roll ─▶ move … ─▶ the next turn
                                                             │ ▲
                                       (joint_attack)  join, pick  (variant_stack)

Rolls, duels, captures and income happen by themselves; `part_buy`, `place`, `turn_buy`,
`move`, `join` and `pick` are decisions. Where a gang has nothing to decide it is not asked.
"""

from referee.game import Event
from referee.games.chicago.actions import ATTACK, BUYS, CHOICES, DONE, joins, placings, purchases, steps
from referee.games.chicago.components import GANGS, PARTS, PAWN_NAMES, PAWN_NUMBERS
from referee.games.chicago.duel import arrive, ask_to_join, attack, fight
from referee.games.chicago.ending import end_part, pay_round
from referee.games.chicago.passing import passages
from referee.games.chicago.position import Position
from referee.games.chicago.reasons import GRAMMAR, why_not
from referee.games.chicago.view import view_of


class State(Position):
    """A position of Chicago."""

    __slots__ = ()

    grammar = GRAMMAR
    why_not = why_not
    view = view_of

    def choices(self, seat: int) -> list[str]:
        """Return the legal actions of the seat that is to act, in canonical order."""
        del seat
        return CHOICES[self.phase](self)

    def take(self, seat: int, action: str, events: list[Event]) -> None:
        """Take a legal action, and add what happens to `events`."""
        del seat
        if action == ATTACK:
            attack(self, events)
            going_on = self._asks_for_step(events)
        elif self.phase in {"move", "join"}:
            _, pawn, node = action.split(" ")
            self._step(PAWN_NUMBERS[pawn], self.board.numbers[node], events)
            going_on = self._asks_for_step(events)
        elif self.phase == "place":
            going_on = self._place(action, events)
        elif self.phase == "pick":
            pawns = [PAWN_NUMBERS[name] for name in action.split(" ")[1:]]
            fight(self, pawns[0] if self.rules.joint else self.attackers[0], pawns[-1], events)
            going_on = self._asks_for_step(events)
        else:
            going_on = self._buy(action, events)
        if not going_on:
            self.proceed(events)

    def fallback(self, seat: int) -> str:
        """Return `done`, or else the first legal action: a house that plays a seat on spends nothing."""
        legal = self.legal(seat)
        return DONE if DONE in legal else legal[0]

    # What one gang does. Each returns whether there is a decision before the next gang comes.

    def _buy(self, action: str, events: list[Event]) -> bool:
        if action != DONE:
            self.recruit(BUYS.index(action), events)
            if self.offer(self.active, purchases(self)):
                return True
        return self.phase == "turn_buy" and self._roll(events)

    def _place(self, action: str, events: list[Event]) -> bool:
        _, pawn, building = action.split(" ")
        self.put(PAWN_NUMBERS[pawn], self.board.numbers[building])
        events.append(Event({"event": "placed", "pawn": pawn, "at": building}))
        return self.offer(self.active, placings(self))

    def _roll(self, events: list[Event]) -> bool:
        gang = self.gang
        if not self.members[gang]:
            cause = "out" if self.is_out(gang) else "no_member"
            events.append(Event({"event": "skipped", "gang": GANGS[gang], "cause": cause}))
            return False
        self.phase = "move"
        faces = self.rules.faces
        self.points = faces[self.chance.below("dice", len(faces))]
        events.append(Event({"event": "rolled", "gang": GANGS[gang], "points": self.points}, None, True))
        return self._asks_for_step(events)

    def _asks_for_step(self, events: list[Event]) -> bool:
        if self.phase == "join":
            if self.points and self.offer(self.active, joins(self)):
                ask_to_join(self, events)
                return True
            attack(self, events)
        if self.phase == "pick":
            return True
        if not self.points:
            return False
        if self.offer(self.active, steps(self)):
            return True
        # 5.5: the last member died, or all are shut in by their allies.
        events.append(Event({"event": "lapsed", "gang": GANGS[self.gang], "points": self.points}))
        self.points = 0
        return False

    def _step(self, pawn: int, node: int, events: list[Event]) -> None:
        names = self.board.names
        start = self.place[pawn]
        if self.rules.passes:
            cost, jump = passages(self, pawn)[node]
        else:
            jump = self.board.is_jump(start, node)
            cost = self.rules.gate_cost if jump else 1
        self.points -= cost
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

    # How the game goes from gang to gang, from round to round, from part to part.

    def begin_part(self, part: int, events: list[Event]) -> None:
        """Begin a part of the game, before any gang has bought."""
        self.enter_part(part)
        self.round = 0
        self.phase = "part_buy"
        self.cursor = -1
        for gang in range(self.gangs):
            self.forget_purchases(gang, *((3,) if self.rules.scope == "game" else (1, 2, 3)))
        order = [GANGS[gang] for gang in self.order]
        events.append(Event({"event": "part_began", "part": PARTS[part], "order": order}))

    def proceed(self, events: list[Event]) -> None:
        """Go on to the next gang that has something to decide, or to the end."""
        while self.ended is None:
            self.cursor += 1
            if self.cursor == len(self.order):
                self._end_lap(events)
            elif self._enter(self.order[self.cursor], events):
                return

    def _enter(self, gang: int, events: list[Event]) -> bool:
        """Let a gang begin; return whether it has to decide something."""
        if self.round:
            return self._begin_turn(gang, events)
        former = self.gang
        self.give_turn(gang)
        if self.offer(self.active, CHOICES[self.phase](self)):
            kind = "buying_began" if self.phase == "part_buy" else "placing_began"
            events.append(Event({"event": kind, "gang": GANGS[gang]}))
            return True
        self.give_turn(former)  # no event reports the gang that was passed over, so no view may show it
        return False

    def _begin_turn(self, gang: int, events: list[Event]) -> bool:
        self.give_turn(gang)
        self.turn += 1
        self.phase = "turn_buy"
        if self.rules.scope == "session":
            self.forget_purchases(gang, 1, 2)
        turn = {"event": "turn_began", "seat": self.active, "turn": self.turn, "due": [GANGS[gang]]}
        events.append(Event(turn))
        return self.offer(self.active, purchases(self)) or self._roll(events)

    def _end_lap(self, events: list[Event]) -> None:
        """Go on, after all gangs of the order, to placing, to the next round, or to the next part."""
        self.cursor = -1
        if not self.round and self.phase == "part_buy":
            self.phase = "place"
        elif self.round < self.rules.rounds:
            if self.round and self.rules.every_round:
                pay_round(self, events)
            self.round += 1
            events.append(Event({"event": "round_began", "part": PARTS[self.part], "round": self.round}))
        else:
            end_part(self, events)
            if self.ended is None:
                self.begin_part(self.part + 1, events)
