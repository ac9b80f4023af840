"""Read a bot from the command line: the name of a sample, a Python file, or a command line."""

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from protocol import limits
from referee.errors import ConfigError, LaunchError, nearest
from referee.process.spec import BotSpec, Level, Program, ResourceLimits, Transport, program
from sample_bots import languages
from sample_bots.python import program_of, samples

HELP = "The name of a sample bot, a .py file, or a command line in quotes; NAME=... gives it a name."

HUMAN = "human"
"""The name that stands for a person, on the command line and in the replay."""

_ROOT = str(Path(__file__).resolve().parents[3])
"""The folder that the samples are imported from, installed or not."""

_NAMED = re.compile(r"([A-Za-z0-9][\w.+~-]*)=(.+)", re.DOTALL)


def complete_bot(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the samples whose names begin with this text."""
    return [name for name in _names() if name.startswith(incomplete)]


def read_bots(
    texts: Sequence[str],
    transport: Transport = "auto",
    bot_limits: ResourceLimits | None = None,
    fresh: bool = False,
    level: Level = "trusted",
    *,
    people: bool = False,
) -> list[BotSpec]:
    """Return the bots, each with a unique name: `random`, `random-2`.

    With `people` a bot may be `human`: see `is_person`. Raises LaunchError for a bot that cannot be started.
    """
    specs: list[BotSpec] = []
    for text in texts:
        named = _NAMED.fullmatch(text)
        name, command = (named[1], named[2]) if named else ("", text)
        is_human = people and command == HUMAN
        found = Program([HUMAN], "", {}) if is_human else read_program(command, bot_limits, level)
        name = name or name_of(found)
        if named and any(spec.name == name for spec in specs):
            raise ConfigError(f"two bots have the name {name}: give one of them another with --bot NAME=...")
        taken = {spec.name for spec in specs}
        unique = next(n for n in _numbered(name) if n not in taken)
        if is_human:
            specs.append(BotSpec(unique, msgspec.structs.replace(found, env={"NAME": unique}), "stdio"))
        else:
            specs.append(BotSpec(unique, found, transport, fresh))
    return specs


def is_person(spec: BotSpec) -> bool:
    """Return whether this is a person at the terminal; programs of bots have absolute paths."""
    return spec.program.argv == [HUMAN]


def read_program(
    command: str | Sequence[str], bot_limits: ResourceLimits | None = None, level: Level = "trusted"
) -> Program:
    """Return the program of a bot, given as one text or as words.

    It runs in the current folder, but in a sandbox it runs in the folder of its file, because it may not see
    the current folder. Raises LaunchError, which names the nearest samples if the command is a single word.
    """
    words = [command] if isinstance(command, str) and os.path.isfile(command) else _split(command)
    if len(words) == 1 and words[0] in samples():
        start = program_of(words[0])
        folder = None if level == "trusted" else start.folder
        return program(start.command, folder, start.env, bot_limits, level)
    if len(words) == 1 and words[0] in languages.samples():
        folder = None if level == "trusted" else Path(languages.samples()[words[0]][0].folder)
        return program(_built(words[0]), folder, {"PYTHONPATH": _ROOT}, bot_limits, level)
    if words and words[0].endswith(".py") and os.path.isfile(words[0]):
        words = [sys.executable, *words]
    try:
        if level == "trusted":
            return program(words, limits=bot_limits)
        file = _file_of(words)
        named = [os.path.abspath(word) if os.path.exists(word) else word for word in words]
        return program(named, file if file.is_dir() else file.parent, limits=bot_limits, level=level)
    except LaunchError as error:
        if len(words) == 1 and re.fullmatch(r"[\w-]+", words[0]):
            raise LaunchError(_no_sample(words[0], error)) from error
        raise


def _names() -> list[str]:
    """Return the names of all samples."""
    return sorted({*samples(), *languages.samples()})


def _built(name: str) -> list[str]:
    """Return the command of a language's sample; raise LaunchError, with the way to build it, if needed."""
    language, sample = languages.samples()[name]
    if not all(Path(file).exists() for file in language.files(sample)):
        line = f"cd {shlex.quote(language.folder)} && {sample.build}"
        raise LaunchError(f"the sample {name} ({language.language}) is not built yet; build it with: {line}")
    return language.command(sample)


def _file_of(words: Sequence[str]) -> Path:
    """Return the file or folder of the bot: the command itself, or the first argument of an interpreter."""
    is_interpreter = "/" not in words[0] or Path(words[0]).parent.name in ("bin", "shims")
    for word in words[1:] if is_interpreter else words[:1]:
        if Path(word).exists():
            return Path(word).resolve()
    command = shlex.join(words)
    raise LaunchError(
        f"cannot run {command!r} in a sandbox: none of its words names a file, so the bot's folder is unknown"
    )


def _split(command: str | Sequence[str]) -> list[str]:
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as error:
        raise LaunchError(f"cannot read the command {command!r}: {error}") from error


def _no_sample(word: str, error: LaunchError) -> str:
    kinds = "a bot is the name of a sample, a .py file, or a command line in quotes"
    return f"there is no sample bot {word!r}: {nearest(word, _names())} ({kinds}; {error})"


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
        named = [name for name, sample in samples().items() if sample == module]
        stem = named[0] if named else module.rpartition(".")[2]
    else:
        # The first argument with a file suffix is the bot of an interpreter; otherwise the program is it.
        files = [word for word in argv[1:] if not word.startswith("-") and Path(word).suffix[1:].isalpha()]
        stem = Path((files or argv)[0]).stem
    return re.sub(r"[^\w.+-]+", "-", stem).strip("-.")[: limits.NAME_LENGTH - 8] or "bot"


def _numbered(name: str) -> Sequence[str]:
    return [name, *(f"{name}-{n}" for n in range(2, 1_000))]
