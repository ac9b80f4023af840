"""Rounds made better by exchanges: two bots of one round change places, again and again. Pure.

A tabu search. What it weighs, the heaviest first: rests, repeated meetings of all rounds, repeated meetings
of the first round, and how far apart in the standings bots of a group are in the first round. It is bounded
in steps and not in time. All figures are whole numbers that a float holds exactly, so it is the same on every
host.
"""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from referee.chance import KeyedChance
from tournaments.pairing.design import Round

Array = NDArray[np.float64]

_RESTS = 16
"""One rest too many weighs as much as so many repeated meetings."""

_FAR = 32
"""Places in the standings; bots that are farther apart count as if they were so far apart."""

_TENURE = 30
"""For how many steps at most two bots that were exchanged are not exchanged back."""


class History:
    """How often bots have met, and how often each has rested."""

    def __init__(self, bots: int, seats: int, rounds: Sequence[Round] = ()) -> None:
        self.bots = bots
        self.seats = seats
        self.met: Array = np.zeros((bots, bots))
        self.rests: Array = np.zeros(bots)
        for one in rounds:
            self.add(one)

    def add(self, one: Round) -> None:
        """Count a round."""
        self.rests += 1
        for group in one:
            self.rests[list(group)] -= 1
            for pair in permutations(group, 2):
                self.met[pair] += 1

    def and_then(self, rounds: Sequence[Round]) -> "History":
        """Return what will be after further rounds."""
        later = History(self.bots, self.seats, rounds)
        later.met += self.met
        later.rests += self.rests
        return later

    @property
    def repeats(self) -> int:
        """How many meetings are repeated; each counts once for every earlier one of the two bots."""
        return int((self.met * (self.met - 1)).sum()) // 4

    @property
    def repeated_rests(self) -> int:
        """How many rests are repeated, counted likewise."""
        return int((self.rests * (self.rests - 1)).sum()) // 2


class Weights:
    """What a search may choose weighs so much, after what was played and with these standings."""

    def __init__(self, before: History, order: Sequence[int] = ()) -> None:
        bots, seats = before.bots, before.seats
        self.before = History(bots, seats)
        # Only differences count, and small numbers stay exact.
        others = ~np.eye(bots, dtype=bool)
        self.before.met = (before.met - before.met[others].min()) * others
        self.before.rests = before.rests - before.rests.min()
        pairs = bots * (seats - 1) // 2
        # That a bot rests which is not the last weighs more than all nearness, for every place.
        lower = pairs * _FAR**2 + 1
        self.again = lower * (bots % seats * bots + 1)
        """Of a meeting in the first round of two bots that have met."""
        self.repeat = self.again * (int(self.before.met.max()) * pairs + 1)
        """Of a repeated meeting in any round."""
        self.rest = self.repeat * _RESTS
        """Of a repeated rest in any round."""
        self.near: Array = np.zeros((bots, bots))
        """Of a meeting of two bots in the first round."""
        self.idle: Array = np.zeros(bots)
        """Of a bot's rest in the first round."""
        if order:
            place = np.argsort(order).astype(float)
            apart = np.minimum(abs(place[:, None] - place), _FAR)
            self.near = apart**2 + self.again * self.before.met
            self.idle = lower * (bots - 1 - place) + self.rest * self.before.rests

    def of(self, rounds: Sequence[Round]) -> int:
        """Return the weight of rounds, the first of which is played next."""
        after = self.before.and_then(rounds)
        return self.first(rounds[0]) + self.repeat * after.repeats + self.rest * after.repeated_rests

    def first(self, one: Round) -> int:
        """Return what a round weighs more if it is played next, and not later."""
        alone = History(self.before.bots, self.before.seats, [one])
        return int((self.near * alone.met).sum() / 2 + self.idle @ alone.rests)


