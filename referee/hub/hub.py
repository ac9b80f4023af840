"""The hub: many matches, many bots, one loop. It holds the truth, and reads no byte that a ZeroMQ bot wrote.

It is given bots and pairings; it starts processes as they are needed, assigns them to seats, plays, and
reports a match when its replay is safely on disk. Bots live on from match to match. A fault of a bot costs
that bot its match, and no other bot anything.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Self

from protocol.codec import encode
from protocol.messages import Ask, Error
from referee.errors import ConfigError, RefereeError
from referee.gate.records import Answered, Misbehaved, Readied
from referee.hub.archive import Archive, Filed, Filing, Keep
from referee.hub.counters import Counters
from referee.hub.deal_guard import DealGuard
from referee.hub.entrance import Entrance
from referee.hub.event_loop import EventLoop
from referee.hub.match_queue import MatchQueue
from referee.hub.pairing import Finished, Pairing, void_result
from referee.hub.reveal_timing import RevealTiming
from referee.hub.roster import Roster
from referee.hub.running_match import RunningMatch
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.faults import PROFILES, FaultCode, Profile
from referee.match.match import Sends
from referee.match.result import Result
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec
from referee.replay import files
from referee.replay.dossier import Dossier

_SLACK_NS = 250 * MS
"""How long after a deadline the hub waits for an answer that arrived in time but has not reached it yet."""

_AGAIN_NS = 50 * MS
"""After this time a deadline is looked at again for which the entrance is late."""

_GONE_NS = 2_000 * MS
"""How long a hub that closes waits until it knows that the processes of its bots are gone."""


class Hub:
    """Plays pairings among bots."""

    def __init__(
        self,
        bots: Iterable[BotSpec] = (),
        *,
        jobs: int = 1,
        replays: Path | None = None,
        compress: bool = False,
        profile: Profile = PROFILES["strict"],
        keep: Keep = lambda _: None,
        report: Callable[[Finished], None] = lambda _: None,
        on_gone: Callable[[Session, str], None] = lambda *_: None,
        forkserver: Forkserver | None = None,
        reveal_timing: Callable[[EventLoop], RevealTiming] = RevealTiming,
    ) -> None:
        """Get ready to play `jobs` matches at once.

        When replays are on disk, `keep` is called with their matches, in the archive's thread, and then
        `report` for each, in ours. `on_gone` is called with each session that has ended, and why. Bots are
        started by a forkserver of its own if none is given; it is closed with the hub.
        """
        if replays is not None:
            files.make_private(replays)
        self.roster = Roster(bots)
        self.jobs = jobs
        self.loop = EventLoop(self._stalled)
        self.forkserver = forkserver or Forkserver()
        self.sessions: list[Session] = []
        self.running: dict[str, RunningMatch] = {}
        """The matches that are being played, by id."""
        self.entrance: Entrance | None = None
        """The watched gate for bots of other hosts, if there is one."""
        self.draining = False
        """Whether no more matches are begun."""
        self.paused = False
        """Whether no matches are begun for now."""
        self.counts = Counters()
        self._guard = DealGuard()
        self._processes: set[Session] = set()
        """The sessions of which a process may be left."""
        self.queue = MatchQueue(self.roster, self._guard)
        self.replays = replays
        self._suffix = ".jsonl.gz" if compress else ".jsonl"
        self._profile = profile
        self._report = report
        self._on_gone = on_gone
        self._archive = Archive(
            compress=compress, keep=keep, done=lambda filed: self.loop.call(partial(self._filed, filed))
        )
        self._reveal_timing = reveal_timing(self.loop)
        self._unwritten = 0
        self._trouble: RefereeError | None = None
        self.loop.watch(self.forkserver.fileno(), self._forkserver_ended)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Orders of the operator.

    @property
    def waiting(self) -> int:
        """How many matches are in the queue."""
        return len(self.queue)

    def submit(self, pairings: Iterable[Pairing]) -> None:
        """Put matches into the queue."""
        for pairing in pairings:
            self.queue.add(pairing)
            self.counts.submitted += 1

    def preflight(self, games: Iterable[str] = ()) -> None:
        """Start every bot once and wait for its hello, so that a bot that cannot play is known at once."""
        self.roster.take_in(self.forkserver)
        for name in self.roster.specs:
            self.start(name)
        while any(session.is_starting for session in self.sessions):
            self.loop.turn()
        if self._trouble is not None:
            raise self._trouble
        self.roster.check(self.sessions, games)

    def run(self) -> None:
        """Play until the queue is empty and every result is reported."""
        while self.queue or self.running or self._unwritten:
            self.turn()
        if self._trouble is not None:
            raise self._trouble

    def turn(self, most_ns: int = 1_000 * MS) -> None:
        """Begin the matches that can begin, wait for something to happen, and handle all that has."""
        self._fill()
        self.loop.turn(most_ns)
        if self.draining:
            self.queue.clear()

    def drain(self) -> None:
        """Begin no more matches; those that run are played to their end."""
        self.draining = True

    def abandon(self, why: str) -> None:
        """End all running matches without a verdict."""
        self.draining = True
        for running in list(self.running.values()):
            self._send(running, running.match.abandon(why))

    def close(self) -> None:
        """Dismiss all bots, and end every process that was started."""
        # The last turns of the loop may fail or be interrupted: the thread and all processes must end.
        with ExitStack() as rest:
            for close in (self.loop.close, self.forkserver.close, self._archive.close):
                rest.callback(close)
            if self.entrance is not None:
                rest.callback(self.entrance.close)
            self.abandon("the hub closes")
            for session in list(self.sessions):
                session.dismiss()
            goodbye_ns = (self._profile.goodbye_ms + 500) * MS
            for left, most_ns in ((self.sessions, goodbye_ns), (self._processes, _GONE_NS)):
                end_ns = time.monotonic_ns() + most_ns
                while left and time.monotonic_ns() < end_ns:
                    self.loop.turn(50 * MS)
                for session in list(self.sessions):
                    session.fail(FaultCode.DISCONNECTED, "the hub closes")

    # Bots and their seats.

    def start(self, name: str) -> Session:
        """Start one more process of a bot."""
        spec = self.roster.specs[name] = self.forkserver.take_in(self.roster.specs[name])
        session = self.admit(name)
        self._processes.add(session)
        self._guard.started(spec, session)
        session.start(spec, self.forkserver, self.forkserver.folder)
        return session

    def admit(self, name: str) -> Session:
        """Return a new session, for a bot that is started or has connected by itself."""
        session = Session(name, self, self.loop, self._profile)
        self.sessions.append(session)
        return session

    def _fill(self) -> None:
        """Begin matches while fewer than `jobs` run and there are bots for them."""
        ahead = 4 * self.jobs
        while self.queue and len(self.running) < self.jobs and not (self.draining or self.paused):
            found = self.queue.take(self.sessions, ahead)
            if found is None:
                more = self.jobs - len(self.running)
                idle, lacking = self.queue.changes(self.sessions, ahead, more)
                for session in idle:
                    session.dismiss()
                for name in lacking:
                    self.start(name)
                return
            self.begin(*found)

    def begin(self, pairing: Pairing, seats: list[Session | None]) -> None:
        """Begin a match with these bots in its seats."""
        self.counts.begun += 1
        try:
            running = RunningMatch(pairing, seats, tuple(map(self.roster.specs.get, pairing.bots)))
        except ConfigError:
            raise
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self._void(pairing, error)
            return
        match = running.match
        self.running[match.id] = running
        for session in seats:
            if session is not None:
                session.matches[match.id] = running
                if session.spec is not None:
                    session.retiring = session.spec.fresh
                    self._guard.dealt(session.spec, pairing.key)
        self._send(running, match.begin(running.began_ns))
        absent = {
            seat: self.roster.failures[pairing.bots[seat]].popleft()
            for seat, session in enumerate(seats)
            if session is None
        }
        if absent:
            self._rule(running, partial(running.absent, absent, time.monotonic_ns()))

    # Notices of the sessions.

    def opened(self, session: Session) -> None:
        """Take note that a bot has been admitted."""
        self.roster.admitted(session)

    def resumed(self, session: Session) -> None:
        """Send a bot that came back what is open."""
        for running in list(session.matches.values()):
            seat = running.seat_of(session)
            self._send(running, [(seat, message) for message in running.match.open_messages(seat)])

    def answered(self, session: Session, record: Answered) -> None:
        """Take an answer."""
        running = session.matches.get(record.match)
        if running is None:
            self._unknown(session, record.match, record.id)
            return
        seat = running.seats.index(session)
        running.traffic[seat].append((record.received_ns, record))
        try:
            sends = running.match.act(
                seat, record.id, record.actions, record.sent_ns, record.received_ns, self.loop.looked_ns
            )
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            sends = self._our_fault(running, error)
        self._send(running, sends)

    def readied(self, session: Session, record: Readied) -> None:
        """Take a ready."""
        running = session.matches.get(record.match)
        if running is None:
            self._unknown(session, record.match, None)
            return
        seat = running.seat_of(session)
        self._rule(running, partial(running.match.ready, seat, record.received_ns, self.loop.looked_ns))

    def misbehaved(self, session: Session, record: Misbehaved) -> None:
        """Rule on a broken message: it counts in each match where the bot owes something, or in all."""
        for running in list(session.matches.values()):
            seat = running.seat_of(session)
            if running.match.owes(seat) or record.code != FaultCode.MALFORMED:
                self._blame(running, seat, record.code, record.why)

    def gone(self, session: Session, code: FaultCode, why: str) -> None:
        """Charge the end of a bot to its matches, or to the next one if it never played."""
        self.sessions.remove(session)
        if self._trouble is None and self.forkserver.has_ended():
            self._forkserver_ended()
        self.roster.failed(session, code, why)
        for running in list(session.matches.values()):
            self._blame(running, running.seat_of(session), code, why)
        self._on_gone(session, why)

    def process_gone(self, session: Session) -> None:
        """Take note that no process of a bot's session is left."""
        self._processes.discard(session)
        assert session.spec is not None
        self._guard.gone(session.spec, session)

    def _forkserver_ended(self) -> None:
        """Void all matches: the end of the forkserver is no fault of a bot, which cannot reach it."""
        self.loop.forget(self.forkserver.fileno())
        why = "the process from which the referee starts bots has ended (was it killed?)"
        self._trouble = self._trouble or RefereeError(f"{why}; finished matches are safe, others are void")
        self.abandon(f"an error of the referee: {why}")

    def _blame(self, running: RunningMatch, seat: int, code: FaultCode, why: str) -> None:
        self._rule(running, partial(running.match.fault, seat, code, why, time.monotonic_ns()))

    def _rule(self, running: RunningMatch, rule: Callable[[], Sends]) -> None:
        """Let a match rule on an input that is rare, and send its messages."""
        try:
            sends = rule()
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            sends = self._our_fault(running, error)
        self._send(running, sends)

    def _unknown(self, session: Session, match: str, ask: int | None) -> None:
        session.send(Error("unknown-match", "you play no such match now", match=match, id=ask))

    def _our_fault(self, running: RunningMatch, error: Exception) -> Sends:
        return running.match.abandon(_our_error(error))

    # Playing.

    def _send(self, running: RunningMatch, sends: Sends) -> None:
        """Send the messages of a match, and see to its deadline or its end."""
        match = running.match
        now_ns = time.monotonic_ns()
        try:
            encoded = [
                (seat, session, message.id if type(message) is Ask else 0, encode(message, session.encoding))
                for seat, message in sends
                if (session := running.seats[seat]) is not None
            ]
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self._send(running, match.retract(_our_error(error)))
            return
        if len(running.seats) > 2 and sum(ask > 0 for _, _, ask, _ in encoded) > 1:
            order = self._reveal_timing.order(len(running.seats))
            encoded.sort(key=lambda each: order[each[0]])
            self._reveal_timing.stay_awake(now_ns)
        for seat, session, ask, data in encoded:
            session.transport.send(data, match.id, ask, now_ns)
            running.traffic[seat].append((now_ns, data))
        if match.result is not None:
            self._finish(running, match.result)
            return
        if match.hidden and not running.shows:
            running.shows = True
            self._reveal_timing.later(partial(self._show, running))
        if match.deadline_ns is not None:
            due_ns = match.deadline_ns + _SLACK_NS
            if not running.timer_ns or due_ns < running.timer_ns:
                self._set_timer(running, due_ns)

    def _show(self, running: RunningMatch) -> None:
        """Show what seats have chosen at once."""
        running.shows = False
        self._rule(running, partial(running.match.show, self.loop.looked_ns))

    def _stalled(self, stall_ns: int) -> None:
        """Charge no bot for the time in which the loop was kept from looking."""
        if self.entrance is not None:
            self.entrance.stalled(stall_ns)
        for running in self.running.values():
            running.match.stalled(stall_ns)

    def _set_timer(self, running: RunningMatch, due_ns: int) -> None:
        # The timer knows the match by its id only: it must not keep a match that is long over.
        running.timer_ns = due_ns
        self.loop.at(due_ns, partial(self._tick, running.match.id))

    def _tick(self, match_id: str) -> None:
        """Look whether a match is over its deadline; the timer is set anew, not moved."""
        running = self.running.get(match_id)
        if running is None:
            return
        running.timer_ns = 0
        match = running.match
        if match.deadline_ns is None:
            return
        now_ns = self.loop.looked_ns
        due_ns = match.deadline_ns + _SLACK_NS
        if self.entrance is not None and not self.entrance.may_judge(match.deadline_ns):
            # An answer may wait in the gate, which was not heard after the deadline.
            due_ns = now_ns + _AGAIN_NS
        if now_ns < due_ns:
            self._set_timer(running, due_ns)
            return
        for seat, session in enumerate(running.seats):
            if session is not None and session.away and match.owes(seat):
                why = "its connection is lost, and it did not come back in time"
                self._blame(running, seat, FaultCode.DISCONNECTED, why)
        self._rule(running, partial(match.tick, now_ns))

    def _finish(self, running: RunningMatch, result: Result) -> None:
        """Free the bots of a match, and put its replay on the way to the disk."""
        if self.running.pop(running.match.id, None) is None:
            return
        self.counts.time(running.match.log)
        for seat, session in enumerate(running.seats):
            if session is None:
                continue
            session.forget(running.match.id)
            if session.spec is None:
                continue
            # After a fault the bot may be in any state: the next match gets a new process.
            session.retiring = session.retiring or bool(result.seats[seat].fault)
            if session.retiring and not session.matches:
                session.dismiss()
        try:
            lines, play = running.replay()
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self._void(running.pairing, error)
            return
        path = self.replays and self.replays / f"{running.match.id}{self._suffix}"
        dossier = running.dossier(result, path) if path else None
        self._file(Finished(running.pairing, result, play, path), lines, dossier)

    def _void(self, pairing: Pairing, error: Exception) -> None:
        """Report a match for which an error of ours left no replay."""
        self._file(Finished(pairing, void_result(pairing, _our_error(error)), "", None), [], None)

    def _file(self, finished: Finished, lines: list[bytes], dossier: Dossier | None) -> None:
        self._unwritten += 1
        self.counts.ended += 1
        self._archive.file(Filing(finished, lines, dossier))

    def _filed(self, filed: Filed) -> None:
        """Report what is on disk."""
        for finished, error in filed:
            self._unwritten -= 1
            if error is None:
                self.counts.finish(finished.result)
                self._report(finished)
                continue
            # A match that is not on disk is not finished: it is not reported, and no more are begun.
            self.draining = True
            self._trouble = self._trouble or RefereeError(
                f"{error}; finished matches are safe, match {finished.result.match} is not and must be "
                "played again"
            )


def _our_error(error: Exception) -> str:
    return f"an error of the referee: {type(error).__name__}: {error}"
