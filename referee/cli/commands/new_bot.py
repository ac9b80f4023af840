"""`referee new-bot`: writes a project for a bot: source, build, test, tournament, continuous integration."""

import shlex
from pathlib import Path

import click

from referee.cli import examples
from referee.cli.output.printer import show_table
from referee.errors import ConfigError
from referee.wording import clean
from sample_bots.languages import Language, Sample
from sample_bots.project import Project, bare, kinds, new_project, write


@click.command(
    "new-bot",
    epilog=examples(
        "referee new-bot python mybot",
        "referee new-bot rust bots/ferris --game gangsters",
        "referee new-bot --list",
    ),
)
@click.argument("language", required=False, shell_complete=lambda _c, _p, text: _complete(text))
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--game",
    default="chicago-poker",
    show_default=True,
    metavar="GAME",
    help="The game in which it is rated.",
)
@click.option("--name", help="The bot's name; default: that of its folder.")
@click.option("--list", "as_list", is_flag=True, help="List the languages and exit.")
def new_bot(language: str | None, folder: Path | None, game: str, name: str | None, as_list: bool) -> None:
    """Write a project for a bot in a LANGUAGE into a new folder DIR.

    The project has the sample bot of the language, which plays every game at random until you put your idea
    into it, a test, a tournament against the sample bots, and a script for continuous integration. Then
    `cd DIR` and `make rate` print its rating.
    """
    if as_list:
        _list()
        return
    if language is None or folder is None:
        raise ConfigError(
            "give a language and a folder, as in: referee new-bot python mybot (--list prints the languages)"
        )
    project = new_project(language, folder, game, name)
    write(project)
    _show_next_steps(project)


def _complete(incomplete: str) -> list[str]:
    return [name for name in sorted(kinds()) if name.startswith(incomplete)]


def _list() -> None:
    rows = [
        (name, language.language, sample.transport, _tools(language, sample))
        for name, (language, sample) in sorted(kinds().items())
    ]
    show_table(("name", "language", "speaks", "needs"), rows)


def _tools(language: Language, sample: Sample) -> str:
    missing = language.missing(sample)
    needs = ", ".join(map(bare, language.needed(sample))) or "nothing but the referee"
    return f"{needs} (missing here: {', '.join(map(bare, missing))})" if missing else needs


def _show_next_steps(project: Project) -> None:
    folder = clean(shlex.quote(str(project.folder)))
    click.echo(f"{folder} is written: a bot in {project.language.language} that plays every game. Next:")
    click.echo(f"  cd {folder}")
    click.echo("  make rate")
    click.echo("Then put your idea into the function that bot/README.md names, and run `make again`.")
    if missing := project.language.missing(project.sample):
        click.echo(f"note: the bot needs {', '.join(map(bare, missing))}, which this host lacks", err=True)
