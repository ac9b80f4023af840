"""Matches played in process, with bots that do anything, for the tests of replays."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from msgspec.structs import replace

from protocol.messages import Ask, Message, TimeControl
from referee import registry
from referee.chance import deal_key
from referee.game import Options
from referee.match.faults import FaultCode, Profile
from referee.match.match import Match
from referee.match.seat import SeatConfig
from referee.replay import files, format

CLOCK = TimeControl(ready_ms=50, first_ms=30, move_ms=20, bank_ms=40, grace_ms=5)
MS = 1_000_000
NAMES = ("Ada", "Bo", "Cy", "Di")
ABOUT = format.About(version="1.2.3", started="2026-03-04 05:06", seed="s", deal="7")


class SimulatedMatch:
    """A match, its open asks, and a clock that the test moves."""

    def __init__(
        self,
        seed: str = "s",
        game: str = "coins",
        seats: int = 2,
        strikes: int = 1,
        options: Options | None = None,
        match: str = "m-1",
    ) -> None:
        self.seed = seed
        self.now_ns = 1_000
        self.asks: dict[int, Ask] = {}
        self.luck = Random(seed)
        self.match = Match(
            match,
            registry.game(game),
            [SeatConfig(name) for name in NAMES[:seats]],
            deal_key(seed, "7"),
            Profile("test", strikes, CLOCK),
            options,
        )
        self.take(self.match.begin(self.now_ns))

    def take(self, sends: Sequence[tuple[int, Message]]) -> None:
        """Note the asks among what was sent."""
        for seat, message in sends:
            if isinstance(message, Ask):
                self.asks[seat] = message

    def ready(self) -> "SimulatedMatch":
        """Let every seat say ready."""
        for seat in range(len(self.match.configs)):
            self.take(self.match.ready(seat, self.now_ns))
        return self

    def owing(self) -> list[int]:
        """Return the seats that owe an answer."""
        return [seat for seat in self.asks if self.match.owes(seat)]

    def answer(self, seat: int, *actions: str) -> None:
        """Answer the open ask of a seat after three milliseconds beyond grace."""
        asked_ns, self.now_ns = self.now_ns, self.now_ns + 8 * MS
        self.take(self.match.act(seat, self.asks[seat].id, actions, asked_ns, self.now_ns))

    def pick(self, seat: int) -> str:
        """Return one of the legal actions of a seat."""
        return self.luck.choice(self.match.state.legal(seat))

    def fail(self, seat: int, code: FaultCode = FaultCode.CRASHED) -> None:
        """Let a seat commit a fault that is seen from outside."""
        self.take(self.match.fault(seat, code, "exit code 3", self.now_ns))

    def wait(self) -> None:
        """Let the next deadline pass."""
        assert self.match.deadline_ns is not None
        self.now_ns = max(self.now_ns, self.match.deadline_ns)
        self.take(self.match.tick(self.now_ns))

    def play_out(self) -> "SimulatedMatch":
        """Answer until the match is over."""
        while self.match.result is None:
            seat = self.owing()[0]
            self.answer(seat, self.pick(seat))
        return self

    def misbehave(self, wildness: int) -> "SimulatedMatch":
        """Go on until the match is over, with all that can go wrong, one time in `wildness`."""
        seats = range(len(self.match.configs))
        for seat in seats:
            if not self.luck.randrange(wildness):
                self.fail(seat, self.luck.choice([FaultCode.CRASHED, FaultCode.MALFORMED]))
            elif self.luck.randrange(wildness):
                self.take(self.match.ready(seat, self.now_ns))
        while self.match.result is None:
            self._do_something(wildness)
        return self

    def _do_something(self, wildness: int) -> None:
        owing = self.owing()
        whim = self.luck.randrange(wildness * 2) if owing else 2
        seat = self.luck.choice(owing) if owing else 0
        if whim == 0:
            self.answer(seat, "no such action")
        elif whim == 1:
            codes = [FaultCode.CRASHED, FaultCode.MALFORMED]
            self.fail(self.luck.randrange(len(self.match.configs)), self.luck.choice(codes))
        elif whim == 2:
            self.wait()
        elif whim == 3:
            self.answer(seat, self.pick(seat), *(["no such action"] * self.luck.randrange(3)))
        elif whim == 4:
            self.answer(seat, *self.plan(seat))
        elif whim == 5 and not self.luck.randrange(8):
            self.match.abandon("the operator's wish")
        else:
            self.answer(seat, self.pick(seat))

    def plan(self, seat: int) -> list[str]:
        """Return a plan that is legal as far as the seat can see."""
        state = self.match.state.clone()
        plan: list[str] = []
        while list(state.to_act()) == [seat] and len(plan) < 4:
            plan.append(self.luck.choice(state.legal(seat)))
            state.apply(seat, plan[-1])
        return plan or [self.pick(seat)]

    def lines(self, about: format.About = ABOUT) -> list[bytes]:
        """Return the replay."""
        return format.replay_text(self.match, replace(about, seed=self.seed)).lines

    def save(self, path: Path, compress: bool = False) -> Path:
        """Write the replay."""
        files.write(path, self.lines(), compress)
        return path
