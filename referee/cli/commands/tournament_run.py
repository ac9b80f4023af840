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
from msgspec import Struct

from referee import registry
from referee.cli import examples
from referee.cli.options.cluster import checked_place, cluster_options
from referee.cli.options.common import file_argument, json_option, page_option, site_option
from referee.cli.options.terms import (
    accept_gap_option,
    jobs_option,
    level_option,
    warn_of_division,
    workers_option,
)
from referee.cli.options.web import stays, web_option, web_stay_option
from referee.cli.output.event_tables import show_event, write_public_page, write_public_site
from referee.cli.output.log import EventLog, log_options
from referee.cli.output.metrics import Metrics, metrics_option
from referee.cli.output.progress import Progress
from referee.cli.output.results import show_results, write_page
from referee.cli.output.site_host import SiteHost
from referee.errors import ConfigError, LaunchError, RefereeError
from referee.hub.event_loop import collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Pairing
from referee.hub.signals import Stop
from referee.process.spec import Level
from referee.wording import clean, clean_lines, plural
from referee.worker.cluster_place import ClusterPlace
from tournaments.config.host_share import division_of
from tournaments.config.plan import Plan
from tournaments.event_file import EventPlan, event_at, plan_at, results_of_event
from tournaments.live.sources import event_sources
from tournaments.pairing.outlook import cautions
from tournaments.rating.tally import Tally
from tournaments.report.results_so_far import ResultsSoFar, plan_results, tournament_results
from tournaments.results import Played
from tournaments.runner import Ran, TournamentRunner
from tournaments.store.chain import Head
from tournaments.store.errors import StoreLostError
from tournaments.store.store import Store


