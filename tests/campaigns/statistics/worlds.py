"""Round robins in which comparisons follow the model of ratings, or depart from it by a known amount."""

import itertools
from collections.abc import Mapping
from math import erf, exp, log, sqrt
from random import Random
from typing import NamedTuple

from tests.unit.tournaments.rows import row
from tournaments.results import Played


class World(NamedTuple):
    """A round robin of bots a, b, c and so on; strengths are in log odds.

    A seat's luck in a match is made of the cards of the seat in the deal, the form of the bot in the deal and
    its own luck. It has Gumbel's distribution, so the chance to be ranked before another bot is exactly that
    of Bradley and Terry in every single match, while matches of one deal depend on each other.
    """

    seats: int
    strengths: tuple[float, ...]
    deals: int
    """For each group of bots."""
    cards: float = 0.0
    """The share of the luck that the seat has in all matches of a deal."""
    form: float = 0.0
    """The share of the luck that the bot has in all matches of a deal."""
    draws: float = 0.0
    """How many results of two seats become draws, without a change of what is expected."""
    winner_only: bool = False
    common: bool = False
    """Whether all groups play the same deals."""
    liking: Mapping[tuple[str, str], float] = {}
    """What one bot is better against another than its strength says, in log odds; two seats only."""
    first_seat: float = 0.0
    """What it is worth to begin, in log odds."""
    normal: bool = False
    """Whether luck is normal, as in Thurstone's model, and not of Gumbel's distribution."""

    @property
    def bots(self) -> list[str]:
        """Return the names of the bots."""
        return [chr(ord("a") + number) for number in range(len(self.strengths))]

    def play(self, luck: Random) -> list[Played]:
        """Return the results."""
        played: list[Played] = []
        lucks: dict[tuple[str, object], float] = {}
        groups = list(itertools.combinations(range(len(self.strengths)), self.seats))
        for number, (at, group) in itertools.product(range(self.deals), enumerate(groups)):
            deal = f"{number}" if self.common else f"{number}-{at}"
            for turn in range(self.seats):
                order = (*group[turn:], *group[:turn])
                sums = [self._sum(luck, lucks, deal, seat, order) for seat in range(self.seats)]
                ranks = [1 + sum(other > one for other in sums) for one in sums]
                if self.winner_only:
                    ranks = [min(rank, 2) for rank in ranks]
                elif self.draws and self._is_draw(luck, order, ranks):
                    ranks = [1, 1]
                block = f"{number}-{at}"
                bots = [self.bots[bot] for bot in order]
                ties = "unordered" if self.winner_only else "draw"
                played.append(row(bots, ranks, match=f"{block}-r{turn}", block=block, deal=deal, ties=ties))
        return played

    def _sum(
        self,
        luck: Random,
        lucks: dict[tuple[str, object], float],
        deal: str,
        seat: int,
        order: tuple[int, ...],
    ) -> float:
        bot = order[seat]
        cards = lucks.setdefault((deal, f"seat {seat}"), luck.gauss(0, 1))
        form = lucks.setdefault((deal, bot), luck.gauss(0, 1))
        own = sqrt(1 - self.cards - self.form) * luck.gauss(0, 1)
        drawn = sqrt(self.cards) * cards + sqrt(self.form) * form + own
        # What a bot likes of two decides between them; it is half of the difference for each.
        liked = sum(
            self.liking.get((self.bots[bot], self.bots[other]), 0.0)
            - self.liking.get((self.bots[other], self.bots[bot]), 0.0)
            for other in order
            if other != bot
        )
        begins = self.first_seat if seat == 0 else 0.0
        return self.strengths[bot] + liked / 2 + begins + (drawn if self.normal else _gumbel(drawn))

    def _is_draw(self, luck: Random, order: tuple[int, ...], ranks: list[int]) -> bool:
        one, other = (self.strengths[bot] for bot in order)
        winner, loser = (one, other) if ranks[0] == 1 else (other, one)
        return luck.random() < self.draws * _chance(loser - winner)


def _chance(lead: float) -> float:
    return 1 / (1 + exp(-lead))


def _gumbel(normal: float) -> float:
    """Return the value of Gumbel's distribution with the quantile that the normal one has."""
    return -log(-log(min(max(0.5 * (1 + erf(normal / sqrt(2))), 1e-15), 1 - 1e-15)))
