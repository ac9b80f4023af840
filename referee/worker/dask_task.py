"""The task that a host of a Dask cluster is given: play a batch of matches, and return what came of it.

It runs in a thread of `referee worker`, beside others, and lets a process play that ends with it.
"""

from typing import Final

from distributed import get_worker
from distributed.worker import thread_state

from referee.errors import RefereeError
from referee.worker.batch import decode_batch, encode
from referee.worker.host_players import HostPlayers

RESOURCE: Final = "processors"
"""The resource of a host that batches take; only `referee worker` offers it."""

_serving: list[HostPlayers] = []
"""What plays in this process, once `referee worker` has started it."""


def serve_with(players: HostPlayers) -> None:
    """Let the tasks of this process be played by these."""
    _serving[:] = [players]


def play_batch(data: bytes, tars: dict[str, bytes]) -> bytes:
    """Play a batch; `tars` are the bundles that come with it, by digest."""
    if not _serving:
        raise RefereeError("this host was not started with `referee worker`")
    return encode(_serving[0].play(decode_batch(data), tars, _is_wanted()))


def _is_wanted() -> "_Wanted":
    return _Wanted(thread_state.key)


class _Wanted:
    """Whether an organiser still waits for the task of this thread: Dask itself ends no task that runs."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._tasks = get_worker().state.tasks

    def __call__(self) -> bool:
        found = self._tasks.get(self._key)
        return found is not None and found.state == "executing"
