"""Projects for new bots: source, build, test, tournament and continuous integration, from templates."""

import os
import re
import secrets
import shlex
import shutil
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import msgspec

from protocol import limits
from referee import registry
from referee.errors import ConfigError, nearest
from referee.wording import clean
from sample_bots.languages import Language, Sample, languages

_PLACES: Final = {
    "gitignore.in": ".gitignore",
    "workflow.yml.in": ".github/workflows/referee.yml",
}
"""Paths in the project of templates with another name."""

_MADE: Final = frozenset({"__pycache__", "bin", "build", "dist", "node_modules", "obj", "out", "target"})
"""Folders of a sample that its build makes."""

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
        """Return the value of each placeholder of the templates."""
        command = shlex.join(self.words)
        named = shlex.quote(f"{self.name}={command}")
        needs = ", ".join(f"`{bare(need)}`" for need in self.language.needed(self.sample))
        build = f"cd bot && {self.sample.build}" if self.sample.build else "# Nothing needs to be built."
        return {
            "ALSO": f", and {needs}" if needs else "",
            "BUILD": build.replace("$", "$$"),
            "BUILDLINE": msgspec.json.encode(build if self.sample.build else "").decode(),
            "COMMAND": command,
            "GAME": self.game,
            "LANGUAGE": self.language.language,
            "NAME": self.name,
            "NAMED": named,
            "NEEDS": f"{needs}: install here what the runner lacks, as bot/README.md says"
            if needs
            else "nothing but the referee",
            "SAMPLES": "".join(
                f'\n[[bots]]\nname = "{name}"\nsample = "{name}"\n' for name in rivals(self.game)
            ),
            "SEATS": str(registry.game(self.game).info.least_seats),
            "SEED": secrets.token_hex(8),
            "WORDS": msgspec.json.encode(self.words).decode(),
        }


def rivals(game: str) -> list[str]:
    """Return the samples that a new bot plays against."""
    return [*(sample.name for sample in registry.game(game).info.samples[:1]), "random", "first"]


def new_project(language: str, folder: Path, game: str, name: str | None) -> Project:
    """Return the project that an operator asked for; by default the bot is called as its folder.

    Raises ConfigError for a language, game or name that there cannot be.
    """
    known = kinds()
    if language not in known:
        raise ConfigError(f"there is no sample bot in {language!r}: {nearest(language, known)}")
    found, sample = known[language]
    id = registry.game(game).info.id
    return Project(folder, _checked(name or folder.resolve().name, id), id, found, sample)


def kinds() -> dict[str, tuple[Language, Sample]]:
    """Return the possible kinds of projects: a language (its first sample), or the name of a sample."""
    found = languages()
    named = {sample.name: (language, sample) for language in found.values() for sample in language.bot}
    return named | {name: (language, language.bot[0]) for name, language in found.items()}


def write(project: Project) -> None:
    """Write a project into a folder that is empty, or not there yet."""
    folder = project.folder
    was_there = os.path.isdir(folder)
    try:
        if was_there and any(folder.iterdir()):
            raise ConfigError(
                f"{folder} is not empty, and existing files are never replaced: name a new folder"
            )
        folder.mkdir(parents=True, exist_ok=was_there)
        try:
            _write(project)
        except OSError:
            # Half a project would make the next attempt fail.
            shutil.rmtree(folder, ignore_errors=True)
            if was_there:
                folder.mkdir()
            raise
    except OSError as error:
        raise ConfigError(f"cannot write a project into {folder}: {error.strerror}") from error


def _write(project: Project) -> None:
    folder = project.folder
    templates = files("sample_bots") / "templates"
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
    """Copy the sources of a sample, and its kit if that is in another folder."""
    source = Path(language.folder)
    _copy(source, target)
    if language.kit:
        _copy(source / language.kit, target / "kit")
        for path in target.iterdir():
            if path.is_file():
                path.write_text(path.read_text("utf-8").replace(language.kit, "./kit"), encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    """Copy the sources in a folder, without built files and without `bot.toml`."""
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


def _checked(name: str, game: str) -> str:
    """Return a name that is safe in a table and in a command line; raise ConfigError for another."""
    if not _NAME.fullmatch(name) or len(name) > limits.NAME_LENGTH:
        raise ConfigError(
            f"a bot cannot be called {clean(name)!r}: use up to {limits.NAME_LENGTH} letters, digits and "
            "_.+~-, a letter or digit first; --name NAME gives it another name than its folder"
        )
    if name in rivals(game):
        raise ConfigError(
            f"{name} is the name of a sample bot it will play against: give another with --name NAME"
        )
    return name


def bare(need: str) -> str:
    """Return the name to search for: the library, not the tool that finds it."""
    command, _, library = need.partition(":")
    return library.replace("|", " or ") if library else command
