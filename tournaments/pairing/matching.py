"""The most pairs that can be made if not all may be paired with all: Edmonds' blossoms. Pure.

Not by networkx: a resumed tournament computes its rounds again and must get the same pairs with every version
of a library; and one round of 256 bots, weighted by nearness, took it 7 seconds.
"""

from collections.abc import Sequence

_ALONE = -1


def most_pairs(partners: Sequence[Sequence[int]]) -> list[int]:
    """Return the partner of every member, or -1, so that there are as many pairs as possible.

    Members are counted from 0. `partners` gives for each the members it may be paired with, the best first;
    the relation is symmetric. An earlier member chooses before a later one, as long as that costs no pair.
    """
    mates = [_ALONE] * len(partners)
    for one, wanted in enumerate(partners):
        free = [other for other in wanted if mates[other] == _ALONE]
        if mates[one] == _ALONE and free:
            mates[one], mates[free[0]] = free[0], one
    for one in range(len(partners)):
        if mates[one] == _ALONE:
            _Growth(partners, mates, one).augment()
    return mates


class _Growth:
    """A search, from a member without a partner, for a chain of exchanges that makes one more pair.

    Chains alternate between pairs that are made and pairs that could be. Where two meet in a ring of odd
    length (a blossom), its members count as one: the chain can leave it at any of them.
    """

    def __init__(self, partners: Sequence[Sequence[int]], mates: list[int], root: int) -> None:
        self._partners = partners
        self._mates = mates
        self._root = root
        self._before = [_ALONE] * len(mates)
        """The member before each one on the chain, for members that their partner would give up."""
        self._ring = list(range(len(mates)))
        """The member that represents each one: the base of its blossom, or itself."""
        self._queue = [root]
        self._reached = {root}

    def augment(self) -> bool:
        """Make one more pair by exchanges, if there is a way."""
        for one in self._queue:
            for other in self._partners[one]:
                if self._ring[one] == self._ring[other] or self._mates[one] == other:
                    continue
                if self._is_outer(other):
                    self._close_ring(one, other)
                elif self._before[other] == _ALONE:
                    self._before[other] = one
                    if self._mates[other] == _ALONE:
                        self._exchange(other)
                        return True
                    self._reach(self._mates[other])
        return False

    def _is_outer(self, one: int) -> bool:
        """Say whether a chain could end here, and go on."""
        mate = self._mates[one]
        return one == self._root or (mate != _ALONE and self._before[mate] != _ALONE)

    def _reach(self, one: int) -> None:
        if one not in self._reached:
            self._reached.add(one)
            self._queue.append(one)

    def _exchange(self, end: int) -> None:
        """Pair along the chain, from its end to the root."""
        while end != _ALONE:
            one = self._before[end]
            given_up = self._mates[one]
            self._mates[end], self._mates[one] = one, end
            end = given_up

    def _close_ring(self, one: int, other: int) -> None:
        """Let all members of the ring that two chains form stand as one."""
        place = self._where_chains_part(one, other)
        inside: set[int] = set()
        self._mark(one, place, other, inside)
        self._mark(other, place, one, inside)
        for member in range(len(self._ring)):
            if self._ring[member] in inside:
                self._ring[member] = place
                self._reach(member)

    def _where_chains_part(self, one: int, other: int) -> int:
        on_the_way: set[int] = set()
        while True:
            one = self._ring[one]
            on_the_way.add(one)
            if self._mates[one] == _ALONE:
                break
            one = self._before[self._mates[one]]
        while self._ring[other] not in on_the_way:
            other = self._before[self._mates[self._ring[other]]]
        return self._ring[other]

    def _mark(self, one: int, place: int, after: int, inside: set[int]) -> None:
        """Note who is in the ring, from one of its ends to the place at which it hangs."""
        while self._ring[one] != place:
            mate = self._mates[one]
            inside |= {self._ring[one], self._ring[mate]}
            self._before[one] = after
            one, after = self._before[mate], mate
