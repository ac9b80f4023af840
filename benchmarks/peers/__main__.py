"""`python -m benchmarks.peers`: other referees and rules beside ours, in one run and in turns.

Peers come from package registries, into an environment of their own inside ours. A peer that cannot be had is
named, with the figure that was once measured of it.
"""

import platform
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click
import msgspec
from msgspec import Struct
from rich.console import Console

from benchmarks.meter import Cost
from benchmarks.peers import players
from benchmarks.play import Cast, arena
from benchmarks.rules import nothing, seconds_per_step, view_of_seat
from benchmarks.sheet import FULL, QUICK, Cell, Sheet, Size, show
from referee import registry

HOME = Path(sys.prefix) / "peers"
"""The environment of the peers; it goes away with ours."""

PACKAGES = ("chess", "kaggle-environments", "open_spiel", "pettingzoo", "pokerkit", "rlcard")
_INSTALL_S, _PLAY_S = 900, 300
_RECORDED = "November 2026, another run"


class Peer(Struct, frozen=True):
    """A peer, what it plays, and the figure that was once measured of it."""

    title: str
    player: str
    """The name in `players.py`; empty if it is not played."""
    share: float
    """How much of the decisions, or steps, of a measurement is played: peers differ in speed."""
    recorded: str
    needs_engine: bool = False
    why_not: str = "no package registry has it"
    """Why it is not played."""


REFEREES = (
    Peer("python-chess, UCI engine, one game", "uci-1", 0.25, "1,540-1,960 /s, 495-626 µs", True),
    Peer("python-chess, UCI engine, 8 games at once", "uci-8", 0.5, "1,540-1,960 /s, 495-626 µs", True),
    Peer("kaggle-environments, in its process", "kaggle", 0.05, "220-424 /s, 2,350-4,270 µs"),
    Peer(
        "kaggle-environments over HTTP",
        "",
        0,
        "79-114 /s, 5,500-7,700 µs",
        why_not="only its quicker form, in one process, is measured",
    ),
    Peer("fastchess (C++), 8 games at once", "", 0, "29,000 /s, 43 µs"),
    Peer("ACPC dealer (C), 16 matches at once", "", 0, "71,900 /s, 13 µs"),
)
RULES = (
    Peer("OpenSpiel, universal poker", "spiel-poker", 1, "62,500 /s"),
    Peer("OpenSpiel, universal poker, with view", "spiel-poker-view", 1, "none"),
    Peer("OpenSpiel, gin rummy", "spiel-gin", 1, "21,700 /s"),
    Peer("python-chess, chess", "chess", 0.5, "19,300 /s"),
    Peer("RLCard, no-limit hold'em, with view", "rlcard", 0.5, "9,200 /s"),
    Peer("PokerKit, no-limit hold'em", "pokerkit", 0.1, "3,900 /s"),
    Peer("PettingZoo, no-limit hold'em, with view", "pettingzoo", 0.1, "2,600 /s"),
)

OURS = tuple(
    (Cast("", transport, 16, language), at_once)
    for at_once in (64, 1)
    for language in ("C", "Python")
    for transport in ("stdio", "zmq")
)


class Played(Struct, frozen=True):
    """What a peer printed."""

    version: str
    count: int
    wall_s: float
    own_s: float

    @property
    def rate(self) -> float:
        """Decisions per second."""
        return self.count / self.wall_s

    @property
    def own_us(self) -> float:
        """CPU of the referee's process for one."""
        return 1e6 * self.own_s / self.count


class Environment(Struct, frozen=True):
    """Where peers are installed."""

    python: str
    engine: str
    """A UCI engine; empty if there is none."""
    problems: list[str]
    """What could not be installed, and why."""


def build(home: Path) -> Environment:
    """Install what can be installed; what is there already is left as it is."""
    python = str(home / "bin" / "python")
    problems = []
    if not Path(python).exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    for package in PACKAGES:
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        if problem := _problem(pip, _INSTALL_S):
            problems.append(f"{package} does not install: {problem}")
    engine = shutil.which("stockfish", path="/usr/games:/usr/local/bin:/usr/bin") or _unpacked(home)
    if not engine:
        problems.append("stockfish is neither installed nor to be had by `apt-get download`")
    return Environment(python, engine, problems)


def _unpacked(home: Path) -> str:
    """Return the engine of the distribution's package, unpacked but not installed; empty without one."""
    engine = home / "stockfish" / "usr" / "games" / "stockfish"
    if not engine.exists() and shutil.which("apt-get"):
        with TemporaryDirectory(prefix="bench-") as folder:
            _problem(["apt-get", "download", "stockfish"], _INSTALL_S, folder)
            for package in Path(folder).glob("*.deb"):
                _problem(["dpkg", "-x", str(package), str(home / "stockfish")], _INSTALL_S)
    return str(engine) if engine.exists() else ""


