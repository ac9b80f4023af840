"""A bot that plays Gangsters de Chicago sensibly, and a model to learn from.

It looks one action ahead. Every line has a worth, in points: what a complete line pays me (or, below zero, my
rivals), and of an incomplete line a share of what it would pay if it were counted now, the larger the fuller
it is. An action is worth what it adds to the lines it changes, less what the next seat could then take with
one tile. A placement changes two lines only, so that all actions together are soon judged.

It knows that waiting is a weapon: who makes the first move of a row of moves will have to break it.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import inf
from typing import NamedTuple

from protocol.client import run
from protocol.messages import View
from referee.games.gangsters.components import GANG_OF, GANGS, KINDS, STRENGTH_OF, STRENGTHS
from referee.games.gangsters.counting import NOBODY, settle
from referee.games.gangsters.grid import CELL_NUMBERS, COLUMN_OF, LINE_CELLS, LINE_NAMES, ROW_OF, SIDE

Sums = tuple[int, ...]
"""Strength in a line, by gang."""

Place = tuple[int, int, float]
"""Row and column of a cell, and the greatest risk in all other lines."""

# How much of what a line would pay now counts, by its number of tiles; a complete line pays in full.
PROMISE = (0.0, 0.1, 0.16, 0.24, 0.32, 0.42, 1.0)
# How sure I am that the next seat takes the best line I leave it.
FEAR = 0.8
# What a game is worth, won or lost: more than all lines together.
GAME = 1000.0
# What a cartridge is worth at the beginning; it becomes worthless as the city fills.
CARTRIDGE = 1.5
# What waiting is worth to those who need not break it, and costs the one who must.
WAITING = 0.25


class Line(NamedTuple):
    """What matters of a row or a column: who is how strong in it, and how many tiles lie there."""

    sums: Sums
    tiles: int

    def changed(self, kind: int, sign: int, tiles: int) -> "Line":
        """Return the line with the strength of a tile added (+1) or taken away (-1)."""
        gang = GANG_OF[kind]
        sums = list(self.sums)
        sums[gang] += sign * STRENGTH_OF[kind]
        return Line(tuple(sums), tiles)

    def plus(self, kind: int) -> "Line":
        """Return the line with one more tile."""
        return self.changed(kind, 1, self.tiles + 1)

    def minus(self, kind: int) -> "Line":
        """Return the line without a tile that moves away."""
        return self.changed(kind, -1, self.tiles - 1)

    def shot(self, kind: int) -> "Line":
        """Return the line with a tile dead."""
        return self.changed(kind, -1, self.tiles)


@lru_cache(maxsize=1 << 16)
def paid(sums: Sums, cancels: bool, ignored: Sums) -> tuple[int, int]:
    """Return which gang a line pays, and how much."""
    result = settle(sums, cancels, ignored)
    return result.winner, result.points


class Position:
    """A view, read as lines and what they are worth to me."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.me: int = view["you"]
        self.scores: list[int] = view["scores"]
        self.free = [cell for cell, code in enumerate(view["board"]) if not code]
        options = view["options"]
        self.target: int = options["target"]
        self.owners = {GANGS.index(gang): seat for seat, gang in enumerate(view["gangs"])}
        neutral = [GANGS.index(gang) for gang in view["neutral"]]
        for gang in neutral:
            self.owners.pop(gang, None)
        self.cancels = options["tie_below"] == "cancels"
        self.ignored: Sums = tuple(neutral) if options["neutral"] == "ignored" else ()
        self.rivals = len(self.owners) - 1
        self.kinds = [KINDS.get(code, NOBODY) for code in view["board"]]
        self.lines = [self._line(cells) for cells in LINE_CELLS]
        self.next_kinds = self._kinds_of_next()
        self.worths = [self.worth(line) if line.tiles < SIDE else 0.0 for line in self.lines]
        self.risks = [self.risk(line) for line in self.lines]
        self._added: dict[int, tuple[list[float], list[float]]] = {}
        self._places: dict[int, Place] = {}

    def _line(self, cells: Iterable[int]) -> Line:
        sums = [0] * len(GANGS)
        tiles = 0
        for cell in cells:
            tiles += self.view["board"][cell] != ""
            if self.kinds[cell] != NOBODY:
                sums[GANG_OF[self.kinds[cell]]] += STRENGTH_OF[self.kinds[cell]]
        return Line(tuple(sums), tiles)

    def _kinds_of_next(self) -> list[int]:
        """Return the tiles that the next seat can place without drawing."""
        view, seats = self.view, self.view["seats"]
        after = [(self.me + step) % seats for step in range(1, seats)]
        seat = next(seat for seat in after if seat not in view["withdrawn"])
        gang = GANGS.index(view["gangs"][seat])
        own = [gang * len(STRENGTHS) + strength - 1 for strength in view["reserves"][seat]]
        return sorted({*own, *(KINDS[tile] for tile in view["common"])})

    def swing(self, sums: Sums) -> float:
        """Return what a count of these sums would bring me, in points; below zero if it helps a rival."""
        gang, points = paid(sums, self.cancels, self.ignored)
        seat = self.owners.get(gang)
        if seat is None:
            return 0.0
        over = self.scores[seat] + points >= self.target
        if seat == self.me:
            return points + GAME * over
        # With several rivals the points of one of them hurt me less.
        return -points * (1 + 1 / self.rivals) / 2 - GAME * over

    def worth(self, line: Line) -> float:
        """Return what a line is worth to me as it is."""
        swing = self.swing(line.sums)
        if line.tiles < SIDE:
            swing = max(-15.0, min(15.0, swing))  # nothing is won or lost before a line is complete
        return PROMISE[line.tiles] * swing

    def risk(self, line: Line) -> float:
        """Return what the next seat can take from me by completing a line."""
        if line.tiles != SIDE - 1:
            return 0.0
        return -min((self.swing(line.plus(kind).sums) for kind in self.next_kinds), default=0.0)

    def added(self, kind: int) -> tuple[list[float], list[float]]:
        """Return for every line what a tile adds to its worth, and its risk then; a full line takes none."""
        known = self._added.get(kind)
        if known is None:
            new = [line.plus(kind) if line.tiles < SIDE else None for line in self.lines]
            gains = [
                self.worth(line) - worth if line else 0.0
                for line, worth in zip(new, self.worths, strict=True)
            ]
            known = self._added[kind] = gains, [self.risk(line) if line else 0.0 for line in new]
        return known

    def place(self, cell: int) -> Place:
        """Return what matters of a cell."""
        known = self._places.get(cell)
        if known is None:
            row, column = ROW_OF[cell], COLUMN_OF[cell]
            risks = [risk for line, risk in enumerate(self.risks) if line not in (row, column)]
            known = self._places[cell] = row, column, max(0.0, *risks)
        return known

    def placing(self, kind: int, places: list[Place]) -> float:
        """Return what it is worth to place a tile on the best of these places."""
        gains, risks = self.added(kind)
        best = -inf
        # Nearly all of the bot's time goes into this loop.
        for row, column, risk in places:
            if risks[row] > risk:
                risk = risks[row]
            if risks[column] > risk:
                risk = risks[column]
            worth = gains[row] + gains[column] - FEAR * risk
            if worth > best:
                best = worth
        return best

    def drawing(self, cells: list[int]) -> float:
        """Return what it is worth to draw a tile and place it on the best of these cells."""
        places = [self.place(cell) for cell in cells]
        total = tiles = 0.0
        for name, number in self.view["unseen"].items():
            if number:
                total += number * self.placing(KINDS[name], places)
                tiles += number
        return total / tiles

    def changing(self, changes: dict[int, Line]) -> float:
        """Return what it is worth to change some lines."""
        gain = sum(self.worth(line) - self.worths[number] for number, line in changes.items())
        risks = [risk for number, risk in enumerate(self.risks) if number not in changes]
        return gain - FEAR * max(0.0, *risks, *map(self.risk, changes.values()))

    def moving(self, cell: int, to: int) -> float:
        """Return what it is worth to move a tile; in the line it stays in nothing changes."""
        kind = self.kinds[cell]
        lines = COLUMN_OF if ROW_OF[cell] == ROW_OF[to] else ROW_OF
        old, new = lines[cell], lines[to]
        changes = {old: self.lines[old].minus(kind), new: self.lines[new].plus(kind)}
        return self.changing(changes) + self.waiting()

    def waiting(self) -> float:
        """Return what it is worth to let a turn pass by a move.

        Moves are barred after a number of them in a row that is a multiple of the seats. So it is the seat
        that made the first one that must place then.
        """
        stall, scores = self.view["options"]["stall"], self.scores
        if stall == "must_place":
            return WAITING if self.view["quiet"] % self.view["seats"] else -WAITING
        ahead = scores[self.me] == max(scores) and scores.count(max(scores)) == 1
        return WAITING if stall == "end" and ahead else -WAITING

    def shooting(self, cell: int) -> float:
        """Return what it is worth to shoot a tile."""
        kind = self.kinds[cell]
        lines = {line: self.lines[line] for line in (ROW_OF[cell], COLUMN_OF[cell])}
        changes = {line: old.shot(kind) for line, old in lines.items() if old.tiles < SIDE}
        return self.changing(changes) - CARTRIDGE * len(self.free) / len(self.kinds)

    def judge(self, action: str) -> float:
        """Return what an action is worth, in points."""
        verb, *words = action.split(" ")
        if verb == "first":
            return self.swing(self.lines[LINE_NAMES.index(words[0])].sums)
        if verb == "draw":
            return self.drawing(self.free)
        cells = [CELL_NUMBERS[word] for word in words if word in CELL_NUMBERS]
        if verb == "blind":
            return self.drawing(cells)
        if verb == "move":
            return self.moving(*cells)
        if verb == "shoot":
            return self.shooting(*cells)
        tiles = {"own": f"{self.view['gangs'][self.me]}{words[0]}", "put": self.view["drawn"]}
        return self.placing(KINDS[tiles.get(verb, words[0])], [self.place(cell) for cell in cells])


def choose(view: View, legal: list[str]) -> str:
    """Return the action that is worth most, the first of equals."""
    if len(legal) == 1:
        return legal[0]
    return max(legal, key=Position(view).judge)


def main() -> None:
    """Play until the referee says goodbye."""
    run(choose, name="gangsters", games=["gangsters"], capacity=64)


if __name__ == "__main__":
    main()
