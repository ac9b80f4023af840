"""`referee serve`: the daemon. Bots connect, are matched, and play until a signal stops it."""

import os
import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from referee import registry
from referee.cli import examples
from referee.cli.options.common import POSITIVE, json_lines_option
from referee.cli.options.games import complete_game
from referee.cli.options.terms import jobs_option, make_folder, terms_options, warn, warn_of_overload
from referee.cli.options.web import web_option
from referee.cli.output.ladder_report import LadderReport
from referee.cli.output.log import EventLog, log_options
from referee.cli.output.metrics import Metrics, metrics_option
from referee.cli.output.site_host import SiteHost
from referee.errors import ConfigError
from referee.game import Options
from referee.gate.keystore import KeyStore
from referee.hub.capacity import cores, fair_jobs
from referee.hub.event_loop import allow_many_files, collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.hub.signals import Stop
from referee.server.addresses import check_address, is_local
from referee.server.daemon import Daemon
from referee.server.hours import Outside, read_hours
from tournaments.config.cautions import seed_caution
from tournaments.config.ladder_file import LadderGame, LadderPlan, load_ladder
from tournaments.config.terms import ClockChanges, options_of, profile_of
from tournaments.ladder_run import LadderRun, keep_by_game
from tournaments.live.sources import ladder_source
from tournaments.results import Played
from tournaments.store import ladders
from tournaments.store.errors import StoreBusyError, StorePlaceError

_RESTART_S = 5
"""After how long a daemon that starts itself again is back, at the latest."""

_FILE = ".toml"
"""The ending of the file of a ladder; no game has an id like that."""

_OF_GAMES = ("seats", "settings", "preset", "profile_name", "clock", "even", "rated", "zone", "outside")
"""Options whose place is the file of the ladder, if there is one."""

_OF_ONE_GAME = ("seats", "settings", "preset")
"""Options that cannot be meant for several games."""


