"""The sample bots of every language: one folder each, described by its `bot.toml`.

::

    language = "C"
    needs = ["cc", "make"]        # commands (go>=1.21), libraries (pkg-config:this|or-this), perl:Module
    kit = "../../kit"             # left out if the sources need no folder outside

    [[bot]]
    name = "c"                    # what it is called, unique among all folders
    transport = "zmq"             # or "stdio"
    build = "make bot"            # run in the folder; left out if there is nothing to build
    run = "{here}/bot"            # how it is started, from any folder; python3 is the one the referee runs on
    echo = "bytes"                # what the echo mode keeps of a message: see sample_bots/README.md
    needs = ["pkg-config:libzmq"] # what this bot needs besides
"""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

HERE = Path(__file__).resolve().parent

_ASKING = {"pkg-config": ("--exists", "{}"), "perl": ("-M{}", "-e1")}
"""How a command is asked whether it has a library."""

_VERSION = {"go": "version"}
"""How a command is asked for its version, if not by --version."""


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One bot of a language's folder."""

    name: str
    transport: Literal["zmq", "stdio"]
    run: str
    echo: Literal["bytes", "meaning", "fields"]
    build: str = ""
    needs: list[str] = []


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A folder of sample bots."""

    language: str
    needs: list[str]
    bot: list[Sample]
    kit: str = ""
    """A folder outside, as the sources name it: who copies them needs a copy of it too."""
    folder: str = ""

    def needed(self, sample: Sample) -> list[str]:
        """Return what it takes to build and run a bot."""
        return self.needs + sample.needs

    def missing(self, sample: Sample) -> list[str]:
        """Return what this machine lacks to build and run a bot, as one would look for it."""
        return [need for need in self.needed(sample) if not _is_there(need)]

    def command(self, sample: Sample) -> list[str]:
        """Return the words that start a bot, from any folder."""
        words = [word.replace("{here}", self.folder) for word in shlex.split(sample.run)]
        # The kit is installed for this Python; the first one on the PATH may never have heard of it.
        return [sys.executable, *words[1:]] if words[0] == "python3" else words

    def files(self, sample: Sample) -> list[str]:
        """Return the files of this folder that a bot is started from."""
        return [word for word in self.command(sample) if word.startswith(self.folder)]

    def build(self, sample: Sample) -> None:
        """Build a bot, or raise CalledProcessError with what the tools printed."""
        if sample.build:
            subprocess.run(  # noqa: S602 - our own build line, a shell's on purpose
                sample.build, shell=True, cwd=self.folder, check=True, capture_output=True, text=True
            )


@cache
def languages() -> dict[str, Language]:
    """Return the languages by the name of their folder, in alphabetical order."""
    found: dict[str, Language] = {}
    for path in sorted(HERE.glob("*/bot.toml")):
        language = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Language)
        found[path.parent.name] = msgspec.structs.replace(language, folder=str(path.parent))
    return found


@cache
def samples() -> dict[str, tuple[Language, Sample]]:
    """Return the bots of all languages by name."""
    return {sample.name: (language, sample) for language in languages().values() for sample in language.bot}


def _is_there(need: str) -> bool:
    command, _, names = need.partition(":")
    command, _, least = command.partition(">=")
    if shutil.which(command) is None or (least and _version(command) < _numbers(least)):
        return False
    asked = [[word.format(name) for word in _ASKING[command]] for name in names.split("|") if name]
    found = (subprocess.run([command, *words], capture_output=True) for words in asked)  # noqa: S603 - of our own files
    return not asked or any(one.returncode == 0 for one in found)


def _version(command: str) -> list[int]:
    """Return the version that a command says it has."""
    asked = [command, _VERSION.get(command, "--version")]
    said = subprocess.run(asked, capture_output=True, text=True).stdout  # noqa: S603 - of our own files
    found = re.search(r"\d+(\.\d+)+", said)
    return _numbers(found[0]) if found else []


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]
