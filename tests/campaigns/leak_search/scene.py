"""Matches of Sealed through the real hub, with bots that keep everything; then everything is searched."""

import secrets
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from referee import registry
from referee.chance import deal_key
from referee.cli.output import run_report
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.match.faults import PROFILES
from referee.process.spec import BotSpec, Transport, program
from referee.replay import files
from referee.replay.dossier import read_dossier
from referee.replay.explanation import MatchFiles, explain
from tests.campaigns.leak_search.search import Leak, Search, dossiers
from tests.campaigns.leak_search.truth import truth_of
from tests.end_to_end.hubs import UNHURRIED

BOT = Path(__file__).parent / "bot.py"
BOTS: tuple[tuple[str, Transport], ...] = (("ann", "stdio"), ("bob", "zmq"), ("clumsy", "stdio"))
BATCH = 200
"""Matches that are played and then searched together."""


class Found(NamedTuple):
    """What a search has shown."""

    matches: int
    bytes: int
    leaks: list[Leak]


def play_and_search(matches: int, first: int = 0, jobs: int = 4) -> Found:
    """Play some matches and search all that they left behind."""
    seed = f"seed-{secrets.token_hex(12)}"
    with tempfile.TemporaryDirectory(prefix="canary-") as name:
        folder = Path(name)
        (folder / "diaries").mkdir()
        log: list[str] = []
        done = play(folder, seed, range(first, first + matches), jobs, log)
        return _search(folder, seed, done, log)


def play(folder: Path, seed: str, numbers: range, jobs: int, log: list[str]) -> list[Finished]:
    done: list[Finished] = []

    def report(finished: Finished) -> None:
        done.append(finished)
        # What the daemon prints, at the moment it does.
        log.append(run_report.result_line(finished.result))

    with Hub(specs(folder), jobs=jobs, replays=folder / "replays", report=report, profile=UNHURRIED) as hub:
        hub.submit(pairing(seed, number) for number in numbers)
        hub.run()
    return done


def specs(folder: Path) -> list[BotSpec]:
    """Return the bots: by pipe and by socket, and one that makes mistakes."""
    return [
        BotSpec(
            name,
            program(
                [sys.executable, str(BOT), name, str(folder / "diaries"), str(folder / "replays")], folder
            ),
            transport,
        )
        for name, transport in BOTS
    ]


def pairing(seed: str, number: int) -> Pairing:
    """Return a match; the key of every second one is never shown to its bots."""
    turn = number % len(BOTS)
    bots = tuple(name for name, _ in (*BOTS[turn:], *BOTS[:turn]))
    profile = PROFILES["classroom" if number % 3 else "strict"]
    key = deal_key(seed, str(number))
    return Pairing(f"m{number}", registry.game("sealed"), bots, key, profile, reveal=number % 2 == 0)


def _search(folder: Path, seed: str, done: list[Finished], log: list[str]) -> Found:
    replays = [files.read(finished.replay) for finished in done if finished.replay is not None]
    pairings = [finished.pairing for finished in done if finished.replay is not None]
    both = zip(replays, pairings, strict=True)
    search = Search([truth_of(replay, one.bots, reveal=one.reveal) for replay, one in both], seed)
    leaks = [
        *chain.from_iterable(map(search.public_feed, replays)),
        *chain.from_iterable(
            search.diary(path.name.partition("-")[0], path) for path in (folder / "diaries").iterdir()
        ),
        *chain.from_iterable(map(search.dossier, dossiers(folder / "replays"))),
        *search.names(folder),
        *search.unknown_to_public("\n".join(log).encode(), "the log", any_card=True),
        *chain.from_iterable(_asked_why(search, path) for path in dossiers(folder / "replays")),
    ]
    return Found(len(replays), search.bytes, leaks)


def _asked_why(search: Search, path: Path) -> Iterator[Leak]:
    """Search the output of `referee why`: it may contain only the evidence of the bot at fault."""
    dossier = read_dossier(path)
    guilty = [seat.name for seat in dossier.seats if seat.fault]
    if len(guilty) == 1:
        told = "\n".join(explain(MatchFiles(None, dossier))).encode()
        yield from search.unknown_to_bot(guilty[0], told, "what `referee why` tells")
