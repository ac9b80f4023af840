"""`referee tournament run`: plays the missing matches of a tournament, and prints its table."""

import logging
import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Self

import click
from msgspec.structs import replace

from referee import registry
from referee.cli import examples
from referee.cli.options.common import file_argument, json_option, page_option, site_option
from referee.cli.options.terms import accept_gap_option, jobs_option, level_option, warn_of_overload
from referee.cli.options.web import stays, web_option, web_stay_option
from referee.cli.output.log import EventLog, log_options
from referee.cli.output.metrics import Metrics, metrics_option
from referee.cli.output.progress import Progress
from referee.cli.output.results import show_results, write_page
from referee.cli.output.site_host import SiteHost
from referee.errors import ConfigError, RefereeError
from referee.hub.event_loop import collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Pairing
from referee.hub.signals import Stop
from referee.process.spec import Level
from referee.wording import clean, clean_lines, plural
from tournaments.config.plan import Plan, load
from tournaments.live.sources import tournament_source
from tournaments.pairing.outlook import cautions
from tournaments.rating.tally import Tally
from tournaments.report.results_so_far import ResultsSoFar, tournament_results
from tournaments.results import Played
from tournaments.runner import Ran, TournamentRunner
from tournaments.store.chain import Head
from tournaments.store.errors import StoreLostError
from tournaments.store.store import Store


