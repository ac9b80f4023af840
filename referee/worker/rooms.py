"""How many matches each of many workers may still be given: the one with most room is found at once."""

import heapq
from collections.abc import Mapping


class Rooms:
    """The room of each worker, by its number; workers that are not named have none."""

    def __init__(self, rooms: Mapping[int, int]) -> None:
        """Begin with these.

        >>> rooms = Rooms({0: 2, 1: 3})
        >>> rooms.fill(1, 2), rooms.widest, rooms[2]
        (None, 0, 0)
        """
        self._rooms = dict(rooms)
        self._widest = [(-room, number) for number, room in self._rooms.items() if room > 0]
        """A heap of workers, each by the room that it had at some time: what is out of date is skipped."""
        heapq.heapify(self._widest)

    def __getitem__(self, number: int) -> int:
        return self._rooms.get(number, 0)

    @property
    def is_full(self) -> bool:
        """Whether no worker has room."""
        self._skip()
        return not self._widest

    @property
    def widest(self) -> int:
        """The worker with most room; there is one."""
        self._skip()
        return self._widest[0][1]

    def fill(self, number: int, count: int) -> None:
        """Take so much room away."""
        self._rooms[number] -= count
        if self._rooms[number] > 0:
            heapq.heappush(self._widest, (-self._rooms[number], number))

    def _skip(self) -> None:
        while self._widest and -self._widest[0][0] != self._rooms[self._widest[0][1]]:
            heapq.heappop(self._widest)
