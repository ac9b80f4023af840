"""The examination of one bot: finds its transports, takes it through the steps, judges each."""

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence

import zmq
from msgspec import Struct

from protocol.errors import ProtocolError
from protocol.messages import Hello
from protocol.untrusted import from_bot
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
from referee.conformance.steps import PLAN, STANDING, STEPS
from referee.conformance.steps.greeting import hello
from referee.conformance.steps.leaving import LEAVING, goodbye
from referee.conformance.steps.matches import capacity
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
    decisions: int | None = None
    """The most decisions of the bot in a match; None: a few matches are played to their end."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        is_chosen = self.games or self.seats or self.steps or self.decisions
        return not is_chosen and self.transport == "auto"

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
        return frozenset(found | {hello.id})

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
            self._walk(self._examinees(program, own))
        finally:
            self._context.destroy(linger=0)
            if forkserver is None:
                own.close()

    def run_remote(self, address: str, report: Callable[[str], None]) -> None:
        """Examine a bot that connects by itself; `report` is called with what the operator has to do."""
        try:
            launcher = RemoteLauncher(address, self.plan.patience, self._context, report)
            self._walk([self._examinee(launcher)])
        finally:
            self._context.destroy(linger=0)

    def _examinee(self, launcher: Launcher) -> Examinee:
        return Examinee(launcher, self._games, self.plan.seats, self.plan.decisions)

    def _examinees(self, program: Program, forkserver: Forkserver) -> list[Examinee]:
        """Return an examinee for each transport that the bot offers, or that was asked for."""
        patience = self.plan.patience
        launchers: dict[str, Launcher] = {
            "zmq": SocketLauncher(forkserver, program, patience, self._context),
            "stdio": PipeLauncher(forkserver, program, patience),
        }
        if self.plan.transport != "auto":
            return [self._examinee(launchers[self.plan.transport])]
        examinees = {transport: self._examinee(launchers[transport]) for transport in TRANSPORTS}
        conversations = {transport: examinee.arrive() for transport, examinee in examinees.items()}
        offered = _offered(conversations)
        if not offered:
            # Then it fails where it tried to say something, or else everywhere.
            offered = {transport for transport in examinees if conversations[transport].flaw} or set(
                examinees
            )
        for transport in TRANSPORTS:
            if transport not in offered:
                self._skip_transport(transport, examinees.pop(transport))
        return list(examinees.values())

    def _skip_transport(self, transport: str, examinee: Examinee) -> None:
        examinee.drop()
        why = f"no hello over {transport}: `--transport {transport}` insists on it"
        first = STEPS[0]
        self._give(StepResult(first.id, first.title, transport, "", Finding.NOT_OFFERED, why))

    # Walking.

    def _walk(self, examinees: Sequence[Examinee]) -> None:
        walks = [_Walk(examinee, self.plan, self._give) for examinee in examinees]
        try:
            for last in (False, True):
                for walk in walks:
                    walk.take(step for step in STEPS if step.last is last and step not in STANDING)
                    self.hello = self.hello or walk.examinee.hello
            for walk in walks:
                walk.conclude()
        finally:
            for examinee in examinees:
                examinee.close()

    def _give(self, verdict: StepResult) -> None:
        self.verdicts.append(verdict)
        self._report(verdict)

    @property
    def passed(self) -> bool:
        """Whether nothing failed, and nothing was out of reach."""
        return not any(verdict.finding in (Finding.FAILED, Finding.NOT_REACHED) for verdict in self.verdicts)


class _Walk:
    """One bot's way through the steps over one transport."""

    def __init__(self, examinee: Examinee, plan: ExaminationPlan, give: Report) -> None:
        self.examinee = examinee
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
            if step is capacity:
                # The matches that follow take a while.
                self.examinee.warm_up(sum(other.id in self._walked for other in self._of_their_own()))
            if step.only not in ("", self.examinee.transport):
                self._say(step, "", Finding.NOT_APPLICABLE, f"not over {self.examinee.transport}")
            elif missing := [need for need in step.needs if need in self._stopped]:
                self._stopped.add(step.id)
                self._say(step, "", Finding.NOT_REACHED, f"it needs {', '.join(missing)}")
            else:
                for case in step.cases(self.examinee) if step.cases else [""]:
                    self._run(step, case)
                if step is hello and self.examinee.hello is not None:
                    self.examinee.check_claims()

    def _of_their_own(self) -> list[Step]:
        """Return the steps to come that need a bot of their own."""
        return [
            step for step in LEAVING if step is not goodbye and step.only in ("", self.examinee.transport)
        ]

    def _run(self, step: Step, case: str) -> None:
        examinee = self.examinee
        assert step.run is not None
        began = time.monotonic()
        if examinee.conversation is not None and examinee.conversation.hello is not None:
            examinee.conversation.turn_page()
        try:
            noted = step.run(examinee, case)
        except SkipError as skip:
            if skip.finding == Finding.NOT_REACHED:
                self._gone = str(skip)
            self._say(step, case, skip.finding, str(skip))
            return
        except UnmetError as unmet:
            self._fail(step, case, unmet, int((time.monotonic() - began) * 1_000))
            return
        ms = int((time.monotonic() - began) * 1_000)
        if noted is None:
            self._say(step, case, Finding.PASSED, ms=ms)
        else:
            self._say(step, case, Finding.NOTED, f"{noted.text} (SPEC.md {noted.paragraph})", ms=ms)

    def _fail(self, step: Step, case: str, unmet: UnmetError, ms: int) -> None:
        conversation = self.examinee.conversation
        sent, came = (conversation.sent(), conversation.came()) if conversation is not None else ([], [])
        proof = evidence(unmet, sent, came)
        self._stopped.add(step.id)
        self.examinee.drop()
        if not unmet.step:
            self._say(step, case, Finding.FAILED, str(unmet), proof, ms)
            return
        standing = next(other for other in STANDING if other.id == unmet.step)
        breach = StepResult(
            standing.id, standing.title, self.examinee.transport, "", Finding.FAILED, str(unmet), proof
        )
        self._breaches.setdefault(standing.id, breach)
        self._say(step, case, Finding.NOT_REACHED, f"{standing.id} failed meanwhile", ms=ms)

    def conclude(self) -> None:
        """Give the verdicts on what was judged all the time."""
        if self.examinee.conversation is not None:
            self.examinee.planned = self.examinee.planned or bool(self.examinee.conversation.plans)
        for step in STANDING:
            if breach := self._breaches.get(step.id):
                self._give(breach)
            elif step.only not in ("", self.examinee.transport):
                self._say(step, "", Finding.NOT_APPLICABLE, f"not over {self.examinee.transport}")
            elif hello.id in self._stopped or self._gone:
                self._say(step, "", Finding.NOT_REACHED, self._gone or "it needs hello")
            elif step is PLAN and not self.examinee.planned:
                self._say(step, "", Finding.NOT_OFFERED, "it sent no plans")
            else:
                self._say(step, "", Finding.PASSED)

    def _say(
        self,
        step: Step,
        case: str,
        finding: Finding,
        why: str = "",
        proof: Evidence | None = None,
        ms: int = 0,
    ) -> None:
        if step.id in self._chosen or finding == Finding.FAILED:
            self._give(
                StepResult(step.id, step.title, self.examinee.transport, case, finding, why, proof, ms)
            )


