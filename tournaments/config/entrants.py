"""The entrants of a tournament file: the bots that it names, and those of submissions."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from referee.process.spec import BotSpec, Level, ResourceLimits, Transport, starts_fresh
from tournaments.config.bots import command_program, sample_program
from tournaments.config.entry_record import EntryRecord
from tournaments.config.file_keys import TournamentFile
from tournaments.config.mistakes import Mistakes, Where
from tournaments.config.terms import limits_of


class Entrant(Struct, frozen=True):
    """A bot that takes part: one of the samples, or a command line."""

    name: str
    folder: Path
    """Where it runs, absolute."""
    sample: str | None = None
    command: str | tuple[str, ...] | None = None
    """One text, split as a shell would, or its words."""
    env: dict[str, str] = {}
    limits: ResourceLimits = ResourceLimits()
    transport: Transport = "auto"
    fresh: bool | None = None
    """Whether every match gets a process of its own; None: as the level requires."""
    level: Level = "trusted"
    luck: str = ""
    """The text that its entrant gave for the luck of all; empty if there is none."""
    authors: tuple[str, ...] = ()
    digest: str = ""
    """The hash of what was submitted; empty if the bot came by no submission."""

    @property
    def has_program(self) -> bool:
        """Whether there is something to start; a bot that was taken out of an event has only its results."""
        return self.sample is not None or self.command is not None

    def spec(self) -> BotSpec:
        """Return what the hub needs to start it; raises LaunchError if it cannot be started."""
        if self.sample is not None:
            started = sample_program(self.sample, self.folder, self.env, self.limits, self.level)
        else:
            started = command_program(self.command or "", self.folder, self.env, self.limits, self.level)
        return BotSpec(self.name, started, self.transport, starts_fresh(self.level, self.fresh))


def entrants_of(
    folder: Path,
    file: TournamentFile,
    newcomer: Entrant,
    entries: Path | None,
    record: EntryRecord,
    mistakes: Mistakes,
) -> Iterator[Entrant]:
    """Return the bots of the file and those of submissions, without those that are left out."""
    for index, bot in enumerate(file.bots):
        if bot.name not in record.left_out:
            yield _entrant(folder, file, index, mistakes)
    for one in record.entered():
        assert entries is not None
        yield replace(
            newcomer,
            name=one.bot,
            folder=entries / one.folder,
            command=one.command,
            authors=one.authors,
            digest=one.digest,
        )


def _entrant(folder: Path, file: TournamentFile, index: int, mistakes: Mistakes) -> Entrant:
    bot = file.bots[index]
    command = tuple(bot.command) if isinstance(bot.command, list) else bot.command
    return Entrant(
        name=bot.name,
        folder=beside(folder, bot.folder or ".", mistakes, ("bots", index, "folder")),
        sample=bot.sample,
        command=command,
        env=bot.env,
        limits=limits_of(file.limits, bot.limits),
        transport=bot.transport,
        fresh=file.fresh,
        level=file.level,
        luck=bot.luck or "",
        authors=bot.authors,
    )


def beside(folder: Path, path: str, mistakes: Mistakes, where: Where) -> Path:
    """Return a path, which counts from the folder of the file, as an absolute one."""
    try:
        return (folder / path).resolve()
    except (ValueError, RuntimeError, OSError) as error:
        # A character that no path may have, or links that lead in a circle.
        mistakes.add(where, f"cannot be the path {path!r}: {error}")
        return folder