def _problem(words: Sequence[str], most_s: float, folder: str | None = None) -> str:
    """Run a command and return why it failed, or nothing."""
    try:
        subprocess.run(words, check=True, capture_output=True, text=True, timeout=most_s, cwd=folder)
    except subprocess.CalledProcessError as error:
        return (str(error.stderr).strip().splitlines() or ["it says nothing"])[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return ""


def play(peer: Peer, where: Environment, count: int, seed: int) -> Played | str:
    """Measure a peer; return what it printed, or why there is nothing."""
    if not peer.player:
        return peer.why_not
    if peer.needs_engine and not where.engine:
        return "there is no UCI engine"
    words = [where.python, players.__file__, peer.player, str(max(20, round(peer.share * count))), str(seed)]
    try:
        done = subprocess.run(
            [*words, where.engine] if peer.needs_engine else words,
            check=True,
            capture_output=True,
            text=True,
            timeout=_PLAY_S,
        )
    except subprocess.CalledProcessError as error:
        return (str(error.stderr).strip().splitlines() or ["it ended without a word"])[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Played)


def compare(size: Size, where: Environment) -> list[Sheet]:
    """Measure all in turns."""
    hubs: dict[str, list[Cost]] = {}
    rules: dict[str, list[float]] = {}
    peers: dict[Peer, list[Played | str]] = {peer: [] for peer in (*REFEREES, *RULES)}
    for turn in range(size.repetitions):
        for cast, at_once in OURS:
            with arena(cast) as stage:
                title = f"this referee, {cast.bots} {cast.language} bots, {cast.transport}, {at_once} at once"
                hubs.setdefault(title, []).append(stage.measure(at_once, size.decisions))
        for title, step in _steps(size.steps, turn):
            rules.setdefault(title, []).append(step())
        for peer, taken in peers.items():
            count = size.decisions if peer in REFEREES else size.steps
            taken.append(play(peer, where, count, turn))
    refereed: list[tuple[Cell, ...]] = [
        (title, round(median(one.rate for one in taken)), median(one.referee_us for one in taken))
        for title, taken in hubs.items()
    ]
    stepped: list[tuple[Cell, ...]] = [
        (title, round(1 / median(taken)), 1e6 * median(taken)) for title, taken in rules.items()
    ]
    remarks: list[list[str]] = [[], []]
    for peer, taken in peers.items():
        rows, said = (refereed, remarks[0]) if peer in REFEREES else (stepped, remarks[1])
        figures = [one for one in taken if isinstance(one, Played)]
        if not figures:
            said.append(f"NOT MEASURED: {peer.title}: {taken[0]}; {_RECORDED}: {peer.recorded}")
            continue
        own_us = median(one.own_us for one in figures)
        rate = median(one.rate for one in figures) if rows is refereed else 1e6 / own_us
        rows.append((f"{peer.title} ({figures[0].version})", round(rate), own_us))
    remarks[1] += where.problems
    columns = ("what", "decisions /s", "CPU µs of the referee's processes")
    return [
        Sheet(
            "refereed", "Decisions that a referee asked for and checked", columns, refereed, [], remarks[0]
        ),
        Sheet(
            "steps",
            "Rules alone, random legal actions, one core",
            ("what", "steps /s of CPU", "CPU µs"),
            stepped,
            [],
            remarks[1],
        ),
    ]


def _steps(steps: int, seed: int) -> Iterator[tuple[str, Callable[[], float]]]:
    for game in registry.games().values():
        for words, extra in (("", nothing), (", with view", view_of_seat)):
            luck = random.Random(seed).random
            measured = partial(seconds_per_step, game, game.info.least_seats, steps, extra, luck)
            yield f"this referee, {game.info.id}{words}", measured


@click.command()
@click.option("--quick", is_flag=True, help="Measure less, with more noise.")
@click.option("--repetitions", type=click.IntRange(min=1), help="Turns; medians count.")
def main(quick: bool, repetitions: int | None) -> None:
    """Install other referees and rules, and measure them beside ours, with trivial bots."""
    size = QUICK if quick else FULL
    if repetitions is not None:
        size = msgspec.structs.replace(size, repetitions=repetitions)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(f"Peers are installed in {HOME}; the first time takes minutes.")
    began = time.monotonic()
    for sheet in compare(size, build(HOME)):
        show(sheet, console)
    console.print(f"Python {platform.python_version()}, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
