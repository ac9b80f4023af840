"""The argument GAME and the option `--set`, with shell completion."""

from collections.abc import Callable, Sequence

import click

from referee import registry
from referee.cli.options.common import Command
from referee.errors import OptionError
from referee.game import Game, GameInfo, Option, Options


def game_argument(required: bool = True) -> Callable[[Command], Command]:
    """Give a command the argument GAME; its parameter `game` is the Game itself.

    A wrong id raises UnknownGameError, which names the nearest.
    """
    return click.argument(
        "game", required=required, is_eager=True, callback=to_game, shell_complete=complete_game
    )


def set_option() -> Callable[[Command], Command]:
    """Give a command with GAME the option `--set name=value`, any number of times.

    Its parameter `settings` is a dict of texts; `Game.resolve` checks names and values.
    """
    return click.option(
        "--set",
        "settings",
        metavar="NAME=VALUE",
        multiple=True,
        callback=_to_settings,
        shell_complete=_complete_setting,
        help="Set an option of the game; see `referee games GAME`.",
    )


def to_game(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Game | None:
    """Return the game with this id; raise UnknownGameError if there is none."""
    return None if value is None else registry.game(value)


def complete_game(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the games whose ids begin with this text."""
    return [id for id in registry.ids() if id.startswith(incomplete)]


def _to_settings(_ctx: click.Context, _param: click.Parameter, values: Sequence[str]) -> Options:
    settings: Options = {}
    for value in values:
        name, equals, setting = value.partition("=")
        if not (name and equals):
            raise OptionError(f"--set takes NAME=VALUE, not {value!r}")
        if name in settings:
            raise OptionError(f"option {name} is set twice", option=name)
        settings[name] = setting
    return settings


def _complete_setting(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    # After a `--set` without its value click has not assigned the words yet: the game is one of them.
    game = next((registry.game(word) for word in ctx.args if word in registry.ids()), None)
    return _settings(game.info, incomplete) if game else []


def _settings(info: GameInfo, incomplete: str) -> list[str]:
    """Return the completions: options as `name=`, or after the equals sign their values."""
    words: list[str] = []
    for option in info.options:
        if incomplete.startswith(f"{option.name}="):
            words += [f"{option.name}={value}" for value in _values(option)]
        else:
            words.append(f"{option.name}=")
    return [word for word in words if word.startswith(incomplete)]


def _values(option: Option) -> Sequence[str | int]:
    if option.choices:
        return option.choices
    # A long range of numbers is no useful completion.
    return range(option.low, option.high + 1) if option.high - option.low < 20 else ()
