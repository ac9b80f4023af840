"""What it takes to start: forkserver, gates, supervisors, bots; and the memory of those that wait."""

import os
import select
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from benchmarks.echo import ROOT
from benchmarks.meter import parent_of, pss_kib
from benchmarks.play import BOT
from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.records import Greeted, Opened, Up
from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.sandbox.levels import BUBBLEWRAP, gaps
from referee.process.spec import LEVELS, Program, program

GATE_MIB = 3
"""What was promised of an idle gate."""

_PATIENCE_S = 30


class Gate:
    """A gate process, and our end of it."""

    def __init__(self, forkserver: Forkserver, folder: str, number: int) -> None:
        self.token = f"token{number}"
        self._channel: Channel[Up] = Channel(
            forkserver.open_gate(GateConfig(f"ipc://{folder}/{number}", self.token)), Up
        )
        opened = self.hear(Opened)
        self.address, self.pid = opened.address, opened.pid

    def hear(self, kind: type[Any]) -> Any:
        """Wait for a record of this kind."""
        while True:
            _wait_for(self._channel.fileno())
            for record in self._channel.receive():
                if isinstance(record, kind):
                    return record

    def close(self) -> None:
        """Let go of the gate."""
        self._channel.close()


class StartedBot:
    """A bot with its supervisor."""

    def __init__(self, forkserver: Forkserver, what: Program, *, pipes: bool) -> None:
        self._ends: list[int] = []
        theirs = None
        if pipes:
            theirs_in, ours_in = os.pipe()
            ours_out, theirs_out = os.pipe()
            self._ends = [ours_in, ours_out]
            theirs = (theirs_in, theirs_out)
        self._process = BotProcess(forkserver, what, theirs)

    def wait_for_output(self) -> None:
        """Wait until the bot has written something to its stdout."""
        _wait_for(self._ends[1])
        if not os.read(self._ends[1], 65_536):
            raise ChildProcessError("the bot ended before it spoke")

    def supervisor(self) -> int:
        """Return the process id of the supervisor."""
        while not self._process.pid:
            _wait_for(self._process.fileno())
            self._process.read()
        return self._process.pid

    def close(self) -> None:
        """Let go of the supervisor, which then ends the bot."""
        self._process.close()
        for end in self._ends:
            os.close(end)


def measure(size: Size) -> Sequence[Sheet]:
    """Measure starts one after the other, and memory with all of them waiting."""
    with TemporaryDirectory(prefix="bench-") as folder:
        cold = [_cold_ms(folder, number) for number in range(size.repetitions)]
        forkserver = Forkserver()
        try:
            rows, bots, gates = _warm(forkserver, folder, size.starts)
            memory = _memory(gates, bots)
            for bot in bots:
                bot.close()
            for gate in gates:
                gate.close()
        finally:
            forkserver.close()
    rows.insert(0, ("forkserver, up to its first gate", median(cold), max(cold)))
    gate_mib = next(float(mib) for title, mib in memory if title == "gate")
    goal = Goal("memory of an idle gate, MiB", gate_mib, "at most", GATE_MIB)
    return [
        Sheet("starts", f"Start, {size.starts} of each", ("what", "ms", "ms at most"), rows),
        Sheet(
            "idle", "Memory of what waits (PSS)", ("process", "MiB"), [tuple(row) for row in memory], [goal]
        ),
    ]


def _cold_ms(folder: str, number: int) -> float:
    began = time.perf_counter()
    forkserver = Forkserver()
    gate = Gate(forkserver, folder, 1_000 + number)
    taken = (time.perf_counter() - began) * 1e3
    gate.close()
    forkserver.close()
    return taken


def _warm(
    forkserver: Forkserver, folder: str, count: int
) -> tuple[list[tuple[Cell, ...]], list[StartedBot], list[Gate]]:
    small = program(["/bin/sh", "-c", "echo ready; read line"], folder=ROOT / "benchmarks")
    bots: list[StartedBot] = []
    gates = [Gate(forkserver, folder, 0)]  # the first one pays for what the others share

    def open_gate() -> None:
        gates.append(Gate(forkserver, folder, len(gates)))

    def start(what: Program) -> None:
        bot = StartedBot(forkserver, what, pipes=True)
        bots.append(bot)
        bot.wait_for_output()

    def start_behind_gate() -> None:
        gate = Gate(forkserver, folder, len(gates))
        gates.append(gate)
        env = BOT.env | {"REFEREE_ADDRESS": gate.address, "REFEREE_TOKEN": gate.token}
        bots.append(StartedBot(forkserver, msgspec.structs.replace(BOT, env=env), pipes=False))
        gate.hear(Greeted)

    works: list[tuple[str, Callable[[], None]]] = [
        ("gate, until it listens", open_gate),
        ("supervisor and a shell, until it speaks", lambda: start(small)),
        ("supervisor and a bot of the Python kit on stdin/stdout, until its hello", lambda: start(BOT)),
        ("gate, supervisor and a bot of the Python kit on ZeroMQ, until its hello", start_behind_gate),
    ]
    for level in LEVELS:
        if level == "trusted" or any(gap.name == BUBBLEWRAP for gap in gaps(level)):
            continue
        for what, title in (
            (small, "a shell, until it speaks"),
            (BOT, "a bot on stdin/stdout, until its hello"),
        ):
            boxed = msgspec.structs.replace(what, level=level)
            works.append((f"the same at level {level}: {title}", partial(start, boxed)))
    rows: list[tuple[Cell, ...]] = []
    for title, work in works:
        taken = [_ms(work) for _ in range(count)]
        rows.append((title, median(taken), max(taken)))
    return rows, bots, gates


def _ms(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def _memory(gates: Sequence[Gate], bots: Iterable[StartedBot]) -> list[tuple[str, float]]:
    supervisors = [bot.supervisor() for bot in bots]
    return [
        ("forkserver", pss_kib(parent_of(gates[0].pid) or 0) / 1024),
        ("gate", median(pss_kib(gate.pid) for gate in gates) / 1024),
        ("supervisor", median(map(pss_kib, supervisors)) / 1024),
    ]


def _wait_for(descriptor: int) -> None:
    ready, _, _ = select.select([descriptor], [], [], _PATIENCE_S)
    if not ready:
        raise TimeoutError(f"nothing was heard for {_PATIENCE_S} seconds")