def _offered(conversations: dict[str, Conversation]) -> set[str]:
    """Return the transports over which the bot says hello."""
    began = time.monotonic()
    found: set[str] = set()
    silent = dict(conversations)
    patience = next(iter(conversations.values())).patience
    until = began + patience.hello_s
    while silent and time.monotonic() < until:
        for transport, conversation in list(silent.items()):
            if _says_hello(conversation):
                found.add(transport)
                until = min(until, time.monotonic() + max(_OTHER_S, 3 * (time.monotonic() - began)))
                del silent[transport]
            elif conversation.flaw or conversation.has_ended() or _speaks_elsewhere(conversation):
                del silent[transport]
    return found


def _says_hello(conversation: Conversation) -> bool:
    """Listen for a moment; say whether there was a hello."""
    try:
        message = conversation.next(0.01)
    except UnmetError as unmet:
        conversation.flaw = unmet
        return False
    if isinstance(message, Hello):
        conversation.take_hello(message)
    return conversation.hello is not None


def _speaks_elsewhere(conversation: Conversation) -> bool:
    """Return whether the bot says hello on stdout though it was given an address."""
    if conversation.process is None or conversation.wire.transport == "stdio":
        return False
    return any(_is_hello(line) for line in conversation.process.stderr.since(0).splitlines())


def _is_hello(line: str) -> bool:
    with contextlib.suppress(ProtocolError):
        return line.startswith("{") and isinstance(from_bot(line.encode()), Hello)
    return False
