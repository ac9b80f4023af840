"""The provenance of a run: versions, the files of the bots, the host. It is the evidence behind a standing.

The tournament file and its seed are the whole experiment; the provenance says with which programs it was
played. Bots are identified by the hashes of the files that their commands name, and of the files of the same
kind beside those. Nothing of the environment of a bot is kept, because it may hold secrets.
"""

import hashlib
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import msgspec

import referee
from protocol import limits
from referee.hub.capacity import cores
from referee.process.spec import BotSpec

NOTE: Final = "provenance"
"""The name of the store's notes."""

PACKAGES = ("click", "msgpack", "msgspec", "numpy", "pyzmq", "sqlalchemy")
MOST_FILES = 200
"""Of one bot; more are not looked at."""


class BotProvenance(msgspec.Struct, frozen=True):
    """The program of a bot."""

    name: str
    command: str
    files: dict[str, str]
    """SHA-256 by path; a file that could not be read has none."""


class HostProvenance(msgspec.Struct, frozen=True):
    """Where the matches were played, and how fast it was when the run began."""

    system: str
    machine: str
    processor: str
    cores: int
    loop_ms: float
    """The best time of a fixed piece of Python work."""
    hash_ms: float
    """The best time of hashing a fixed piece of data, which Python has no part in."""


class Provenance(msgspec.Struct, frozen=True):
    """What one run was made with."""

    referee: str
    protocol: int
    python: str
    packages: dict[str, str]
    file: str
    """SHA-256 of the tournament file."""
    bots: tuple[BotProvenance, ...]
    host: HostProvenance


def lock(file: Path, bots: Iterable[BotSpec]) -> Provenance:
    """Return the provenance of a run that is about to begin."""
    return Provenance(
        referee=referee.version(),
        protocol=limits.VERSION,
        python=platform.python_version(),
        packages=dict(_packages()),
        file=_hash(file),
        bots=tuple(_bot(spec) for spec in bots),
        host=_host(),
    )


def changed(before: Provenance, now: Provenance) -> list[str]:
    """Return the names of bots that are in both, and are other programs now."""
    known = {bot.name: bot for bot in before.bots}
    return [bot.name for bot in now.bots if bot.name in known and known[bot.name] != bot]


def is_news(runs: Sequence[Provenance], now: Provenance) -> bool:
    """Return whether a run differs from the last one in more than measured times."""
    return not runs or _without_times(runs[-1]) != _without_times(now)


def _without_times(one: Provenance) -> Provenance:
    host = msgspec.structs.replace(one.host, loop_ms=0.0, hash_ms=0.0)
    return msgspec.structs.replace(one, host=host)


def _packages() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"


def _bot(spec: BotSpec) -> BotProvenance:
    files = {str(path): _hash(path) for path in list(_files(spec))[:MOST_FILES]}
    return BotProvenance(spec.name, spec.program.command_line(), files)


def _files(spec: BotSpec) -> Iterator[Path]:
    """Return the files a bot is made of, as far as its command names them."""
    folder = Path(spec.program.folder)
    for number, word in enumerate(spec.program.argv):
        if number and spec.program.argv[number - 1] == "-m":
            yield from _of_module(word, spec.program.env.get("PYTHONPATH", ""), folder)
        path = folder / word
        if path.is_file():
            yield path
            if number and path.suffix:
                yield from (other for other in _beside(path) if other != path)


def _of_module(module: str, search: str, folder: Path) -> Iterator[Path]:
    for place in [folder, *map(Path, filter(None, search.split(":")))]:
        path = place.joinpath(*module.split(".")).with_suffix(".py")
        if path.is_file():
            yield from _beside(path)
            return


def _beside(path: Path) -> list[Path]:
    return sorted(other for other in path.parent.glob(f"*{path.suffix}") if other.is_file())


def _hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _host() -> HostProvenance:
    return HostProvenance(
        system=platform.platform(),
        machine=platform.machine(),
        processor=_processor(),
        cores=cores(),
        loop_ms=_best_ms(_loop),
        hash_ms=_best_ms(_digest),
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _best_ms(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        began_ns = time.perf_counter_ns()
        work()
        taken.append(time.perf_counter_ns() - began_ns)
    return round(min(taken) / 1e6, 2)


def _loop() -> int:
    return sum(n * n % 7 for n in range(50_000))


def _digest() -> bytes:
    return hashlib.sha256(bytes(2**20)).digest()
