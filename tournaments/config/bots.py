"""What an operator may write for a bot: a sample's name, a Python file, a command line, or a person.

The command line and the tournament file both read bots here.
"""

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

import sample_bots
from protocol import limits
from referee import names
from referee.errors import ConfigError, LaunchError, nearest
from referee.process.spec import BotSpec, Level, Program, ResourceLimits, Transport, program
from sample_bots import languages
from sample_bots.catalog import program_of, samples

HUMAN = "human"
"""The name that stands for a person at the terminal, on the command line and in the replay."""
BROWSER = "browser"
"""The name that stands for a person at a browser, on the command line and in the replay."""
PEOPLE = (HUMAN, BROWSER)

_ROOT = str(Path(sample_bots.__path__[0]).parent)
"""The folder that the samples are imported from, installed or not."""

_NAMED = re.compile(r"([A-Za-z0-9][\w.+~-]*)=(.+)", re.DOTALL)


def sample_names() -> list[str]:
    """Return the names of all samples."""
    return sorted({*samples(), *languages.samples()})


def check_sample(name: str) -> None:
    """Refuse the name of a sample that does not exist."""
    if name not in sample_names():
        raise LaunchError(f"there is no sample {name!r}: {nearest(name, sample_names())}")


def read_bots(
    texts: Sequence[str],
    transport: Transport = "auto",
    bot_limits: ResourceLimits | None = None,
    fresh: bool = False,
    level: Level = "trusted",
    *,
    people: bool = False,
) -> list[BotSpec]:
    """Return the bots of a command line, each with a unique name: `random`, `random-2`.

    With `people` a bot may be a person: see `is_person`. Raises LaunchError for a bot that cannot be started.
    """
    specs: list[BotSpec] = []
    for text in texts:
        named = _NAMED.fullmatch(text)
        name, command = (named[1], named[2]) if named else ("", text)
        is_human = people and command in PEOPLE
        found = Program([command], "", {}) if is_human else read_program(command, bot_limits, level)
        name = name or name_of(found)
        taken = {spec.name for spec in specs}
        if named and name in taken:
            raise ConfigError(f"two bots have the name {name}: give one of them another with --bot NAME=...")
        if named and (alike := names.look_alike(name, taken)):
            raise ConfigError(f"the name {name} looks like {alike}: give one of them another name")
        unique = next(n for n in _numbered(name) if n not in taken and not names.look_alike(n, taken))
        if is_human:
            specs.append(BotSpec(unique, replace(found, env={"NAME": unique}), "stdio", single=True))
        else:
            specs.append(BotSpec(unique, found, transport, fresh))
    return specs


def named(name: str, bot: str) -> str:
    """Return the text that `read_bots` reads as a bot of this name; without the name if it cannot be written.

    >>> named("Ann", "random"), named("Ann Lee", "random")
    ('Ann=random', 'random')
    """
    text = f"{name}={bot}"
    found = _NAMED.fullmatch(text)
    return text if found and found[1] == name else bot


def is_person(spec: BotSpec) -> bool:
    """Return whether this is a person, at the terminal or at a browser; programs have absolute paths."""
    return spec.program.argv in ([HUMAN], [BROWSER])


def is_at_browser(spec: BotSpec) -> bool:
    """Return whether this is a person at a browser."""
    return spec.program.argv == [BROWSER]


def is_sample(found: Program) -> bool:
    """Return whether a program is one of the samples."""
    argv = found.argv
    built = languages.samples().values()
    if any(set(language.files(sample)) <= set(argv) for language, sample in built):
        return True
    return "-m" in argv[1:-1] and argv[argv.index("-m") + 1] in samples().values()


def read_program(
    command: str | Sequence[str], bot_limits: ResourceLimits | None = None, level: Level = "trusted"
) -> Program:
    """Return the program of a bot that a command line names: as one text or as words.

    A single word may be a sample. A bot runs in the current folder, but in a sandbox it runs in the folder of
    its file, because it may not see the current folder. Raises LaunchError, which names the nearest samples
    if the command is a single word.
    """
    words = [command] if isinstance(command, str) and os.path.isfile(command) else _split(command)
    if len(words) == 1 and words[0] in sample_names():
        return sample_program(words[0], limits=bot_limits, level=level)
    words = _with_interpreter(words, Path())
    try:
        if level == "trusted":
            return program(words, limits=bot_limits)
        file = _file_of(words)
        named = [_named(word, file) for word in words]
        return program(named, file if file.is_dir() else file.parent, limits=bot_limits, level=level)
    except LaunchError as error:
        if len(words) == 1 and re.fullmatch(r"[\w-]+", words[0]):
            raise LaunchError(_no_sample(words[0], error)) from error
        raise


