"""The hub: many matches, many bots, one loop. It holds the truth, and sees no byte a ZeroMQ bot wrote.

Give it bots and pairings; it starts processes as they are needed, seats them, plays, and reports a match when
its replay is safely on disk. Bots live on from match to match. What a bot does wrong costs that bot its match
and nobody else anything.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Self

from protocol.codec import encode
from protocol.messages import Act, Ask, Error
from referee.errors import ConfigError, LaunchError, RefereeError, nearest
from referee.gate.records import Answered, Misbehaved, Readied
from referee.hub.archive import Archive, Filed, Filing, Keep
from referee.hub.assignment import lacking, seats_for
from referee.hub.counters import Counters
from referee.hub.event_loop import EventLoop
from referee.hub.gate_client import GateClient
from referee.hub.pairing import Finished, Pairing, void_result
from referee.hub.reveal_timing import RevealTiming
from referee.hub.running_match import RunningMatch
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.faults import PROFILES, FaultCode, Profile
from referee.match.match import Sends
from referee.match.result import Result
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec
from referee.replay.dossier import Dossier

_SLACK_NS = 250 * MS
"""How long after a deadline the hub waits for an answer that arrived in time but has not reached it yet."""


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
        nursery: Forkserver | None = None,
    ) -> None:
        """Get ready to play `jobs` matches at once.

        When replays are on disk, `keep` is called with their matches, in the archivist's thread, and then
        `report` for each, in ours. Bots are started by a nursery of its own if none is given; it is closed
        with the hub.
        """
        if replays is not None:
            replays.mkdir(parents=True, exist_ok=True)
        self.bots: dict[str, BotSpec] = {bot.name: bot for bot in bots}
        self.jobs = jobs
        self.loop = EventLoop(self._stalled)
        self.nursery = nursery or Forkserver()
        self.sessions: list[Session] = []
        self.tables: dict[str, RunningMatch] = {}
        self.door: GateClient | None = None
        """The way in for bots from elsewhere, if there is one."""
        self.draining = False
        """Whether no more matches are begun."""
        self.counts = Counters()
        self._queue: deque[Pairing] = deque()
        self._replays = replays
        self._suffix = ".jsonl.gz" if compress else ".jsonl"
        self._profile = profile
        self._report = report
        self._debts: dict[str, deque[tuple[FaultCode, str]]] = {name: deque() for name in self.bots}
        """Starts of a bot that failed and have not been charged to a match yet."""
        self._capacity: dict[str, int] = {}
        """How many matches a process of each bot can play at once, as far as it is known."""
        self._archivist = Archive(
            compress=compress, keep=keep, done=lambda filed: self.loop.call(partial(self._filed, filed))
        )
        self._discretion = RevealTiming(self.loop)
        self._unwritten = 0
        self._trouble: RefereeError | None = None
        self.loop.watch(self.nursery.fileno(), self._nursery_ended)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What the operator wants.

    def submit(self, pairings: Iterable[Pairing]) -> None:
        """Put matches into the queue."""
        for pairing in pairings:
            for name in pairing.bots:
                if name not in self.bots:
                    raise ConfigError(f"match {pairing.match}: no bot {name!r}: {nearest(name, self.bots)}")
            self._queue.append(pairing)
            self.counts.submitted += 1

    def preflight(self, games: Iterable[str] = ()) -> None:
        """Start every bot once and wait for its hello, so that a bot that cannot play is known at once."""
        for spec in self.bots.values():
            self._start(spec)
        while any(session.state == "starting" for session in self.sessions):
            self.loop.turn()
        if self._trouble is not None:
            raise self._trouble
        for name, debts in self._debts.items():
            if debts:
                raise LaunchError(self._start_failure(name, *debts[0]))
        for session in self.sessions:
            for game in games:
                if session.games and game not in session.games:
                    plays = ", ".join(sorted(session.games))
                    raise ConfigError(f"bot {session.name} does not play {game}; it plays {plays}")

    def run(self) -> None:
        """Play until the queue is empty and every result is reported."""
        while self._queue or self.tables or self._unwritten:
            self._fill()
            self.loop.turn()
            if self.draining:
                self._queue.clear()
        if self._trouble is not None:
            raise self._trouble

    def drain(self) -> None:
        """Begin no more matches; those that run are played to their end."""
        self.draining = True

    def abandon(self, why: str) -> None:
        """End all running matches without a verdict."""
        self.draining = True
        for table in list(self.tables.values()):
            self._deal(table, table.match.abandon(why))

    def close(self) -> None:
        """See all bots out, and end every process that was started."""
        self.abandon("the hub closes")
        for session in list(self.sessions):
            session.dismiss()
        end_ns = time.monotonic_ns() + (self._profile.goodbye_ms + 500) * MS
        while self.sessions and time.monotonic_ns() < end_ns:
            self.loop.turn(50 * MS)
        for session in list(self.sessions):
            session.fail(FaultCode.DISCONNECTED, "the hub closes")
        if self.door is not None:
            self.door.close()
        self._archivist.close()
        self.nursery.close()
        self.loop.close()

    # Seating.

    def _start(self, spec: BotSpec) -> None:
        session = Session(spec.name, self, self.loop, self._profile)
        self.sessions.append(session)
        session.start(spec, self.nursery, self.nursery.folder)

    def _fill(self) -> None:
        """Begin matches while there are tables and bots for them."""
        while self._queue and len(self.tables) < self.jobs and not self.draining:
            for n, pairing in enumerate(islice(self._queue, 4 * self.jobs)):
                seats = seats_for(pairing.bots, self.sessions, self._debts)
                if seats is not None:
                    del self._queue[n]
                    self.begin(pairing, seats)
                    break
            else:
                self._call_more_bots()
                return

    def _call_more_bots(self) -> None:
        """Start as many bots as the next matches lack."""
        wanted: Counter[str] = Counter()
        at_once: Counter[str] = Counter()
        for pairing in islice(self._queue, self.jobs - len(self.tables)):
            in_match = Counter(pairing.bots)
            wanted += in_match
            at_once |= in_match
        for name in wanted:
            ours = [session for session in self.sessions if session.name == name]
            capacity = 1 if self.bots[name].fresh else self._capacity.get(name)
            for _ in range(lacking(ours, len(self._debts[name]), capacity, wanted[name], at_once[name])):
                self._start(self.bots[name])

    def begin(self, pairing: Pairing, seats: list[Session | None]) -> None:
        """Begin a match with these bots in its seats."""
        self.counts.begun += 1
        try:
            table = RunningMatch(pairing, seats, self._commands(pairing))
        except ConfigError:
            raise
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self._void(pairing, error)
            return
        match = table.match
        self.tables[match.id] = table
        for session in seats:
            if session is not None:
                session.tables[match.id] = table
                session.retiring = session.spec is not None and session.spec.fresh
        self._deal(table, match.begin(table.began_ns))
        absent = {
            seat: self._debts[pairing.bots[seat]].popleft()
            for seat, session in enumerate(seats)
            if session is None
        }
        if not absent:
            return
        self._rule(table, partial(match.absent, absent, time.monotonic_ns()))

    # What the sessions have to say.

    def opened(self, session: Session) -> None:
        """Hear that a bot has been admitted."""
        self._capacity[session.name] = session.capacity

    def resumed(self, session: Session) -> None:
        """Send a bot that came back what is open."""
        for table in _tables(session):
            seat = table.seat_of(session)
            self._deal(table, [(seat, message) for message in table.match.open_messages(seat)])

    def answered(self, session: Session, record: Answered) -> None:
        """Take an answer."""
        table: RunningMatch | None = session.tables.get(record.match)
        if table is None:
            self._unknown(session, record.match, record.id)
            return
        seat = table.seats.index(session)
        act = Act(record.match, record.id, None, record.actions)
        table.traffic[seat].append((record.received_ns, act))
        try:
            sends = table.match.act(seat, act, record.sent_ns, record.received_ns, self.loop.looked_ns)
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            sends = self._our_fault(table, error)
        self._deal(table, sends)

    def readied(self, session: Session, record: Readied) -> None:
        """Take a ready."""
        table: RunningMatch | None = session.tables.get(record.match)
        if table is None:
            self._unknown(session, record.match, None)
            return
        try:
            sends = table.match.ready(table.seat_of(session), record.received_ns, self.loop.looked_ns)
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            sends = self._our_fault(table, error)
        self._deal(table, sends)

    def misbehaved(self, session: Session, record: Misbehaved) -> None:
        """Rule on a broken message: it counts wherever the bot owes something, or in all its matches."""
        for table in _tables(session):
            seat = table.seat_of(session)
            if table.match.owes(seat) or record.code != FaultCode.MALFORMED:
                self._blame(table, seat, record.code, record.why)

    def gone(self, session: Session, code: FaultCode, why: str) -> None:
        """Charge the end of a bot to its matches, or to the next one if it never played."""
        self.sessions.remove(session)
        if self._trouble is None and self.nursery.has_ended():
            self._nursery_ended()
        if session.spec is not None and session.name in self._debts and not session.was_open:
            self._debts[session.name].append((code, self._start_failure(session.name, code, why, session)))
        for table in _tables(session):
            self._blame(table, table.seat_of(session), code, why)

    def _nursery_ended(self) -> None:
        """Blame nobody: no bot is as close to the nursery as to its keeper and its gate."""
        self.loop.forget(self.nursery.fileno())
        why = "the process from which the referee starts bots has ended (was it killed?)"
        self._trouble = self._trouble or RefereeError(f"{why}; finished matches are safe, others are void")
        self.abandon(f"an error of the referee: {why}")

    def _blame(self, table: RunningMatch, seat: int, code: FaultCode, why: str) -> None:
        self._rule(table, partial(table.match.fault, seat, code, why, time.monotonic_ns()))

    def _rule(self, table: RunningMatch, rule: Callable[[], Sends]) -> None:
        """Let a match rule on something that is seldom, and send what it says."""
        try:
            sends = rule()
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            sends = self._our_fault(table, error)
        self._deal(table, sends)

    def _unknown(self, session: Session, match: str, ask: int | None) -> None:
        session.send(Error("unknown-match", "you play no such match now", match=match, id=ask))

    def _our_fault(self, table: RunningMatch, error: Exception) -> Sends:
        return table.match.abandon(_our_error(error))

    # Playing.

    def _deal(self, table: RunningMatch, sends: Sends) -> None:
        """Send what a match has to say, and see to its deadline or its end."""
        match = table.match
        now_ns = time.monotonic_ns()
        try:
            spoken = [
                (seat, session, message.id if type(message) is Ask else 0, encode(message, session.encoding))
                for seat, message in sends
                if (session := table.seats[seat]) is not None
            ]
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self._deal(table, match.retract(_our_error(error)))
            return
        if len(table.seats) > 2 and sum(ask > 0 for _, _, ask, _ in spoken) > 1:
            order = self._discretion.order(len(table.seats))
            spoken.sort(key=lambda said: order[said[0]])
            self._discretion.stay_awake(now_ns)
        for seat, session, ask, data in spoken:
            session.pass_on(data, match.id, ask, now_ns)
            table.traffic[seat].append((now_ns, data))
        if match.result is not None:
            self._finish(table, match.result)
            return
        if match.hidden and not table.shows:
            table.shows = True
            self._discretion.later(partial(self._show, table))
        if match.deadline_ns is not None:
            due_ns = match.deadline_ns + _SLACK_NS
            if not table.timer_ns or due_ns < table.timer_ns:
                self._set_timer(table, due_ns)

    def _show(self, table: RunningMatch) -> None:
        """Show what seats have chosen at once."""
        table.shows = False
        self._rule(table, partial(table.match.show, self.loop.looked_ns))

    def _stalled(self, stall_ns: int) -> None:
        """Charge nobody for the time in which the loop was kept from looking."""
        for table in self.tables.values():
            table.match.stalled(stall_ns)

    def _set_timer(self, table: RunningMatch, due_ns: int) -> None:
        # The timer knows the match by its id only: it must not keep a match that is long over.
        table.timer_ns = due_ns
        self.loop.at(due_ns, partial(self._tick, table.match.id))

    def _tick(self, match_id: str) -> None:
        """Look whether a match is over its deadline; the timer is set anew, not moved."""
        table = self.tables.get(match_id)
        if table is None:
            return
        table.timer_ns = 0
        match = table.match
        if match.deadline_ns is None:
            return
        now_ns = self.loop.looked_ns
        due_ns = match.deadline_ns + _SLACK_NS
        if now_ns < due_ns:
            self._set_timer(table, due_ns)
            return
        for seat, session in enumerate(table.seats):
            if session is not None and session.away and match.owes(seat):
                why = "its connection is lost, and it did not come back in time"
                self._blame(table, seat, FaultCode.DISCONNECTED, why)
        self._rule(table, partial(match.tick, now_ns))

    def _finish(self, table: RunningMatch, result: Result) -> None:
        """Clear the table and put the replay on its way to the disk."""
        if self.tables.pop(table.match.id, None) is None:
            return
        self.counts.time(table.match.log)
        for seat, session in enumerate(table.seats):
            if session is None:
                continue
            session.forget(table.match.id)
            if session.spec is None:
                continue
            # After a fault nobody knows what the bot still has in mind: the next match gets a new one.
            session.retiring = session.retiring or bool(result.seats[seat].fault)
            if session.retiring and not session.tables:
                session.dismiss()
        try:
            lines, play = table.replay()
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self._void(table.pairing, error)
            return
        path = self._replays and self._replays / f"{table.match.id}{self._suffix}"
        dossier = table.dossier(result, path) if path else None
        self._file(Finished(table.pairing, result, play, path), lines, dossier)

    def _void(self, pairing: Pairing, error: Exception) -> None:
        """Report a match of which an error of ours left nothing to write down."""
        self._file(Finished(pairing, void_result(pairing, _our_error(error)), "", None), [], None)

    def _file(self, finished: Finished, lines: list[bytes], dossier: Dossier | None) -> None:
        self._unwritten += 1
        self.counts.ended += 1
        self._archivist.file(Filing(finished, lines, dossier))

    def _filed(self, filed: Filed) -> None:
        """Report what is on disk."""
        for finished, error in filed:
            self._unwritten -= 1
            if error is None:
                self.counts.finish(finished.result)
                self._report(finished)
                continue
            # What is not on disk is not finished: the match is not reported, and no more are begun.
            self.draining = True
            self._trouble = self._trouble or RefereeError(
                f"{error}; finished matches are safe, match {finished.result.match} is not and must be "
                "played again"
            )

    # For those who ask why.

    def _commands(self, pairing: Pairing) -> tuple[str, ...]:
        return tuple(self._command(name) for name in pairing.bots)

    def _command(self, name: str) -> str:
        spec = self.bots.get(name)
        return spec.program.command_line() if spec else ""

    def _start_failure(self, name: str, code: FaultCode, why: str, session: Session | None = None) -> str:
        if session is None:
            return why
        tail = session.log.since(0).strip()
        said = f"\nits last words:\n{tail[-2_000:]}" if tail else ""
        return f"bot {name} ({self._command(name)}) did not start: {code}: {why}{said}"


def _tables(session: Session) -> list[RunningMatch]:
    return list(session.tables.values())


def _our_error(error: Exception) -> str:
    return f"an error of the referee: {type(error).__name__}: {error}"