@click.command(
    epilog=examples(
        "referee tournament run spring.toml",
        "referee tournament run spring.toml --jobs 8 --log spring.log --html spring.html",
        "referee tournament run spring.toml --site spring-site",
        "referee tournament run spring.toml --web 8000",
        "referee tournament run spring.toml --quiet --json",
    )
)
@file_argument
@jobs_option("default: as the file says")
@level_option()
@accept_gap_option()
@page_option
@site_option
@log_options
@metrics_option
@web_option
@web_stay_option
@click.option("--quiet", "-q", is_flag=True, help="Print only the table.")
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    file: Path,
    jobs: int | None,
    level: Level | None,
    accept_gap: tuple[str, ...],
    page: Path | None,
    site_folder: Path | None,
    log: Path | None,
    log_format: str,
    metrics: str | None,
    web: str | None,
    web_stay: bool | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play all missing matches of the tournament in FILE, and print the table.

    A match counts when it is committed to the store. After any end of this command, the same command
    continues. Bots added to the file play the matches they lack; no other match is played again.

    --level and --accept-gap override the file.

    If FILE names a beacon, `commit` and `reveal` come first.

    After Ctrl-C or SIGTERM running matches are played to the end; a second signal abandons them. Exits with 1
    if a match was void or results could not be written, with 2 if the file is wrong or a bot does not start,
    and with 130 if it was stopped by a signal.
    """
    plan = load(file)
    plan.check_drawn()
    if level is not None or accept_gap:
        plan = plan.at_level(level or plan.level, accept_gap or plan.accept_gaps)
    if page is not None and os.path.realpath(page) == os.path.realpath(plan.store):
        raise ConfigError(f"cannot write {page}: it is the store of the tournament; name another file")
    if site_folder is not None and os.path.realpath(site_folder) == os.path.realpath(plan.replays):
        raise ConfigError(f"cannot write a site into {site_folder}: replays are kept there; name another")
    if not quiet:
        warn_of_overload(jobs or plan.jobs, registry.game(plan.game).info, plan.seats)
    for caution in cautions(plan):
        _say(f"referee: {caution}")
    with (
        EventLog(log, log_format) as kept,
        Metrics(metrics) as watching,
        SiteHost(web, lambda: tournament_source(plan), log=kept, note=_say) as host,
    ):
        _unless(quiet or not watching.address, f"Metrics and health are at {watching.address}")
        host.introduce()
        with Store(plan.store) as store:
            with RunLog(plan, kept, quiet, store.head) as run_log, Stop() as stop:
                host.note, host.show = run_log.note, run_log.show

                def watch(hub: Hub) -> None:
                    watching.watch(hub)
                    host.watch(hub, stop, store, partial(_may_show, plan, runner))

                runner = TournamentRunner(plan, store, run_log, jobs, watch, stop)
                ran, trouble = _play(runner, store, run_log)
            host.note = host.show = _say
            host.unwatch()
            found = tournament_results(plan, store)
            found = _with_notes(found, ran)
            kept.write("end", f"end: {found.head}", results=found.head.results, head=found.head.hash)
        show_results(found, as_json=as_json)
        if page is not None:
            write_page(found, page)
            _unless(quiet or as_json, f"The report is in {page}")
        if site_folder is not None and not isinstance(trouble, StoreLostError):
            _write_site(plan, found, site_folder, quiet=quiet or as_json)
        _unless(quiet or as_json or isinstance(trouble, StoreLostError), f"In the store: {found.head}")
        _sum_up(plan, len(found.played), ran, trouble, f"referee tournament run {shlex.quote(str(file))}")
        if stays(web_stay) and not stop.asked:
            host.stay()
    ctx.exit(130 if stop.asked else 1 if trouble is not None or (ran is not None and ran.void) else 0)


def _write_site(plan: Plan, found: ResultsSoFar, folder: Path, *, quiet: bool) -> None:
    # Imported here: without a site none of it is needed.
    from referee.cli.output.site_progress import write_event_site
    from tournaments.site.events import tournament_event

    with Store(plan.store, write=False) as store:
        event = tournament_event(plan, store)
    if event.notes.frozen_after is None:
        # With what is to be noted about the bots of this run.
        event = replace(event, standings=found.standings)
    write_event_site(event, folder, quiet=quiet)


def _may_show(plan: Plan, runner: TournamentRunner, pairing: Pairing) -> bool:
    """Return whether no match outside the hub's queue is still to play the deal of a running match.

    In a knockout a tie is broken by more deals, and with common deals those are the same in all groups.
    """
    later = plan.format == "knockout" and plan.common_deals
    return not later and not runner.is_open(pairing.deal, but=pairing.match)


def _sum_up(plan: Plan, played: int, ran: Ran | None, trouble: RefereeError | None, command: str) -> None:
    """Print what went wrong, and how to continue."""
    if trouble is not None:
        _say(f"referee: {trouble}")
    for name in ran.changed if ran is not None else ():
        _say(
            f"bot {name} has changed since its results, and no match is left to play; to play it anew, give "
            f"it another name in {plan.file}, or remove the store {plan.store}"
        )
    for match, why in ran.void.items() if ran is not None else ():
        _say(f"match {match} was void repeatedly and has no result: {why}")
    if isinstance(trouble, StoreLostError):
        _say(
            f"the replays of {plural(played, 'finished match')} are in {plan.replays}; to continue: {command}"
        )
    elif trouble is not None or (ran is not None and ran.left):
        _say(f"kept in the store: {plural(played, 'match')}; to continue: {command}")


def _play(
    runner: TournamentRunner, store: Store, run_log: "RunLog"
) -> tuple[Ran | None, RefereeError | None]:
    """Play, and return what was played, or the error that ended it after the first match had begun."""
    try:
        try:
            return runner.run(), None
        finally:
            # Results that are not in the store any more matter most.
            store.check_place()
    except RefereeError as error:
        run_log.log.write("trouble", f"trouble: {error}", logging.ERROR, why=str(error))
        if not run_log.begun:
            raise
        return None, error


def _with_notes(found: ResultsSoFar, ran: Ran | None) -> ResultsSoFar:
    """Return the results with a note about each bot that has changed since."""
    names = ran.changed if ran is not None else ()
    notes = [f"the results of {name} are those of its program before it was changed" for name in names]
    return replace(found, standings=replace(found.standings, notes=(*found.standings.notes, *notes)))


class RunLog:
    """Reports the progress of a tournament: on the terminal, and line by line in a log."""

    def __init__(self, plan: Plan, log: EventLog, quiet: bool, head: Callable[[], Head]) -> None:
        self.begun = False
        self._head = head
        self.log = log
        self._quiet = quiet
        self._tally = Tally(bot.name for bot in plan.bots)
        self._open = ExitStack()
        self._progress: Progress | None = None
        names = [bot.name for bot in plan.bots]
        text = f"tournament {plan.name}: {plan.game}, {plan.format}, bots {', '.join(names)}"
        log.write("tournament", text, name=plan.name, game=plan.game, format=plan.format, bots=names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def begins(self, kept: Sequence[Played], total: int) -> None:
        """Report the start: results that exist already, and the total."""
        collect_rarely()
        self.begun = True
        for one in kept:
            self._tally.count(one)
        text = f"{len(kept)} of {plural(total, 'match')} are in the store already"
        self.log.write("begin", text, kept=len(kept), total=total)
        _unless(self._quiet or not kept, text)
        self._progress = self._open.enter_context(Progress(total, quiet=self._quiet, before=len(kept)))

    def expects(self, total: int) -> None:
        """Report a new round with the new total, and log the head of the results before it."""
        head = self._head()
        self.log.write("round", f"a round begins: {head}", results=head.results, head=head.hash)
        if self._progress is not None:
            self._progress.expect(total)

    def finished(self, played: Played) -> None:
        """Report a finished match."""
        self._tally.count(played)
        places = ", ".join(
            f"{bot} {seat.rank}{f' ({seat.fault})' if seat.fault else ''}" for bot, seat in played.seats()
        )
        text = f"match {played.match}: {places}; {played.result.reason}"
        self.log.write("match", text, bots=played.bots, **played.result.columns())
        if self._progress is not None:
            self._progress.done(self._tally.leader())

    def void(self, match: str, why: str, *, again: bool) -> None:
        """Report a void match."""
        text = f"match {match} is void: {why}" + ("; it is played again" if again else "")
        self.log.write("void", text, logging.WARNING, match=match, why=why, again=again)
        self.show(text)

    def note(self, text: str) -> None:
        """Print a message for the operator, even with --quiet."""
        self.log.write("note", text)
        self.show(text)

    def show(self, text: str) -> None:
        """Print a message for the operator, and do not log it."""
        if self._progress is not None:
            self._progress.note(clean(text))
        else:
            _say(text)


def _unless(silent: bool, text: str) -> None:
    if not silent:
        _say(text)


def _say(text: str) -> None:
    for line in clean_lines(text):
        click.echo(line, err=True)
