"""The provenance of a run: versions, the files of the bots, the host. It is the evidence behind a standing.

The tournament file and its seed are the whole experiment; the provenance says with which programs it was
played. A bot of a sandbox is identified by its bundle; a trusted one by the hashes of the files that its
command names, and of the files of the same kind beside those. Files are read with the care of
`referee.process.bundle`: the author of a bot decides neither how much is read, nor what outside its folder.
Nothing of the environment of a bot is kept, because it may hold secrets.
"""

import hashlib
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

import referee
from protocol import limits
from referee.errors import LaunchError
from referee.hub.capacity import cores
from referee.process import bundle
from referee.process.spec import BotSpec, Program

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
    """SHA-256 by path, of so many files at most; a program of the host that cannot be read has none."""
    digest: str = ""
    """Of its bundle; empty for a trusted bot."""
    count: int = 0
    """How many files and folders its bundle holds."""
    program: str = ""
    """As `digest`, but without what Python compiled: that comes and goes with every start by hand."""


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
    return [bot.name for bot in now.bots if bot.name in known and _is_other(known[bot.name], bot)]


def _is_other(before: BotProvenance, now: BotProvenance) -> bool:
    if before.program and now.program:
        return (before.command, before.program) != (now.command, now.program)
    if bool(before.digest) == bool(now.digest):
        return before != now
    # At one of the levels fewer files were read.
    shared = before.files.keys() & now.files.keys()
    return before.command != now.command or any(before.files[path] != now.files[path] for path in shared)


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
    try:
        return _of_command(spec) if spec.program.level == "trusted" else _of_bundle(spec)
    except LaunchError as error:
        raise LaunchError(f"bot {spec.name}: {error}") from error


def _of_bundle(spec: BotSpec) -> BotProvenance:
    folder = Path(spec.program.folder)
    manifest = bundle.manifest_of(Path(spec.program.bundle) if spec.program.bundle else folder)
    files = {str(folder / one.path): one.content for one in manifest if one.kind in ("file", "executable")}
    written = tuple(one for one in manifest if "__pycache__" not in one.path.split("/"))
    return BotProvenance(
        spec.name,
        spec.program.command_line(),
        dict(islice(files.items(), MOST_FILES)),
        bundle.digest_of(manifest),
        len(manifest),
        bundle.digest_of(written),
    )


def _of_command(spec: BotSpec) -> BotProvenance:
    folder = Path(spec.program.folder)
    named = {os.path.normpath(folder / word) for word in spec.program.argv}
    files = {
        str(path): _digest(path, folder, is_named=str(path) in named)
        for path in islice(_files(spec.program), MOST_FILES)
    }
    return BotProvenance(spec.name, spec.program.command_line(), files)


def _files(program: Program) -> Iterator[Path]:
    """Return the files a bot is made of, as far as its command names them."""
    folder = Path(program.folder)
    for number, word in enumerate(program.argv):
        if number and program.argv[number - 1] == "-m":
            yield from _of_module(word, program.env.get("PYTHONPATH", ""), folder)
        path = Path(os.path.normpath(folder / word))
        if os.path.isfile(path):
            yield path
            if number and path.suffix:
                yield from (other for other in _beside(path) if other != path)


def _of_module(module: str, search: str, folder: Path) -> Iterator[Path]:
    for place in [folder, *map(Path, filter(None, search.split(":")))]:
        path = place.joinpath(*module.split(".")).with_suffix(".py")
        if os.path.isfile(path):
            yield from _beside(path)
            return


def _beside(path: Path) -> list[Path]:
    """Return everything of the same kind in the folder of a file."""
    found: list[Path] = []
    with os.scandir(path.parent) as entries:
        for number, entry in enumerate(entries):
            if number >= bundle.MOST_ENTRIES:
                raise LaunchError(
                    f"{path.parent}: there are more than {bundle.MOST_ENTRIES:,} files; "
                    "give the bot a folder of its own"
                )
            if entry.name.endswith(path.suffix) and not entry.name.startswith(".") and not entry.is_dir():
                found.append(path.parent / entry.name)
    return sorted(found)


def _digest(path: Path, folder: Path, *, is_named: bool) -> str:
    if is_named or path.is_relative_to(folder):
        return bundle.named_digest(path, folder)
    with suppress(LaunchError):
        return bundle.file_digest(path, path.parent)
    return ""


def _hash(path: Path) -> str:
    with suppress(OSError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
    return ""


def _host() -> HostProvenance:
    return HostProvenance(
        system=platform.platform(),
        machine=platform.machine(),
        processor=_processor(),
        cores=cores(),
        loop_ms=_best_ms(_loop),
        hash_ms=_best_ms(_hash_data),
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


def _hash_data() -> bytes:
    return hashlib.sha256(bytes(2**20)).digest()
