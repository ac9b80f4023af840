"""Runs a target on many inputs, one after the other, and watches time and memory."""

import hashlib
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import NamedTuple

CORPUS = Path(__file__).parent / "corpus"
FOUND = Path("fuzz-found")
"""Where inputs are put that brought out what is not documented."""

HANG_S = 5.0
"""Processor time that one input may take; more is a hang."""

GROWTH_MIB = 64
"""What the process may grow by after its first tenth of inputs."""


class Target(NamedTuple):
    """Something that takes bytes from outside."""

    name: str
    check: Callable[[bytes], None]
    """Takes an input; raises what it should not, and nothing else."""
    mutate: Callable[[Random, Sequence[bytes]], bytes]
    """Makes a new input out of known ones."""
    seeds: Callable[[], list[bytes]]
    """Known inputs that lie elsewhere in the tree."""
    close: Callable[[], None] = lambda: None
    """Ends what the target has started."""

    def corpus(self) -> list[bytes]:
        """Return all known inputs: a few good ones, and those that once brought out a bug."""
        files = sorted((CORPUS / self.name).glob("*"))
        return self.seeds() + [path.read_bytes() for path in files if path.is_file()]


class HangError(Exception):
    """An input that took too long."""


class FoundError(Exception):
    """An input that brought out what is not documented; the text says where it was put."""


class Report(NamedTuple):
    """What a run has shown."""

    inputs: int
    seconds: float
    slowest_ms: float
    """Processor time of the slowest input."""
    grown_mib: float
    """Growth of the process since the first tenth of the inputs."""

    def __str__(self) -> str:
        return (
            f"{self.inputs:,} inputs in {self.seconds:.0f} s of processor time "
            f"({self.inputs / max(self.seconds, 1e-9):,.0f}/s), nothing undocumented; "
            f"slowest {self.slowest_ms:.1f} ms, grown by {self.grown_mib:.1f} MiB"
        )


def run(target: Target, inputs: int, seed: str, most_s: float = float("inf")) -> Report:
    """Feed the corpus, then so many mutated inputs; raise FoundError at the first that is wrong.

    Stops early after `most_s` seconds of processor time. The same seed gives the same inputs.
    """
    try:
        return _run(target, inputs, Random(seed), most_s)
    finally:
        target.close()


def _run(target: Target, inputs: int, luck: Random, most_s: float) -> Report:
    corpus = target.corpus()
    began, slowest, done, first_kib = time.process_time(), 0.0, 0, 0
    clock, check, mutate = time.thread_time, target.check, target.mutate
    with _alarm() as arm:
        for known in corpus:
            arm()
            _guarded(target, known)
        while done < inputs and time.process_time() - began < most_s:
            if done * 10 >= inputs and not first_kib:
                first_kib = _peak_kib()
            arm()
            for _ in range(min(100, inputs - done)):
                data = mutate(luck, corpus)
                start = clock()
                try:
                    check(data)
                except Exception as error:
                    raise _found(target, data, error) from error
                slowest = max(slowest, clock() - start)
                done += 1
    grown = (_peak_kib() - (first_kib or _peak_kib())) / 1024
    if grown > GROWTH_MIB:
        raise FoundError(f"{target.name}: the process grew by {grown:.0f} MiB in {done} inputs")
    return Report(done, time.process_time() - began, 1000 * slowest, grown)


def _guarded(target: Target, data: bytes) -> None:
    try:
        target.check(data)
    except Exception as error:
        raise _found(target, data, error) from error


def _found(target: Target, data: bytes, error: Exception) -> FoundError:
    FOUND.mkdir(exist_ok=True)
    path = FOUND / f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    told = traceback.format_exception_only(error)[-1].strip()
    return FoundError(f"{target.name}: {told[:300]}; the input ({len(data)} bytes) is in {path}")


@contextmanager
def _alarm() -> Iterator[Callable[[], None]]:
    """Give a function that is called before up to a hundred inputs, which then may not hang."""

    def late(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise HangError(f"still busy after {HANG_S:.0f} s of processor time")

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        yield partial(_wind, HANG_S)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _wind(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
