"""The position: who stands where, who owns what, and whose decision it is. Nothing on it is hidden."""

from typing import Any

from referee.chance import Chance
from referee.game import Event
from referee.gamelib.cloning import Shared, cloneable
from referee.gamelib.turns import TurnState
from referee.games.chicago.board import Board
from referee.games.chicago.components import (
    CASH,
    GANGS,
    MOST_GANGS,
    MOST_RINGS,
    NOBODY,
    PARTS,
    PAWN_NAMES,
    PAWNS,
    PRICES,
    Rules,
    gangs_at,
    order_of,
)

OFF = -1
"""Where a pawn is that stands nowhere: in the reserve, not placed yet, or dead."""


@cloneable
class Position(TurnState[Rules]):
    """The data of a game, and the few things every part of the rules does to it.

    `members` lists, by gang, the living pawns in order; `rings` and `place` are by pawn. `holder` says, by
    node, which gang stands there. `owner` is by building; `deeds` is the same in names, as views show it.
    `shown` is by pawn its name, rings and place as views show them; `seen` is by gang what views show of it:
    of the gangs in `changed` what they showed before. `bought` counts, by gang, purchases of one, two and
    three rings. Views and clones share these: a change puts another object in their place. `part` is the
    phase A to D of the booklet. `cursor` is the place of the gang at hand, `gang`, in `order`. In the phases
    `join` and `pick`, `attackers` are the pawns that attack, in order, and `chooser` is the gang that picks.
    """

    board: Shared[Board]
    gangs: int
    seat_of: tuple[int, ...]
    open_to: tuple[tuple[bool, ...], ...]
    printed: tuple[int, ...]
    part: int = 0
    round: int = 0
    order: tuple[int, ...]
    cursor: int = 0
    gang: int = 0
    points: int = 0
    bank: int
    cash: list[int]
    reserve: list[int]
    tokens: list[int]
    bought: list[Shared[list[int]]]
    members: list[list[int]]
    rings: list[int]
    place: list[int]
    holder: list[int]
    owner: list[int]
    deeds: Shared[dict[str, str | None]]
    shown: list[Shared[list[Any]]]
    seen: dict[str, Shared[dict[str, Any]]]
    changed: set[int]
    attackers: list[int]
    chooser: int = NOBODY

    keys = ("part", "round", "due", "points", "order", "ring_bank", "gangs", "owner", "duel")

    def __init__(self, rules: Rules, chance: Chance, board: Board) -> None:
        TurnState.__init__(self, rules, chance, "part_buy")
        gangs = gangs_at(rules.seats)
        self.board = board
        self.gangs = gangs
        self.seat_of = tuple(gang % rules.seats for gang in range(gangs))
        # By gang, then by the gang on a square (the last entry: none): whether it may step there.
        self.open_to = tuple(
            (*(self._meets(gang, other) for other in range(MOST_GANGS)), True) for gang in range(gangs)
        )
        # R19: a building printed in the colour of an absent gang is neutral.
        self.printed = tuple(gang if gang < gangs else NOBODY for gang in board.printed)
        self.enter_part(0)
        self.bank = rules.rings - gangs * MOST_RINGS
        self.cash = [CASH] * gangs
        self.reserve = [PAWNS - 1] * gangs
        self.tokens = [rules.tokens] * gangs
        self.bought = [[0, 0, 0] for _ in range(gangs)]
        self.members = [[gang * PAWNS] for gang in range(gangs)]
        self.rings = [MOST_RINGS * (pawn % PAWNS == 0) for pawn in range(gangs * PAWNS)]
        self.place = [OFF] * (gangs * PAWNS)
        self.holder = [NOBODY] * len(board.names)
        self.owner = list(self.printed)
        self.attackers = []
        self.shown = [[PAWN_NAMES[pawn], rings, None] for pawn, rings in enumerate(self.rings)]
        self.seen = {colour: {} for colour in GANGS[:gangs]}
        self.changed = set(range(gangs))
        self.deeds = {
            name: None if gang == NOBODY else GANGS[gang]
            for name, gang in zip(board.names, self.owner, strict=False)
        }

    def _meets(self, gang: int, other: int) -> bool:
        """Return whether members of two gangs duel when they meet (R17)."""
        if gang == other:
            return False
        return self.rules.allies_duel or other >= self.gangs or self.seat_of[gang] != self.seat_of[other]

    def enter_part(self, part: int) -> None:
        """Let a part of the game begin, with its order of the gangs, and let all views show both."""
        self.part = part
        self.order = order_of(part, self.gangs)
        self.form = {**self.form, "part": PARTS[part], "order": [GANGS[gang] for gang in self.order]}

    def show(self, pawn: int) -> None:
        """Note that views show other rings or another place of a pawn from now on."""
        self.shown[pawn] = [PAWN_NAMES[pawn], self.rings[pawn], self.board.spots[self.place[pawn]]]
        self.changed.add(pawn // PAWNS)

    def pay(self, gang: int, amount: int) -> None:
        """Give a gang money."""
        self.cash[gang] += amount
        self.changed.add(gang)

    def give_turn(self, gang: int) -> None:
        """Make a gang the one at hand."""
        self.gang = gang
        self.active = self.seat_of[gang]

    def unplaced(self, gang: int) -> list[int]:
        """Return the members of a gang that are bought and not placed yet, in order."""
        place = self.place
        return [pawn for pawn in self.members[gang] if place[pawn] == OFF]

    def standing_at(self, gang: int, node: int) -> list[int]:
        """Return the members of a gang at a node, in order."""
        place = self.place
        return [pawn for pawn in self.members[gang] if place[pawn] == node]

    def is_out(self, gang: int) -> bool:
        """Return whether a gang has neither members nor pawns in reserve, and so never moves again (5.7)."""
        return not self.members[gang] and not self.reserve[gang]

    def home_usable(self, gang: int) -> bool:
        """Return whether new members can start from their home: it is owned, and no other gang is inside."""
        home = self.board.homes[gang]
        return self.owner[home] == gang and self.holder[home] in (NOBODY, gang)

    def recruit(self, rings: int, events: list[Event]) -> None:
        """Make the lowest pawn in reserve a member of the active gang; in a turn it starts from its home."""
        gang = self.gang
        pawn = (gang + 1) * PAWNS - self.reserve[gang]
        self.reserve[gang] -= 1
        self.cash[gang] -= PRICES[rings]
        self.bank -= rings
        self._count_purchases(gang, rings, self.bought[gang][rings - 1] + 1)
        self.rings[pawn] = rings
        self.members[gang].append(pawn)
        self.show(pawn)
        at = None
        if self.phase == "turn_buy":
            home = self.board.homes[gang]
            self.put(pawn, home)
            at = self.board.names[home]
        events.append(
            Event(
                {
                    "event": "bought",
                    "gang": GANGS[gang],
                    "pawn": PAWN_NAMES[pawn],
                    "rings": rings,
                    "price": PRICES[rings],
                    "at": at,
                }
            )
        )

    def forget_purchases(self, gang: int, *rings: int) -> None:
        """Count the purchases of a gang of members of so many rings from 0 again (R8)."""
        for number in rings:
            self._count_purchases(gang, number, 0)
        self.changed.add(gang)

    def _count_purchases(self, gang: int, rings: int, count: int) -> None:
        bought = self.bought[gang] = self.bought[gang][:]
        bought[rings - 1] = count

    def put(self, pawn: int, node: int) -> None:
        """Let a member stand at a node that no other gang holds."""
        self.place[pawn] = node
        self.holder[node] = pawn // PAWNS
        self.show(pawn)

    def lift(self, pawn: int) -> None:
        """Let a member leave its node for another; those it shared a building with stay."""
        node = self.place[pawn]
        self.place[pawn] = OFF
        gang = pawn // PAWNS
        if node >= self.board.buildings or node not in [self.place[other] for other in self.members[gang]]:
            self.holder[node] = NOBODY

    def capture(self, gang: int, building: int, events: list[Event]) -> None:
        """Give a building to the gang that stands alone in it (5.6)."""
        former = self.owner[building]
        name = self.board.names[building]
        if self.printed[building] != gang:  # R12: print needs no token
            if not self.tokens[gang]:  # R11
                events.append(Event({"event": "capture_failed", "gang": GANGS[gang], "building": name}))
                return
            self.tokens[gang] -= 1
            self.changed.add(gang)
        tokens = {GANGS[gang]: self.tokens[gang]}
        if former != NOBODY:
            if self.printed[building] != former:
                self.tokens[former] += 1
                self.changed.add(former)
            tokens[GANGS[former]] = self.tokens[former]
        self.owner[building] = gang
        events.append(
            Event(
                {
                    "event": "captured",
                    "building": name,
                    "from": self.deeds[name],
                    "to": GANGS[gang],
                    "tokens": tokens,
                }
            )
        )
        self.deeds = {**self.deeds, name: GANGS[gang]}
