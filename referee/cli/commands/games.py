"""`referee games` and `referee rules`: list the games, their options and their rules."""

import click

from referee import registry
from referee.cli import examples
from referee.cli.options.common import json_option
from referee.cli.options.games import game_argument
from referee.cli.output.printer import is_for_people, show_facts, show_json, show_table
from referee.game import Game, GameInfo, Option, Options


@click.command(epilog=examples("referee games", "referee games chicago-poker", "referee games --json"))
@game_argument(required=False)
@json_option
def games(game: Game | None, as_json: bool) -> None:
    """List the games, or show options and presets of one GAME."""
    infos = [found.info for found in ([game] if game else registry.games().values())]
    if as_json:
        show_json(infos[0] if game else infos)
    elif game:
        _show_game(game.info)
    else:
        rows = [(info.id, info.title, _seats(info), _option_names(info)) for info in infos]
        show_table(("game", "title", "seats", "options"), rows)


@click.command(epilog=examples("referee rules chicago-poker", "referee rules chicago-poker | less"))
@game_argument()
def rules(game: Game) -> None:
    """Print the rules of a GAME: its actions, events and view, for authors of bots."""
    text = registry.rules(game)
    if not is_for_people():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    if text.count("\n") < console.size.height:
        console.print(Markdown(text))
    else:
        with console.pager(styles=True):
            console.print(Markdown(text))


def _seats(info: GameInfo) -> str:
    least, most = info.least_seats, info.most_seats
    return str(least) if least == most else f"{least}-{most}"


def _option_names(info: GameInfo) -> str:
    return ", ".join(option.name for option in info.options)


def _values(option: Option) -> str:
    return "|".join(option.choices) if option.choices else f"{option.low}..{option.high}"


def _show_game(info: GameInfo) -> None:
    click.echo(f"{info.title} ({info.id}), {_seats(info)} seats")
    click.echo(info.summary)
    if info.options:
        click.echo("\nOptions:")
        rows = [(o.name, str(o.default), _values(o), o.meaning) for o in info.options]
        show_facts([("name", "default", "values", "meaning"), *rows])
    if info.presets:
        click.echo("\nPresets:")
        show_facts((name, _spelled(preset)) for name, preset in info.presets.items())


def _spelled(preset: Options) -> str:
    return " ".join(f"{name}={value}" for name, value in preset.items()) or "the defaults"
