"""What `referee serve` reports: sentences or JSON on stdout, lines of the log, and a page for each game."""

import logging
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli.output.log import EventLog
from referee.cli.output.rating_tables import show_ratings
from referee.cli.output.run_report import result_line
from referee.gate.keystore import KeyStore
from referee.hub.fixture import is_rated
from referee.hub.pairing import Finished
from referee.wording import clean, plural
from tournaments.ladder_run import LadderRun
from tournaments.rating.standings import Standings
from tournaments.report import export
from tournaments.store import ladders

PAGE = "standings.html"
"""The page with the standings of a game, beside its results."""

_TABLE_EVERY_S = 30.0
"""The shortest time between two tables."""

_MOST_SHARE = 0.05
"""The largest share of the time that tables may take: they take longer with more results."""


class LadderReport:
    """Reports what happens on the ladders of a daemon."""

    def __init__(self, runs: Sequence[LadderRun], log: EventLog, *, as_json: bool) -> None:
        self._runs = runs
        self._log = log
        self._as_json = as_json
        self._next = dict.fromkeys((run.id for run in runs), time.monotonic() + _TABLE_EVERY_S)

    def open(self, address: str, keys: Path | None) -> None:
        """Report that bots may connect, and how; the tables so far before that."""
        server_key = None if keys is None else KeyStore(keys).server().public
        for run in self._runs:
            earlier, head = len(run.ladder.played), run.store.head()
            text = f"listening at {address}; {plural(earlier, 'match')} of {run.id} before"
            self._log.write(
                "open",
                text,
                address=address,
                game=run.id,
                earlier=earlier,
                results=head.results,
                head=head.hash,
            )
        if self._as_json:
            self._say("open", address=address, server_key=server_key)
        for run in self._runs:
            self._open_one(run)
        if self._as_json:
            return
        click.echo(f"Listening at {address}")
        if keys is None or server_key is None:
            click.echo(f"To connect a bot: referee join {address} -- COMMAND")
            click.echo(f"or start a bot that speaks ZeroMQ with REFEREE_ADDRESS={address}")
        else:
            folder = shlex.quote(str(keys))
            click.echo(f"To allow a bot: referee key allow NAME PUBLICKEY --keys {folder}")
            way = f"{address} --key FILE --server-key {shlex.quote(server_key)}"
            click.echo(f"To connect it: referee join {way} -- COMMAND")
        pages = ", ".join(str(run.folder / PAGE) for run in self._runs)
        click.echo(f"The standings are also in {pages}")

    def _open_one(self, run: LadderRun) -> None:
        earlier = len(run.ladder.played)
        if self._as_json:
            self.table(run)
        elif earlier:
            click.echo(f"So far, in {plural(earlier, 'match')}{self._of(run)}:")
            self.table(run)
        else:
            self._publish(run, run.standings())

    def note(self, text: str) -> None:
        """Report what the operator should know, also in the log."""
        self._log.write("note", text)
        self.show(text)

    def show(self, text: str) -> None:
        """Print what the operator should know."""
        if self._as_json:
            self._say("note", text=text)
        else:
            click.echo(f"* {clean(text)}")

    def result(self, run: LadderRun, finished: Finished) -> None:
        """Report a match that is over, and the table if it is time for it."""
        result = finished.result
        level = logging.WARNING if result.void else logging.INFO
        facts = result.columns()
        self._log.write("match", f"match {result.match}: {result_line(result)}", level, **facts)
        if self._as_json:
            self._say("result", result=facts, play=finished.play, rated=is_rated(finished.pairing.deal))
        else:
            click.echo(clean(f"{result.match}: {result_line(result)}"))
        if time.monotonic() >= self._next[run.id]:
            self.table(run)

    def close(self) -> None:
        """Report the last tables, and the heads of all chains."""
        for run in self._runs:
            head = run.store.head()
            self.note(f"in {ladders.STORE}{self._of(run)}: {head}")
            self.table(run)
            played = len(run.ladder.played)
            text = f"end: {plural(played, 'match')} in the table{self._of(run)}; {head}"
            self._log.write("end", text, game=run.id, played=played, results=head.results, head=head.hash)

    def table(self, run: LadderRun) -> None:
        """Report the table of a game, and write its page."""
        began = time.monotonic()
        standings = run.standings()
        if self._as_json:
            self._say("table", game=run.id, table=standings.shown)
        else:
            if len(self._runs) > 1:
                click.echo(f"{run.ladder.name}:")
            show_ratings(standings.shown)
        self._publish(run, standings)
        now = time.monotonic()
        self._next[run.id] = now + max(_TABLE_EVERY_S, (now - began) / _MOST_SHARE)

    def _of(self, run: LadderRun) -> str:
        return f" of {run.id}" if len(self._runs) > 1 else ""

    def _publish(self, run: LadderRun, standings: Standings) -> None:
        page = run.folder / PAGE
        text = export.html(
            standings, run.ladder.played, replays="", refresh_s=int(_TABLE_EVERY_S), head=run.store.head()
        )
        unfinished = page.with_suffix(".tmp")
        try:
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(page)
        except OSError as error:
            # The page can be written again from the results.
            self.note(f"cannot write {page}: {error.strerror}")

    def _say(self, kind: str, **fields: Any) -> None:
        click.echo(msgspec.json.encode({"type": kind, **fields}))
