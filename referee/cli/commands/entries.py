"""`referee entries`: takes in submissions, lists them, and notes what the organiser decides about bots."""

from pathlib import Path

import click
from msgspec.structs import replace

from referee.cli import examples
from referee.cli.options.common import file_argument, json_option
from referee.cli.options.default_command import DefaultGroup
from referee.cli.output.entry_tables import EntryProgress, show_entries, show_taken
from referee.cli.output.printer import show_json
from referee.errors import ConfigError
from referee.wording import clean
from tournaments.config.entry_record import read_record
from tournaments.config.plan import Plan
from tournaments.entries.class_roster import ClassRoster, keep_roster, kept_roster, read_roster
from tournaments.entries.decisions import approve as approve_bot
from tournaments.entries.decisions import leave_out as leave_out_bot
from tournaments.entries.entries_key import ensure_key, folder_of_entries
from tournaments.entries.intake import Intake
from tournaments.entries.submissions import find_submissions
from tournaments.event_file import plans_of

_DEFAULT = "take"


@click.group(
    cls=DefaultGroup,
    default=_DEFAULT,
    epilog=examples(
        "referee entries submissions --into spring.toml",
        "referee entries submissions --into spring.toml --roster class.csv",
        "referee entries list spring.toml",
        "referee entries approve spring.toml 'Ann Lee'",
        "referee entries leave-out spring.toml 'Bo Berg'",
    ),
)
def entries() -> None:
    """Take in the submissions of a class or contest, and decide which bots play.

    `referee entries DIR --into FILE` takes in; a folder that is called like a command is written `./list`.
    """


@entries.command(
    _DEFAULT,
    epilog=examples(
        "referee entries submissions --into spring.toml",
        "referee entries submissions --into spring.toml --roster class.csv --json",
    ),
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--into",
    "file",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The tournament file of the event.",
)
@click.option(
    "--roster",
    "roster_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A CSV file with the columns id, name and team; it is kept for the next intake.",
)
@click.option("--again", is_flag=True, help="Also try submissions again that failed before.")
@json_option
@click.pass_context
def take(
    ctx: click.Context, folder: Path, file: Path, roster_file: Path | None, again: bool, as_json: bool
) -> None:
    """Take in the submissions in DIR, as a learning platform exports them.

    Each file, archive or folder is unpacked safely, its language is recognised, it is built and tested in the
    box of the event's level, and entered. The last good submission of an author or team plays; earlier ones
    stay on record. What is on record already is not tried again, so the same command takes what is new.

    Exits with 0 if all bots are entered, 1 if some are not, and 2 for bad input.
    """
    kept = kept_roster(folder_of_entries(file))
    named = roster_file or kept
    roster = read_roster(named) if named is not None else ClassRoster()
    if named is not None and named is kept:
        click.echo(f"the roster is that of an earlier intake: {kept}", err=True)
    if not folder.is_dir():
        what = "a file: name the folder that it is in" if folder.exists() else "not there"
        raise ConfigError(f"{folder} is {what}")
    _check_apart(folder, file)
    found = find_submissions(folder.resolve(), roster)
    if ensure_key(file):
        click.echo(f"{file}: added the key `entries`, the folder of what is taken in", err=True)
    plans = plans_of(file)
    progress = EntryProgress(len(found.submissions))
    taken = []
    try:
        with progress, Intake(plans, report=progress.report, waiting=progress.wait) as intake:
            if roster_file is not None:
                keep_roster(roster_file, intake.entries)
            for submitted in found.submissions:
                progress.begin(submitted)
                taken.append(intake.take(submitted, again=again))
    except KeyboardInterrupt:
        progress.interrupted(len(taken))
        raise
    record = read_record(plans[0].entries)
    # A later one of the same author may have replaced it since.
    stands = {one.number: one for one in record.submissions}
    taken = [replace(one, submission=stands[one.submission.number]) for one in taken]
    if as_json:
        show_json({"taken": taken, "ignored": found.ignored, "missing": found.missing, "record": record})
    else:
        show_taken(taken, found, record, plans[0])
    seen = {one.submission.bot for one in taken}
    entered = {one.bot for one in record.entered()}
    ctx.exit(0 if seen <= entered | set(record.left_out) else 1)


def _check_apart(folder: Path, file: Path) -> None:
    """Refuse a folder of submissions that has the event's own files in it."""
    for own in (file, folder_of_entries(file)):
        if own is not None and own.resolve().is_relative_to(folder.resolve()):
            raise ConfigError(f"{own} is in {folder} itself: put the submissions into a folder of their own")


@entries.command(
    "list", epilog=examples("referee entries list spring.toml", "referee entries list spring.toml --all")
)
@file_argument
@click.option("--all", "every", is_flag=True, help="Also list earlier submissions and failed ones.")
@json_option
def list_entries(file: Path, every: bool, as_json: bool) -> None:
    """List the bots that were submitted to the event in FILE, and those that are left out."""
    plan = plans_of(file)[0]
    record = read_record(plan.entries)
    if as_json:
        show_json(record)
    else:
        show_entries(record, plan, every=every)


def _plans(file: Path) -> list[Plan]:
    """Return the tournaments of a file that has the key `entries`."""
    ensure_key(file)
    return plans_of(file)


def _bots_argument(command: click.decorators.FC) -> click.decorators.FC:
    return click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=_complete)(
        command
    )


def _complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    try:
        plan = plans_of(ctx.params["file"])[0]
    except (ConfigError, KeyError):
        return []
    names = dict.fromkeys([*plan.names, *read_record(plan.entries).bots()])
    return [name for name in names if name.startswith(incomplete)]


@entries.command(epilog=examples("referee entries approve spring.toml 'Ann Lee'"))
@file_argument
@_bots_argument
def approve(file: Path, bots: tuple[str, ...]) -> None:
    """Enter each BOT that waits, because it came late, or that was left out."""
    plans = _plans(file)
    for bot in bots:
        click.echo(clean(approve_bot(plans, bot)), err=True)


@entries.command("leave-out", epilog=examples("referee entries leave-out spring.toml 'Bo Berg'"))
@file_argument
@_bots_argument
def leave_out(file: Path, bots: tuple[str, ...]) -> None:
    """Leave each BOT out of the event: a submitted one, or one of FILE. `approve` takes it in again."""
    plans = _plans(file)
    for bot in bots:
        click.echo(clean(leave_out_bot(plans, bot)), err=True)
