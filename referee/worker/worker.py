"""A worker: plays the matches that its organiser gives it, and sends back each one that is over.

It is a hub without a disk. When the organiser ends, for any reason, the socket closes and the worker ends
with everything that it has started; the kernel sees to it if the worker itself hangs.
"""

import os
import select
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.gate.channel import Channel
from referee.hub.archive import Filed, Filing
from referee.hub.counters import DecisionTimes
from referee.hub.event_loop import collect_rarely
from referee.hub.feed import BEAT_NS
from referee.hub.hub import Hub
from referee.hub.pairing import Pairing
from referee.hub.running_match import RunningMatch
from referee.hub.session import Session
from referee.hub.start_trial import replace_bots
from referee.worker.code import code_hash
from referee.worker.orders import (
    AbandonMatches,
    DrainMatches,
    MatchBegan,
    MatchesReturned,
    MatchMoment,
    MatchOver,
    Pause,
    PlayMatches,
    SetUp,
    TakeBots,
    ToWorker,
    WatchMatches,
    WorkerFailed,
    WorkerRecord,
    WorkerStarted,
)

_NOWHERE: Final = Path("replays")
"""The folder of replays, of which only the organiser knows where it is. Nothing is written there."""


class Worker:
    """A hub, and the channel to its organiser."""

    def __init__(self, end: socket.socket) -> None:
        """Wait for the organiser's first records; raises RefereeError if there are none."""
        self._channel: Channel[ToWorker] = Channel(end, ToWorker)
        self._records: list[WorkerRecord] = []
        self._is_writing = False
        self._wished: tuple[str, ...] = ()
        """The matches that are to be shown, whether they have begun or not."""
        self._watched: dict[str, tuple[RunningMatch, int]] = {}
        """By id: a match that is watched, and how many of its events were shown; -1 before the first."""
        self._is_beating = False
        setup, *self._early = self._first()
        if not isinstance(setup, SetUp):
            raise RefereeError("a worker is set up before all else")
        self._hub = _WorkerHub(self, setup)

    def _first(self) -> list[ToWorker]:
        waiting = select.poll()
        waiting.register(self._channel.fileno(), select.POLLIN)
        while not self._channel.closed:
            waiting.poll()
            if records := self._channel.receive():
                return records
        raise RefereeError("the organiser has gone")

    def run(self) -> None:
        """Play until the organiser lets go."""
        with self._hub as hub:
            hub.loop.watch(self._channel.fileno(), self._read)
            self.send(WorkerStarted(os.getpid(), code_hash()))
            collect_rarely()
            try:
                for record in self._early:
                    self._obey(record)
                while not self._channel.closed:
                    hub.turn()
                    hub.check_trouble()
            except RefereeError as error:
                self.send(WorkerFailed(str(error)))
                self.flush()

    # Records.

    def send(self, record: WorkerRecord) -> None:
        """Send a record at the end of this turn of the loop."""
        self._records.append(record)
        self._hub.loop.dirty[self] = None

    def flush(self) -> None:
        """Send what waits."""
        if self._records:
            records, self._records = self._records, []
            self._channel.send(records)
        else:
            self._channel.flush()
        if self._channel.blocked is not self._is_writing and not self._channel.closed:
            self._is_writing = self._channel.blocked
            writer = self.flush if self._is_writing else None
            self._hub.loop.watch_writing(self._channel.fileno(), writer)

    def _read(self) -> None:
        for record in self._channel.receive():
            self._obey(record)
        if self._channel.closed:
            self._hub.loop.forget(self._channel.fileno())

    def _obey(self, record: ToWorker) -> None:
        match record:
            case TakeBots():
                self._take_bots(record)
            case PlayMatches():
                self._hub.submit(order.pairing() for order in record.matches)
            case Pause():
                self._hub.paused = record.paused
            case DrainMatches():
                self._return_waiting()
            case AbandonMatches():
                self._return_waiting()
                for running in list(self._hub.running.values()):
                    self._hub.end_match(running, record.why)
            case WatchMatches():
                self._watch(record.matches)
            case SetUp():
                raise RefereeError("a worker is set up once")

    def _take_bots(self, record: TakeBots) -> None:
        roster = self._hub.roster
        replace_bots(self._hub, [spec for spec in record.bots if roster.specs.get(spec.name) != spec])
        for name, failure in record.broken.items():
            roster.give_up(name, failure)

    def _return_waiting(self) -> None:
        waiting = tuple(pairing.match for pairing in self._hub.queue)
        self._hub.queue.clear()
        if waiting:
            self.send(MatchesReturned(waiting))

    def deliver(self, filing: Filing) -> None:
        """Send a match that is over; what is void because this worker has failed is played again."""
        if self._hub.has_failed and filing.finished.result.void:
            return
        finished, counts = filing.finished, self._hub.counts
        match = finished.result.match
        if match in self._watched:
            self._show(*self._watched[match])
        times, counts.times = counts.times, DecisionTimes()
        replay = tuple(filing.replay.bodies)
        self.send(MatchOver(match, finished.result, finished.play, replay, filing.dossier, times))

    # What is watched.

    def _watch(self, matches: tuple[str, ...]) -> None:
        """Show these matches from now on, each from its beginning, and no others."""
        self._wished = matches
        if matches and not self._is_beating:
            self._is_beating = True
            self._beat()

    def _beat(self) -> None:
        self._is_beating = bool(self._wished)
        # As a feed does it: nothing is shown before the seats have been sent it.
        self._hub.loop.flush()
        known, running = self._watched, self._hub.running
        self._watched = {
            match: known.get(match, (running[match], -1)) for match in self._wished if match in running
        }
        for each in list(self._watched.values()):
            self._show(*each)
        if self._is_beating:
            self._hub.loop.at(time.monotonic_ns() + BEAT_NS, self._beat)

    def _show(self, running: RunningMatch, sent: int) -> None:
        if running.is_starting or (running.step == sent and not running.is_over):
            return
        moment = running.moment(max(0, sent))
        self.send(MatchMoment(moment))
        self._watched[moment.match] = running, moment.step
        if running.is_over:
            del self._watched[moment.match]


class _WorkerHub(Hub):
    """A hub whose matches go to the organiser: when they begin, and when they are over."""

    def __init__(self, worker: Worker, setup: SetUp) -> None:
        super().__init__(
            jobs=setup.jobs,
            light_jobs=setup.light_jobs,
            profile=setup.profile,
            archive=partial(_Post, worker),
        )
        self._worker = worker
        self.replays = _NOWHERE

    @property
    def has_failed(self) -> bool:
        """Whether there is an error that is not a bot's."""
        return self._trouble is not None

    def begin(self, pairing: Pairing, seats: list[Session | None]) -> None:
        """Begin a match, and let the organiser know."""
        self._worker.send(MatchBegan(pairing.match))
        super().begin(pairing, seats)


class _Post:
    """Sends matches to the organiser instead of writing them."""

    def __init__(self, worker: Worker, done: Callable[[Filed], None]) -> None:
        self._worker = worker
        self._done = done
        self.is_full = False

    def file(self, filing: Filing) -> None:
        """Send a match."""
        self._worker.deliver(filing)
        self._done([(filing.finished, None)])

    def close(self) -> None:
        """Finish: what was filed has been sent."""
