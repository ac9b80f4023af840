"""`referee positions`: asks a bot at a file of positions, and checks its answers: a regression suite."""

from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import json_option, junit_option
from referee.cli.options.terms import level_options, limit_option
from referee.cli.output.printer import show_json, show_stderr, show_table
from referee.hub.interview import Interview
from referee.hub.position_suite import PositionMark, read_tasks
from referee.match.faults import PROFILES, Profile
from referee.process.sandbox.levels import check_folders
from referee.process.spec import BotSpec, Level, ResourceLimits
from tournaments.config.bots import name_of, read_program
from tournaments.report import junit

KEYS = """\b
FILE is TOML, a [[positions]] for each, or JSON Lines, an object for each. Keys:
  name                the name of the position; default: its number
  replay, decision    a replay, relative to FILE, and the number of the seat's decision
  game, seed, deal, seats, options, actions
                      or a deal as in `referee play`, and all actions since
  seat                the seat that is asked: a number, or the name of its bot in the replay
  allowed, forbidden  lists of actions, at least one of the two
"""


@click.command(
    epilog=examples(
        "referee positions suite.toml -- python mybot.py",
        "referee positions suite.jsonl --junit positions.xml -- ./bot --fast",
    )
    + f"\n\n{KEYS}"
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("command", nargs=-1, required=True)
@click.option(
    "--move-ms",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="The time for each answer, in milliseconds.",
)
@limit_option()
@level_options()
@junit_option
@json_option
@click.pass_context
def positions(
    ctx: click.Context,
    /,
    file: Path,
    command: tuple[str, ...],
    move_ms: int,
    limits: ResourceLimits,
    level: Level,
    junit_file: Path | None,
    as_json: bool,
) -> None:
    """Ask a bot at every position of a FILE, and check its answers.

    COMMAND is a command line or the name of a sample bot. Exits with 0 if all answers pass, 1 if some do not,
    2 if the file is wrong or the bot does not start.
    """
    tasks = list(read_tasks(file))
    program = read_program(command, limits, level)
    spec = BotSpec(name_of(program), program)
    check_folders([spec], [file])
    with Interview(spec, _profile(move_ms)) as interview:
        marks = [task.mark(interview.ask(task.position)) for task in tasks]
    if junit_file is not None:
        junit.write(junit_file, f"referee positions {file.name}", map(_case, marks))
    passed = sum(mark.passed for mark in marks)
    if as_json:
        document = {"file": str(file), "bot": program.command_line(), "passed": passed, "positions": marks}
        show_json(document)
    else:
        show_table(("position", "verdict", "answer", "why"), map(_row, marks))
        click.echo(f"{passed} of {len(marks)} pass")
        for mark in marks:
            show_stderr(mark.stderr, f"The end of its stderr at position {mark.name}:")
    ctx.exit(0 if passed == len(marks) else 1)


def _profile(move_ms: int) -> Profile:
    strict = PROFILES["strict"]
    clock = msgspec.structs.replace(strict.clock, first_ms=move_ms, move_ms=move_ms, bank_ms=0)
    return msgspec.structs.replace(strict, clock=clock)


def _row(mark: PositionMark) -> tuple[str, ...]:
    return (mark.name, "passed" if mark.passed else "failed", mark.answer, mark.why)


def _case(mark: PositionMark) -> junit.TestCase:
    seconds = mark.us / 1e6
    if mark.passed:
        return junit.TestCase(mark.name, seconds=seconds)
    stderr = f"\nthe end of its stderr:\n{mark.stderr}" if mark.stderr else ""
    return junit.TestCase(mark.name, "failed", mark.why, f"answer: {mark.answer}{stderr}", seconds)
