"""The disk of the organiser: commits take simulated time, and now and then very long."""

from collections import deque
from collections.abc import Callable, Sequence

from referee.errors import RefereeError
from referee.hub.archive import MOST_TOGETHER, MOST_WAITING, Filed, Filing, Keep
from referee.hub.pairing import Finished
from tests.campaigns.cluster_simulation.world import World

_DAY_S = 86_400.0


class SlowDisk:
    """An archive, as `referee.hub.archive` has it, without a thread and without replays."""

    def __init__(self, done: Callable[[Filed], None], world: World, keep: Keep) -> None:
        self._done = done
        self._world = world
        self._keep = keep
        self._waiting: deque[Filing] = deque()
        self._is_busy = False
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether so many matches wait that no more should be begun."""
        return len(self._waiting) >= MOST_WAITING

    def file(self, filing: Filing) -> None:
        """Take a match."""
        self._waiting.append(filing)
        self._begin()

    def close(self) -> None:
        """Commit nothing any more: only a killed run has something left."""
        self._is_closed = True

    def _begin(self) -> None:
        if self._is_busy or not self._waiting:
            return
        count = min(MOST_TOGETHER, len(self._waiting))
        together = [self._waiting.popleft().finished for _ in range(count)]
        self._is_busy = True
        self._world.after(self._world.commit_s(), lambda: self._commit(together))

    def _commit(self, together: Sequence[Finished]) -> None:
        if self._is_closed:
            return
        trouble: RefereeError | None = None
        try:
            self._keep(together)
        except RefereeError as error:
            trouble = error
        else:
            for finished in together:
                if not finished.result.void:
                    self._world.ledger.committed(finished.result.match)
        self._done([(finished, trouble) for finished in together])
        self._is_busy = False
        self._begin()
