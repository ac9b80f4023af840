"""What an operator may write for a bot: a sample's name, a Python file, or a command line."""

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

HELP = "A sample's name, a .py file, or a quoted command line; NAME=... calls it NAME."

HUMAN = "human"
"""What an operator writes for a person, and what stands in the replay for its command line."""

_ROOT = str(Path(__file__).resolve().parents[3])
"""Where the samples can be imported from, installed or not."""

_NAMED = re.compile(r"([A-Za-z0-9][\w.+~-]*)=(.+)", re.DOTALL)


def complete_bot(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the samples whose names begin like this."""
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
    """Return the bots an operator named, each with a name of its own: `random`, `random-2`.

    With `people` a bot may be `human`: see `is_person`. Raises LaunchError for one that cannot be started.
    """
    specs: list[BotSpec] = []
    for text in texts:
        named = _NAMED.fullmatch(text)
        name, command = (named[1], named[2]) if named else ("", text)
        is_human = people and command == HUMAN
        found = Program([HUMAN], "", {}) if is_human else read_program(command, bot_limits, level)
        name = name or name_of(found)
        if named and any(spec.name == name for spec in specs):
            raise ConfigError(f"two bots are called {name}")
        taken = {spec.name for spec in specs}
        unique = next(n for n in _numbered(name) if n not in taken)
        if is_human:
            specs.append(BotSpec(unique, msgspec.structs.replace(found, env={"NAME": unique}), "stdio"))
        else:
            specs.append(BotSpec(unique, found, transport, fresh))
    return specs


def is_person(spec: BotSpec) -> bool:
    """Say whether this is a person at the terminal; programs of bots have absolute paths."""
    return spec.program.argv == [HUMAN]


def read_program(
    command: str | Sequence[str], bot_limits: ResourceLimits | None = None, level: Level = "trusted"
) -> Program:
    """Return the program of a bot, given as one text or as words.

    It runs in our folder; as that would show it too much, a bot in a box runs in the folder of its file.
    Raises LaunchError, which names the nearest samples if the command is a single word.
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
    """Return the words that start a language's sample, or say how to build it."""
    language, sample = languages.samples()[name]
    if not all(Path(file).exists() for file in language.files(sample)):
        line = f"cd {shlex.quote(language.folder)} && {sample.build}"
        raise LaunchError(f"the sample {name} ({language.language}) is not built yet: {line}")
    return language.command(sample)


def _file_of(words: Sequence[str]) -> Path:
    """Return the file or folder that is the bot: the command itself, or what an interpreter is given."""
    is_interpreter = "/" not in words[0] or Path(words[0]).parent.name in ("bin", "shims")
    for word in words[1:] if is_interpreter else words[:1]:
        if Path(word).exists():
            return Path(word).resolve()
    command = shlex.join(words)
    raise LaunchError(
        f"cannot box {command!r}: none of its words names a file, so it has no folder to be shown"
    )


def _split(command: str | Sequence[str]) -> list[str]:
    if not isinstance(command, str):
        return list(command)
    try:
        return shlex.split(command)
    except ValueError as error:
        raise LaunchError(f"cannot read the command {command!r}: {error}") from error


def _no_sample(word: str, error: LaunchError) -> str:
    tried = "a bot is a sample, a .py file, or a command line"
    return f"there is no sample bot {word!r}: {nearest(word, _names())} ({tried}; {error})"


def name_of(found: Program) -> str:
    """Return what to call a bot that was given no name: what its file or module is called.

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
        # An interpreter's first word that looks like a file is the bot; otherwise the program is.
        files = [word for word in argv[1:] if not word.startswith("-") and Path(word).suffix[1:].isalpha()]
        stem = Path((files or argv)[0]).stem
    return re.sub(r"[^\w.+-]+", "-", stem).strip("-.")[: limits.NAME_LENGTH - 8] or "bot"


def _numbered(name: str) -> Sequence[str]:
    return [name, *(f"{name}-{n}" for n in range(2, 1_000))]
