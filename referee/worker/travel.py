"""Bots on their way to other hosts: commands that mean the same there, and bundles by their digests.

A bot in a sandbox sees its bundle under the name of its own folder, on every host. A trusted bot runs in the
unpacked bundle, so the words that name something in its folder are written anew. The samples come with the
referee, and so does the Python that runs it. All else must be on the host under the same name.
"""

import os
import sys
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct, msgpack

import referee
from referee.errors import LaunchError
from referee.process.bundle_tar import pack
from referee.process.program_files import file_digests
from referee.process.spec import BotSpec, Level, Program, ResourceLimits, Transport, usual_env

ROOT: Final = Path(referee.__path__[0]).parent
"""The folder that the referee and the samples are imported from."""

Where = Literal["text", "python", "referee", "folder", "host"]


class Word(Struct, array_like=True, frozen=True):
    """A word of a command: a text, the Python of the referee, or a path that counts from somewhere."""

    where: Where
    text: str


class TravellingBot(Struct, array_like=True, frozen=True):
    """A bot as it is sent to another host."""

    name: str
    words: tuple[Word, ...]
    folder: Word
    env: dict[str, tuple[Word, ...]]
    """Variables of the bot's own; each value was split at colons."""
    limits: ResourceLimits
    level: Level
    shown: tuple[str, ...]
    transport: Transport
    fresh: bool
    digest: str
    """Of its bundle; '' if it comes with the referee."""


class BotPacker:
    """Packs the bots of one organiser, each once."""

    def __init__(self, kept_here: tuple[Path, ...] = ()) -> None:
        """Begin; a folder that holds one of these files or folders does not travel."""
        self._kept_here = kept_here
        self._packed: dict[bytes, TravellingBot] = {}
        self.tars: dict[str, bytes] = {}
        """By digest: the bundles of the bots."""

    def pack(self, spec: BotSpec) -> TravellingBot:
        """Return a bot that can travel; raises LaunchError, which names it, if its folder cannot."""
        known = msgpack.encode(spec)
        found = self._packed.get(known)
        if found is None:
            try:
                found = self._packed[known] = self._pack(spec)
            except LaunchError as error:
                raise LaunchError(f"bot {spec.name} cannot be sent to other hosts: {error}") from error
        return found

    def _pack(self, spec: BotSpec) -> TravellingBot:
        program = spec.program
        digest = "" if _comes_with_referee(program) else self._bundle(program)
        is_shown = bool(digest) and program.level != "trusted"
        folder = "" if is_shown or not digest else program.folder
        return TravellingBot(
            name=spec.name,
            words=tuple(_word(word, folder) for word in program.argv),
            folder=Word("text", program.folder) if is_shown else _word(program.folder, folder),
            env={
                name: tuple(_word(part, folder) for part in value.split(os.pathsep))
                for name, value in program.given_env().items()
            },
            limits=program.limits,
            level=program.level,
            shown=program.shown,
            transport=spec.transport,
            fresh=spec.fresh,
            digest=digest,
        )

    def _bundle(self, program: Program) -> str:
        folder = Path(program.bundle or program.folder)
        for kept in self._kept_here:
            if not program.bundle and kept.resolve().is_relative_to(folder):
                raise LaunchError(
                    f"its folder {folder} holds {kept.name}, which stays here; give it a folder of its own"
                )
        digest, tar = pack(folder)
        self.tars[digest] = tar
        return digest


def _comes_with_referee(program: Program) -> bool:
    samples = ROOT / "sample_bots"
    return any(Path(path).is_relative_to(samples) for path in file_digests(program))


def _word(word: str, folder: str) -> Word:
    """Return a word so that it means the same on another host."""
    if word == sys.executable:
        return Word("python", "")
    for where, place in (("folder", folder), ("referee", str(ROOT))):
        if place and os.path.isabs(word) and Path(word).is_relative_to(place):
            return Word("folder" if where == "folder" else "referee", os.path.relpath(word, place))
    return Word("host" if os.path.isabs(word) and os.path.isfile(word) else "text", word)


def settle(bot: TravellingBot, bundle: Path | None, spare: Path, host: str) -> BotSpec:
    """Return a bot as it is started on this host; raises LaunchError if the host lacks what it needs.

    Its bundle has been unpacked; a bot without one runs in a spare folder.
    """
    is_trusted = bot.level == "trusted"
    place = bundle if bundle is not None and is_trusted else spare
    argv = [_meaning(word, place) for word in bot.words]
    folder = _meaning(bot.folder, place)
    if bundle is None and not os.path.isdir(folder):
        folder = str(spare)
    for number, (word, text) in enumerate(zip(bot.words, argv, strict=True)):
        is_shown = not is_trusted and bundle is not None and Path(text).is_relative_to(folder)
        needed = word.where == "host" or number == 0
        if needed and not is_shown and not os.path.exists(text):
            raise LaunchError(f"host {host} lacks {text}, which bot {bot.name} needs: install it there")
    env = {name: os.pathsep.join(_meaning(word, place) for word in words) for name, words in bot.env.items()}
    program = Program(
        argv=argv,
        folder=folder,
        env=usual_env() | env,
        limits=bot.limits,
        level=bot.level,
        bundle=str(bundle) if bundle is not None and not is_trusted else "",
        shown=bot.shown,
    )
    return BotSpec(bot.name, program, bot.transport, bot.fresh)


def _meaning(word: Word, folder: Path) -> str:
    match word.where:
        case "python":
            return sys.executable
        case "referee":
            return os.path.normpath(ROOT / word.text)
        case "folder":
            return os.path.normpath(folder / word.text)
    return word.text
