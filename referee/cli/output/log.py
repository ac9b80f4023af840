"""`--log`: one line for every event, as text for people or as JSON for programs."""

import json
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import click
import msgspec

from referee.errors import ConfigError
from referee.wording import clean_lines

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("text", "json")


def log_options(command: Command) -> Command:
    """Give a command the options `--log FILE` and `--log-format`."""
    command = click.option(
        "--log-format",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="The format of a line of the log.",
    )(command)
    return click.option(
        "--log",
        type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
        help="Append one line for every event to this file; - is stderr.",
    )(command)


class EventLog:
    """A log, a context manager. Without a file it writes nothing.

    If a line cannot be written the log ends, and the matches go on: results matter more.
    """

    def __init__(self, file: Path | None, form: str) -> None:
        """Open the file; raise ConfigError if that fails."""
        self._logger = logging.Logger("referee")
        if file is None:
            self._logger.disabled = True
            return
        try:
            handler = _Handler(file)
        except OSError as error:
            raise ConfigError(f"cannot write the log {file}: {error.strerror}") from error
        handler.setFormatter(_Json() if form == "json" else _Text())
        self._logger.addHandler(handler)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for handler in list(self._logger.handlers):
            self._logger.removeHandler(handler)
            with suppress(OSError):
                handler.close()

    def write(self, event: str, text: str, level: int = logging.INFO, **facts: object) -> None:
        """Append a line: `text` is for people; `event` and `facts` say the same for programs."""
        self._logger.log(level, "%s", text, extra={"event": event, "facts": facts})


class _Handler(logging.StreamHandler[Any]):
    """Writes each line at once, until a write fails."""

    def __init__(self, file: Path) -> None:
        self._is_ours = str(file) != "-"
        super().__init__(file.open("a", encoding="utf-8") if self._is_ours else sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        if self.stream is not None:
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """End the log, and report it once."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            raise
        self._leave()
        click.echo(f"the log cannot be written and ends: {error.strerror}", err=True)

    def close(self) -> None:
        self._leave()
        super().close()

    def _leave(self) -> None:
        stream, self.stream = self.stream, None
        if stream is not None and self._is_ours:
            with suppress(OSError):
                stream.close()


def _when(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class _Text(logging.Formatter):
    """A line for people, without control characters."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{_when(record)} {' | '.join(clean_lines(record.getMessage()))}"


class _Json(logging.Formatter):
    """A JSON object in ASCII: any file name can be written, and none controls a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        event, facts = record.__dict__["event"], record.__dict__["facts"]
        head = {"time": _when(record), "level": record.levelname.lower(), "event": event}
        return json.dumps(msgspec.to_builtins({**head, "text": record.getMessage(), **facts}))
