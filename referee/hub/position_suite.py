"""Suites of positions: a file of positions with the answers that pass, and the marks of a bot for them."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from protocol.msgspec_errors import split_validation_error
from referee.errors import ConfigError, RefereeError, nearest
from referee.game import Options
from referee.hub.interview import InterviewAnswer, describe
from referee.replay.position import AskPosition, reached, recorded


class PositionEntry(msgspec.Struct, frozen=True):
    """A position as it is written in the file."""

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


class PositionTask(msgspec.Struct, frozen=True):
    """A position, and the answers that pass."""

    name: str
    position: AskPosition
    allowed: list[str]
    forbidden: list[str]

    def failure(self, answer: InterviewAnswer) -> str:
        """Return the reason why an answer does not pass; '' if it passes."""
        if answer.fault:
            return describe(answer, "")
        if refusal := self.position.refusal(answer.action):
            return f"not legal: {refusal}"
        if answer.action in self.forbidden:
            return "forbidden"
        if self.allowed and answer.action not in self.allowed:
            return f"allowed: {' | '.join(self.allowed)}"
        return ""

    def mark(self, answer: InterviewAnswer) -> "PositionMark":
        """Compare an answer with those that pass."""
        failure = self.failure(answer)
        return PositionMark(self.name, not failure, answer.action, failure, answer.us, answer.stderr)


class PositionMark(msgspec.Struct, frozen=True):
    """The verdict on a bot's answer at one position."""

    name: str
    passed: bool
    answer: str
    why: str
    us: int
    stderr: str = ""
    """The end of what the bot wrote to stderr, if it failed."""


def read_tasks(file: Path) -> Iterator[PositionTask]:
    """Return the positions of a file, rebuilt by the rules.

    Raises ConfigError, which names the file, the position, the key, and the valid values.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: cannot be read: it is not UTF-8 text") from error
    written = list(_from_toml(file, text) if file.suffix == ".toml" else _from_lines(file, text))
    if not written:
        raise ConfigError(f"{file}: there are no positions: begin each with a line [[positions]]")
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
    """Return every position as the file spells it, with its line."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise ConfigError(f"{file}, line {number}: not JSON: {error}") from error


def _from_toml(file: Path, text: str) -> Iterator[tuple[int, Any]]:
    """Return every position as the file spells it, with its line."""
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


def _task(raw: Any, number: int, folder: Path) -> PositionTask:
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
    return PositionTask(entry.name or str(number), position, entry.allowed, entry.forbidden)


def _entry(raw: Any) -> PositionEntry:
    known = PositionEntry.__struct_fields__
    for key in raw if isinstance(raw, dict) else ():
        if key not in known:
            raise ConfigError(f"{key}: there is no such key: {nearest(key, known)}")
    try:
        return msgspec.convert(raw, PositionEntry)
    except msgspec.ValidationError as error:
        what, path = split_validation_error(error)
        key = path.removeprefix("$.")
        raise ConfigError(f"{key}: {what}" if key else what) from error


def _position(entry: PositionEntry, number: int, folder: Path) -> AskPosition:
    if (entry.replay is None) == (entry.game is None):
        raise ConfigError("replay: give either replay, seat and decision, or game, seed and actions")
    if entry.replay is not None:
        if entry.decision is None:
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
