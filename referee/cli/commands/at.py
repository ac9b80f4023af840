"""`referee at`: asks a bot at a recorded decision."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import json_option
from referee.cli.options.terms import level_options, limit_option
from referee.cli.output.printer import show_json, show_stderr
from referee.errors import ConfigError
from referee.hub.interview import Interview, InterviewAnswer, describe
from referee.hub.suite_file import Verdicts, add_position, verdicts_at
from referee.match.faults import PROFILES, FaultCode, Profile
from referee.process.sandbox.levels import check_folders
from referee.process.spec import BotSpec, Level, ResourceLimits
from referee.replay.narration import distinct
from referee.replay.position import Recorded, recorded
from referee.wording import clean, clean_lines, shell_line
from tournaments.config.bots import name_of, read_program


@click.command(
    epilog=examples(
        "referee at replays/m-1.jsonl --seat 0 --decision 3 -- python mybot.py",
        "referee at replays/m-1.jsonl --seat alice --decision 12 --json -- ./bot --level 3",
        "referee at replays/m-1.jsonl --seat 0 --decision 3 --add-to suite.toml",
        "referee at feedback/alice/replays/m-1.seat.json --decision 3 -- python mybot.py",
    )
)
@click.argument("replay", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("command", nargs=-1)
@click.option(
    "--seat",
    metavar="SEAT",
    help="The seat: its number, or the name of its bot. A file of `referee feedback` has one seat only.",
)
@click.option(
    "--decision",
    type=click.IntRange(min=1),
    required=True,
    help="The number of the seat's decision, counted from 1 as in `referee why`.",
)
@click.option(
    "--add-to",
    "suite",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Add the position to a suite of `referee positions`, which is made if it is missing. The action "
    "that was played is forbidden; where there was no answer, every legal one is allowed.",
)
@click.option("--allowed", metavar="ACTION", multiple=True, help="With --add-to: only this answer passes.")
@click.option("--forbidden", metavar="ACTION", multiple=True, help="With --add-to: this answer fails.")
@limit_option()
@level_options()
@json_option
@click.pass_context
def at(
    ctx: click.Context,
    /,
    replay: Path,
    command: tuple[str, ...],
    seat: str | None,
    decision: int,
    suite: Path | None,
    allowed: tuple[str, ...],
    forbidden: tuple[str, ...],
    limits: ResourceLimits,
    level: Level,
    as_json: bool,
) -> None:
    """Ask a bot what it would do at a recorded decision of a REPLAY.

    The bot receives everything that the seat had seen, in one ask, and has the time of a first decision.
    COMMAND is a command line or the name of a sample bot; with --add-to it may be left out.

    Exits with 0 if the answer is legal, 1 if it is not legal or the bot did not answer, 2 if the bot or the
    replay could not be used.
    """
    if suite is None and (allowed or forbidden):
        raise ConfigError("--allowed and --forbidden belong to --add-to FILE")
    if suite is None and not command:
        raise ConfigError("give the command of a bot after `--`, or --add-to FILE")
    found = recorded(replay, seat, decision)
    if suite is not None:
        _add(suite, replay, found, verdicts_at(found, allowed, forbidden), command)
    if not command:
        return
    program = read_program(command, limits, level)
    spec = BotSpec(name_of(program), program)
    check_folders([spec], [replay])
    with Interview(spec, _profile(found)) as interview:
        answer = interview.ask(found.position)
    refusal = found.position.refusal(answer.action) if not answer.fault else ""
    if as_json:
        show_json(_document(found, answer, refusal))
    else:
        _show(found, answer, refusal)
    ctx.exit(1 if answer.fault or refusal else 0)


def _add(suite: Path, replay: Path, found: Recorded, verdicts: Verdicts, command: Sequence[str]) -> None:
    name = add_position(suite, replay, found, verdicts)
    # On stderr: the answer of the bot follows, perhaps as JSON.
    click.echo(f"added to {clean(str(suite))}: {clean(name)}", err=True)
    click.echo(f"  {clean(verdicts.in_words())}", err=True)
    if not command:
        bot = shell_line(["referee", "positions", str(suite), "--"])
        click.echo(f"To check a bot: {bot} COMMAND", err=True)


def _profile(found: Recorded) -> Profile:
    """Return the terms of the recorded match."""
    return msgspec.structs.replace(PROFILES["strict"], name=found.profile, clock=found.clock)


def _document(found: Recorded, answer: InterviewAnswer, refusal: str) -> dict[str, Any]:
    position = found.position
    return {
        "match": position.match,
        "game": position.game.info.id,
        "seat": position.seat,
        "decision": found.decision,
        "view": position.state.view(position.seat),
        "legal": position.state.legal(position.seat),
        "answer": answer.action,
        "plan": answer.actions,
        "is_legal": not (answer.fault or refusal),
        "fault": answer.fault or (FaultCode.ILLEGAL.value if refusal else ""),
        "why": answer.why or refusal,
        "us": answer.us,
        "stderr": answer.stderr,
        "played": found.action,
        "played_by": found.by,
    }


def _show(found: Recorded, answer: InterviewAnswer, refusal: str) -> None:
    position = found.position
    name = distinct(position.names)[position.seat]
    click.echo(
        clean(
            f"{position.game.info.title}, match {position.match}, "
            f"seat {position.seat} ({name}), decision {found.decision}"
        )
    )
    click.echo()
    for line in clean_lines(position.game.draw(position.state.view(position.seat))):
        click.echo(f"  {line}")
    click.echo()
    click.echo(clean(f"Legal:     {' | '.join(position.state.legal(position.seat))}"))
    click.echo(clean(f"Answer:    {describe(answer, refusal)}"))
    played = f"{found.action}{' (the house)' if found.by == 'house' else ''}" if found.action else "nothing"
    same = ", the same" if played == answer.action else ""
    click.echo(clean(f"Played:    {played}{same}"))
    show_stderr(answer.stderr, "The end of its stderr:")
