"""The examination of one bot: finds its transports, takes it through the steps, judges each."""

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence

import zmq
from msgspec import Struct

from protocol.codec import from_bot
from protocol.errors import ProtocolError
from protocol.messages import Hello
from referee import registry
from referee.conformance.conversation import Conversation, KitTimeouts
from referee.conformance.examinee import Examinee
from referee.conformance.findings import (
    TRANSPORTS,
    Evidence,
    Finding,
    SkipError,
    StepResult,
    UnmetError,
    evidence,
)
from referee.conformance.launcher import Launcher, PipeLauncher, RemoteLauncher, SocketLauncher
from referee.conformance.step import Step
from referee.conformance.steps import STANDING, STEPS
from referee.conformance.steps.leaving import LEAVING, goodbye
from referee.errors import ConfigError, nearest
from referee.process.forkserver import Forkserver
from referee.process.spec import Program, Transport

_OTHER_S = 3.0
"""A bot that speaks on one transport is given at least this long to speak on the other as well."""

Report = Callable[[StepResult], None]


class ExaminationPlan(Struct, frozen=True):
    """What is examined; empty: everything."""

    games: tuple[str, ...] = ()
    seats: tuple[int, ...] = ()
    steps: tuple[str, ...] = ()
    transport: Transport = "auto"
    patience: KitTimeouts = KitTimeouts()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not (self.games or self.seats or self.steps) and self.transport == "auto"

    def chosen(self) -> frozenset[str]:
        """Return the steps that were asked for."""
        return frozenset(self.steps or (step.id for step in STEPS))

    def walked(self) -> frozenset[str]:
        """Return the steps that were asked for and all that they need."""
        needs = {step.id: step.needs for step in STEPS}
        found: set[str] = set()
        todo = list(self.chosen())
        if any(step.id in todo for step in STANDING):
            # Any step may be the one in which it is broken.
            todo = list(needs)
        while todo:
            id = todo.pop()
            if id not in found:
                found.add(id)
                todo += needs[id]
        # Without its hello there is no bot to be judged.
        return frozenset(found | {"hello"})

    def check(self) -> None:
        """Refuse steps, games and numbers of seats that do not exist."""
        known = [step.id for step in STEPS]
        for step in self.steps:
            if step not in known:
                raise ConfigError(f"there is no step {step!r}: {nearest(step, known)} (--list prints all)")
        games = [registry.game(game) for game in self.games or registry.ids()]
        for number in self.seats:
            if not any(game.info.least_seats <= number <= game.info.most_seats for game in games):
                ranges = ", ".join(f"{g.info.id} {g.info.least_seats} to {g.info.most_seats}" for g in games)
                raise ConfigError(f"no game has {number} seats: {ranges}")


class Examination:
    """One bot under examination. `run` it, then look at `verdicts` and at what the bot said of itself."""

    def __init__(self, plan: ExaminationPlan, report: Report = lambda _: None) -> None:
        self.plan = plan
        self.verdicts: list[StepResult] = []
        self.hello: Hello | None = None
        self._report = report
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._games = [registry.game(id) for id in plan.games or registry.ids()]

    # Where the bot comes from.

    def run(self, program: Program, forkserver: Forkserver | None = None) -> None:
        """Examine a bot that the kit starts; with a forkserver of its own, unless one is given."""
        own = forkserver or Forkserver()
        try:
            self._walk(self._rooms(program, own))
        finally:
            self._context.destroy(linger=0)
            if forkserver is None:
                own.close()

    def run_remote(self, address: str, tell: Callable[[str], None]) -> None:
        """Examine a bot that connects to an address by itself; `tell` says what to do meanwhile."""
        try:
            source = RemoteLauncher(address, self.plan.patience, self._context, tell)
            self._walk([self._room(source)])
        finally:
            self._context.destroy(linger=0)

    def _room(self, source: Launcher) -> Examinee:
        return Examinee(source, self._games, self.plan.seats)

    def _rooms(self, program: Program, forkserver: Forkserver) -> list[Examinee]:
        """Return a room for each transport that the bot offers, or that was asked for."""
        patience = self.plan.patience
        sources: dict[str, Launcher] = {
            "zmq": SocketLauncher(forkserver, program, patience, self._context),
            "stdio": PipeLauncher(forkserver, program, patience),
        }
        if self.plan.transport != "auto":
            return [self._room(sources[self.plan.transport])]
        rooms = {transport: self._room(sources[transport]) for transport in TRANSPORTS}
        contacts = {transport: room.arrive() for transport, room in rooms.items()}
        offered = _offered(contacts)
        if not offered:
            # Then it fails where it tried to say something, or else everywhere.
            offered = {transport for transport in rooms if contacts[transport].flaw} or set(rooms)
        for transport in TRANSPORTS:
            if transport not in offered:
                self._skip_transport(transport, rooms.pop(transport))
        return list(rooms.values())

    def _skip_transport(self, transport: str, room: Examinee) -> None:
        room.drop()
        why = f"no hello over {transport}: `--transport {transport}` insists on it"
        first = STEPS[0]
        self._give(StepResult(first.id, first.title, transport, "", "not offered", why))

    # Walking.

    def _walk(self, rooms: Sequence[Examinee]) -> None:
        walks = [_Walk(room, self.plan, self._give) for room in rooms]
        try:
            for last in (False, True):
                for walk in walks:
                    walk.take(step for step in STEPS if step.last is last and step not in STANDING)
                    self.hello = self.hello or walk.room.hello
            for walk in walks:
                walk.conclude()
        finally:
            for room in rooms:
                room.close()

    def _give(self, verdict: StepResult) -> None:
        self.verdicts.append(verdict)
        self._report(verdict)

    @property
    def passed(self) -> bool:
        """Whether nothing failed, and nothing was out of reach."""
        return not any(verdict.finding in ("failed", "not reached") for verdict in self.verdicts)


