"""`referee positions`: a file of positions with the answers one wants is a regression suite for a bot."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli import examples
from referee.cli.commands.at import told
from referee.cli.options.terms import level_options, limit_option
from referee.cli.output.printer import show_table
from referee.errors import ConfigError, RefereeError, nearest
from referee.game import Options
from referee.hub.interview import Interview, InterviewAnswer
from referee.match.faults import PROFILES, Profile
from referee.process.sandbox.levels import check_folders
from referee.process.spec import BotSpec, Level, ResourceLimits
from referee.replay.position import AskPosition, reached, recorded
from tournaments.config.bots import name_of, read_program
from tournaments.report import junit

KEYS = """\b
FILE is TOML, a [[positions]] for each, or JSON Lines, an object for each. Keys:
  name                what to call it; default: its number
  replay, decision    a replay, relative to FILE, and which decision of the seat
  game, seed, deal, seats, options, actions
                      or a deal as `referee play` makes it, and all actions since
  seat                who is asked: a number, or a name in the replay
  allowed, forbidden  lists of actions, at least one of the two
"""


class PositionEntry(msgspec.Struct, frozen=True):
    """A position as it is written down."""

    name: str = ""
    replay: str | None = None
    decision: int | None = None
    game: str | None = None
    seats: int | None = None
    options: Options = {}
    seed: str | None = None
    deal: str = "0001"
    actions: list[str] = []
    seat: int | str | None = None
    allowed: list[str] = []
    forbidden: list[str] = []


class Task(msgspec.Struct, frozen=True):
    """A position, and which answers pass."""

    name: str
    position: AskPosition
    allowed: list[str]
    forbidden: list[str]

    def failure(self, answer: InterviewAnswer) -> str:
        """Say why an answer does not pass; '' if it does."""
        if answer.fault:
            return told(answer, "")
        if refusal := self.position.refusal(answer.action):
            return f"not legal: {refusal}"
        if answer.action in self.forbidden:
            return "forbidden"
        if self.allowed and answer.action not in self.allowed:
            return f"allowed: {' | '.join(self.allowed)}"
        return ""


class Mark(msgspec.Struct, frozen=True):
    """What a bot made of one position."""

    name: str
    passed: bool
    answer: str
    why: str
    us: int


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
    help="The time for each answer.",
)
@limit_option()
@level_options()
@click.option(
    "--junit", "junit_file", type=click.Path(dir_okay=False, path_type=Path), help="Also write JUnit XML."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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
    """Ask the bot started by COMMAND at every position of a FILE, and compare its answers.

    COMMAND may be a sample's name. Exits with 0 if all answers pass, 1 if some do not, 2 if the file is
    wrong or the bot does not start.
    """
    tasks = list(read_tasks(file))
    program = read_program(command, limits, level)
    spec = BotSpec(name_of(program), program)
    check_folders([spec], [file])
    marks: list[Mark] = []
    with Interview(spec, _profile(move_ms)) as interview:
        for task in tasks:
            answer = interview.ask(task.position)
            failure = task.failure(answer)
            marks.append(Mark(task.name, not failure, answer.action, failure, answer.us))
    if junit_file is not None:
        junit.write(junit_file, f"referee positions {file.name}", map(_case, marks))
    passed = sum(mark.passed for mark in marks)
    if as_json:
        document = {"file": str(file), "bot": program.command_line(), "passed": passed, "positions": marks}
        click.echo(msgspec.json.format(msgspec.json.encode(document)))
    else:
        show_table(("position", "verdict", "answer", "why"), map(_row, marks))
        click.echo(f"{passed} of {len(marks)} pass")
    ctx.exit(0 if passed == len(marks) else 1)


def _profile(move_ms: int) -> Profile:
    strict = PROFILES["strict"]
    clock = msgspec.structs.replace(strict.clock, first_ms=move_ms, move_ms=move_ms, bank_ms=0)
    return msgspec.structs.replace(strict, clock=clock)


def _row(mark: Mark) -> tuple[str, ...]:
    return (mark.name, "passed" if mark.passed else "failed", mark.answer, mark.why)


def _case(mark: Mark) -> junit.TestCase:
    seconds = mark.us / 1e6
    if mark.passed:
        return junit.TestCase(mark.name, seconds=seconds)
    return junit.TestCase(mark.name, "failed", mark.why, f"answer: {mark.answer}", seconds)


# Reading.


def read_tasks(file: Path) -> Iterator[Task]:
    """Return the positions of a file, rebuilt by the rules.

    Raises ConfigError, which names the file, the position, the key, and what would be right.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from error
    written = list(_from_toml(file, text) if file.suffix == ".toml" else _from_lines(file, text))
    if not written:
        raise ConfigError(f"{file}: no positions: begin each with a line [[positions]]")
    names: set[str] = set()
    for number, (line, raw) in enumerate(written, 1):
        try:
            task = _task(raw, number, file.parent)
            if task.name in names:
                raise ConfigError("name: there is another position of this name")
        except RefereeError as error:
            raise ConfigError(f"{file}, line {line}, position {number}: {error}") from error
        names.add(task.name)
        yield task


