"""An organiser's way to a Dask cluster: the client, the hosts that have joined, and the lanes on them.

A lane plays one match after the other on one host. Its batches are pinned to that host: Dask moves none to
another one, and repeats none; if the host goes, the organiser decides what is played again. Dask's threads
hand over what they learn to the thread of the hub, which alone decides.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final
from uuid import uuid4

import dask
from distributed import Client, Future

from referee.errors import RefereeError
from referee.hub.event_loop import EventLoop
from referee.worker.batch import Batch
from referee.worker.cluster_place import ClusterPlace
from referee.worker.code import code_hash
from referee.worker.dask_hosts import Host, HostList, refusals
from referee.worker.dask_member import DaskMember
from referee.worker.dask_pace import BatchPace
from referee.worker.dask_task import RESOURCE, play_batch
from referee.worker.member import Gone, Take
from referee.worker.travel import BotPacker

_LOOK_S: Final = 0.5
"""The time between two looks at which hosts are there."""

_CONNECT_S: Final = 5.0

_PATIENCE_S: Final = 5.0
"""So long all hosts may be refused before the run ends: another one may be joining."""

_SETTINGS: Final = {"distributed.admin.large-graph-warning-threshold": "1GB"}


class DaskCluster:
    """The cluster, for one hub."""

    def __init__(
        self,
        place: ClusterPlace,
        *,
        processors: int,
        note: Callable[[str], None],
        kept_here: tuple[Path, ...] = (),
    ) -> None:
        """Connect; raises RefereeError if no scheduler answers. A match needs so many processors."""
        self.hosts = HostList(processors, note)
        self.packer = BotPacker(kept_here)
        self.pace = BatchPace()
        self.event = uuid4().hex
        self._place = place
        self._processors = processors
        self._note = note
        self._lanes: list[DaskMember] = []
        self._loop: EventLoop | None = None
        self._lock = Lock()
        self._stop = Event()
        self._attempts = 0
        self._unable_since = 0.0
        self._is_lonely = False
        dask.config.set(_SETTINGS)
        for name in ("distributed", "distributed.client", "distributed.core"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = self._connect()
        except (OSError, ValueError, RuntimeError) as error:
            raise RefereeError(
                f"no scheduler of a cluster answers at {place.address} ({error}); start one there with: "
                "dask scheduler --no-dashboard (docs/cluster.md)"
            ) from error
        self._watching = Thread(target=self._watch, name="cluster", daemon=True)

    def _connect(self) -> Client:
        return Client(
            self._place.address,
            timeout=_CONNECT_S,
            security=self._place.security(),
            set_as_default=False,
            name="referee",
        )

    # In Dask's threads and in that of `_watch`.

    def post(self, callback: Callable[[], None]) -> None:
        """Call back in the thread of the hub, unless it has closed."""
        with self._lock:
            if self._loop is not None and not self._stop.is_set():
                self._loop.call(callback)

    def _watch(self) -> None:
        """Look which hosts are there, again and again."""
        while not self._stop.wait(_LOOK_S):
            self.look()

    def look(self) -> None:
        """Look which hosts are there; connect anew if the scheduler was lost."""
        try:
            if self._client.status == "closed":
                self._client = self._connect()
            found = self._client.sync(self._client.scheduler.identity, callback_timeout=_CONNECT_S)
            workers = found["workers"]
        except Exception as error:  # noqa: BLE001 - the scheduler is lost, by any error of Dask
            self.post(partial(self._lost, f"{type(error).__name__}: {error}"))
        else:
            self.post(partial(self._seen, workers))

    # In the thread of the hub.

    def start(self, loop: EventLoop, most: int, take: Take, gone: Gone) -> DaskMember:
        """Start a lane, which gets matches when there is a host for it."""
        lane = DaskMember(self, loop, take, gone)
        self._lanes.append(lane)
        if self._loop is None:
            self._loop = loop
            self._watching.start()
        self._assign()
        return lane

    def forget(self, lane: DaskMember) -> None:
        """Take note that a lane has ended."""
        if lane in self._lanes:
            self._lanes.remove(lane)

    def _seen(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        self.hosts.look(workers)
        for lane in list(self._lanes):
            if lane.place is not None and lane.place.address not in self.hosts.known:
                lane.lose(f"on {lane.place.name} was lost: the host has left the cluster")
            elif lane.place is not None and lane.place.refusal:
                lane.lose(f"on {lane.place.name} was let go: the host is refused")
        self._let_late_go()
        self._assign()
        self._check_able()

    def _lost(self, why: str) -> None:
        """Take note that the scheduler does not answer: what it had is given anew when it does."""
        if self.hosts.known:
            self._note(f"the scheduler at {self._place.address} does not answer: {why}")
        self._seen({})

    def _check_able(self) -> None:
        known, now = self.hosts.known, time.monotonic()
        if not known and not self._is_lonely:
            self._note(
                f"no host has joined {self._place.address} yet; on each: referee worker {self._place.address}"
            )
        self._is_lonely = not known
        if self.hosts.able or not known:
            self._unable_since = 0.0
            return
        self._unable_since = self._unable_since or now
        if now - self._unable_since > _PATIENCE_S and self._lanes:
            self._lanes[0].fail(f"no host of the cluster can play: {refusals(known.values())}")

    def _let_late_go(self) -> None:
        """Let batches go that take far too long, while there is a lane that has nothing else to play.

        Their hosts rest for that time, so that it is another one which begins the matches anew.
        """
        has_idle = any(lane.place is not None and not lane.matches for lane in self._lanes)
        for host in self.hosts.known.values():
            host.is_resting &= has_idle
        late = [lane for lane in self._lanes if has_idle and lane.is_late]
        for lane in late:
            assert lane.place is not None
            lane.place.is_resting = True
            lane.let_late_go()

    def _assign(self) -> None:
        """Give lanes without a place the ones that are free."""
        taken = Counter(lane.place for lane in self._lanes)
        able = [host for host in self.hosts.able if not host.is_resting]
        free = [host for host in able for _ in range(host.lanes - taken[host])]
        homeless = [lane for lane in self._lanes if lane.place is None]
        for lane, host in zip(homeless, free, strict=False):
            lane.place = host

    def submit(self, host: Host, batch: Batch, key: str, data: bytes, *, with_all: bool) -> Future:
        """Send a batch to a host, with the bundles that the host lacks, or with all."""
        wanted = dict.fromkeys(bot.digest for bot in batch.bots if bot.digest)
        tars = {one: self.packer.tars[one] for one in wanted if with_all or one not in host.bundles}
        host.bundles.update(tars)
        return self._client.submit(
            play_batch,
            data,
            tars,
            key=key,
            pure=False,
            retries=0,
            workers=[host.address],
            allow_other_workers=False,
            resources={RESOURCE: self._processors},
        )

    def now(self) -> float:
        """Return the time, in seconds."""
        return time.monotonic()

    def batch(self, **given: Any) -> Batch:
        """Return a batch of this event, which no earlier one is taken for."""
        self._attempts += 1
        return Batch(code=code_hash(), event=self.event, attempt=self._attempts, **given)

    def silence(self) -> None:
        """Let no thread reach the hub any more: it closes."""
        with self._lock:
            self._stop.set()

    def close(self) -> None:
        """Leave the cluster."""
        self.silence()
        if self._watching.is_alive():
            self._watching.join(_CONNECT_S)
        self._client.close(timeout=5)
