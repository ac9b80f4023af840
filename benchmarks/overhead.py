"""What an organiser costs that lets others play, beside a hub that plays itself: a pool, and a Dask cluster.

One match is played at a time, so that nothing but the way it is handed out differs. The cost is what a match
takes more of processor time, of all processes, as a part of a match of 50 ms.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.echo import ROOT
from benchmarks.meter import Cost, Meter
from benchmarks.samples import GAME, SEATS
from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee import registry
from referee.chance import deal_key
from referee.errors import RefereeError
from referee.hub.capacity import WorkDivision
from referee.hub.event_loop import collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.match.faults import PROFILES
from referee.process.spec import BotSpec, program
from referee.worker.cluster_place import ClusterPlace, ClusterUse
from referee.worker.open_hub import open_hub
from referee.worker.organiser import OrganiserHub
from sample_bots.languages import samples

_BOT = "c-lines"
_MATCH_US = 50_000
_PATIENCE_S = 60

Way = Callable[[Sequence[BotSpec], Path], Hub]


def measure(size: Size) -> Sheet:
    """Measure the ways in turns, so that noise hits all alike."""
    language, sample = samples()[_BOT]
    language.build(sample)
    bots = [BotSpec(name, program(language.command(sample)), "stdio") for name in ("one", "other")]
    # Short turns, so that the ways meet the same noise.
    matches, turns = max(4, size.decisions // 60), 3 * size.repetitions
    with _cluster() as address:
        ways: dict[str, Way] = {
            "a hub": _alone,
            "a pool": _pool,
            "a Dask cluster": lambda *on: _dask(address, *on),
        }
        costs: dict[str, list[Cost]] = {name: [] for name in ways}
        for _ in range(turns):
            for name, way in ways.items():
                costs[name].append(_played(way, bots, matches))
    rows: list[tuple[Cell, ...]] = [
        (name, _ms(1e6 / cost.rate for cost in found), _ms(cost.all_us for cost in found))
        for name, found in costs.items()
    ]
    goals = [
        Goal(
            f"what {name} takes of a match of 50 ms: percent",
            _more(costs["a hub"], costs[name]),
            "at most",
            bound,
        )
        for name, bound in (("a pool", 2.0), ("a Dask cluster", 5.0))
    ]
    columns = ("one match at a time, bots in C, by", "ms a match", "CPU ms a match, all processes")
    return Sheet("overhead", f"What it costs to let others play {GAME}", columns, rows, goals)


def _ms(values: Iterator[float]) -> float:
    return round(median(values) / 1_000, 2)


def _more(hub: Sequence[Cost], other: Sequence[Cost]) -> float:
    """Return what the other way takes more, as percent of a match."""
    # The two were measured one after the other, so each pair had about the same noise.
    return median(
        100 * (after.all_us - before.all_us) / _MATCH_US for before, after in zip(hub, other, strict=True)
    )


def _alone(bots: Sequence[BotSpec], folder: Path) -> Hub:
    return open_hub(bots, work=WorkDivision(), replays=folder, profile=PROFILES["strict"], report=_check)


def _pool(bots: Sequence[BotSpec], folder: Path) -> Hub:
    return OrganiserHub(bots, work=WorkDivision(), replays=folder, profile=PROFILES["strict"], report=_check)


def _dask(address: str, bots: Sequence[BotSpec], folder: Path) -> Hub:
    cluster = ClusterUse(ClusterPlace(address), processors=1, lanes=1)
    return open_hub(
        bots, work=WorkDivision(), replays=folder, profile=PROFILES["strict"], report=_check, cluster=cluster
    )


def _check(finished: Finished) -> None:
    if any(finished.result.faults) or finished.result.void:
        raise RefereeError(f"a benchmark's match went wrong: {finished.result}")


def _played(way: Way, bots: Sequence[BotSpec], matches: int) -> Cost:
    """Play matches, and measure all but the first ones, while bots start."""
    with TemporaryDirectory(prefix="bench-") as folder, way(bots, Path(folder)) as hub:
        collect_rarely()
        hub.submit(map(_pairing, range(8)))
        hub.run()
        meter = Meter()
        hub.submit(map(_pairing, range(8, 8 + matches)))
        hub.run()
        return meter.read(matches)


def _pairing(number: int) -> Pairing:
    bots = ("one", "other")[:SEATS]
    key = deal_key("overhead", str(number))
    return Pairing(f"bench{number}", registry.game(GAME), bots, key, seed="overhead", deal=str(number))


@contextmanager
def _cluster() -> Iterator[str]:
    """Start a scheduler and one host, and yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = (
        *("dask", "scheduler", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"),
        *("--host", "127.0.0.1", "--port", str(port)),
    )
    with (
        _process(*scheduler, until="Scheduler at"),
        _process("referee", "worker", address, "--processors", "1", until="ready"),
    ):
        yield address


@contextmanager
def _process(*words: str, until: str) -> Iterator[None]:
    """Start a program of ours, and end it; wait until it has printed a text."""
    with TemporaryDirectory(prefix="bench-") as folder:
        log = Path(folder) / "log"
        with log.open("w") as output:
            process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, stdout=output, stderr=output)
        try:
            end_s = time.monotonic() + _PATIENCE_S
            while until not in log.read_text():
                if process.poll() is not None or time.monotonic() > end_s:
                    raise RefereeError(f"{' '.join(words)}: {log.read_text()}")
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.wait(_PATIENCE_S)