def _from_lines(file: Path, text: str) -> Iterator[tuple[int, Any]]:
    """Return every position as it is written, with its line."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise ConfigError(f"{file}, line {number}: not JSON: {error}") from error


def _from_toml(file: Path, text: str) -> Iterator[tuple[int, Any]]:
    """Return every position as it is written, with its line."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: not TOML: {error}") from error
    found = document.pop("positions", [])
    if document or not isinstance(found, list):
        key = next(iter(document), "positions")
        raise ConfigError(f"{file}: {key}: begin each position with a line [[positions]], and write no more")
    heads = re.compile(r"\s*\[\[\s*positions\s*\]\]")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if heads.match(line)]
    for number, raw in enumerate(found):
        yield lines[number] if number < len(lines) else 1, raw


def _task(raw: Any, number: int, folder: Path) -> Task:
    entry = _entry(raw)
    position = _position(entry, number, folder)
    if not (entry.allowed or entry.forbidden):
        raise ConfigError("allowed: name the answers that pass, or those that do not under forbidden")
    legal = position.state.legal(position.seat)
    for key, actions in (("allowed", entry.allowed), ("forbidden", entry.forbidden)):
        for action in actions:
            if action not in legal:
                raise ConfigError(
                    f"{key}: {action!r} is not legal at this position: {nearest(action, legal)}"
                )
    return Task(entry.name or str(number), position, entry.allowed, entry.forbidden)


def _entry(raw: Any) -> PositionEntry:
    known = PositionEntry.__struct_fields__
    for key in raw if isinstance(raw, dict) else ():
        if key not in known:
            raise ConfigError(f"{key}: there is no such key: {nearest(key, known)}")
    try:
        return msgspec.convert(raw, PositionEntry)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`")
        raise ConfigError(f"{key}: {what}" if key else what) from error


def _position(entry: PositionEntry, number: int, folder: Path) -> AskPosition:
    if (entry.replay is None) == (entry.game is None):
        raise ConfigError("replay: give either replay, seat and decision, or game, seed and actions")
    if entry.replay is not None:
        if entry.seat is None or entry.decision is None:
            raise ConfigError("decision: a position of a replay needs seat and decision")
        return recorded(folder / entry.replay, entry.seat, entry.decision).position
    if entry.seed is None or entry.game is None:
        raise ConfigError("seed: a position of a deal needs the seed of the deal")
    if isinstance(entry.seat, str):
        raise ConfigError("seat: without a replay a seat is a number")
    return reached(
        match=f"position-{number}",
        game_id=entry.game,
        seats=entry.seats,
        options=entry.options,
        seed=entry.seed,
        deal=entry.deal,
        actions=entry.actions,
        seat=entry.seat,
    )