def _check_games(_ctx: click.Context, _param: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse games that do not exist: UnknownGameError names the nearest."""
    for name in names:
        if not name.endswith(_FILE):
            registry.game(name)
    return names


@click.command(
    epilog=examples(
        "referee serve chicago-poker",
        "referee serve chicago-poker gangsters --web 8000",
        "referee serve ladder.toml --bind 0.0.0.0:7878 --keys keys --back-in 15",
        "referee serve chicago-poker --bind 7900 --seats 4 --folder evening",
        "referee serve chicago-poker --rated 'Mon-Fri 18:00-23:00' --zone Europe/Berlin",
        "referee serve chicago-poker --bind 0.0.0.0:7878 --keys keys --profile classroom --json",
    )
)
@click.argument(
    "games",
    nargs=-1,
    required=True,
    metavar="GAME...",
    callback=_check_games,
    shell_complete=complete_game,
)
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
    "there, two matches for each processor. Several games have equal parts of it"
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
@click.option(
    "--rated",
    metavar="HOURS",
    multiple=True,
    help="Rate matches only in these hours, as in 'Mon-Fri 18:00-23:00' or '18:00-02:00'; may be repeated.",
)
@click.option(
    "--zone", default="UTC", show_default=True, help="The time zone of --rated, such as Europe/Berlin."
)
@click.option(
    "--outside",
    type=click.Choice(["unrated", "nothing"]),
    default="unrated",
    show_default=True,
    help="What is played outside of the hours of --rated; bots may stay connected.",
)
@click.option(
    "--announce", metavar="TEXT", help="Show TEXT on the site and send it to the authors; '' takes it back."
)
@click.option(
    "--back-in",
    metavar="SECONDS",
    type=click.IntRange(0, 86_400),
    help="When stopped, let bots come back after so many seconds; default: they leave.",
)
@log_options
@metrics_option
@web_option
@click.option(
    "--site-url", metavar="URL", help="The address of the site for authors; default: that of --web."
)
@json_lines_option
@click.pass_context
def serve(
    ctx: click.Context,
    /,
    games: tuple[str, ...],
    bind: str,
    keys: Path | None,
    insecure: bool,
    jobs: int | None,
    folder: Path,
    matches: int | None,
    seed: str | None,
    announce: str | None,
    back_in: int | None,
    log: Path | None,
    log_format: str,
    metrics: str | None,
    web: str | None,
    site_url: str | None,
    as_json: bool,
    **of_games: Any,
) -> None:
    """Run a ladder of each GAME: bots connect, are matched, and play until Ctrl-C or SIGTERM.

    The bot with the least certain rating plays next. Its opponents are drawn by lot; bots of similar rating
    that it has seldom met are drawn more often. A rating belongs to a name and a version. A bot plays those
    of the games that its hello names.

    In place of games, name one file (ladder.toml) with an entry [[games]] for each: docs/ladder.md.

    Results are kept in the store FOLDER/results.db beside the replays (of several games: in FOLDER/GAME);
    ratings are made from all of them. The standings are printed now and then, and FOLDER/standings.html has
    them for browsers. The commands `referee tournament status`, `standings`, `history`, `export` and `verify`
    take FOLDER too.

    With --keys all messages are encrypted, and a bot plays under the account of its key. Without --keys only
    bots on this host can connect, unless --insecure is given.

    After Ctrl-C or SIGTERM running matches have 30 seconds to end; a second signal abandons them. The exit
    code is then 0. With --back-in bots come back by themselves afterwards. After SIGHUP, if stdin is no
    terminal, the daemon does the same and then starts itself again, with the same options.
    """
    address = check_address(bind)
    _check_openness(address, keys, insecure)
    plan = _plan(ctx, games, **of_games)
    if seed is not None:
        warn(seed_caution(seed, "without --seed there is a good one"))
    share = _share_of_jobs(plan, address, jobs)

    allow_many_files()
    collect_rarely()
    with ExitStack() as stack:
        stop = stack.enter_context(Stop(restarts=not sys.stdin.isatty()))
        kept = stack.enter_context(EventLog(log, log_format))
        watching = stack.enter_context(Metrics(metrics))
        places = _places(plan, folder)
        site = stack.enter_context(SiteHost(web, partial(_sources, places), log=kept, note=_say, keys=keys))
        runs = [
            stack.enter_context(_run(one, place, seed or secrets.token_hex(16)))
            for one, place in zip(plan.games, places, strict=True)
        ]
        by_game = {run.id: run for run in runs}
        report = LadderReport(runs, kept, as_json=as_json)

        def hear(finished: Finished) -> None:
            run = by_game[finished.result.game]
            row = run.finish(finished)
            report.result(run, finished)
            _send_ratings(daemon, run, row)

        daemon = Daemon(
            address,
            [run.served_game(share[run.id], plan.hours) for run in runs],
            folder=folder,
            keys=keys,
            site=site_url or site.url,
            keep=partial(keep_by_game, runs),
            report=hear,
            note=report.note,
            watch=lambda hub: _watch(hub, watching, site, stop, runs),
        )
        try:
            # Only now: a store that was made for an address that cannot be bound is removed again.
            _begin(daemon, runs, plan, announce)
            # A program that reads "Listening at" may send a signal at once.
            stop.then(daemon.drain, daemon.abandon)
            report.open(daemon.address, keys)
            _introduce(daemon, report, watching, site)
            daemon.run(matches)
        finally:
            daemon.back_ms = _back_ms(back_in, stop)
            site.unwatch()
            daemon.close()
            for run in runs:
                run.store.check_place()
        report.close()
    if stop.restart:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - our own command line


def _plan(
    ctx: click.Context,
    games: Sequence[str],
    *,
    seats: int | None,
    settings: Options,
    preset: str | None,
    profile_name: str,
    clock: ClockChanges,
    even: bool,
    rated: Sequence[str],
    zone: str,
    outside: Outside,
) -> LadderPlan:
    """Return what is to be played: the file of a ladder, or games with the options of the command."""
    if any(game.endswith(_FILE) for game in games):
        if len(games) > 1:
            raise ConfigError("name either one file of a ladder, or games")
        _refuse(ctx, _OF_GAMES, f"its place is {games[0]}: docs/ladder.md has the keys")
        return load_ladder(Path(games[0]))
    if len(games) > 1:
        _refuse(ctx, _OF_ONE_GAME, "it is of one game: write a file with an entry [[games]] for each")
    if len(set(games)) < len(games):
        raise ConfigError("a game is named twice: a daemon plays it once")
    hours = read_hours(rated, zone, outside)
    profile = profile_of(profile_name, clock)
    found = []
    for game in map(registry.game, games):
        size = seats or game.info.least_seats
        found.append(LadderGame(game, size, options_of(game, preset, settings, size), profile, even))
    return LadderPlan(tuple(found), hours if rated else None)


def _refuse(ctx: click.Context, names: Sequence[str], why: str) -> None:
    """Refuse options that were given."""
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if parameter.name in names and given:
            raise ConfigError(f"{parameter.opts[0]} cannot be given here: {why}")


def _share_of_jobs(plan: LadderPlan, address: str, jobs: int | None) -> dict[str, int]:
    """Return how many matches of each game are played at once."""
    shares: dict[str, int] = {}
    for one in plan.games:
        info = one.game.info
        usual = fair_jobs(info, one.seats) if is_local(address) else 2 * cores()
        shares[info.id] = one.jobs or max(1, (jobs or usual) // len(plan.games))
        if is_local(address):
            warn_of_overload(shares[info.id], info, one.seats)
    return shares


def _places(plan: LadderPlan, folder: Path) -> list[Path]:
    """Return the folders of the games."""
    several = len(plan.games) > 1
    return [ladders.folder_of(folder, one.game.info.id, several=several) for one in plan.games]


def _sources(places: Sequence[Path]) -> list[Any]:
    return [ladder_source(place / ladders.STORE) for place in places]


def _watch(
    hub: Hub,
    metrics: Metrics,
    site: SiteHost,
    stop: Stop,
    runs: Sequence[LadderRun],
) -> None:
    """Let metrics and site show a hub."""
    metrics.watch(hub)
    site.watch(hub, stop, [run.store for run in runs])


def _begin(daemon: Daemon, runs: Sequence[LadderRun], plan: LadderPlan, announce: str | None) -> None:
    """Note what is played and announced, and go on with a pause of the organiser."""
    for run in runs:
        run.note_terms(plan.hours)
        daemon.notices.announcement = run.announce(plan.announcement if announce is None else announce)
    daemon.hub.paused = any(run.is_paused for run in runs)


def _introduce(daemon: Daemon, report: LadderReport, metrics: Metrics, site: SiteHost) -> None:
    """Report what else the operator should know at the beginning."""
    if metrics.address:
        report.note(f"metrics and health are at {metrics.address}")
    if daemon.hub.paused:
        report.note(
            "paused by the organiser: no matches begin until that is taken back on the organiser's page, or "
            "with `referee site resume FOLDER` while no daemon runs"
        )
    for game in daemon.games.values():
        if game.hours is not None:
            report.note(daemon.notices.hours_of(game))
    site.note, site.show, site.announced = report.note, report.show, daemon.notices.announce
    site.introduce()


def _send_ratings(daemon: Daemon, run: LadderRun, row: Played) -> None:
    """Send each bot of a match its own rating, for its author, if that is another one than before."""
    for version, account in zip(row.bots, row.result.names, strict=True):
        rating = run.rating_news(version)
        if rating is not None:
            daemon.notices.send(f"{version} has about {rating} Elo in {run.id}", [account])


def _back_ms(back_in: int | None, stop: Stop) -> int | None:
    """Return after how long the daemon listens again; None if it does not say."""
    if back_in is not None:
        return back_in * 1_000
    return _RESTART_S * 1_000 if stop.restart else None


def _say(text: str) -> None:
    click.echo(text, err=True)


def _run(terms: LadderGame, folder: Path, seed: str) -> LadderRun:
    """Open the store of a ladder; a folder that cannot be made is an error of the operator."""
    make_folder(folder)
    try:
        return LadderRun(terms, folder, seed)
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
