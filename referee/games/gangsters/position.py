"""The position with all its secrets: what lies where, who holds what, and whose decision it is."""

from bisect import insort
from dataclasses import field
from itertools import compress

from referee.chance import Chance
from referee.game import Event, Outcome
from referee.gamelib.cloning import Shared, cloneable
from referee.gamelib.ranking import ranks_of
from referee.gamelib.turns import TurnState
from referee.games.gangsters.components import (
    CODES,
    COPIES,
    DEAD,
    EMPTY,
    GANG_OF,
    GANGS,
    NAMES,
    STRENGTHS,
    TILES,
    Rules,
)
from referee.games.gangsters.grid import AROUND, BIT, CELLS, LINE_CELLS, LINE_MASKS, NEAR, WHOLE
from referee.games.gangsters.spelling import LAYING, OPEN_TILE, STEPS_TO

NONE = -1


@cloneable
class Position(TurnState[Rules]):
    """The data of a game, and the few things every part of the rules does to it.

    `board` has an entry for each cell, `city` its code, `vacant` a 1 for each empty one. Sets of cells are
    bits: `free` ones, those of `live` tiles (all, and in `alive` by gang), and those `frozen` on complete
    lines. Legal actions change little from turn to turn: `steps` has for each cell the moves of the tile
    there to its neighbours (None: it is dead or frozen, or there is none), `rows` has for each source of
    tiles that was asked for the ways to lay one (see `LAYING`). `owners` is the seat of each gang, or NONE.
    The top of a pile is its end. `common` is sorted.
    `unseen` counts the face-down tiles by name, `left` those that can still be placed. `ban` is the cell of
    the tile that was placed or moved in the last turn, or NONE. Views and clones share what is `Shared`: a
    new list takes the place of one that changes.
    """

    owners: list[int]
    neutral: Shared[list[str]]
    gangs: tuple[int, ...]
    letters: Shared[list[str]]
    board: list[int]
    city: list[str]
    vacant: bytearray
    free: int = WHOLE
    live: int = 0
    alive: list[int]
    frozen: int = 0
    steps: list[tuple[str, ...] | None]
    rows: dict[int, list[str]]
    complete: list[int] = field(default_factory=list)
    reserves: Shared[list[list[int]]]
    cartridges: Shared[list[int]]
    common: list[int] = field(default_factory=list)
    piles: list[list[int]]
    unseen: dict[str, int]
    left: int = TILES
    removed: list[int] = field(default_factory=list)
    scores: Shared[list[int]]
    reached: Shared[list[int]]
    withdrawn: Shared[list[int]] = field(default_factory=list)
    drawn: int = NONE
    drawn_from: int = 0
    pending: tuple[int, ...] = ()
    ban: int = NONE
    quiet: int = 0
    limit: int
    barred: bool = False
    decisions: int = 0

    keys = (
        *("gangs", "neutral", "decisions", "quiet", "quiet_limit", "barred", "ban", "board", "complete"),
        *("scores", "reached", "cartridges", "reserves", "common", "piles", "unseen", "drawn", "drawn_from"),
        *("pending", "withdrawn", "removed"),
    )

    def __init__(self, rules: Rules, chance: Chance) -> None:
        TurnState.__init__(self, rules, chance, "turn")
        seats = rules.seats
        self.gangs = rules.gangs[:seats]
        self.owners = [self.gangs.index(gang) if gang in self.gangs else NONE for gang in range(len(GANGS))]
        self.neutral = [GANGS[gang] for gang in sorted(rules.gangs[seats:])]
        self.letters = [GANGS[gang] for gang in self.gangs]
        self.board = [EMPTY] * CELLS
        self.city = [CODES[EMPTY]] * CELLS
        self.vacant = bytearray([1]) * CELLS
        self.alive = [0] * len(GANGS)
        self.steps = [None] * CELLS
        self.rows = {}
        self.reserves = [list(STRENGTHS) for _ in range(seats)]
        self.cartridges = [rules.cartridges] * seats
        self.piles = [[] for _ in range(rules.piles)]
        self.unseen = dict.fromkeys(NAMES, COPIES)
        for gang in self.gangs:
            for kind in _kinds_of(gang):
                self.unseen[NAMES[kind]] -= 1
        self.scores = [0] * seats
        self.reached = [0] * seats
        self.limit = rules.quiet_per_seat * seats
        self.form["gangs"] = self.letters
        self.form["quiet_limit"] = None if rules.stall == "none" else self.limit

    def begin_turn(self, seat: int, events: list[Event]) -> None:
        """Begin the turn of a seat."""
        self.turn += 1
        self.phase = "turn"
        self.active = seat
        self.asked = self.acting = (seat,)
        events.append(Event({"event": "turn_began", "seat": seat, "turn": self.turn}))

    def lay(self, cell: int, kind: int) -> None:
        """Put a live tile on a free cell."""
        bit = BIT[cell]
        place = (self.free & (bit - 1)).bit_count()
        for texts in self.rows.values():
            del texts[place]
        self.board[cell] = kind
        self.vacant[cell] = 0
        self.city[cell] = CODES[kind]
        self.free ^= bit
        self.live |= bit
        self.alive[GANG_OF[kind]] |= bit
        self.steps[cell] = ()
        self._look_around(cell)

    def lift(self, cell: int) -> int:
        """Take the live tile off a cell and return it."""
        bit = BIT[cell]
        place = (self.free & (bit - 1)).bit_count()
        for source, texts in self.rows.items():
            texts.insert(place, LAYING[source][cell])
        kind = self.board[cell]
        self.board[cell] = EMPTY
        self.vacant[cell] = 1
        self.city[cell] = CODES[EMPTY]
        self.free |= bit
        self.live ^= bit
        self.alive[GANG_OF[kind]] ^= bit
        self.steps[cell] = None
        self._look_around(cell)
        return kind

    def kill(self, cell: int) -> int:
        """Make a live tile a dead one, which stays where it is, and return what it was."""
        bit = BIT[cell]
        kind = self.board[cell]
        self.board[cell] = kind + DEAD
        self.city[cell] = CODES[kind + DEAD]
        self.live ^= bit
        self.alive[GANG_OF[kind]] ^= bit
        self.steps[cell] = None
        return kind

    def freeze(self, line: int) -> None:
        """Freeze the tiles of a line that is complete."""
        self.complete.append(line)
        self.frozen |= LINE_MASKS[line]
        for cell in LINE_CELLS[line]:
            self.steps[cell] = None

    def _look_around(self, cell: int) -> None:
        """Find the steps of the tiles on and around a cell that was filled or left."""
        free, steps = self.free, self.steps
        for near in AROUND[cell]:
            if steps[near] is not None:
                steps[near] = STEPS_TO[near][free & NEAR[near]]

    def laying(self, source: int) -> list[str]:
        """Return the actions that lay a tile from a source, in canonical order; not to be changed."""
        found = self.rows.get(source)
        if found is None:
            found = self.rows[source] = list(compress(LAYING[source], self.vacant))
        return found

    def turn_up(self, pile: int) -> int:
        """Take the top tile of a pile and return it: now all have seen it."""
        kind = self.piles[pile].pop()
        self.unseen[NAMES[kind]] -= 1
        return kind

    def open_tile(self, pile: int) -> int:
        """Turn up a tile for the common reserve and return it."""
        kind = self.turn_up(pile)
        insort(self.common, kind)
        return kind

    def close_tile(self, kind: int) -> None:
        """Take an open tile from the common reserve."""
        self.common.remove(kind)
        if kind not in self.common:
            self.rows.pop(OPEN_TILE + kind, None)

    def tallest(self) -> int:
        """Return the pile that refills the common reserve by itself (A11), or NONE if all are empty."""
        sizes = list(map(len, self.piles))
        most = max(sizes)
        return sizes.index(most) if most else NONE

    def pay(self, seat: int, points: int) -> None:
        """Add points to a score and note when it was reached."""
        scores, reached = self.scores[:], self.reached[:]
        scores[seat] += points
        reached[seat] = max(reached) + 1
        self.scores, self.reached = scores, reached

    def stay(self) -> list[int]:
        """Return the seats that have not left."""
        return [seat for seat in range(self.seats) if seat not in self.withdrawn]

    def drop_out(self, seat: int) -> list[int]:
        """Take a seat with its tiles and cartridges out of the game, and return the tiles."""
        gang = self.gangs[seat]
        tiles = [kind for kind in _kinds_of(gang) if kind % len(STRENGTHS) + 1 in self.reserves[seat]]
        if seat == self.active and self.drawn != NONE:
            tiles.append(self.drawn)
            self.drawn = NONE
        self.reserves = [[] if other == seat else held for other, held in enumerate(self.reserves)]
        self.cartridges = [0 if other == seat else left for other, left in enumerate(self.cartridges)]
        self.disown(gang)
        self.withdrawn = [*self.withdrawn, seat]
        self.removed += tiles
        self.left -= len(tiles)
        return tiles

    def disown(self, gang: int) -> None:
        """Make a gang a neutral one."""
        self.owners[gang] = NONE
        self.neutral = [GANGS[gang] for gang, owner in enumerate(self.owners) if owner == NONE]

    def finish(self, reason: str, events: list[Event]) -> None:
        """End the game; A21: scores rank all seats, then who reached them first; who left ranks behind."""
        standings = [
            (0, self.withdrawn.index(seat)) if seat in self.withdrawn else (1, score, -self.reached[seat])
            for seat, score in enumerate(self.scores)
        ]
        outcome = Outcome(ranks_of(standings), tuple(self.scores), reason)
        self.end(outcome, events, reached=self.reached)


def _kinds_of(gang: int) -> range:
    return range(gang * len(STRENGTHS), (gang + 1) * len(STRENGTHS))
