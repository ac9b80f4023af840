"""Adds positions to the file of a suite: the file is written whole, and only if it can be read afterwards."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

from referee.errors import ConfigError, nearest
from referee.hub.position_suite import read_tasks
from referee.replay.position import Recorded
from referee.wording import clean


class Verdicts:
    """The answers at a position that pass, and those that do not."""

    def __init__(self, allowed: Sequence[str], forbidden: Sequence[str]) -> None:
        self.allowed = list(allowed)
        self.forbidden = list(forbidden)

    def in_words(self) -> str:
        """Return them in one line."""
        if self.forbidden:
            return f"forbidden: {' | '.join(self.forbidden)}"
        most = 6
        more = f" and {len(self.allowed) - most} more" if len(self.allowed) > most else ""
        return f"allowed: {' | '.join(self.allowed[:most])}{more}"


def verdicts_at(found: Recorded, allowed: Sequence[str], forbidden: Sequence[str]) -> Verdicts:
    """Return the verdicts of a position that is added: those that are given, or else the usual ones.

    An author comes back to a decision because of a mistake. So the action that the bot played there is
    forbidden. Where it gave no answer the mistake was that, and every legal answer passes.
    """
    position = found.position
    legal = position.state.legal(position.seat)
    for action in [*allowed, *forbidden]:
        if action not in legal:
            hint = nearest(action, legal)
            raise ConfigError(f"{action!r} is not legal at decision {found.decision}: {hint}")
    if allowed or forbidden:
        return Verdicts(allowed, forbidden)
    if not found.action or found.by == "house":
        return Verdicts(legal, ())
    if len(legal) == 1:
        raise ConfigError(
            f"decision {found.decision} has one legal action, {found.action!r}, which cannot be forbidden: "
            f"add it with --allowed {found.action!r}"
        )
    return Verdicts((), [found.action])


def add_position(file: Path, replay: Path, found: Recorded, verdicts: Verdicts) -> str:
    """Append a position of a replay to a suite, which is made if it is missing; return its name.

    The path of the replay counts from the folder of the file. Raises ConfigError if the position is there
    already, or the file cannot be read or written; then it is as it was.
    """
    name = f"{found.position.match}, seat {found.position.seat}, decision {found.decision}"
    entry: dict[str, Any] = {
        "name": name,
        "replay": os.path.relpath(replay.resolve(), file.resolve().parent),
        "seat": found.position.seat,
        "decision": found.decision,
    }
    entry |= {"allowed": verdicts.allowed} if verdicts.allowed else {}
    entry |= {"forbidden": verdicts.forbidden} if verdicts.forbidden else {}
    before = ""
    if file.exists():
        if any(task.name == name for task in read_tasks(file)):
            raise ConfigError(f"{clean(str(file))} has this position already: {name}")
        before = file.read_text(encoding="utf-8")
    added = _toml(entry) if file.suffix == ".toml" else json.dumps(entry) + "\n"
    gap = "\n" if before and not before.endswith("\n") else ""
    between = "\n" if before and file.suffix == ".toml" else ""
    _write(file, before + gap + between + added)
    return name


def _write(file: Path, text: str) -> None:
    """Write a suite whole, after a look whether it can be read."""
    aside = file.with_name(f".{token_hex(8)}{file.suffix}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(text, encoding="utf-8")
        if file.exists():
            aside.chmod(file.stat().st_mode & 0o777)
        list(read_tasks(aside))
        aside.replace(file)
    except OSError as error:
        raise ConfigError(f"cannot write {clean(str(file))}: {error.strerror}") from error
    finally:
        aside.unlink(missing_ok=True)


def _toml(entry: dict[str, Any]) -> str:
    lines = [f"{key} = {_value(value)}" for key, value in entry.items()]
    return "\n".join(["[[positions]]", *lines, ""])


def _value(value: str | int | list[str]) -> str:
    """Return a value of TOML, which spells texts as JSON does, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