class _Walk:
    """One bot's way through the steps over one transport."""

    def __init__(self, room: Examinee, plan: ExaminationPlan, give: Report) -> None:
        self.room = room
        self._chosen = plan.chosen()
        self._walked = plan.walked()
        self._give = give
        self._stopped: set[str] = set()
        """Steps on which others must not build."""
        self._breaches: dict[str, StepResult] = {}
        """The first breach of each of the steps that are judged all the time."""
        self._gone = ""
        """Why there was no bot to be examined any more; '' as long as there is one."""

    def take(self, steps: Iterable[Step]) -> None:
        """Take the bot through some steps."""
        for step in steps:
            if step.id not in self._walked:
                continue
            if step.id == "capacity":
                # The matches that follow take a while.
                self.room.warm_up(sum(other.id in self._walked for other in self._of_their_own()))
            if step.only not in ("", self.room.transport):
                self._say(step, "", "not applicable", f"not over {self.room.transport}")
            elif missing := [need for need in step.needs if need in self._stopped]:
                self._stopped.add(step.id)
                self._say(step, "", "not reached", f"it needs {', '.join(missing)}")
            else:
                for case in step.cases(self.room) if step.cases else [""]:
                    self._run(step, case)
                if step.id == "hello" and self.room.hello is not None:
                    self.room.check_claims()

    def _of_their_own(self) -> list[Step]:
        """Return the steps to come that need a bot of their own."""
        return [step for step in LEAVING if step is not goodbye and step.only in ("", self.room.transport)]

    def _run(self, step: Step, case: str) -> None:
        room = self.room
        assert step.run is not None
        began = time.monotonic()
        if room.contact is not None and room.contact.hello is not None:
            room.contact.turn_page()
        try:
            noted = step.run(room, case)
        except SkipError as skip:
            if skip.finding == "not reached":
                self._gone = str(skip)
            self._say(step, case, skip.finding, str(skip))
            return
        except UnmetError as unmet:
            self._fail(step, case, unmet, int((time.monotonic() - began) * 1_000))
            return
        ms = int((time.monotonic() - began) * 1_000)
        if noted is None:
            self._say(step, case, "passed", ms=ms)
        else:
            self._say(step, case, "noted", f"{noted.text} (SPEC.md {noted.paragraph})", ms=ms)

    def _fail(self, step: Step, case: str, unmet: UnmetError, ms: int) -> None:
        contact = self.room.contact
        sent, came = (contact.sent(), contact.came()) if contact is not None else ([], [])
        proof = evidence(unmet, sent, came)
        self._stopped.add(step.id)
        self.room.drop()
        if not unmet.step:
            self._say(step, case, "failed", str(unmet), proof, ms)
            return
        standing = next(other for other in STANDING if other.id == unmet.step)
        breach = StepResult(standing.id, standing.title, self.room.transport, "", "failed", str(unmet), proof)
        self._breaches.setdefault(standing.id, breach)
        self._say(step, case, "not reached", f"{standing.id} failed meanwhile", ms=ms)

    def conclude(self) -> None:
        """Give the verdicts on what was judged all the time."""
        if self.room.contact is not None:
            self.room.planned = self.room.planned or bool(self.room.contact.plans)
        for step in STANDING:
            if breach := self._breaches.get(step.id):
                self._give(breach)
            elif step.only not in ("", self.room.transport):
                self._say(step, "", "not applicable", f"not over {self.room.transport}")
            elif "hello" in self._stopped or self._gone:
                self._say(step, "", "not reached", self._gone or "it needs hello")
            elif step.id == "plan" and not self.room.planned:
                self._say(step, "", "not offered", "it sent no plans")
            else:
                self._say(step, "", "passed")

    def _say(
        self,
        step: Step,
        case: str,
        finding: Finding,
        why: str = "",
        proof: Evidence | None = None,
        ms: int = 0,
    ) -> None:
        if step.id in self._chosen or finding == "failed":
            self._give(StepResult(step.id, step.title, self.room.transport, case, finding, why, proof, ms))


def _offered(contacts: dict[str, Conversation]) -> set[str]:
    """Return the transports over which the bot says hello."""
    began = time.monotonic()
    found: set[str] = set()
    silent = dict(contacts)
    patience = next(iter(contacts.values())).patience
    until = began + patience.hello_s
    while silent and time.monotonic() < until:
        for transport, contact in list(silent.items()):
            if _says_hello(contact):
                found.add(transport)
                until = min(until, time.monotonic() + max(_OTHER_S, 3 * (time.monotonic() - began)))
                del silent[transport]
            elif contact.flaw or contact.has_ended() or _speaks_elsewhere(contact):
                del silent[transport]
    return found


def _says_hello(contact: Conversation) -> bool:
    """Listen for a moment; say whether there was a hello."""
    try:
        message = contact.next(0.01)
    except UnmetError as unmet:
        contact.flaw = unmet
        return False
    if isinstance(message, Hello):
        contact.take_hello(message)
    return contact.hello is not None


def _speaks_elsewhere(contact: Conversation) -> bool:
    """Return whether the bot says hello on stdout though it was given an address."""
    if contact.process is None or contact.wire.transport == "stdio":
        return False
    return any(_is_hello(line) for line in contact.process.stderr.since(0).splitlines())


def _is_hello(line: str) -> bool:
    with contextlib.suppress(ProtocolError):
        return line.startswith("{") and isinstance(from_bot(line.encode()), Hello)
    return False
