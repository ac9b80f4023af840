"""`referee grade`: points for one bot, by matches against staff bots and a scale that the teacher wrote."""

import sys
from pathlib import Path
from typing import Any

import click

from referee.cli import examples
from referee.cli.options.common import check_output, json_option
from referee.cli.options.games import complete_game
from referee.cli.options.terms import level_option, replay_folder
from referee.cli.output.printer import show_json
from referee.cli.output.scale_tables import show_scale
from referee.errors import ConfigError
from referee.hub.signals import Stop
from referee.process.sandbox.levels import GAPS
from referee.process.spec import Level
from referee.wording import clean
from tournaments.config.plan import Plan
from tournaments.grading.confinement import confine
from tournaments.grading.grade import Reader, seen_by
from tournaments.grading.marks import grade_of
from tournaments.grading.new_files import SCALE, STAFF, write_pair
from tournaments.grading.runner import GradingRunner, GradingSetting
from tournaments.grading.scale_file import Scale, load_scale
from tournaments.grading.staff import staff_plans
from tournaments.grading.writing import FORMATS, render, write

INTERRUPTED = 130

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(
    epilog=examples(
        "referee grade --new grading",
        "referee grade --against staff.toml --scale grade.toml --dry-run",
        "referee grade --against staff.toml --scale grade.toml -- submission/bot.py",
        "referee grade --against staff.toml --scale grade.toml "
        "--format gradescope --out results/results.json -- submission/bot.py",
        "referee grade --against staff.toml --scale grade.toml --format autolab -- ./bot",
        "referee grade --against staff.toml --scale grade.toml --format junit --out grade.xml "
        '--format markdown --out "$GITHUB_STEP_SUMMARY" -- python3 bot.py',
    )
)
@click.argument("command", nargs=-1)
@click.option("--against", type=_FILE, help="The staff bots: a tournament file.")
@click.option("--scale", "scale_file", type=_FILE, help="The scale: points for checks and win rates.")
@click.option("--name", help="The bot's name in the grade; default: that of its file.")
@click.option(
    "--format",
    "formats",
    type=click.Choice(list(FORMATS)),
    multiple=True,
    help="Write the grade in this format; with --out for each.",
)
@click.option(
    "--out",
    "outs",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    multiple=True,
    help="The file of a --format; - or none: the output.",
)
@click.option(
    "--for",
    "reader",
    type=click.Choice(["student", "staff"]),
    default="student",
    show_default=True,
    help="What is shown: staff also sees hidden tests, what holds on this host, faults of staff bots.",
)
@click.option(
    "--time-limit",
    "limit_s",
    type=click.FloatRange(min=1, max=86_400),
    default=600.0,
    show_default=True,
    help="Seconds for everything; what was played by then counts.",
)
@level_option()
@click.option(
    "--accept-gap",
    metavar="NAME",
    multiple=True,
    help=f"Accept that this host lacks one of these for the level: {', '.join(GAPS)}. Without bubblewrap "
    "bots run at level trusted.",
)
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the replays in this folder, for the staff; default: they are not kept.",
)
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print only what --format or --json prints.")
@click.option("--dry-run", is_flag=True, help="Only check both files, and print what is graded.")
@click.option(
    "--new",
    "new_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a commented pair of files to start from into this folder.",
)
@click.option("--game", shell_complete=complete_game, help="With --new: the game.")
@click.pass_context
def grade(ctx: click.Context, /, new_folder: Path | None, game: str | None, **asked: Any) -> None:
    """Grade one bot by its matches against staff bots.

    COMMAND is a .py file, a command line, or the name of a sample bot. Every deal is played in all rotations
    of the seats, with the same cards for every student. The scale makes points of win rates and checks.

    A bot that does not start, crashes or hangs gets its points as well, with the reason. Exits with 0 if the
    bot was graded, 2 for a mistake in the files of the teacher, and 130 after Ctrl-C or SIGTERM: what was
    played by then counts.
    """
    if new_folder is not None:
        write_pair(new_folder, game)
        click.echo(f"Written: {new_folder / STAFF} and {new_folder / SCALE}. To check them:")
        click.echo(f"  referee grade --against {new_folder / STAFF} --scale {new_folder / SCALE} --dry-run")
        return
    if game is not None:
        raise ConfigError("--game belongs to --new: the game of a grade is in the file of the staff bots")
    ctx.exit(_grade(**asked))


def _grade(
    *,
    command: tuple[str, ...],
    against: Path | None,
    scale_file: Path | None,
    name: str | None,
    formats: tuple[str, ...],
    outs: tuple[Path, ...],
    reader: Reader,
    limit_s: float,
    level: Level | None,
    accept_gap: tuple[str, ...],
    replays: Path | None,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
) -> int:
    plans, scale = _read(against, scale_file)
    if dry_run:
        show_scale(plans, scale, as_json=as_json)
        return 0
    if not command:
        raise ConfigError("name the bot after `--`; to check the two files alone: --dry-run")
    written, printed = _outputs(formats, outs)
    if printed and as_json:
        raise ConfigError(f"--json and --format {printed} both use the output: give the format an --out FILE")
    confinement = confine(level or plans[0].level, (*plans[0].accept_gaps, *accept_gap))
    setting = GradingSetting(
        command=command[0] if len(command) == 1 else command,
        name=name or "",
        plans=tuple(plan.at_level(confinement.level, plan.accept_gaps) for plan in plans),
        confinement=confinement,
        examines=scale.checks.conformance > 0,
        limit_s=limit_s,
        replays=replays,
        secrets=tuple(path.resolve() for path in (scale_file, *outs) if path is not None),
    )
    with replay_folder(replays), Stop() as stop:
        facts = GradingRunner(setting, lambda text: _note(text, quiet)).run(stop)
    found = grade_of(scale, facts)
    for format, path in written:
        write(found, format, reader, path)
    if as_json:
        show_json(seen_by(found, reader))
    elif printed or not quiet:
        click.echo(render(found, printed or "text", reader), nl=False)
    return INTERRUPTED if facts.interrupted else 0


def _read(against: Path | None, scale_file: Path | None) -> tuple[list[Plan], Scale]:
    """Read both files of the teacher."""
    if against is None or scale_file is None:
        missing = "--against FILE (the staff bots)" if against is None else "--scale FILE (the points)"
        raise ConfigError(f"{missing} is missing; to get both files to start from: referee grade --new DIR")
    plans = staff_plans(against)
    return plans, load_scale(scale_file, plans)


def _outputs(formats: tuple[str, ...], outs: tuple[Path, ...]) -> tuple[list[tuple[str, Path]], str]:
    """Return the formats with their files, and the one that is printed; refuse what cannot be written."""
    if len(outs) > len(formats):
        raise ConfigError("--out belongs to a --format: write --format FORMAT --out FILE")
    written: list[tuple[str, Path]] = []
    printed: list[str] = []
    for number, format in enumerate(formats):
        found = FORMATS[format]
        found.check()
        path = outs[number] if number < len(outs) else Path("-")
        if str(path) == "-":
            printed.append(format)
        else:
            check_output(path, found.begins, makes_folders=True)
            written.append((format, path))
    if len(printed) > 1:
        names = " and ".join(printed)
        raise ConfigError(f"{names} cannot both be printed: write --format FORMAT --out FILE for each")
    return written, "".join(printed)


def _note(text: str, quiet: bool) -> None:
    if not quiet and sys.stderr.isatty():
        click.echo(clean(text), err=True)