@click.command(
    epilog=examples(
        "referee tournament run spring.toml",
        "referee tournament run spring.toml --jobs 8 --log spring.log --html spring.html",
        "referee tournament run spring.toml --workers 8 --jobs 24",
        "referee tournament run spring.toml --cluster tcp://10.0.0.1:8786",
        "referee tournament run spring.toml --site spring-site",
        "referee tournament run spring.toml --web 8000",
        "referee tournament run spring.toml --quiet --json",
    )
)
@file_argument
@jobs_option("default: as the file says")
@workers_option("default: as the file says")
@cluster_options
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
    workers: int | None,
    cluster: ClusterPlace | None,
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

    An event of several stages or games is played part after part; a later stage begins when the one before
    it is complete.

    A match counts when it is committed to the store. After any end of this command, the same command
    continues. Bots added to the file play the matches they lack, also during the run; a bot whose program has
    changed is a new version of it and plays its matches anew. No other match is played again.

    All bots are tried first. One that does not start is reported with its stderr and left out, unless the
    file says otherwise (`broken`).

    --level and --accept-gap override the file.

    If FILE names a beacon, `commit` and `reveal` come first.

    After Ctrl-C or SIGTERM running matches are played to the end; a second signal abandons them. Exits with 1
    if a match was void or results could not be written, with 2 if the file is wrong or too few bots start,
    and with 130 if it was stopped by a signal.
    """
    event = event_at(file)
    cluster = cluster or _cluster_of(event)
    plans = [_at_level(plan, level, accept_gap) for plan in event.plans]
    for plan in plans:
        _check_targets(plan, page, site_folder)
        if not quiet and cluster is None:
            info, asked = registry.game(plan.game).info, workers or plan.asked_workers
            warn_of_division(division_of(plan, jobs, workers), info, plan.seats, plan.level, workers=asked)
    for caution in dict.fromkeys(text for plan in plans for text in cautions(plan)):
        _say(f"referee: {caution}")
    with (
        EventLog(log, log_format) as kept,
        Metrics(metrics) as watching,
        SiteHost(web, lambda: event_sources(event), log=kept, note=_say) as host,
    ):
        _unless(quiet or not watching.address, f"Metrics and health are at {watching.address}")
        host.introduce()
        around = Surroundings(
            kept, watching, host, jobs, workers, cluster, quiet=quiet, is_silent=quiet or as_json
        )
        ends = _play_parts(file, around, lambda plan: _at_level(plan, level, accept_gap))
        _show_end(event_at(file), ends, as_json=as_json)
        _write_files(event_at(file), ends, page, site_folder, quiet=quiet or as_json)
        for end in ends:
            _unless(quiet or as_json or end.is_lost, f"In the store: {end.found.head}")
            _sum_up(end.plan, file, len(end.found.played), end.ran, end.trouble)
        is_stuck = _report_stuck(event_at(file), file)
        if stays(web_stay) and not ends[-1].stopped:
            host.stay()
    ctx.exit(130 if ends[-1].stopped else 1 if is_stuck or any(end.failed for end in ends) else 0)


def _report_stuck(event: EventPlan, file: Path) -> bool:
    """Report a stage that cannot begin, because too few bots of the one before have results."""
    stuck = next((one for one in event.parts if one.lacks_bots), None)
    if stuck is None:
        return False
    cure = f"mend the bots that do not start, or lower `pools`, and run again: {_command(file)}"
    _say(f"referee: stage {stuck.part.stage} can begin {stuck.waits}; {cure}")
    return True


def _command(file: Path) -> str:
    """Return the command that goes on with an event."""
    return f"referee tournament run {shlex.quote(str(file))}"


def _cluster_of(event: EventPlan) -> ClusterPlace | None:
    """Return the cluster that the file names, checked; None if it names none."""
    place = next((plan.cluster for plan in event.plans), None)
    return place and checked_place(place, "[cluster]")


def _play_parts(file: Path, around: "Surroundings", adapt: Callable[[Plan], Plan]) -> list["PartEnd"]:
    """Play one tournament of a file after the other, until one is stopped or its bots are not known."""
    ends: list[PartEnd] = []
    for number in range(len(event_at(file).parts)):
        # After a stage the bots of the next one are known.
        event = event_at(file)
        plan = event.parts[number].plan
        if plan is None or (ends and ends[-1].ends_run):
            break
        around.announce(event, number)
        read = partial(_read_part, file, plan.part, adapt)
        try:
            ends.append(_run_part(adapt(plan), around, read))
        except LaunchError as error:
            if event.parts[number].part.take is None:
                raise
            command = f"referee entries leave-out {shlex.quote(str(file))} BOT"
            cure = f"mend what does not start, or let the next of the stage before go on: {command}"
            raise LaunchError(f"{error}\n{cure}") from error
    return ends


def _read_part(file: Path, part: str, adapt: Callable[[Plan], Plan]) -> Plan:
    """Read a tournament of a file again, as bots may have come since."""
    return adapt(plan_at(file, part))


def _show_end(event: EventPlan, ends: Sequence["PartEnd"], *, as_json: bool) -> None:
    if event.is_single:
        show_results(ends[0].found, as_json=as_json)
    else:
        show_event(results_of_event(event, plan_results), as_json=as_json)


def _write_files(
    event: EventPlan, ends: Sequence["PartEnd"], page: Path | None, site_folder: Path | None, *, quiet: bool
) -> None:
    """Write the files that were asked for, as the public may see the event."""
    if any(end.is_lost for end in ends):
        # The store has gone, and with it what the organiser has noted; what was played is known here.
        if page is not None:
            write_page(ends[-1].found, page)
            _unless(quiet, f"The report is in {page}")
        return
    if page is not None:
        write_public_page(event, page)
        _unless(quiet, f"The report is in {page}")
    if site_folder is not None:
        write_public_site(event, site_folder, quiet=quiet)


class PartEnd(Struct, frozen=True):
    """How the run of one tournament ended."""

    plan: Plan
    found: ResultsSoFar
    ran: Ran | None
    trouble: RefereeError | None
    stopped: bool

    @property
    def is_lost(self) -> bool:
        """Whether the store is not there any more."""
        return isinstance(self.trouble, StoreLostError)

    @property
    def failed(self) -> bool:
        """Whether a match was void or results could not be written."""
        return self.trouble is not None or bool(self.ran is not None and self.ran.void)

    @property
    def ends_run(self) -> bool:
        """Whether no further tournament of the event is begun."""
        return self.stopped or self.trouble is not None


class Surroundings:
    """What all tournaments of a run share: log, metrics, site and options."""

    def __init__(
        self,
        log: EventLog,
        metrics: Metrics,
        host: SiteHost,
        jobs: int | None,
        workers: int | None,
        cluster: ClusterPlace | None,
        *,
        quiet: bool,
        is_silent: bool,
    ) -> None:
        self.log = log
        self.metrics = metrics
        self.host = host
        self.jobs = jobs
        self.workers = workers
        self.cluster = cluster
        self.quiet = quiet
        self._is_silent = is_silent

    def announce(self, event: EventPlan, number: int) -> None:
        """Report which tournament of an event begins."""
        if event.is_single:
            return
        self.host.begin(number)
        one = event.parts[number]
        text = f"part {number + 1} of {len(event.parts)}: {one.part.label}"
        self.log.write("part", text, part=one.part.name)
        _unless(self._is_silent, text)


def _at_level(plan: Plan, level: Level | None, accept_gap: tuple[str, ...]) -> Plan:
    if level is None and not accept_gap:
        return plan
    return plan.at_level(level or plan.level, accept_gap or plan.accept_gaps)


def _check_targets(plan: Plan, page: Path | None, site_folder: Path | None) -> None:
    """Refuse a plan whose luck is not drawn, and files that would take the place of results."""
    plan.check_drawn()
    if page is not None and os.path.realpath(page) == os.path.realpath(plan.store_file):
        raise ConfigError(f"cannot write {page}: it is the store of the tournament; name another file")
    if site_folder is not None and os.path.realpath(site_folder) == os.path.realpath(plan.replays):
        raise ConfigError(f"cannot write a site into {site_folder}: replays are kept there; name another")


def _run_part(plan: Plan, around: Surroundings, read: Callable[[], Plan]) -> PartEnd:
    """Play the missing matches of one tournament; `read` returns its plan as the file has it now."""
    host = around.host
    with Store(plan.store) as store:
        with RunLog(plan, around.log, around.quiet, store.head) as run_log, Stop() as stop:
            host.note, host.show = run_log.note, run_log.show

            def watch(hub: Hub) -> None:
                around.metrics.watch(hub)
                host.watch(hub, stop, [store], partial(_may_show, plan, runner))

            runner = TournamentRunner(
                plan, store, run_log, around.jobs, watch, stop, read, around.workers, around.cluster
            )
            ran, trouble = _play(runner, store, run_log)
        host.note = host.show = _say
        host.unwatch()
        # Bots may have come during the run.
        plan = runner.asked
        found = tournament_results(plan, store, runner.planned)
        around.log.write("end", f"end: {found.head}", results=found.head.results, head=found.head.hash)
    return PartEnd(plan, found, ran, trouble, stop.asked)


def _may_show(plan: Plan, runner: TournamentRunner, pairing: Pairing) -> bool:
    """Return whether no match outside the hub's queue is still to play the deal of a running match.

    In a knockout a tie is broken by more deals, and with common deals those are the same in all groups.
    """
    later = plan.format == "knockout" and plan.common_deals
    return not later and not runner.is_open(pairing.deal, but=pairing.match)


def _sum_up(plan: Plan, file: Path, played: int, ran: Ran | None, trouble: RefereeError | None) -> None:
    """Print what went wrong, and how to continue."""
    command = _command(file)
    if trouble is not None:
        _say(f"referee: {trouble}")
    if ran is not None and ran.left_out:
        names = ", ".join(ran.left_out)
        _say(f"left out: {names}; to see why: referee tournament check {shlex.quote(str(file))} --start")
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


class RunLog:
    """Reports the progress of a tournament: on the terminal, and line by line in a log."""

    def __init__(self, plan: Plan, log: EventLog, quiet: bool, head: Callable[[], Head]) -> None:
        self.begun = False
        self._head = head
        self.log = log
        self._quiet = quiet
        self._tally = Tally(bot.name for bot in plan.bots)
        self._kept: Sequence[Played] = ()
        """Results that were there before, until the first new one is counted with them."""
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
        self._kept = kept
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
        kept, self._kept = self._kept, ()
        for one in (*kept, played):
            self._tally.count(one)
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