def command_program(
    command: str | Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    bot_limits: ResourceLimits,
    level: Level,
) -> Program:
    """Return the program of a command that runs in this folder, at any level."""
    return program(_with_interpreter(_split(command), folder), folder, env, bot_limits, level)


def sample_program(
    name: str,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    limits: ResourceLimits | None = None,
    level: Level = "trusted",
) -> Program:
    """Return the program of a sample; in a sandbox it runs in the folder of its sources."""
    check_sample(name)
    if name in samples():
        command, own_env, home = program_of(name)
    else:
        command, own_env = _built(name), {"PYTHONPATH": _ROOT}
        home = Path(languages.samples()[name][0].folder)
    where = folder if level == "trusted" else home
    return program(command, where, own_env | dict(env or {}), limits, level)


def sample_called(command: str) -> str:
    """Return the name of the sample that this command starts; '' if it starts another bot."""
    modules = {name: [sys.executable, "-m", module] for name, module in samples().items()}
    built = {name: language.command(sample) for name, (language, sample) in languages.samples().items()}
    # The first word may be a name that was searched for, or another Python.
    words = (argv := shlex.split(command))[1:] or argv
    return next((name for name, called in (modules | built).items() if (called[1:] or called) == words), "")


def name_of(found: Program) -> str:
    """Return the name of a bot that was given none: that of its file or module.

    >>> name_of(Program(["/usr/bin/python3", "bots/mybot.py", "--fast"], "/", {}))
    'mybot'
    """
    argv = found.argv
    for name, (language, sample) in languages.samples().items():
        if set(language.files(sample)) <= set(argv):
            return name
    if "-m" in argv[1:-1]:
        module = argv[argv.index("-m") + 1]
        of_module = [name for name, sample in samples().items() if sample == module]
        stem = of_module[0] if of_module else module.rpartition(".")[2]
    else:
        # The first argument with a file suffix is the bot of an interpreter; otherwise the program is it.
        files = [word for word in argv[1:] if not word.startswith("-") and Path(word).suffix[1:].isalpha()]
        stem = Path((files or argv)[0]).stem
    return re.sub(r"[^\w.+-]+", "-", stem).strip("-.")[: limits.NAME_LENGTH - 8] or "bot"


def _built(name: str) -> list[str]:
    """Return the command of a language's sample; raise LaunchError, with the way to build it, if needed."""
    language, sample = languages.samples()[name]
    if not all(Path(file).exists() for file in language.files(sample)):
        line = f"cd {shlex.quote(language.folder)} && {sample.build}"
        raise LaunchError(f"the sample {name} ({language.language}) is not built yet; build it with: {line}")
    return language.command(sample)


def _with_interpreter(words: list[str], folder: Path) -> list[str]:
    """Return the words of a command: a Python file needs no interpreter before it."""
    is_python = bool(words) and words[0].lower().endswith(".py") and os.path.isfile(folder / words[0])
    return [sys.executable, *words] if is_python else words


def _file_of(words: Sequence[str]) -> Path:
    """Return the file or folder of the bot: the command itself, or the first argument of an interpreter."""
    is_interpreter = "/" not in words[0] or Path(words[0]).parent.name in ("bin", "shims")
    for word in words[1:] if is_interpreter else words[:1]:
        if Path(word).exists():
            return Path(word).resolve()
    command = shlex.join(words)
    raise LaunchError(
        f"cannot run {command!r} in a sandbox: none of its words names a file that is there, so the bot's "
        "folder is unknown; check the name of its main file"
    )


def _named(word: str, file: Path) -> str:
    """Return a word of a command by a path that exists in the sandbox, which shows the bot's real folder."""
    if not os.path.exists(word):
        return word
    # An interpreter may be a link and must stay one: a virtual environment is found through it.
    return str(file) if Path(word).resolve() == file else os.path.abspath(word)


def _split(command: str | Sequence[str]) -> list[str]:
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as error:
        raise LaunchError(f"cannot read the command {command!r}: {error}") from error


def _no_sample(word: str, error: LaunchError) -> str:
    kinds = "a bot is the name of a sample, a .py file, or a command line in quotes"
    return f"there is no sample bot {word!r}: {nearest(word, sample_names())} ({kinds}; {error})"


def _numbered(name: str) -> Sequence[str]:
    return [name, *(f"{name}-{n}" for n in range(2, 1_000))]
