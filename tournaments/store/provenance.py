"""The provenance of a run: versions, the files of the bots, the host. It is the evidence behind a standing.

The tournament file and its seed are the whole experiment; the provenance says with which programs it was
played. A bot of a sandbox is identified by its bundle; a trusted one by the hashes of the files that its
command names, and of the files of the same kind beside those. Files are read with the care of
`referee.process.bundle`: the author of a bot decides neither how much is read, nor what outside its folder.
Nothing of the environment of a bot is kept, because it may hold secrets.
"""

import hashlib
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
from referee.process.program_files import MOST_FILES, file_digests
from referee.process.spec import BotSpec

NOTE: Final = "provenance"
"""The name of the store's notes."""

PACKAGES = ("click", "msgpack", "msgspec", "numpy", "pyzmq", "sqlalchemy")


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


def lock(file: Path, bots: Iterable[BotProvenance]) -> Provenance:
    """Return the provenance of a run of these bots that is about to begin."""
    return Provenance(
        referee=referee.version(),
        protocol=limits.VERSION,
        python=platform.python_version(),
        packages=dict(_packages()),
        file=_hash(file),
        bots=tuple(bots),
        host=_host(),
    )


def lock_path(store: Path) -> Path:
    """Return the path of the file in which people can read the locks of the runs."""
    return store.with_suffix(".lock.json")


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


def program_of(spec: BotSpec) -> BotProvenance:
    """Return the program of a bot; raises LaunchError for files that are not looked at."""
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
    return BotProvenance(spec.name, spec.program.command_line(), file_digests(spec.program))


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
