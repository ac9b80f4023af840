"""`referee new-bot`: a ready project for a bot: source, build, test, tournament, continuous integration."""

import os
import re
import secrets
import shlex
import shutil
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import click
import msgspec

from protocol import limits
from referee import registry
from referee.cli import examples
from referee.cli.output.printer import show_table
from referee.errors import ConfigError, nearest
from referee.wording import clean
from sample_bots.languages import Language, Sample, languages
from sample_bots.python import SENSIBLE

_PLACES: Final = {
    "gitignore.in": ".gitignore",
    "workflow.yml.in": ".github/workflows/referee.yml",
}
"""Where those templates go whose names do not say it."""

_MADE: Final = frozenset({"__pycache__", "bin", "build", "dist", "node_modules", "obj", "out", "target"})
"""Folders of a sample that building it makes."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+~-]*")


class Project(msgspec.Struct, frozen=True):
    """A project to be written."""

    folder: Path
    name: str
    game: str
    language: Language
    sample: Sample

    @property
    def words(self) -> list[str]:
        """The words that start the bot, in the project's folder."""
        words = [word.replace("{here}", "bot") for word in shlex.split(self.sample.run)]
        # The kit is installed for the Python of the referee, which runs a .py file by itself.
        return words[1:] if words[0] == "python3" and words[1].endswith(".py") else words

    def values(self) -> dict[str, str]:
        """Return what stands in the templates for each name."""
        command = shlex.join(self.words)
        named = shlex.quote(f"{self.name}={command}")
        build = f"cd bot && {self.sample.build}" if self.sample.build else "# Nothing needs to be built."
        return {
            "BUILD": build.replace("$", "$$"),
            "COMMAND": command,
            "GAME": self.game,
            "LANGUAGE": self.language.language,
            "NAME": self.name,
            "NAMED": named,
            "NEEDS": ", ".join(f"`{_bare(need)}`" for need in self.language.needed(self.sample)),
            "SAMPLES": "".join(
                f'\n[[bots]]\nname = "{name}"\nsample = "{name}"\n' for name in rivals(self.game)
            ),
            "SEATS": str(registry.game(self.game).info.least_seats),
            "SEED": secrets.token_hex(8),
            "WORDS": msgspec.json.encode(self.words).decode(),
        }


def rivals(game: str) -> list[str]:
    """Return the samples a new bot meets."""
    return [*filter(None, [SENSIBLE.get(game)]), "random", "first"]


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
    "--game", default="chicago-poker", show_default=True, metavar="GAME", help="What it is rated in."
)
@click.option("--name", help="What the bot is called; default: as its folder.")
@click.option("--list", "as_list", is_flag=True, help="List the languages, and write nothing.")
def new_bot(language: str | None, folder: Path | None, game: str, name: str | None, as_list: bool) -> None:
    """Write a project for a bot in a LANGUAGE into the new folder DIR.

    It has the sample bot of the language, which plays every game at random until you put your idea into it,
    a test, a tournament against the samples, and a script for continuous integration. Then `cd DIR` and
    `make rate` give it a rating.
    """
    if as_list:
        _list()
        return
    if language is None or folder is None:
        raise ConfigError(
            "name a language and a folder: referee new-bot python mybot (--list: the languages)"
        )
    found, sample = _kind(language)
    project = Project(
        folder, _checked(name or folder.resolve().name, game), registry.game(game).info.id, found, sample
    )
    write(project)
    _tell(project)


def write(project: Project) -> None:
    """Write a project into a folder that is empty, or not there yet."""
    folder = project.folder
    was_there = os.path.isdir(folder)
    try:
        if was_there and any(folder.iterdir()):
            raise ConfigError(f"{folder} is not empty, and nothing in it is replaced: name a new folder")
        folder.mkdir(parents=True, exist_ok=was_there)
        try:
            _write(project)
        except OSError:
            # Half a project would be in the way of the next try.
            shutil.rmtree(folder, ignore_errors=True)
            if was_there:
                folder.mkdir()
            raise
    except OSError as error:
        raise ConfigError(f"cannot write a project into {folder}: {error.strerror}") from error


