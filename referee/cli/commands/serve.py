"""`referee serve`: the daemon. Bots connect, are matched, and play until a signal stops it."""

import itertools
import logging
import secrets
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import POSITIVE, json_lines_option
from referee.cli.options.games import game_argument
from referee.cli.options.terms import jobs_option, make_folder, terms_options, warn, warn_of_overload
from referee.cli.options.web import web_option
from referee.cli.output.log import EventLog, log_options
from referee.cli.output.metrics import Metrics, metrics_option
from referee.cli.output.rating_tables import show_ratings
from referee.cli.output.run_report import result_line
from referee.cli.output.site_host import SiteHost
from referee.errors import ConfigError
from referee.game import Game, Options
from referee.gate.keystore import KeyStore
from referee.hub.capacity import cores, fair_jobs
from referee.hub.event_loop import allow_many_files, collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.hub.signals import Stop
from referee.server.daemon import Daemon, check_address, is_local
from referee.wording import clean, plural
from tournaments.config.cautions import seed_caution
from tournaments.config.terms import ClockChanges, options_of, profile_of
from tournaments.ladder import Ladder
from tournaments.live.sources import ladder_source
from tournaments.rating.standings import Standings
from tournaments.report import export
from tournaments.store import ladders
from tournaments.store.chain import Head
from tournaments.store.errors import StoreBusyError, StorePlaceError
from tournaments.store.recorder import Recorder
from tournaments.store.store import Store

PAGE = "standings.html"
"""The page with the standings, in the folder of the results."""

_TABLE_EVERY_S = 30.0
"""The shortest time between two tables."""

_MOST_SHARE = 0.05
"""The largest share of the time that tables may take: they take longer with more results."""


class _Voice:
    """Reports events: sentences for people or one JSON object a line for programs, the log, and a page."""

    def __init__(
        self, ladder: Ladder, page: Path, log: EventLog, head: Callable[[], Head], *, as_json: bool
    ) -> None:
        self._log = log
        self._ladder = ladder
        self._page = page
        self._as_json = as_json
        self._head = head
        self._next = time.monotonic() + _TABLE_EVERY_S

    def open(self, address: str, server_key: str | None) -> None:
        earlier = len(self._ladder.played)
        text = f"listening at {address}; {plural(earlier, 'match')} before"
        head = self._head()
        self._log.write("open", text, address=address, earlier=earlier, results=head.results, head=head.hash)
        if self._as_json:
            self._say("open", address=address, server_key=server_key)
            self.table()
            return
        if earlier:
            click.echo(f"So far, in {plural(earlier, 'match')}:")
            self.table()
        else:
            self._publish(self._ladder.standings())
        click.echo(f"Listening at {address}")
        if server_key is None:
            click.echo(f"To connect a bot: referee join {address} -- COMMAND")
            click.echo(f"or start a bot that speaks ZeroMQ with REFEREE_ADDRESS={address}")
        else:
            click.echo("To allow a bot: referee key allow NAME PUBLICKEY --keys FOLDER")
            way = f"{address} --key FILE --server-key {shlex.quote(server_key)}"
            click.echo(f"To connect it: referee join {way} -- COMMAND")
        click.echo(f"The standings are also in {self._page}")

    def note(self, text: str) -> None:
        self._log.write("note", text)
        self.show(text)

    def show(self, text: str) -> None:
        if self._as_json:
            self._say("note", text=text)
        else:
            click.echo(f"* {clean(text)}")

    def result(self, finished: Finished) -> None:
        result = finished.result
        level = logging.WARNING if result.void else logging.INFO
        facts = result.columns()
        self._log.write("match", f"match {result.match}: {result_line(result)}", level, **facts)
        if self._as_json:
            self._say("result", result=facts, play=finished.play)
        else:
            click.echo(clean(f"{result.match}: {result_line(result)}"))
        if time.monotonic() >= self._next:
            self.table()

    def close(self) -> None:
        head = self._head()
        self.note(f"in {ladders.STORE}: {head}")
        self.table()
        played = len(self._ladder.played)
        text = f"end: {plural(played, 'match')} in the table; {head}"
        self._log.write("end", text, played=played, results=head.results, head=head.hash)

    def table(self) -> None:
        began = time.monotonic()
        standings = self._ladder.standings()
        if self._as_json:
            self._say("table", table=standings.table)
        else:
            show_ratings(standings.table)
        self._publish(standings)
        now = time.monotonic()
        self._next = now + max(_TABLE_EVERY_S, (now - began) / _MOST_SHARE)

    def _publish(self, standings: Standings) -> None:
        page = export.html(
            standings, self._ladder.played, replays="", refresh_s=int(_TABLE_EVERY_S), head=self._head()
        )
        unfinished = self._page.with_suffix(".tmp")
        try:
            unfinished.write_text(page, encoding="utf-8")
            unfinished.replace(self._page)
        except OSError as error:
            # The page can be written again from the results.
            self.note(f"cannot write {self._page}: {error.strerror}")

    def _say(self, kind: str, **fields: Any) -> None:
        click.echo(msgspec.json.encode({"type": kind, **fields}))


