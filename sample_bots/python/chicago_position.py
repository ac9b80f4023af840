"""What the Chicago bot sees: the board with its distances, one view, and the odds of duels."""

from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from protocol.messages import View
from referee.games.chicago import GAME
from referee.games.chicago.components import DUEL_DICE, GANGS, MOST_RINGS, PARTS, VALUES

BOARD = GAME.board
NUMBERS = BOARD.numbers
CASINOS = {BOARD.names[node] for node in BOARD.casinos}
CENTRAL = {BOARD.names[node] for node in BOARD.central}
VALUE = {BOARD.names[node]: value for node, value in enumerate(BOARD.values)}
SETS = {
    colour: [[BOARD.names[node] for node in nodes] for nodes in BOARD.sets[gang]]
    for gang, colour in enumerate(GANGS)
}

# No roll of the usual die takes a member farther.
FARTHEST = 12


@cache
def ways_to(target: str) -> dict[str, int]:
    """Return the steps from every node to this one, if no pawn stands in the way."""
    steps = {target: 0}
    queue = deque([NUMBERS[target]])
    while queue:
        node = queue.popleft()
        for near in BOARD.steps[node]:
            if BOARD.names[near] not in steps:
                steps[BOARD.names[near]] = steps[BOARD.names[node]] + 1
                queue.append(near)
    return steps


@cache
def odds(attacker: int, defender: int) -> tuple[float, float]:
    """Return how likely the attacker is left alone, and how likely the defender, with so many rings."""
    if not attacker or not defender:
        return float(attacker > 0), float(defender > 0)
    throws = [(a, d) for a in DUEL_DICE[attacker] for d in DUEL_DICE[defender]]
    win = sum(a > d for a, d in throws) / len(throws)
    lose = sum(a < d for a, d in throws) / len(throws)
    again = odds(attacker - 1, defender - 1)
    tie = 1 - win - lose
    return win + tie * again[0], lose + tie * again[1]


@cache
def duel_worth(mine: int, yours: int, rivalry: float) -> float:
    """Return what a duel brings on average, in FT; a rival's loss counts by `rivalry`."""
    win, lose = odds(mine, yours)
    my_ring = VALUES[min(mine + 1, MOST_RINGS)] - VALUES[mine]
    your_ring = VALUES[min(yours + 1, MOST_RINGS)] - VALUES[yours]
    return win * (VALUES[yours] * (1 + rivalry) + my_ring) - lose * (
        VALUES[mine] * (1 + rivalry) + rivalry * your_ring
    )


@cache
def threat(at: str, node: str, attacker: int, defender: int) -> float:
    """Return what an attack from there brings on average, in FT, as far as the usual die lets it happen."""
    steps = ways_to(node)[at]
    return max(0.0, duel_worth(attacker, defender, 1.0)) * max(0, FARTHEST + 1 - steps) / FARTHEST


class Member(NamedTuple):
    """A living pawn on the board."""

    name: str
    rings: int
    at: str


class Position:
    """One view, read for one seat."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.seat: int = view["you"]
        self.gang: str = view["duel"]["picks"] if view["duel"] else view["due"][0]
        self.points: int = view["points"]
        self.round: int = view["round"]
        self.options = view["options"]
        self.owner: dict[str, str | None] = view["owner"]
        self.seat_of: dict[str, int] = {gang: seen["seat"] for gang, seen in view["gangs"].items()}
        self.mine = [gang for gang, seat in self.seat_of.items() if seat == self.seat]
        self.members = list(self._placed(self.gang))
        self.rivals: dict[str, list[Member]] = {}
        """Members of other seats, by where they stand."""
        for gang, seat in self.seat_of.items():
            if seat != self.seat:
                for member in self._placed(gang):
                    self.rivals.setdefault(member.at, []).append(member)
        # What a rival loses is my gain in part: there are several of them.
        self.rivalry = 1 / (view["seats"] - 1)

    def _placed(self, gang: str) -> Iterator[Member]:
        for name, rings, at in self.view["gangs"][gang]["members"]:
            if at is not None:
                yield Member(name, rings, at)

    def rings_of(self, pawn: str) -> int:
        """Return how many rings a member has."""
        members = self.view["gangs"][pawn[0]]["members"]
        return int(next(rings for name, rings, _ in members if name == pawn))

    def is_mine(self, building: str) -> bool:
        """Return whether one of my gangs owns a building."""
        return self.owner[building] in self.mine

    def owned_by(self, seat: int, buildings: set[str]) -> int:
        """Return how many of these buildings a seat owns."""
        return sum(self.seat_of.get(self.owner[name] or "") == seat for name in buildings)

    def payments(self) -> int:
        """Return how often buildings will still pay."""
        phases = int(self.options["phases"]) - PARTS.index(self.view["part"])
        if self.options["income"] == "phase":
            return phases
        rounds = int(self.options["rounds"])
        return phases * rounds - max(self.round - 1, 0)

    def is_last_turn(self) -> bool:
        """Return whether nothing bought now can still be of use."""
        last = PARTS[int(self.options["phases"]) - 1], int(self.options["rounds"])
        return (self.view["part"], self.round) == last

    def has_token_for(self, building: str) -> bool:
        """Return whether the gang at hand could mark a building."""
        printed = BOARD.printed[NUMBERS[building]]
        return self.view["gangs"][self.gang]["tokens"] > 0 or printed == GANGS.index(self.gang)
