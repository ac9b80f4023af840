"""What it takes to start a bot on this host: a command line, a folder, a clean environment, limits."""

import os
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec

from referee.errors import LaunchError

_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ")
"""What a bot gets of the operator's environment: nothing else leaks to it."""


_OURS = {"PYTHONUNBUFFERED": "1"}
"""What every bot gets besides: Python bots that print without flushing would otherwise never be heard."""


class ResourceLimits(msgspec.Struct, frozen=True):
    """What one bot, with all processes it starts, may use; 0 means no limit."""

    memory_mib: int = 1_024
    """Memory of all its processes together."""
    cpu_s: int = 3_600
    """Processor time of each of its processes."""
    processes: int = 64
    open_files: int = 256
    file_mib: int = 64
    """Size of any file it writes."""


Level = Literal["trusted", "class", "contest"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""How far a bot is trusted: not confined; confined as well as this host can; confined, or not started."""


class Program(msgspec.Struct, frozen=True):
    """A bot as something to be executed."""

    argv: list[str]
    folder: str
    """Its working folder."""
    env: dict[str, str]
    limits: ResourceLimits = ResourceLimits()
    level: Level = "trusted"
    scratch: str = ""
    """Its own folder for what it writes, removed when the last of its processes is gone; empty: none."""
    bundle: str = ""
    """The copy of its folder that a sandbox shows in place of it; empty: there is none yet."""
    builds: bool = False
    """Whether it builds a bot: it may write to its folder, and its home and temporary files are there."""
    shown: tuple[str, ...] = ()
    """Folders besides that a sandbox shows: of tools that are not part of the system."""

    def command_line(self) -> str:
        """Return the command as one would type it."""
        return shlex.join(self.argv)

    def given_env(self) -> dict[str, str]:
        """Return the variables that the bot was given beside those that every bot has."""
        usual = {name: os.environ.get(name) for name in _INHERITED} | _OURS
        return {name: value for name, value in self.env.items() if usual.get(name) != value}


def usual_env() -> dict[str, str]:
    """Return the variables that every bot on this host has."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | _OURS


Transport = Literal["auto", "zmq", "stdio"]


class BotSpec(msgspec.Struct, frozen=True):
    """A bot the hub may start, as often as it needs to."""

    name: str
    program: Program
    transport: Transport = "auto"
    """Its transport; `auto`: the bot chooses by its first hello."""
    fresh: bool = False
    """Whether every match gets a process of its own."""
    single: bool = False
    """Whether there is at most one of it, as of a person: its matches are played one after the other."""
    awaited: bool = False
    """Whether its author starts it, and the hub waits for it (`referee.hub.awaited_bot`)."""


def starts_fresh(level: Level, asked: bool | None) -> bool:
    """Return whether every match gets new processes of its bots; by default those that are not trusted do.

    A bot that lives on knows the cards of a deal when it comes again in another rotation of the seats.
    """
    return level != "trusted" if asked is None else asked


def program(
    command: str | Sequence[str],
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    limits: ResourceLimits | None = None,
    level: Level = "trusted",
) -> Program:
    """Return a program that can be started, or say why it cannot.

    The command is split as a shell would, but no shell runs it. Its environment is the given one on top of a
    few harmless variables of ours.
    """
    where = (folder or Path.cwd()).resolve()
    try:
        argv = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise LaunchError(f"cannot read the command {command!r}: {error}") from error
    if not argv:
        raise LaunchError("a bot needs a command, not an empty text")
    if not where.is_dir():
        raise LaunchError(f"cannot start {shlex.join(argv)!r}: its folder {where} does not exist")
    environment = usual_env() | dict(env or {})
    _check_text([*argv, str(where), *(f"{name}={value}" for name, value in environment.items())])
    found = shutil.which(argv[0], path=environment.get("PATH")) or shutil.which(str(where / argv[0]))
    if found is None:
        raise LaunchError(f"cannot start {shlex.join(argv)!r}: {_obstacle(where, argv[0])}")
    # `found` may be relative to our folder, which need not be the bot's.
    return Program(
        [os.path.abspath(found), *argv[1:]], str(where), environment, limits or ResourceLimits(), level
    )


def _check_text(words: Iterable[str]) -> None:
    """Refuse what is no text: commands stand in replays, which are UTF-8."""
    for word in words:
        if not _is_text(word):
            raise LaunchError(f"cannot start a bot with {word!r}: it is not UTF-8; give it another name")


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _obstacle(folder: Path, name: str) -> str:
    """Return why a name cannot be executed."""
    for path in (folder / name, Path(name)):
        if os.path.isdir(path):  # which, unlike pathlib, takes a name that is too long for one of none
            return f"{name} is a folder"
        if os.path.exists(path):
            return f"{name} is there but not executable (chmod +x, or name its interpreter first)"
    return f"there is no program {name!r}, neither in {folder} nor on the PATH"
