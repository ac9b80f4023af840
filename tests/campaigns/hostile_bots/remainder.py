"""`python -m tests.campaigns.hostile_bots.remainder`: what a process in a sandbox can leave for the next one.

A bot's process writes random bits, ends, and is gone; then the next process of the same bot reads them. No
filter can stop these ways: they need only time and what every program does. Each way is bounded in its bits,
and the figure is the capacity in bits per second of writing and reading, without the start of processes:

- names: to look for a name that does not exist is faster the second time;
- pages: to read a page of a file is faster if it is in the cache;
- numbers: the kernel numbers the pipes of all processes in one row (for each processor).
"""

import json
import math
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from tests.end_to_end.boxes import kept

BITS = {"names": 2_000, "pages": 200, "numbers": 24}
"""How many bits are left, at most."""

SPACE = 1 << 20
"""Between two pages, so that reading one does not read the other ahead."""

COMMON = """
import json, os, sys, time
def timed(act):
    began = time.perf_counter_ns()
    try:
        act()
    except OSError:
        pass
    return time.perf_counter_ns() - began
bits, places = json.loads(os.environ["BITS"]), json.loads(os.environ["PLACES"])
def report(value):
    print("JSON" + json.dumps([value, time.perf_counter() - began]) + "END", flush=True)
def threshold(times):
    # Between the two groups: where the sorted times jump most, in proportion.
    known = sorted(times)
    middle = range(len(known) // 8, len(known) * 7 // 8)
    at = max(middle, key=lambda n: known[n + 1] / known[n])
    return (known[at] * known[at + 1]) ** 0.5
def by_time(act):
    if bits is not None:
        for bit, place in zip(bits, places):
            if bit:
                act(place)
        return None
    times = [timed(lambda: act(place)) for place in places]
    limit = threshold(times)
    return [int(time < limit) for time in times]
"""
NAMES = """
def act(place):
    os.stat(place)
def safe(place):
    try:
        act(place)
    except OSError:
        pass
for n in range(200):
    safe(f"/usr/lib/warm-{n}")
began = time.perf_counter()
report(by_time(safe))
"""
PAGES = """
def act(place):
    path, offset = place
    os.pread(opened[path], 1, offset)
opened = {path: os.open(path, os.O_RDONLY) for path, _ in places}
began = time.perf_counter()
report(by_time(act))
"""
NUMBERS = """
STEP, VALUES = 1024, 64
def number():
    ends = os.pipe()
    try:
        return os.fstat(ends[0]).st_ino
    finally:
        os.close(ends[0]); os.close(ends[1])
os.sched_setaffinity(0, places)
began = time.perf_counter()
if bits is None:
    value = number() // STEP % VALUES
    report([value >> n & 1 for n in range(6)])
else:
    wanted = sum(bit << n for n, bit in enumerate(bits))
    while number() // STEP % VALUES != wanted:
        pass
    report(None)
"""


class Remainder(Struct, frozen=True):
    """What one way brought."""

    way: str
    bits: int
    wrong: int
    seconds: float

    @property
    def bits_per_second(self) -> float:
        """The capacity of a channel in which every bit is wrong with the same chance."""
        chance = min(self.wrong / self.bits, 0.5)
        lost = sum(-part * math.log2(part) for part in (chance, 1 - chance) if part)
        return self.bits * (1 - lost) / self.seconds


def measure(way: str, most_bits: int) -> Remainder:
    """Leave random bits one way, and read them in another process."""
    if way != "numbers":
        code, where = (NAMES, _names(most_bits)) if way == "names" else (PAGES, _pages(most_bits))
        bits = [random.getrandbits(1) for _ in where]
        return _compare(way, bits, *_leave_and_read(code, bits, where))
    parts = [
        _compare(way, bits, *_leave_and_read(NUMBERS, bits, [min(os.sched_getaffinity(0))]))
        for bits in ([random.getrandbits(1) for _ in range(6)] for _ in range(most_bits // 6))
    ]
    return Remainder(
        way, sum(p.bits for p in parts), sum(p.wrong for p in parts), sum(p.seconds for p in parts)
    )


def _compare(way: str, bits: list[int], read: list[int], seconds: float) -> Remainder:
    return Remainder(way, len(bits), sum(a != b for a, b in zip(bits, read, strict=True)), seconds)


def _leave_and_read(code: str, bits: list[int], places: list[Any]) -> tuple[list[int], float]:
    _, writing_s = _run(code, bits, places)
    read, reading_s = _run(code, None, places)
    assert isinstance(read, list)
    return read, writing_s + reading_s


def _run(code: str, bits: list[int] | None, places: list[Any]) -> tuple[list[int] | None, float]:
    """Run a program in a sandbox, to its end, and return what it reports and how long it needed."""
    env = {"BITS": json.dumps(bits), "PLACES": json.dumps(places)}
    with tempfile.TemporaryDirectory(prefix="referee-remainder-") as folder:
        os.chmod(folder, 0o755)
        with kept([sys.executable, "-c", COMMON + code], Path(folder), "contest", None, **env) as bot:
            bot.end()
            said = bot.stderr
    assert "END" in said, said
    value, seconds = json.loads(said.partition("JSON")[2].partition("END")[0])
    return value, float(seconds)


def _names(most: int) -> list[Any]:
    mark = random.getrandbits(64)
    return [f"/usr/lib/no-{mark:x}-{n}" for n in range(most)]


def _pages(most: int) -> list[Any]:
    """Return pages that are not in the cache: of large files, put out of it by us, who are not confined."""
    found: list[tuple[str, int]] = []
    for path in sorted(Path("/usr").rglob("*")):
        if len(found) >= most:
            break
        if path.is_symlink() or not path.is_file() or path.stat().st_size < 4 * SPACE:
            continue
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
        found += [(str(path), offset) for offset in range(0, path.stat().st_size - SPACE, SPACE)]
    return found[:most]


@click.command()
@click.option("--way", "ways", type=click.Choice(list(BITS)), multiple=True, default=tuple(BITS))
@click.option("--bits", type=click.IntRange(6), help="how many bits each way is tried with, at most")
def main(ways: tuple[str, ...], bits: int | None) -> None:
    """Print what each way brings."""
    for way in ways:
        got = measure(way, min(bits or BITS[way], BITS[way]))
        wrong = f"{got.wrong} of {got.bits} bits wrong"
        click.echo(f"{way}: {wrong}, {got.seconds:.3f} s, {got.bits_per_second:,.0f} bits/s")


if __name__ == "__main__":
    main()