@click.command(
    epilog=examples(
        "referee serve chicago-poker",
        "referee serve chicago-poker --bind 7900 --seats 4 --folder evening",
        "referee serve chicago-poker --bind 0.0.0.0:7878 --keys keys --profile classroom --json",
        "referee serve chicago-poker --web 8000",
    )
)
@game_argument()
@click.option(
    "--bind",
    metavar="ADDRESS",
    default="127.0.0.1:7878",
    show_default=True,
    help="The address to listen at: a port, host:port, or tcp://host:port.",
)
@click.option(
    "--keys",
    type=click.Path(file_okay=False, path_type=Path),
    help="Admit only bots whose keys are listed in this folder; see `referee key`.",
)
@click.option(
    "--insecure",
    is_flag=True,
    help="Listen beyond this host without keys: any bot may connect under any name.",
)
@click.option("--seats", type=POSITIVE, help="Bots in a match; default: the fewest of the game.")
@terms_options
@jobs_option(
    "default: one processor for each bot that may have to act; if bots of other hosts can connect, which run "
    "there, two matches for each processor"
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("serve"),
    show_default=True,
    help="The folder of results and replays.",
)
@click.option("--even", is_flag=True, help="Let all bots meet equally often; ratings do not count.")
@click.option("--matches", type=POSITIVE, help="Stop after this number of matches.")
@click.option("--seed", help="The seed of all luck, with the id of each match; default: a new one.")
@log_options
@metrics_option
@web_option
@json_lines_option
def serve(
    game: Game,
    bind: str,
    keys: Path | None,
    insecure: bool,
    seats: int | None,
    settings: Options,
    preset: str | None,
    profile_name: str,
    clock: ClockChanges,
    jobs: int | None,
    folder: Path,
    even: bool,
    matches: int | None,
    seed: str | None,
    log: Path | None,
    log_format: str,
    metrics: str | None,
    web: str | None,
    as_json: bool,
) -> None:
    """Run a ladder of a GAME: bots connect, are matched, and play until Ctrl-C or SIGTERM.

    The bot with the least certain rating plays next. Its opponents are drawn by lot; bots of similar rating
    that it has seldom met are drawn more often. A rating belongs to a name.

    Results are kept in the store FOLDER/results.db beside the replays; ratings are made from all of them.
    The standings are printed now and then, and FOLDER/standings.html has them for browsers. The commands
    `referee tournament status`, `standings`, `export` and `verify` take FOLDER too.

    With --keys all messages are encrypted, and a bot plays under the account of its key. Without --keys only
    bots on this host can connect, unless --insecure is given.

    After Ctrl-C or SIGTERM running matches have 30 seconds to end; a second signal abandons them. The exit
    code is then 0.
    """
    address = check_address(bind)
    size = game.info.least_seats if seats is None else seats
    options = options_of(game, preset, settings, size)
    _check_openness(address, keys, insecure)
    if seed is not None:
        warn(seed_caution(seed, "without --seed there is a good one"))
    seed = seed or secrets.token_hex(16)
    ladder = Ladder(f"Ladder of {game.info.title}", game.info.id, size, seed=seed, even=even)
    if is_local(address):
        jobs = jobs or fair_jobs(game.info, size)
        warn_of_overload(jobs, game.info, size)

    allow_many_files()
    collect_rarely()
    with (
        EventLog(log, log_format) as kept,
        Metrics(metrics) as watching,
        SiteHost(web, lambda: ladder_source(folder / ladders.STORE), log=kept, note=_say, keys=keys) as site,
        Stop() as stop,
        _store(folder) as store,
    ):
        numbers = itertools.count(store.head().results + 1)
        recorder = Recorder(store, lambda one: ladders.ladder_row(one, next(numbers)))
        voice = _Voice(ladder, folder / PAGE, kept, store.head, as_json=as_json)
        for row in store.all_played():
            if row.result.game == game.info.id:
                ladder.add(row)

        def hear(finished: Finished) -> None:
            ladder.add(recorder.take(finished.result.match))
            voice.result(finished)

        daemon = Daemon(
            address,
            game,
            size,
            options,
            folder=folder,
            choose=ladder.choose,
            jobs=jobs or 2 * cores(),
            profile=profile_of(profile_name, clock),
            seed=seed,
            keys=keys,
            keep=recorder.keep,
            report=hear,
            note=voice.note,
            watch=lambda hub: _watch(hub, watching, site, stop, store),
        )
        try:
            # Only now: a store that was made for an address that cannot be bound is removed again.
            ladders.note(store, ladders.LadderTerms(ladder.name, game.info.id, size, options))
            # A program that reads "Listening at" may send a signal at once.
            stop.then(daemon.drain, daemon.abandon)
            voice.open(daemon.address, None if keys is None else KeyStore(keys).server().public)
            if watching.address:
                voice.note(f"metrics and health are at {watching.address}")
            site.note, site.show = voice.note, voice.show
            site.introduce()
            daemon.run(matches)
        finally:
            site.unwatch()
            daemon.close()
            store.check_place()
        voice.close()


