"""The hosts of a simulated cluster: what each plays, how fast, and what it says of it."""

import platform
import random
from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

from protocol import limits
from referee.worker.batch import Batch, BatchDone, decode_batch, encode
from referee.worker.code import code_hash
from referee.worker.dask_hosts import SLOWEST
from referee.worker.dask_task import RESOURCE
from referee.worker.orders import MatchOver
from tests.campaigns.cluster_simulation import truth
from tests.campaigns.cluster_simulation.faults import Faults

PIECES: Final = 1000.0
"""Pieces of fixed work that a host of the speed 1 does in a second."""


class Task:
    """A batch at a host: what Dask calls a future, as far as the organiser uses one."""

    def __init__(self, key: str, data: bytes, host: "SimulatedHost | None") -> None:
        self.key = key
        self.host = host
        """Where it is; None if it never came there."""
        self.began: float | None = None
        self.takes = 0.0
        self.is_over = False
        """Whether it was played to its end."""
        self.is_unwanted = False
        """Whether the organiser has let go of it without its host knowing."""
        self.is_settled = False
        """Whether the ledger has it."""
        self.done: BatchDone | None = None
        """What came of it."""
        self.cancel: Callable[[], None] = lambda: None
        self.release: Callable[[], None] = lambda: None
        self._data = data
        self._answer: bytes | BaseException | None = None
        self._callbacks: list[Callable[[Task], None]] = []

    @cached_property
    def batch(self) -> Batch:
        """What is to be played."""
        return decode_batch(self._data)

    def begun(self, now: float) -> int:
        """Return how many of its matches have begun."""
        if self.began is None:
            return 0
        count = len(self.batch.matches)
        return min(count, 1 + int((now - self.began) / self.takes * count))

    def add_done_callback(self, callback: Callable[["Task"], None]) -> None:
        """Call back when it is over."""
        self._callbacks.append(callback)

    def answer(self, answer: bytes | BaseException) -> None:
        """Let the organiser have what came of it."""
        self._answer = answer
        for callback in self._callbacks:
            callback(self)

    def result(self, timeout: float) -> bytes:
        """Return what came of it, or raise it."""
        assert self._answer is not None, timeout
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer


class SimulatedHost:
    """One host. The world moves it."""

    def __init__(self, number: int, faults: Faults, seed: int) -> None:
        self.luck = random.Random(f"{seed}-host-{number}")
        self.name = f"host{number:04}"
        self.lanes = self.luck.choice((1, 1, 1, 2))
        self.usual_speed = self.luck.uniform(0.8, 1.25)
        kind = self.luck.random()
        slowness = self.luck.uniform(0.3, 0.8) * SLOWEST
        self.is_slow = kind < faults.slow
        self.is_liar = not self.is_slow and kind < faults.slow + faults.liars
        self.is_stranger = not self.is_slow and not self.is_liar and kind < _odd(faults)
        self.speed = slowness if self.is_slow else self.usual_speed
        self.is_up = False
        self.is_cut = False
        self.joined = 0
        """How often it has joined the cluster."""
        self.deaths = 0
        """How many processes were killed on it."""
        self.shaken_until = -1.0
        """Until then what is lost here may be so because a process was killed."""
        self.delayed_until = -1.0
        """Until then what is lost here may be so because a batch straggled, or others waited for it."""
        self.has_said_speed = False
        self.waiting: deque[Task] = deque()
        self.playing: dict[Task, None] = {}
        self.unsent: list[Task] = []
        """Batches that are over, with no way to the organiser."""
        self.last: MatchOver | None = None
        """The last result that the organiser has taken."""
        self._faults = faults

    @property
    def flaw(self) -> str:
        """What is wrong with it; '' if nothing is."""
        flaws = {"too slow": self.is_slow, "lies": self.is_liar, "other code": self.is_stranger}
        return next((name for name, is_so in flaws.items() if is_so), "")

    @property
    def is_sound(self) -> bool:
        """Whether there is no reason to refuse it."""
        return not self.flaw

    @property
    def address(self) -> str:
        """Its address: another one each time that it joins."""
        return f"tcp://{self.name}:{self.joined}"

    @property
    def tasks(self) -> list[Task]:
        """All that it has."""
        return [*self.unsent, *self.playing, *self.waiting]

    def facts(self) -> dict[str, Any]:
        """Return what the scheduler knows of it."""
        known = {
            "host": self.name,
            "code": "another" if self.is_stranger else code_hash(),
            "protocol": limits.VERSION,
            "machine": platform.machine(),
        }
        return {
            "resources": {RESOURCE: self.lanes},
            "referee": known,
            "metrics": {"referee": {"speed": self.measured if self.has_said_speed else 0.0}},
        }

    @property
    def measured(self) -> float:
        """Its speed, as it measures it."""
        return PIECES * self.speed

    def time_for(self, batch: Batch, length_s: float) -> float:
        """Return how long a batch takes; a match of usual length takes `length_s` on a usual host."""
        return length_s * sum(map(truth.length_of, batch.matches)) / self.speed

    def strain(self) -> float:
        """Return how many times as long as it should the next batch takes."""
        return self.luck.uniform(5, 20) if self.luck.random() < self._faults.stragglers else 1.0

    def done(self, task: Task) -> tuple[bytes, BatchDone]:
        """Return what comes of a batch that is over, as it travels and as it is."""
        orders = task.batch.matches
        ended, begun = "", tuple[str, ...]()
        over = [truth.over(order) for order in orders]
        if self.is_liar:
            over[0] = truth.lie(orders[0], self.luck.choice(truth.LIES))
        elif self.luck.random() < self._faults.deaths:
            killed = self.luck.randrange(len(orders))
            over, ended, begun = over[:killed], "ended by signal 9 SIGKILL", (orders[killed].match,)
        elif self.last is not None and self.luck.random() < self._faults.echoes:
            over.append(self.last)
        done = BatchDone(self.name, self.measured, task.takes, tuple(over), ended, begun)
        return encode(done), done


def _odd(faults: Faults) -> float:
    return faults.slow + faults.liars + faults.strangers
