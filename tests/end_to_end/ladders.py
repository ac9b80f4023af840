"""What the tests of whole tournaments share: a small tournament with bots that always play the same."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from click.testing import CliRunner

from referee.cli import main
from referee.replay import files, playback
from tests.end_to_end.commands import Workspace
from tests.end_to_end.hubs import START_MS
from tournaments.config.plan import load
from tournaments.results import Played
from tournaments.runner import TournamentRunner
from tournaments.store.errors import NoResultsError
from tournaments.store.ladders import store_path
from tournaments.store.store import Store

SAMPLES = {"ann": "first", "bob": "random", "cleo": "random", "dora": "first"}


def write_plan(
    workspace: Workspace, bots: Iterable[str] = ("ann", "bob"), *, extra: str = "", **terms: Any
) -> Path:
    """Write a tournament file among these bots of SAMPLES."""
    said = {"name": "spring", "game": "coins", "seed": "s3", "format": "round-robin", "blocks": 2, "seats": 2}
    said |= {"store": "spring.db", "replays": "replays"} | terms
    lines = [f"{name} = {json.dumps(value)}" for name, value in said.items()]
    lines += ["[clock]", f"hello_ms = {START_MS}", f"ready_ms = {START_MS}"]
    for bot in bots:
        lines += ["[[bots]]", f'name = "{bot}"', f'sample = "{SAMPLES[bot]}"']
    return workspace.write("spring.toml", "\n".join([*lines, extra, ""]))


def stored(workspace: Workspace) -> list[Played]:
    """Return what is in the store."""
    try:
        with Store(workspace.folder / "spring.db", write=False) as store:
            return store.played()
    except NoResultsError:
        return []


def kept_by_ladder(folder: Path) -> list[Played]:
    """Return all rows of a ladder in the order of their commits."""
    with Store(store_path(folder), write=False) as store:
        return store.all_played()


def play(workspace: Workspace) -> None:
    """Play the tournament to its end, in process."""
    plan = load(workspace.folder / "spring.toml")
    with Store(plan.store) as store:
        ran = TournamentRunner(plan, store, Ear(store)).run()
    assert (ran.left, ran.void) == (0, {})


def reported(log: Iterable[str]) -> set[str]:
    """Return the matches of which a log says that they are over."""
    return {found[1] for line in log if (found := re.search(r" match (\S+):", line))}


class Ear:
    """Listens to a runner, and sees that what it hears is true."""

    def __init__(self, store: Store) -> None:
        self.voids: list[tuple[str, str, bool]] = []
        self.heard = 0
        self._kept = self._total = 0
        self._store = store

    def begins(self, kept: Sequence[Played], total: int) -> None:
        assert len(kept) <= total
        self._kept, self._total = len(kept), total

    def expects(self, total: int) -> None:
        assert total
        self._total = total

    def finished(self, played: Played) -> None:
        # It must be committed before it is reported; to check every time would take long.
        self.heard += 1
        assert self._kept + self.heard <= self._total
        if self.heard <= 5:
            assert played in self._store.played()

    def void(self, match: str, why: str, *, again: bool) -> None:
        self.voids.append((match, why, again))

    def note(self, text: str) -> None:
        raise AssertionError(text)


def check_replays(workspace: Workspace, played: Sequence[Played]) -> None:
    """See that every match that counts has its replay, and that they agree."""
    for one in played:
        replay = files.read(workspace.folder / "replays" / one.replay)
        playback.verify(replay)
        assert (replay.header.match, replay.play) == (one.match, one.play)


def repeatable(one: Played) -> Played:
    """Return a row without what was measured."""
    seats = tuple(
        msgspec.structs.replace(seat, charged_ms=0, took_us=0, median_us=0, slowest_us=0)
        for seat in one.result.seats
    )
    result = msgspec.structs.replace(one.result, seats=seats)
    return msgspec.structs.replace(one, result=result, digest="", speed=0.0)


class Outcome(NamedTuple):
    """All that a tournament says and that must repeat: nothing in it was measured."""

    table: str
    table_csv: str
    matches_csv: str
    standings: Any
    history: Any
    plays: dict[str, str]


def outcome(workspace: Workspace) -> Outcome:
    """Ask for everything there is about the tournament."""
    document = json.loads(said(workspace, "export", "--json"))
    return Outcome(
        table=said(workspace, "standings").partition("\nTime (measured")[0],
        table_csv=said(workspace, "export", "--table"),
        matches_csv=said(workspace, "export"),
        # Differences between hosts are tested where there are several.
        standings={name: value for name, value in document["standings"].items() if name != "hosts"},
        history=document["history"],
        plays={match["match"]: match["play"] for match in document["matches"]},
    )


def said(workspace: Workspace, command: str, *words: str) -> str:
    """Ask about the tournament, in process, and return the answer; it must go well."""
    asked = ["tournament", command, str(workspace.folder / "spring.toml"), *words]
    result = CliRunner().invoke(main, asked, prog_name="referee")
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


class Fifo:
    """A log that can be waited upon line by line."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        # Also for writing, so that opening does not wait and no end of file is ever seen.
        self._file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._rest = b""

    def fileno(self) -> int:
        """Return what can be polled."""
        return self._file

    def lines(self) -> list[str]:
        """Return the whole lines that have come, without waiting."""
        try:
            self._rest += os.read(self._file, 1 << 16)
        except BlockingIOError:
            return []
        *lines, self._rest = self._rest.split(b"\n")
        return [line.decode() for line in lines]

    def close(self) -> None:
        """Close it."""
        os.close(self._file)
