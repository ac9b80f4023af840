"""The position: who stands where, whose turn it is, and what befalls figures and gangs.

Nothing is hidden. A boss is on a cell, or at HQ, GONE, or (when he has come home) on the cell after the last.
"""

from dataclasses import field

from referee.chance import Chance
from referee.game import Event, Outcome, View
from referee.gamelib.cloning import Shared, cloneable
from referee.gamelib.ranking import ranks_of
from referee.gamelib.turns import TurnState
from referee.games.vengeance.board import Board
from referee.games.vengeance.components import FIGURES, GANGS, GONE, HOODS, HQ, REGAINED, Rules, roster
from referee.games.vengeance.contents import EMPTY, FREE, HOSTAGES, NOBODY, SHOWN, WITHOUT, Shown

_ALL = range(len(GANGS))


@cloneable
class Position(TurnState[Rules]):
    """The data of a game, and what every part of the rules does to it.

    `cells` holds contents (see `contents`). `hoods[gang]` has a bit for each cell where the gang has a free
    hood; its last entry means nothing. `due` are the gangs whose turn it is. `moved` is the
    gang and cell of the hood that has used a die of this roll, if he lives. `departed` lists the gangs that
    left the game, and why, in order. `rolled` and `spun` are all the luck since the last action, new lists
    with each. `shown` is how views show each cell, and `fortunes` how they show each gang: of the gangs in
    `changed` how they showed it before.
    """

    board: Board
    cells: list[int]
    shown: list[Shared[Shown] | None]
    hoods: list[int]
    alive: list[bool]
    bosses: list[int]
    hq: list[int]
    pool: list[int]
    falls: list[int]
    locked: list[bool]
    fortunes: dict[str, Shared[View]]
    changed: set[int]
    departed: list[tuple[int, str]] = field(default_factory=list)
    first: int = 0
    place: int = 0
    due: tuple[int, ...] = ()
    round: int = 1
    roll: tuple[int, ...] = ()
    dice: tuple[int, ...] = ()
    moved: tuple[int, int] | None = None
    boss_moved: bool = False
    hires: list[int] = field(default_factory=list)
    rolled: list[Shared[list[int]]] = field(default_factory=list)
    spun: list[int] = field(default_factory=list)

    keys = (
        *("board", "due", "round", "first", "roll", "dice", "moved", "boss_moved", "hires", "luck"),
        *("cells", "gangs", "out"),
    )

    def __init__(self, rules: Rules, chance: Chance, board: Board) -> None:
        TurnState.__init__(self, rules, chance, "first")
        self.board = board
        self.cells = [EMPTY] * board.size
        self.shown = [None] * board.size
        self.hoods = [0] * (len(GANGS) + 1)
        self.alive = [seat >= 0 for seat in rules.seat_of]
        self.bosses = [HQ if alive else GONE for alive in self.alive]
        self.hq = [HOODS if alive else 0 for alive in self.alive]
        self.pool = [0] * len(GANGS)
        self.falls = [0] * len(GANGS)
        self.locked = [False] * len(GANGS)
        self.fortunes = {GANGS[gang]: {} for gang in rules.playing}
        self.changed = set(rules.playing)
        self.form["board"] = board.name

    def put(self, cell: int, content: int) -> None:
        """Let a cell hold something else."""
        bit = 1 << cell
        self.hoods[FREE[self.cells[cell]]] ^= bit
        self.hoods[FREE[content]] ^= bit
        self.cells[cell] = content
        self.shown[cell] = SHOWN[cell][content]

    def kill(self, figure: int, cell: int, cause: str, freed: int | None, events: list[Event]) -> None:
        """Liquidate a figure that has been taken off its cell; `freed` is whom he held.

        A hood goes to the pool, a boss falls.
        """
        gang, boss = figure >> 1, figure & 1
        events.append(
            Event(
                {
                    "event": "killed",
                    "gang": GANGS[gang],
                    "figure": FIGURES[boss],
                    "cell": cell,
                    "cause": cause,
                }
            )
        )
        if freed is not None:
            self.report_free(freed, cell, events)
        if boss:
            self._fall(gang, events)
        else:
            self.pool[gang] += 1
            self.changed.add(gang)

    def report_free(self, figure: int, cell: int, events: list[Event]) -> None:
        """Report that a hostage is free."""
        public = {"event": "freed", "gang": GANGS[figure >> 1], "figure": FIGURES[figure & 1], "cell": cell}
        events.append(Event(public))

    def _fall(self, gang: int, events: list[Event]) -> None:
        """Let a boss fall: his gang breaks up, and three hoods come back (3.9)."""
        lost = self.in_play(gang)
        self.changed.add(gang)
        self.falls[gang] += 1
        self._clear(gang, events)
        if self.falls[gang] == self.rules.lives:
            self.leave(gang, "lives", events)
            return
        self.bosses[gang] = HQ
        self.hq[gang] = REGAINED
        self.pool[gang] = self.roster(gang) - REGAINED
        # R17: the gang restarts on its owner's next turn; a rival's turn does not count.
        self.locked[gang] = self.rules.seat_of[gang] == self.active
        public = {
            "event": "reformed",
            "gang": GANGS[gang],
            "lost": lost,
            "hq": REGAINED,
            "pool": self.pool[gang],
        }
        events.append(Event(public))

    def unlock(self) -> None:
        """Let the gangs that wait for this turn move again (R17)."""
        while True in self.locked:
            gang = self.locked.index(True)
            self.locked[gang] = False
            self.changed.add(gang)

    def _clear(self, gang: int, events: list[Event]) -> None:
        """Take all figures of a gang off the circuit; their hostages are free."""
        without = WITHOUT[gang]
        for cell, content in enumerate(self.cells):
            if without[content] != content:
                self.put(cell, without[content])
                hostage = HOSTAGES[content]
                if hostage is not None and hostage >> 1 != gang:
                    self.report_free(hostage, cell, events)

    def leave(self, gang: int, cause: str, events: list[Event]) -> None:
        """Take a gang out of the game for good; the last seat that has one wins at once (5.1, 5.4)."""
        self._clear(gang, events)
        self.alive[gang] = False
        self.bosses[gang] = GONE
        self.hq[gang] = 0
        self.pool[gang] = self.roster(gang)
        self.locked[gang] = False
        self.changed.add(gang)
        self.departed.append((gang, cause))
        if cause == "withdrawn":
            self.hires = [hirer for hirer in self.hires if hirer != gang]
        events.append(Event({"event": "eliminated", "gang": GANGS[gang], "cause": cause}))
        staying = {self.rules.seat_of[other] for other in _ALL if self.alive[other]}
        if len(staying) == 1:
            self.finish("last_seat", staying.pop(), events)

    def roster(self, gang: int) -> int:
        """Return how many hoods of a gang are in the game, those in its pool included."""
        return roster(self.falls[gang], self.rules.excluded)

    def in_play(self, gang: int) -> int:
        """Return how many hoods of a gang are in its HQ or on the circuit."""
        return roster(self.falls[gang], self.rules.excluded) - self.pool[gang]

    def is_ruined(self, gang: int) -> bool:
        """Return whether a gang in the game can never move again (5.1)."""
        return self.bosses[gang] == HQ and not self.in_play(gang) and not self.rules.alone

    def is_stuck(self) -> bool:
        """Return whether no figure at all can ever move again (5.2)."""
        if any(self.hoods[:NOBODY]) or any(self.hq):
            return False
        return not (self.rules.alone and HQ in self.bosses)

    def last_seat(self) -> int | None:
        """Return the seat that has all gangs which are alive and not ruined (5.1), if there is one."""
        if HOODS not in self.pool and not (self.rules.excluded and REGAINED in self.pool):
            return None  # all gangs are in the game and have hoods
        ruin = self.rules.ruin
        staying = {
            self.rules.seat_of[gang]
            for gang in _ALL
            if self.alive[gang] and not (ruin and self.is_ruined(gang))
        }
        return staying.pop() if len(staying) == 1 else None

    def finish(self, reason: str, winner: int | None, events: list[Event]) -> None:
        """End the game; nothing is pending any more."""
        self.due = self.roll = self.dice = ()
        self.moved = None
        self.boss_moved = False
        self.hires = []
        self.end(self.result(reason, winner), events)

    def result(self, reason: str, winner: int | None) -> Outcome:
        """Return how the game ends in this position."""
        ranks = ranks_of([self._standing(seat, winner) for seat in range(self.seats)])
        scores = tuple(map(self._progress, range(self.seats)))
        ordered = winner is None or self.rules.progress
        return Outcome(ranks, scores, reason, "draw" if ordered else "unordered")

    def _progress(self, seat: int) -> int:
        """Return how far the boss of a seat has come who has come farthest."""
        return max(self.board.progress(gang, self.bosses[gang]) for gang in self.rules.hands[seat])

    def _standing(self, seat: int, winner: int | None) -> tuple[int, ...]:
        """Return what ranks a seat, more is better (section 6)."""
        gangs = self.rules.hands[seat]
        if seat == winner:
            return (3,)
        if not any(self.alive[gang] for gang in gangs):
            order = [(gang in gangs, cause) for gang, cause in self.departed]
            when = max(place for place, (mine, _) in enumerate(order) if mine)
            return (0 if (True, "withdrawn") in order else 1, when)
        if winner is not None and not self.rules.progress:
            return (2,)
        return (2, self._progress(seat), sum(map(self.in_play, gangs)))
