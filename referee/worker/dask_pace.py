"""How long matches take on a cluster, and from when on a batch takes too long."""

from collections import Counter, defaultdict
from typing import Final

from referee.worker.batch import Batch

_TIMES: Final = 4.0
"""A batch is late after so many times what its matches take elsewhere."""

_LEAST_S: Final = 60.0
"""No batch is late before: a host that has just joined may still unpack and start its bots."""


class BatchPace:
    """What batches have taken so far, by the bots that played: some bots think longer than others."""

    def __init__(self) -> None:
        self._taken_s: defaultdict[str, float] = defaultdict(float)
        self._played: Counter[str] = Counter()
        self._let_go: Counter[str] = Counter()
        """By match: how often it was late."""

    def took(self, batch: Batch, took_s: float) -> None:
        """Take note of a batch that was played."""
        for order in batch.matches:
            for bot in order.bots:
                self._taken_s[bot] += took_s / len(batch.matches)
                self._played[bot] += 1

    def is_late(self, batch: Batch, waited_s: float) -> bool:
        """Return whether a batch takes far longer than its matches take elsewhere."""
        return waited_s > _LEAST_S and waited_s > self._limit_s(batch)

    def _limit_s(self, batch: Batch) -> float:
        """Return after what time a batch is late.

        It is twice as long each time that one of its matches was late: a match that does take long is over
        at some time.
        """
        usual_s = sum(max(map(self._usual_s, order.bots)) for order in batch.matches)
        again = max(self._let_go[order.match] for order in batch.matches)
        return max(_LEAST_S, _TIMES * usual_s) * float(2**again)

    def _usual_s(self, bot: str) -> float:
        """Return how long a match of a bot takes; for ever, as far as is known of one that has not played."""
        return self._taken_s[bot] / self._played[bot] if self._played[bot] else float("inf")

    def let_go(self, batch: Batch) -> None:
        """Take note of a batch that was late."""
        self._let_go.update(order.match for order in batch.matches)
