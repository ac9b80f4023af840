"""Reads a file of TOML that an operator writes into the struct of its keys, with all mistakes at once."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tournaments.config.mistakes import Mistakes, PlanError, look, syntax_error

Keys = TypeVar("Keys", bound=msgspec.Struct)


def read_keys(
    path: Path,
    kind: type[Keys],
    what: str,
    look_first: Callable[[Mapping[str, Any], Mistakes], None] = lambda *_: None,
    text: str | None = None,
) -> tuple[Keys, Mistakes]:
    """Return the keys of a file, and where further mistakes of it are collected; raises PlanError.

    `what` says in words which file it is, such as `tournament file`. `look_first` notes mistakes that the
    kinds of the keys do not show. With a `text` the file is read as if it had that text.
    """
    text = read_text(path) if text is None else text
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(path, error) from error
    except (ValueError, RecursionError) as error:
        holds = (
            "values nested too deeply"
            if isinstance(error, RecursionError)
            else "a number of thousands of digits"
        )
        raise PlanError(f"{path}: this is no {what}: it holds {holds}") from error
    mistakes = Mistakes(path, text, kind.__struct_fields__)
    look_first(raw, mistakes)
    look(raw, kind, mistakes)
    mistakes.raise_any()
    return msgspec.convert(raw, kind), mistakes


def read_text(path: Path) -> str:
    """Return the text of a file; raises PlanError."""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise PlanError(f"cannot read {path}: {reason}") from error
