"""`referee tournament run`: play what is missing of a tournament, and print its table."""

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Self

import click

from referee.cli import examples
from referee.cli.output import clean, clean_lines
from referee.cli.progress import Progress
from referee.cli.report import in_matches
from referee.cli.stop import Stop
from referee.cli.terms import accept_gap_option, level_option, warn_of_overload
from referee.cli.tournament_show import answer, file_argument, json_option, make_page, show, write_page
from referee.errors import ConfigError, RefereeError
from referee.launch import Level
from referee.loop import collect_rarely
from tournaments.plan import Plan, load
from tournaments.results import Played
from tournaments.runner import Ran, Runner
from tournaments.store import Store
from tournaments.tally import Tally


@click.command(
    epilog=examples(
        "referee tournament run spring.toml",
        "referee tournament run spring.toml --jobs 8 --log spring.log --html spring.html",
        "referee tournament run spring.toml --quiet --json",
    )
)
@file_argument
@click.option("--jobs", type=click.IntRange(min=1), help="Matches at once; default: as the file says.")
@level_option()
@accept_gap_option()
@click.option(
    "--html", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write the report here."
)
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Add a line for every match.")
@click.option("--quiet", "-q", is_flag=True, help="Print the table and nothing else.")
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    file: Path,
    jobs: int | None,
    level: Level | None,
    accept_gap: tuple[str, ...],
    page: Path | None,
    log: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play what is missing of the tournament in FILE, and print the table.

    A match counts when it is committed to the store. Whatever ends this command, the same command again goes
    on from there. Bots added to the file play the matches they lack, and nobody else plays again.

    --level and --accept-gap go before what the file says.

    Ctrl-C lets running matches end; a second one abandons them. Exits with 1 if a match was void or results
    could not be kept, and with 2 if the file is wrong or a bot does not start.
    """
    plan = load(file)
    if level is not None or accept_gap:
        plan = plan.at_level(level or plan.level, accept_gap or plan.accept_gaps)
    if page is not None:
        make_page(page)
    warn_of_overload(jobs or plan.jobs, quiet=quiet)
    with Store(plan.store) as store:
        with Teller(plan, log, quiet) as teller, Stop() as stop:
            ran, trouble = _play(Runner(plan, store, teller, jobs), teller, stop)
        found = answer(plan, store.played())
    show(found, as_json=as_json)
    if page is not None:
        write_page(found, page)
        _unless(quiet or as_json, f"The report is in {page}")
    again = f"to go on: referee tournament run {shlex.quote(str(file))}"
    if trouble is not None:
        _say(f"referee: {trouble}")
    for match, why in ran.void.items() if ran is not None else ():
        _say(f"left out, because it was void again and again: match {match}: {why}")
    if trouble is not None or (ran is not None and ran.left):
        _say(f"safe: {in_matches(len(found.played))}; {again}")
    ctx.exit(130 if stop.asked else 1 if trouble is not None or (ran is not None and ran.void) else 0)


def _play(runner: Runner, teller: "Teller", stop: Stop) -> tuple[Ran | None, RefereeError | None]:
    """Play, and return what came of it, or the trouble that ended it after the first match had begun."""
    stop.order(runner.drain, runner.abandon)
    try:
        return runner.run(), None
    except RefereeError as error:
        teller.write(f"trouble: {error}")
        if not teller.begun:
            raise
        return None, error


class Teller:
    """Tells how a tournament is going: on the terminal, and line by line in a log."""

    def __init__(self, plan: Plan, log: Path | None, quiet: bool) -> None:
        self.begun = False
        self._quiet = quiet
        self._tally = Tally(bot.name for bot in plan.bots)
        self._open = ExitStack()
        self._progress: Progress | None = None
        self._log: IO[str] | None = None
        if log is not None:
            try:
                self._log = self._open.enter_context(log.open("a", encoding="utf-8", buffering=1))
            except OSError as error:
                raise ConfigError(f"cannot write the log {log}: {error.strerror}") from error
        bots = ", ".join(bot.name for bot in plan.bots)
        self.write(f"tournament {plan.name}: {plan.game}, {plan.format}, bots {bots}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.write("end")
        self._open.close()

    def begins(self, kept: Sequence[Played], total: int) -> None:
        """Begin to count."""
        collect_rarely()
        self.begun = True
        for one in kept:
            self._tally.count(one)
        text = f"{len(kept)} of {in_matches(total)} are there already"
        self.write(text)
        _unless(self._quiet or not kept, text)
        self._progress = self._open.enter_context(Progress(total, quiet=self._quiet, before=len(kept)))

    def expects(self, total: int) -> None:
        """Count up to another total."""
        if self._progress is not None:
            self._progress.expect(total)

    def finished(self, played: Played) -> None:
        """Count a match."""
        self._tally.count(played)
        places = ", ".join(
            f"{bot} {rank}{f' ({fault})' if fault else ''}"
            for bot, rank, fault in zip(played.bots, played.ranks, played.faults, strict=True)
        )
        self.write(f"match {played.match}: {places}; {played.reason}")
        if self._progress is not None:
            self._progress.done(self._tally.leader())

    def void(self, match: str, why: str, *, again: bool) -> None:
        """Tell of a match without a verdict."""
        self.note(f"match {match} is void: {why}" + ("; it is played again" if again else ""))

    def note(self, text: str) -> None:
        """Tell the operator, whatever is quiet."""
        self.write(text)
        if self._progress is not None:
            self._progress.note(clean(text))
        else:
            _say(text)

    def write(self, text: str) -> None:
        """Add a line to the log. A log that cannot be written is given up: results matter more."""
        if self._log is None:
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            self._log.write(f"{now} {' | '.join(clean_lines(text))}\n")
        except OSError as error:
            self._log = None
            _say(f"the log is given up: {error.strerror}")


def _unless(silent: bool, text: str) -> None:
    if not silent:
        _say(text)


def _say(text: str) -> None:
    for line in clean_lines(text):
        click.echo(line, err=True)