def _watch(hub: Hub, metrics: Metrics, site: SiteHost, stop: Stop, store: Store) -> None:
    """Let metrics and site show a hub."""
    metrics.watch(hub)
    site.watch(hub, stop, store)


def _say(text: str) -> None:
    click.echo(text, err=True)


def _store(folder: Path) -> Store:
    """Open the store of the ladder; a folder that cannot be made is an error of the operator."""
    make_folder(folder)
    try:
        return Store(ladders.store_path(folder))
    except StoreBusyError as error:
        raise ConfigError(f"another daemon keeps its results in {folder}: choose another folder") from error
    except StorePlaceError as error:
        raise ConfigError(f"cannot keep results in {folder}: {error}") from error


def _check_openness(address: str, keys: Path | None, insecure: bool) -> None:
    """Refuse to listen beyond this host without keys, unless that was asked for."""
    if keys is not None:
        if insecure:
            raise ConfigError("--insecure and --keys exclude each other")
        if not address.startswith("tcp://"):
            raise ConfigError(f"--keys needs a TCP address, not {address}")
        # Before anything is made: keys that are no good are an error of the operator.
        KeyStore(keys).server()
        KeyStore(keys).accounts()
    elif not is_local(address):
        if not insecure:
            raise ConfigError(
                f"{address} can be reached from other hosts: give --keys FOLDER, so that only bots with an "
                "allowed key can connect (`referee key allow NAME PUBLICKEY` makes it), or --insecure if any "
                "bot may connect"
            )
        click.echo(
            "Warning: any program that reaches this address can play under any name, and messages can be "
            "read and changed on their way.",
            err=True,
        )
