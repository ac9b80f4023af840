"""A lane of a cluster: one match after the other on one host, as batches of whole blocks.

Two batches are on their way at a time, so that the host never waits for us. A batch holds about two seconds
of matches: its own cost is small then, and little is lost with it. Rows and replays are taken when a batch is
over, and its future is released then: what is taken and not yet on disk would be lost with this process only,
and the whole cluster with it.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Final

from distributed import CancelledError, Future

from referee.hub.event_loop import EventLoop
from referee.hub.roster import StartFailure
from referee.match.faults import PROFILES, Profile
from referee.wording import clean
from referee.worker.batch import Batch, BatchDone, decode_done, encode
from referee.worker.code import game_hash
from referee.worker.dask_hosts import Host
from referee.worker.member import AwayMatch, Gone, Take
from referee.worker.orders import (
    AbandonMatches,
    DrainMatches,
    MatchBegan,
    MatchesReturned,
    MatchOrder,
    NoWorkerLeft,
    PlayMatches,
    SetUp,
    TakeBots,
    ToWorker,
)
from referee.worker.travel import TravellingBot

if TYPE_CHECKING:
    from referee.worker.dask_cluster import DaskCluster

_AT_ONCE: Final = 2
"""Batches of a lane: one is played, the other waits at the host."""

_FIRST: Final = 4
"""Matches of the first batch, before it is known how long they take."""

_BATCH_S: Final = 2.0
_LARGEST: Final = 128
"""How long a batch should take, and how many matches it has at most."""

_FETCH_S: Final = 60.0


class DaskMember:
    """One lane. All but the callbacks of futures runs in the thread of the hub."""

    def __init__(self, cluster: "DaskCluster", loop: EventLoop, take: Take, gone: Gone) -> None:
        self.host = ""
        self.speed = 0.0
        self.is_lost = False
        self.matches: dict[str, AwayMatch] = {}
        self.place: Host | None = None
        """Where it plays; None while there is no host for it."""
        self._cluster = cluster
        self._loop = loop
        self._take = take
        self._gone = gone
        self._profile: Profile = PROFILES["strict"]
        self._bots: dict[str, TravellingBot] = {}
        self._broken: dict[str, StartFailure] = {}
        self._pending: list[MatchOrder] = []
        self._sent: dict[str, tuple[Future, Batch]] = {}
        """By key: the batches that are on their way."""
        self._size = _FIRST
        self._since = 0.0
        """When the first of the batches was sent that are on their way."""
        self._how = "was let go"
        self._is_draining = False
        self._is_over = False

    @property
    def most(self) -> int:
        """How many matches it may have been given."""
        return 0 if self.place is None or self.place.refusal else _AT_ONCE * self._size

    # From the organiser.

    def send(self, record: ToWorker) -> None:
        """Take an order; what is to be played is sent at the end of this turn."""
        match record:
            case SetUp():
                self._profile = record.profile
            case TakeBots():
                self._bots = {spec.name: self._cluster.packer.pack(spec) for spec in record.bots}
                self._broken = record.broken
            case PlayMatches():
                self._pending.extend(record.matches)
                self._loop.dirty[self] = None
            case DrainMatches():
                self._is_draining = True
                self._return(keep=1)
            case AbandonMatches():
                self._return(keep=0)

    def flush(self) -> None:
        """Send what waits, as far as the host should have it."""
        while self._pending and self.place is not None and len(self._sent) < _AT_ONCE and not self._is_over:
            orders = list(self._next())
            self._pending = self._pending[len(orders) :]
            names = {name for order in orders for name in order.bots}
            self._submit(
                self._cluster.batch(
                    profile=self._profile,
                    bots=tuple(bot for name, bot in self._bots.items() if name in names),
                    broken={name: failure for name, failure in self._broken.items() if name in names},
                    matches=tuple(orders),
                    games={order.game: game_hash(order.game) for order in orders},
                )
            )

    def _next(self) -> Iterator[MatchOrder]:
        """Return the matches of the next batch: whole blocks, until there are enough."""
        count = 0
        for _, block in groupby(self._pending, lambda order: (order.key, sorted(order.bots))):
            for order in block:
                count += 1
                yield order
            if count >= self._size:
                return

    def _submit(self, batch: Batch, *, with_all: bool = False) -> None:
        assert self.place is not None
        if not self._sent:
            self._since = self._cluster.now()
        data = encode(batch)
        key = f"matches-{sha256(data).hexdigest()}"
        future = self._cluster.submit(self.place, batch, key, data, with_all=with_all)
        self._sent[key] = future, batch
        future.add_done_callback(self._fetch)

    def _return(self, keep: int) -> None:
        """Give back what has not begun, and leave so many of the oldest batches to be played."""
        dropped = [*self._sent][keep:]
        returned = [order.match for order in self._pending]
        self._pending = []
        for key in dropped:
            future, batch = self._sent.pop(key)
            future.cancel()
            returned += [order.match for order in batch.matches]
        if returned:
            self._take(self, MatchesReturned(tuple(returned)))

    # From Dask, in its thread.

    def _fetch(self, future: Future) -> None:
        found: BatchDone | BaseException
        try:
            found = decode_done(future.result(timeout=_FETCH_S))
        except BaseException as error:  # noqa: BLE001 - a cancelled future raises one that is no Exception
            found = error
        self._cluster.post(lambda: self._done(future.key, found))

    # In the thread of the hub again.

    def _done(self, key: str, done: BatchDone | BaseException) -> None:
        if key not in self._sent:
            return
        future, batch = self._sent.pop(key)
        if self.place is not None:
            self.place.heard = self._cluster.now()
        future.release()
        if isinstance(done, CancelledError):
            # Not by us, who have forgotten what we cancel: the client does it when it loses the scheduler.
            self.lose(f"on {self._place_name} was lost with the scheduler")
        elif isinstance(done, BaseException):
            self._failed(f"was lost: {clean(f'{type(done).__name__}: {done}')[:300]}")
        elif done.trouble:
            assert self.place is not None
            self._cluster.hosts.refuse(self.place, done.trouble)
            self.lose(f"on {done.host} was let go: the host is refused")
        elif done.lacking:
            self._submit(batch, with_all=True)
        else:
            self._played(batch, done)

    def _played(self, batch: Batch, done: BatchDone) -> None:
        self.host, self.speed = done.host, done.speed
        for over in done.over:
            self._take(self, MatchBegan(over.match))
            self._take(self, over)
            if self._is_over:
                return
        for match in done.begun:
            self._take(self, MatchBegan(match))
        if done.ended:
            self._failed(done.ended)
            return
        self._cluster.pace.took(batch, done.took_s)
        if self.place is not None:
            self.place.succeeded()
        self._size = min(_LARGEST, max(1, round(_BATCH_S * len(batch.matches) / max(done.took_s, 1e-3))))
        self._loop.dirty[self] = None

    def _failed(self, how: str) -> None:
        """End, because a batch was not played; its host is refused if that happens again and again."""
        if self._is_over:
            return
        place = self.place
        if place is not None and place.failed(how):
            self._cluster.hosts.refuse(place, place.refusal)
        self._how = f"on {self._place_name} {how}"
        self.let_go()
        self._gone(self)

    @property
    def _place_name(self) -> str:
        return self.place.name if self.place is not None else "a host"

    def refuse(self, why: str) -> None:
        """Refuse its host, on which any other lane would play as wrongly."""
        self._how, self.is_lost = f"on {self._place_name} was let go: the host is refused", True
        if self.place is not None:
            self._cluster.hosts.refuse(self.place, why)
        self.let_go()

    def lose(self, how: str) -> None:
        """End with the host or the way to it; without matches, wait for another host."""
        self.place = None
        if not self.matches:
            return
        self._how, self.is_lost = how, True
        self.let_go()
        self._gone(self)

    @property
    def is_late(self) -> bool:
        """Whether its batch takes far longer than such matches take elsewhere."""
        if not self._sent or self._is_draining:
            return False
        return self._cluster.pace.is_late(self._batch, self._waited_s)

    @property
    def _waited_s(self) -> float:
        """For how long nothing came of its batch, nor of others for which it may have waited at its host."""
        heard = self.place.heard if self.place is not None else 0.0
        return self._cluster.now() - max(self._since, heard)

    @property
    def _batch(self) -> Batch:
        """The batch that its host plays."""
        return next(iter(self._sent.values()))[1]

    def let_late_go(self) -> None:
        """End, so that another host begins the matches anew."""
        self._cluster.pace.let_go(self._batch)
        how = f"was let go: its batch took {self._waited_s:.0f} s, far longer than others"
        self.lose(f"on {self._place_name} {how}")

    def fail(self, why: str) -> None:
        """End the run: no host can play."""
        self._take(self, NoWorkerLeft(why))

    def let_go(self) -> None:
        """Take no more results, and free the place."""
        self._is_over = True
        self.place = None
        self._cluster.forget(self)
        # The one that waits first, so that it is not begun when the other is gone.
        for future, _ in reversed(self._sent.values()):
            future.cancel()
        self._sent, self._pending = {}, []

    def kill(self) -> None:
        """Take no more results: the host ends what nothing waits for."""
        self.let_go()

    def end(self) -> str:
        """Say how it ended; the host ends what nothing waits for."""
        self.let_go()
        return self._how
