"""`--web`: the site of what a command plays, in a process of its own."""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar

import click

from referee.errors import ConfigError

Command = TypeVar("Command", bound=Callable[..., Any])

PORT = "8000"
"""The port of a site, if none is named."""

_NEEDED = ("starlette", "uvicorn")


def web_option(command: Command) -> Command:
    """Give a command the option `--web [HOST:]PORT`."""
    return click.option(
        "--web",
        metavar="[HOST:]PORT",
        is_flag=False,
        flag_value=PORT,
        callback=_check,
        help=f"Show everything in browsers while it is played, at this port; without one: {PORT}. "
        "Only this host can reach it, unless another HOST is named.",
    )(command)


def web_stay_option(command: Command) -> Command:
    """Give a command that ends by itself the option `--web-stay`; None: if a person is at the terminal."""
    return click.option(
        "--web-stay/--no-web-stay",
        default=None,
        help="Keep the site of --web after the end until Ctrl-C; default: if stderr is a terminal.",
    )(command)


def stays(web_stay: bool | None) -> bool:
    """Return whether the site is to stay after the end of what was played."""
    return sys.stderr.isatty() if web_stay is None else web_stay


def _check(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
    """Refuse `--web` where its libraries are missing, before anything is started."""
    if text is not None:
        check_libraries("--web")
    return text


def check_libraries(option: str, *names: str) -> None:
    """Raise ConfigError if the libraries of the site are not installed, or these."""
    if any(find_spec(name) is None for name in names or _NEEDED):
        raise ConfigError(f"{option} needs further libraries: pip install 'chicago-referee[web]'")
