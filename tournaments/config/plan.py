"""The tournament file: what stands in it, and what it means. With its seed it is the whole experiment.

`load` reads it and says everything that is wrong with it at once. It starts nothing and looks at no bot's
program: the table of a finished tournament can be made where its bots are not. `docs/tournaments.md` is the
description for people.
"""

import shlex
import sys
import tomllib
from collections.abc import Iterable
from math import ceil, comb, log2
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from referee import registry
from referee.errors import ConfigError, LaunchError, OptionError, nearest
from referee.game import Game, Options
from referee.hub.capacity import fair_jobs
from referee.match.faults import PROFILES, Profile
from referee.process.sandbox.levels import ACCEPTABLE, check_folders
from referee.process.spec import BotSpec, Level, ResourceLimits, Transport, program, starts_fresh
from sample_bots.python import program_of, samples
from tournaments.config.file import ClockTable, Format, LimitsTable, Tables, TournamentFile
from tournaments.config.mistakes import Mistakes, PlanError, Where, look, syntax_error

MOST_MATCHES: Final = 1_000_000
MOST_BOTS: Final = 256


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
    """Whether every match gets a process of its own; None: as is right for the level."""
    level: Level = "trusted"

    def spec(self) -> BotSpec:
        """Return what the hub needs to start it; raises LaunchError if it cannot be started."""
        env, command, folder = dict(self.env), self.command or "", self.folder
        if self.sample is not None:
            start = program_of(self.sample)
            env, command = start.env | env, tuple(start.command)
            # In a box it sees its folder, and that of the tournament is not for its eyes.
            folder = folder if self.level == "trusted" else start.folder
        elif (words := _split(command)) and words[0].endswith(".py") and (self.folder / words[0]).is_file():
            # As on the command line: a Python file needs no interpreter before it.
            command = (sys.executable, *words)
        started = program(command, folder, env, self.limits, self.level)
        return BotSpec(self.name, started, self.transport, starts_fresh(self.level, self.fresh))


class Plan(Struct, frozen=True):
    """A tournament: everything the file says, checked, with defaults filled in. Paths are absolute."""

    file: Path
    name: str
    game: str
    seed: str
    """What all luck is made from; whoever knows it knows all cards."""
    seats: int
    profile: Profile
    options: Options
    """All of the game's, with their values."""
    bots: tuple[Entrant, ...]
    store: Path
    replays: Path
    format: Format = "round-robin"
    blocks: int = 1
    """Deals of every pairing (or table), each played in all rotations of the seats."""
    rounds: int = 1
    """Of a Swiss tournament; other formats have as many as it takes."""
    tables: Tables = "all"
    hero: str | None = None
    """The one that meets all others in a gauntlet."""
    anchor: str | None = None
    """The bot whose rating is fixed."""
    common_deals: bool = False
    aliases: bool = False
    """Whether bots are not told whom they play."""
    jobs: int = 1
    """Matches at once."""
    fresh: bool | None = None
    accept_gaps: tuple[str, ...] = ()
    """What the host may lack for the bots' level."""

    def __repr__(self) -> str:
        return f"<Plan {self.name}: {self.format} of {self.game}, {len(self.bots)} bots>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bots, in the order of the file."""
        return tuple(bot.name for bot in self.bots)

    @property
    def level(self) -> Level:
        """How far the bots are trusted."""
        return self.bots[0].level

    def at_level(self, level: Level, accept_gaps: tuple[str, ...]) -> "Plan":
        """Return the same tournament with bots trusted so far."""
        bots = tuple(replace(bot, level=level) for bot in self.bots)
        return replace(self, bots=bots, accept_gaps=accept_gaps)

    def check_folders(self, specs: Iterable[BotSpec]) -> None:
        """Refuse bots in boxes whose folders hold secrets of the tournament, or other bots."""
        check_folders(specs, [self.file, self.store, self.replays])


