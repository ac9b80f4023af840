"""The hub: many matches, many bots, one loop. It holds the truth, and has no socket of libzmq.

It is given bots and pairings; it starts processes as they are needed, assigns them to seats, plays, and
reports a match when its replay is safely on disk. Bots live on from match to match. A fault of a bot costs
that bot its match, and no other bot anything.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Self

from protocol.codec import encode
from protocol.messages import Ask, Error
from referee.errors import ConfigError, LaunchError, RefereeError
from referee.gate.records import Answered, Misbehaved, Readied
from referee.hub.archive import Archive, Keep, MakeArchive
from referee.hub.capacity import starts_at_once
from referee.hub.counters import Counters
from referee.hub.deal_guard import DealGuard
from referee.hub.entrance import Entrance
from referee.hub.event_loop import EventLoop
from referee.hub.filing_desk import FilingDesk
from referee.hub.match_queue import MatchQueue
from referee.hub.pace import Pace
from referee.hub.pairing import Finished, Pairing, our_error
from referee.hub.reveal_timing import RevealTiming
from referee.hub.roster import Roster
from referee.hub.running_match import InPlay, RunningMatch
from referee.hub.session import Session
from referee.hub.start_trial import try_bots
from referee.match.clock import MS
from referee.match.faults import PROFILES, FaultCode, Profile
from referee.match.match import Sends
from referee.match.result import Result
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec
from referee.replay import files

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
        light_jobs: int = 0,
        replays: Path | None = None,
        compress: bool = False,
        profile: Profile = PROFILES["strict"],
        keep: Keep = lambda _: None,
        report: Callable[[Finished], None] = lambda _: None,
        on_gone: Callable[[Session, str], None] = lambda *_: None,
        forkserver: Forkserver | None = None,
        archive: MakeArchive | None = None,
        reveal_timing: Callable[[EventLoop], RevealTiming] = RevealTiming,
    ) -> None:
        """Get ready to play `jobs` matches at once, or up to `light_jobs` of bots that answer quickly.

        When replays are on disk, `keep` is called with their matches, in the archive's thread, and then
        `report` for each, in ours. `on_gone` is called with each session that has ended, and why. Bots are
        started by a forkserver of its own if none is given; it is closed with the hub. With an `archive` of
        the caller's, matches go there instead of to the disk.
        """
        if replays is not None:
            files.make_private(replays)
        self.roster = Roster(bots)
        self.jobs = jobs
        self._pace = Pace(light_jobs)
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
        self.profile = profile
        self._on_gone = on_gone
        self.desk = FilingDesk(
            self.loop,
            self.counts,
            archive or partial(Archive, compress=compress, keep=keep),
            report,
            self.fail,
        )
        self._reveal_timing = reveal_timing(self.loop)
        self._trouble: RefereeError | None = None
        self.loop.watch(self.forkserver.fileno(), self._forkserver_ended)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Orders of the operator.

    def submit(self, pairings: Iterable[Pairing]) -> None:
        """Put matches into the queue."""
        for pairing in pairings:
            self.queue.add(pairing)
            self.counts.submitted += 1
            self.roster.charge_broken(pairing.bots)

    def preflight(self, games: Iterable[str] = ()) -> None:
        """Start every bot once; raises LaunchError, which names all bots that cannot play."""
        if failures := try_bots(self, list(self.roster.specs), games):
            raise LaunchError("\n".join(failure.message for failure in failures.values()))

    def check_trouble(self) -> None:
        """Raise the error of ours that keeps matches from being played, if there is one."""
        if self._trouble is not None:
            raise self._trouble

    def run(self) -> None:
        """Play until the queue is empty and every result is reported."""
        while self.is_busy:
            self.turn()
        self.check_trouble()

    @property
    def in_play(self) -> Sequence[InPlay]:
        """The matches that are being played, here or elsewhere."""
        return list(self.running.values())

    @property
    def connected(self) -> int:
        """How many bots are connected or being started."""
        return len(self.sessions)

    @property
    def given(self) -> Iterable[Pairing]:
        """The matches that have left the queue and have not begun, the next one first."""
        return ()

    def watch(self, matches: Sequence[str]) -> None:
        """Take note which matches are watched; those of this process can be looked at any time."""

    @property
    def is_busy(self) -> bool:
        """Whether a match waits, is being played, or is not reported yet."""
        return bool(self.queue or self.running or self.desk.is_busy)

    def turn(self, most_ns: int = 1_000 * MS) -> None:
        """Begin the matches that can begin, wait for something to happen, and handle all that has."""
        self.fill()
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
            self.end_match(running, why)

    def end_match(self, running: RunningMatch, why: str) -> None:
        """End a match without a verdict."""
        self._send(running, running.match.abandon(why))

    def close(self) -> None:
        """Dismiss all bots, and end every process that was started."""
        # The last turns of the loop may fail or be interrupted: the thread and all processes must end.
        with ExitStack() as rest:
            for close in (self.loop.close, self.forkserver.close, self.desk.close):
                rest.callback(close)
            if self.entrance is not None:
                rest.callback(self.entrance.close)
            self.abandon("the hub closes")
            for session in list(self.sessions):
                session.dismiss()
            goodbye_ns = (self.profile.goodbye_ms + 500) * MS
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
        session = Session(name, self, self.loop, self.profile)
        self.sessions.append(session)
        return session

    def fill(self) -> None:
        """Begin matches while fewer than `jobs` run and there are bots for them."""
        held = self.draining or self.paused or self.desk.is_full
        while self.queue and not held:
            running, at_once = len(self.running), self._pace.at_once(self.running.values(), self.jobs)
            if running >= at_once:
                return
            fits = self._pace.is_light if running >= self.jobs else None
            found = self.queue.take(self.sessions, at_once, fits)
            if found is None:
                idle, lacking = self.queue.changes(self.sessions, at_once, at_once - running, fits)
                for session in idle:
                    session.dismiss()
                starting = sum(session.is_starting for session in self.sessions)
                for name in lacking[: max(0, starts_at_once(self.jobs) - starting)]:
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
            self.desk.take_void(pairing, our_error(error))
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
        failures = self.roster.failures
        absent = {
            n: failures[pairing.bots[n]].popleft() for n, session in enumerate(seats) if session is None
        }
        if absent:
            self._rule(running, partial(running.absent, absent, time.monotonic_ns()))

    # Notices of the sessions.

    def opened(self, session: Session) -> None:
        """Take note that a bot has been admitted."""
        self.roster.admitted(session)

    def resumed(self, session: Session, *, anew: bool = False) -> None:
        """Send a bot that came back what is open; one that was started anew, its matches from their start."""
        for running in list(session.matches.values()):
            seat, match = running.seat_of(session), running.match
            wants = session.admission.wants
            messages = match.messages_from_start(seat, wants) if anew else match.open_messages(seat)
            self._send(running, [(seat, message) for message in messages])

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
        seat, match = running.seat_of(session), running.match
        self._rule(running, partial(match.ready, seat, record.received_ns, self.loop.looked_ns))

    def misbehaved(self, session: Session, record: Misbehaved) -> None:
        """Rule on a broken message: it counts in each match where the bot owes something, or in all."""
        for running in list(session.matches.values()):
            seat = running.seat_of(session)
            if running.match.owes(seat) or record.code != FaultCode.MALFORMED:
                running.note_broken(seat, time.monotonic_ns(), record)
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
        return running.match.abandon(our_error(error))

    # Playing.

    def _send(self, running: RunningMatch, sends: Sends) -> None:
        """Send the messages of a match, and see to its deadline or its end."""
        match = running.match
        now_ns = time.monotonic_ns()
        encoded = []
        try:
            for seat, message in sends:
                session = running.seats[seat]
                if session is not None:
                    ask = message.id if type(message) is Ask else 0
                    encoded.append((seat, session, ask, encode(message, session.encoding)))
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self._send(running, match.retract(our_error(error)))
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
        self.counts.times.add(running.match.log)
        self._pace.take(running.pairing, running.match)
        for seat, session in enumerate(running.seats):
            if session is not None:
                session.finish(running.match.id, failed=bool(result.seats[seat].fault))
        self.desk.take(running, result, self.replay_path(running.pairing))

    def replay_path(self, pairing: Pairing) -> Path | None:
        """Return where the replay of a match is written; None if it is not."""
        folder = pairing.replays or self.replays
        return folder and folder / f"{pairing.match}{self._suffix}"

    def fail(self, error: RefereeError) -> None:
        """Begin no more matches, because of an error that is not a bot's."""
        self.draining = True
        self._trouble = self._trouble or error
