"""Options and arguments of many commands: `--json`, FILE, and whole numbers above zero."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

POSITIVE = click.IntRange(min=1)


def file_argument(command: Command) -> Command:
    """Give a command the argument FILE, a tournament file."""
    return click.argument("file", type=click.Path(dir_okay=False, path_type=Path))(command)


def subject_argument(command: Command) -> Command:
    """Give a command the argument FILE: a tournament file, the folder of a ladder, or its store."""
    return click.argument("file", type=click.Path(path_type=Path))(command)


def json_option(command: Command) -> Command:
    """Give a command the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)