def _write(project: Project) -> None:
    folder = project.folder
    templates = files("referee.cli") / "templates"
    _fill(templates / "project", folder, project)
    (folder / "bot").mkdir()
    own = templates / Path(project.language.folder).name
    if own.is_dir():
        _fill(own, folder / "bot", project)
    else:
        _copy_sample(project.language, folder / "bot")
    for script in ("test.sh", "ci.sh"):
        (folder / script).chmod(0o755)


def _fill(templates: Traversable, folder: Path, project: Project) -> None:
    """Write every template with the project's values in it."""
    values = project.values()
    for template in templates.iterdir():
        target = folder / _PLACES.get(template.name, template.name.removesuffix(".in"))
        target.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"@([A-Z]+)@", lambda found: values[found[1]], template.read_text("utf-8"))
        target.write_text(text, encoding="utf-8")


def _copy_sample(language: Language, target: Path) -> None:
    """Copy the sources of a sample, and the kit they are written with if that stands elsewhere."""
    source = Path(language.folder)
    _copy(source, target)
    if language.kit:
        _copy(source / language.kit, target / "kit")
        for path in target.iterdir():
            if path.is_file():
                path.write_text(path.read_text("utf-8").replace(language.kit, "./kit"), encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    """Copy the sources in a folder: not what was built of them, and not what describes them to us."""
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        if path.is_file() and inside.name != "bot.toml" and _MADE.isdisjoint(inside.parts) and _is_text(path):
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / inside)


def _is_text(path: Path) -> bool:
    try:
        return "\0" not in path.read_text("utf-8")
    except UnicodeDecodeError:
        return False


def _kinds() -> dict[str, tuple[Language, Sample]]:
    """Return what can be asked for: a language, meaning its first sample, or a sample by its own name."""
    found = languages()
    named = {sample.name: (language, sample) for language in found.values() for sample in language.bot}
    return named | {name: (language, language.bot[0]) for name, language in found.items()}


def _kind(language: str) -> tuple[Language, Sample]:
    kinds = _kinds()
    if language not in kinds:
        raise ConfigError(f"there is no sample bot in {language!r}: {nearest(language, kinds)}")
    return kinds[language]


def _complete(incomplete: str) -> list[str]:
    return [name for name in sorted(_kinds()) if name.startswith(incomplete)]


def _checked(name: str, game: str) -> str:
    """Return a name that can stand in a table and in a command line, or say what is wrong with it."""
    if not _NAME.fullmatch(name) or len(name) > limits.NAME_LENGTH:
        raise ConfigError(
            f"a bot cannot be called {clean(name)!r}: up to {limits.NAME_LENGTH} letters, digits and _.+~-, "
            "a letter or digit first; --name gives it another name than its folder has"
        )
    if name in rivals(registry.game(game).info.id):
        raise ConfigError(f"{name} is the name of a sample it will meet; --name gives it another")
    return name


def _list() -> None:
    rows = [
        (name, language.language, sample.transport, _tools(language, sample))
        for name, (language, sample) in sorted(_kinds().items())
    ]
    show_table(("name", "language", "speaks", "needs"), rows)


def _tools(language: Language, sample: Sample) -> str:
    missing = language.missing(sample)
    needs = ", ".join(map(_bare, language.needed(sample)))
    return f"{needs} (missing here: {', '.join(map(_bare, missing))})" if missing else needs


def _bare(need: str) -> str:
    """Return a need as one would look for it: the library, not the tool that finds it."""
    command, _, library = need.partition(":")
    return library.replace("|", " or ") if library else command


def _tell(project: Project) -> None:
    folder = clean(shlex.quote(str(project.folder)))
    click.echo(f"{folder} is written: a bot in {project.language.language} that plays every game. Next:")
    click.echo(f"  cd {folder}")
    click.echo("  make rate")
    click.echo("Then put your idea where bot/README.md says, and `make again`.")
    if missing := project.language.missing(project.sample):
        click.echo(
            f"note: this machine lacks {', '.join(map(_bare, missing))}, which the bot needs", err=True
        )