def load(path: Path) -> Plan:
    """Read a tournament file; raises PlanError, which tells every mistake, its line and what is right."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise PlanError(f"cannot read {path}: {reason}") from error
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(path, error) from error
    except (ValueError, RecursionError) as error:
        what = (
            "values nested too deeply"
            if isinstance(error, RecursionError)
            else "a number of thousands of digits"
        )
        raise PlanError(f"{path}: this is no tournament file: it holds {what}") from error
    mistakes = Mistakes(path, text, TournamentFile.__struct_fields__)
    look(raw, TournamentFile, mistakes)
    mistakes.raise_any()
    file = msgspec.convert(raw, TournamentFile)
    _look_at_bots(file, mistakes)
    _look_at_format(file, mistakes)
    game = _game(file, mistakes)
    mistakes.raise_any()
    assert game is not None
    plan = _plan(path.resolve(), file, game, mistakes)
    mistakes.raise_any()
    return plan


def check_bots(plan: Plan) -> None:
    """Look whether all bots can be started, without doing so; raises PlanError about those that cannot."""
    mistakes = Mistakes(plan.file, plan.file.read_text("utf-8"))
    specs: list[BotSpec] = []
    for index, bot in enumerate(plan.bots):
        try:
            specs.append(bot.spec())
        except LaunchError as error:
            mistakes.add(("bots", index, "command"), f"{bot.name}: {error}")
    try:
        plan.check_folders(specs)
    except LaunchError as error:
        mistakes.add(("level",), str(error))
    mistakes.raise_any()


def _split(command: str | tuple[str, ...]) -> list[str]:
    """Return the words of a command; none if it cannot be split, which is told when it is started."""
    try:
        return shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError:
        return []


def _look_at_bots(file: TournamentFile, mistakes: Mistakes) -> None:
    names: set[str] = set()
    for index, bot in enumerate(file.bots):
        where: Where = ("bots", index)
        if bot.name in names:
            mistakes.add((*where, "name"), f"two bots are called {bot.name}: names must differ")
        names.add(bot.name)
        if (bot.sample is None) == (bot.command is None):
            mistakes.add(where, f'{bot.name} needs either sample = "..." or command = "...", and not both')
        if bot.sample is not None and bot.sample not in samples():
            text = f"there is no sample {bot.sample!r}: {nearest(bot.sample, samples())}"
            mistakes.add((*where, "sample"), text)
    if len(file.bots) > MOST_BOTS:
        mistakes.add(("bots",), f"a tournament has at most {MOST_BOTS} bots, not {len(file.bots)}")
    for key, name in (("hero", file.hero), ("anchor", file.anchor)):
        if name is not None and name not in names:
            mistakes.add((key,), f"no bot is called {name!r}: {nearest(name, names)}")
    for name in file.accept_gaps:
        if name not in ACCEPTABLE:
            mistakes.add(("accept_gaps",), f"{name!r} is no gap one can accept: {nearest(name, ACCEPTABLE)}")


def _look_at_format(file: TournamentFile, mistakes: Mistakes) -> None:
    is_gauntlet = file.format == "gauntlet"
    if is_gauntlet and file.hero is None:
        mistakes.add(("hero",), "is missing: a gauntlet needs the name of the bot that meets all others")
    if not is_gauntlet and file.hero is not None:
        mistakes.add(("hero",), f'belongs to format = "gauntlet", not to {file.format}')
    if file.format != "swiss" and file.rounds is not None:
        hint = "; for more deals, raise blocks" if file.format == "round-robin" else ""
        mistakes.add(("rounds",), f'belongs to format = "swiss", not to {file.format}{hint}')
    if file.format not in ("round-robin", "gauntlet") and file.tables != "all":
        mistakes.add(("tables",), f"belongs to round-robin and gauntlet, not to {file.format}")


def _game(file: TournamentFile, mistakes: Mistakes) -> Game | None:
    """Return the game, after a look at everything that depends on it alone."""
    try:
        game = registry.game(file.game)
    except ConfigError as error:
        mistakes.add(("game",), str(error))
        return None
    info = game.info
    known = {option.name: option for option in info.options}
    for name in file.options:
        if name not in known:
            hint = nearest(name, known) if known else "it has none"
            mistakes.add(("options", name), f"{info.id} has no such option: {hint}")
    if file.preset is not None and file.preset not in info.presets:
        hint = nearest(file.preset, info.presets) if info.presets else "it has none"
        mistakes.add(("preset",), f"{info.id} has no preset {file.preset!r}: {hint}")
    seats = info.least_seats if file.seats is None else file.seats
    try:
        game.check_seats(seats)
    except ConfigError as error:
        mistakes.add(("seats",), str(error))
        return game
    if len(file.bots) < seats:
        mistakes.add(("bots",), f"{seats} bots sit at a table, but there are only {len(file.bots)}")
    return game


def _options(game: Game, file: TournamentFile, seats: int, mistakes: Mistakes) -> Options:
    """Return all options of the game: those of the file before the preset before the defaults."""
    given: Options = dict(game.info.presets[file.preset]) if file.preset is not None else {}
    try:
        return game.resolve(given | file.options, seats)
    except OptionError as error:
        # The game's own text names the option; which one it is, is wanted for the line.
        at = next((name for name in file.options if f"option {name} " in str(error)), None)
        mistakes.add(("options", at) if at else ("options",), str(error))
        return {}


def _plan(path: Path, file: TournamentFile, game: Game, mistakes: Mistakes) -> Plan:
    """Fill in what is not given."""
    seats = file.seats or game.info.least_seats
    plan = Plan(
        file=path,
        name=file.name or path.stem,
        game=file.game,
        seed=str(file.seed),
        seats=seats,
        profile=PROFILES[file.profile].timed(_given(file.clock)),
        options=_options(game, file, seats, mistakes),
        bots=tuple(_entrant(path.parent, file, index, mistakes) for index in range(len(file.bots))),
        store=_beside(path.parent, file.store or f"{path.stem}.sqlite", mistakes, ("store",)),
        replays=_beside(path.parent, file.replays or f"{path.stem}-replays", mistakes, ("replays",)),
        format=file.format,
        blocks=file.blocks,
        rounds=file.rounds or max(1, ceil(log2(len(file.bots)))),
        tables=file.tables,
        hero=file.hero,
        anchor=file.anchor,
        common_deals=file.common_deals,
        aliases=file.aliases,
        jobs=file.jobs or fair_jobs(game.info, seats),
        fresh=file.fresh,
        accept_gaps=file.accept_gaps,
    )
    if (matches := _matches(plan)) > MOST_MATCHES:
        hint = 'fewer blocks, or tables = "few"' if plan.tables == "all" and seats > 2 else "fewer blocks"
        mistakes.add(("blocks",), f"that makes {matches:,} matches, over {MOST_MATCHES:,}: take {hint}")
    return plan


def _matches(plan: Plan) -> int:
    """Return a bound on the number of matches, without listing them."""
    bots, seats = len(plan.bots), plan.seats
    if plan.format == "swiss":
        tables = plan.rounds * (bots // seats)
    elif plan.format == "knockout" or plan.tables == "few":
        tables = bots
    else:
        tables = comb(bots - 1, seats - 1) if plan.format == "gauntlet" else comb(bots, seats)
    return tables * plan.blocks * seats


def _beside(folder: Path, path: str, mistakes: Mistakes, where: Where) -> Path:
    """Return a path, which counts from the folder of the file, as an absolute one."""
    try:
        return (folder / path).resolve()
    except (ValueError, RuntimeError, OSError) as error:
        # A character that no path may have, or links that lead in a circle.
        mistakes.add(where, f"cannot be the path {path!r}: {error}")
        return folder


def _entrant(folder: Path, file: TournamentFile, index: int, mistakes: Mistakes) -> Entrant:
    bot = file.bots[index]
    command = tuple(bot.command) if isinstance(bot.command, list) else bot.command
    return Entrant(
        name=bot.name,
        folder=_beside(folder, bot.folder or ".", mistakes, ("bots", index, "folder")),
        sample=bot.sample,
        command=command,
        env=bot.env,
        limits=replace(replace(ResourceLimits(), **_given(file.limits)), **_given(bot.limits)),
        transport=bot.transport,
        fresh=file.fresh,
        level=file.level,
    )


def _given(table: ClockTable | LimitsTable) -> dict[str, int]:
    """Return the fields that were set."""
    return {name: value for name, value in asdict(table).items() if value is not None}