class Exchange:
    """A search that begins with some rounds, the first of which is played next."""

    def __init__(self, weights: Weights, rounds: Sequence[Round], *, key: int = 0) -> None:
        self._weights = weights
        bots, seats = weights.before.bots, weights.before.seats
        self._groups = bots // seats
        self._members = np.array(rounds)
        self._labels = np.full((len(rounds), bots), self._groups)
        """The number of the group of each bot in each round; that of the bots that rest comes last."""
        for label, one in zip(self._labels, rounds, strict=True):
            for number, group in enumerate(one):
                label[list(group)] = number
        self._together = np.array([History(bots, seats, [one]).met for one in rounds])
        after = weights.before.and_then(rounds)
        self._met, self._rests = after.met, after.rests
        self._weight = self._best = weights.of(rounds)
        self._kept = self._members.copy()
        self._until = np.zeros((len(rounds), bots, bots))
        """The step before which two bots of a round are not exchanged again."""
        self._step = 0
        self._chance = KeyedChance(key.to_bytes(32, "big"))

    @property
    def weight(self) -> int:
        """The weight of the best rounds so far."""
        return self._best

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The best rounds so far."""
        return tuple(tuple(tuple(sorted(group)) for group in one) for one in self._kept.tolist())

    def search(self, steps: int, *, goal: int = 0, patience: int | None = None, fixed: int = 0) -> bool:
        """Take so many steps, fewer once the goal is reached or patience ends; say whether it is reached.

        The first `fixed` rounds stay as they are.
        """
        last = self._step
        limit = self._step + steps
        while self._best > goal and self._step < limit and self._step - last < (patience or steps):
            self._step += 1
            changes = self._changes()
            changes[:fixed] = np.inf
            changes[(self._until > self._step) & (changes >= self._best - self._weight)] = np.inf
            least = changes.min()
            if least == np.inf:
                break
            ways = np.flatnonzero(changes == least)
            self._take(int(ways[self._chance.below("ways", len(ways))]))
            self._weight += int(least)
            if self._weight < self._best:
                self._best, last = self._weight, self._step
                self._kept = self._members.copy()
        return self._best <= goal

    def _changes(self) -> Array:
        """Return, for every round and every two bots, by how much their exchange changes the weight."""
        weights = self._weights
        each = np.arange(len(self._labels))[:, None]
        resting = self._labels == self._groups
        costs = weights.repeat * (self._met - self._together)
        costs[0] += weights.near
        # What each group, and then the rest, would cost each bot, beside the bots that are there.
        groups = costs[each, self._members[:, :, 0]]
        for seat in range(1, weights.before.seats):
            groups += costs[each, self._members[:, :, seat]]
        rest = weights.rest * (self._rests - resting)
        rest[0] += weights.idle
        groups = np.concatenate([groups, rest[:, None, :]], axis=1)
        # What the place of each bot would cost each other one. The bot leaves it, and its part is taken off.
        there = groups[each, self._labels]
        now = np.diagonal(there, axis1=1, axis2=2).copy()
        costs[resting] = 0
        there -= costs
        there -= now[:, None, :]
        found: Array = there + np.swapaxes(there, 1, 2)
        found[self._labels[:, :, None] == self._labels[:, None, :]] = np.inf
        return found

    def _take(self, way: int) -> None:
        """Exchange two bots of a round."""
        bots = self._weights.before.bots
        number, pair = divmod(way, bots * bots)
        one, other = divmod(pair, bots)
        label, members = self._labels[number], self._members[number]
        self._count(number, one, other, -1)
        label[[one, other]] = label[[other, one]]
        is_one, is_other = members == one, members == other
        members[is_one], members[is_other] = other, one
        self._count(number, one, other, 1)
        until = self._step + 2 + self._chance.below("until", _TENURE)
        self._until[number, one, other] = self._until[number, other, one] = until

    def _count(self, number: int, one: int, other: int, by: int) -> None:
        """Count the meetings and rests of two bots in a round once more, or once less."""
        for bot in (one, other):
            group = self._labels[number, bot]
            if group == self._groups:
                self._rests[bot] += by
                continue
            mates = [mate for mate in self._members[number, group].tolist() if mate != bot]
            for met in (self._met, self._together[number]):
                met[bot, mates] += by
                met[mates, bot] += by
