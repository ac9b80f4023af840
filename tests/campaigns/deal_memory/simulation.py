"""Tournaments with known strengths, seats that matter, draws, and bots that remember deals."""

import itertools
import random
from collections import Counter
from typing import Literal, NamedTuple

from tests.unit.tournaments.rows import row
from tournaments.rating.memory import MemoryLine, memory
from tournaments.results import Played


class World(NamedTuple):
    """A round robin. A match orders the sums of strength, luck of the seat in the deal, and own luck."""

    seats: int
    strengths: tuple[float, ...]
    """Of the bots a, b, c and so on; own luck has the standard deviation 1."""
    deals: int
    """For each group of bots."""
    seat_luck: float = 0.0
    """What the cards of a seat are worth: the same for every bot that has them."""
    first_seat: float = 0.0
    """What it is worth to begin, in every deal."""
    form: float = 0.0
    """What the deal is worth to a bot, in every seat."""
    grid: float = 0.0
    """Bots whose sums are about equal are drawn."""
    ties: Literal["draw", "unordered"] = "draw"
    winner_only: bool = False
    common: bool = False
    """Whether all groups play the same deals."""
    memory: tuple[tuple[str, float], ...] = ()
    """What it is worth to these bots to know a deal already."""

    @property
    def bots(self) -> list[str]:
        """Return the names of the bots."""
        return [chr(ord("a") + number) for number in range(len(self.strengths))]

    def play(self, luck: random.Random) -> tuple[list[Played], list[str]]:
        """Return the results, and the ids of the matches in the order of play."""
        played: list[Played] = []
        known: Counter[tuple[str, str]] = Counter()
        cards: dict[str, list[float]] = {}
        forms: dict[tuple[str, str], float] = {}
        gains = dict(self.memory)
        groups = list(itertools.combinations(self.bots, self.seats))
        for number, (at, group) in itertools.product(range(self.deals), enumerate(groups)):
            deal = str(number) if self.common else f"{number}-{at}"
            worth = cards.setdefault(deal, [luck.gauss(0, self.seat_luck) for _ in group])
            turns = list(range(self.seats))
            luck.shuffle(turns)
            for turn in turns:
                order = (*group[turn:], *group[:turn])
                sums = []
                for seat, bot in enumerate(order):
                    form = forms.setdefault((bot, deal), luck.gauss(0, self.form))
                    strength = self.strengths[self.bots.index(bot)] + form + luck.gauss(0, 1)
                    learned = gains.get(bot, 0.0) if known[bot, deal] else 0.0
                    sums.append(strength + learned + worth[seat] + (self.first_seat if not seat else 0.0))
                played.append(self._row(f"{number}-{at}", deal, turn, order, sums))
                known.update((bot, deal) for bot in order)
        ids = [match.match for match in played]
        # The order of the results does not matter, and must not.
        luck.shuffle(played)
        return played, ids

    def _row(self, block: str, deal: str, turn: int, order: tuple[str, ...], sums: list[float]) -> Played:
        made = [one // self.grid for one in sums] if self.grid else sums
        ranks = [1 + sum(other > one for other in made) for one in made]
        if self.winner_only:
            ranks = [min(rank, 2) for rank in ranks]
        name = f"{block}-r{turn}"
        return row(order, ranks, match=name, block=block, deal=deal, ties=self.ties)


def lines(world: World, luck: random.Random) -> dict[str, MemoryLine]:
    """Play a tournament, and return what is reported of its bots."""
    played, order = world.play(luck)
    return {line.name: line for line in memory(played, order, world.bots)}


def named(world: World, times: int, seed: int = 1) -> Counter[str]:
    """Return how often each bot is named in so many tournaments, and under '' how often any is."""
    luck = random.Random(seed)
    counts: Counter[str] = Counter()
    for _ in range(times):
        found = [line.name for line in lines(world, luck).values() if line.named]
        counts.update(found)
        counts[""] += bool(found)
    return counts


HONEST = {
    "two seats, even": World(2, (0.0, 0.0), 40),
    "two seats, the cards decide": World(2, (0.3, -0.3), 60, seat_luck=3.0),
    "two seats, to begin decides": World(2, (0.0, 0.0), 60, first_seat=3.0),
    "two seats, unequal, draws": World(2, (2.0, -2.0), 80, seat_luck=1.0, grid=1.0),
    "two seats, six bots": World(2, (1.0, 0.6, 0.2, -0.2, -0.6, -1.0), 6, seat_luck=1.5, form=0.5),
    "two seats, common deals": World(2, (0.8, 0.0, -0.8, 0.0), 20, seat_luck=2.0, common=True),
    "three seats, draws": World(3, (0.5, 0.0, -0.5), 40, seat_luck=2.0, first_seat=1.0, grid=0.8),
    "four seats, unequal": World(4, (1.5, 0.5, -0.5, -1.5), 40, seat_luck=2.0, first_seat=1.0),
    "four seats, only a winner": World(
        4, (0.5, 0.0, 0.0, -0.5), 40, seat_luck=1.0, winner_only=True, ties="unordered"
    ),
}
"""Worlds in which no bot remembers."""

REMEMBERING = {
    "two seats, it sees the cards": World(2, (0.0, 0.0), 80, seat_luck=0.5, memory=(("a", 2.0),)),
    "two seats, a little": World(2, (0.0, 0.0), 400, seat_luck=1.0, memory=(("a", 0.8),)),
    "two seats, six bots": World(2, (0.0,) * 6, 30, seat_luck=1.0, memory=(("a", 1.5),)),
    "two seats, two that remember among six": World(
        2, (0.0,) * 6, 40, seat_luck=1.0, memory=(("a", 1.5), ("b", 1.5))
    ),
    "two seats, a strong one": World(2, (1.0, -1.0), 250, seat_luck=1.0, memory=(("a", 1.5),)),
    "two seats, common deals": World(2, (0.0,) * 4, 150, seat_luck=1.0, common=True, memory=(("a", 1.5),)),
    "four seats": World(4, (0.0,) * 4, 80, seat_luck=1.0, first_seat=1.0, memory=(("a", 1.5),)),
}
"""Worlds in which some bots remember, and the others do not."""
