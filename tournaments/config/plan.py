"""The plan of a tournament: the contents of its file, checked. With its seed it is the whole experiment.

`load` reads the file, and what was committed and revealed of its luck, and reports all mistakes at once. It
starts nothing and looks at no bot's program: the standings of a finished tournament can be made on a host
that lacks its bots. `docs/tournaments.md` is the description for people.
"""

import tomllib
from collections.abc import Iterable, Sequence
from math import ceil, comb, log2
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee import names, registry
from referee.errors import LaunchError, OptionError, nearest
from referee.game import Game, Options
from referee.hub.capacity import fair_jobs
from referee.match.faults import Profile
from referee.process.sandbox.levels import check_acceptable, check_folders
from referee.process.spec import BotSpec, Level, ResourceLimits, Transport, starts_fresh
from referee.wording import clean
from tournaments.config.bots import check_sample, command_program, sample_program
from tournaments.config.file_keys import Format, Groups, TournamentFile
from tournaments.config.luck import BeaconLuck, next_step
from tournaments.config.luck_files import drawn
from tournaments.config.mistakes import Mistakes, PlanError, Where, look, syntax_error
from tournaments.config.terms import check_preset, limits_of, option_errors, options_of, profile_of

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
    """Whether every match gets a process of its own; None: as the level requires."""
    level: Level = "trusted"
    luck: str = ""
    """The text that its entrant gave for the luck of all; empty if there is none."""

    def spec(self) -> BotSpec:
        """Return what the hub needs to start it; raises LaunchError if it cannot be started."""
        if self.sample is not None:
            started = sample_program(self.sample, self.folder, self.env, self.limits, self.level)
        else:
            started = command_program(self.command or "", self.folder, self.env, self.limits, self.level)
        return BotSpec(self.name, started, self.transport, starts_fresh(self.level, self.fresh))


class Plan(Struct, frozen=True):
    """A tournament: everything the file says, checked, with defaults filled in. Paths are absolute."""

    file: Path
    name: str
    game: str
    seed: str
    """What all luck is made from: with it all cards can be computed; '' while a beacon has no value."""
    seats: int
    profile: Profile
    options: Options
    """All of the game's, with their values."""
    bots: tuple[Entrant, ...]
    store: Path
    replays: Path
    format: Format = "round-robin"
    blocks: int = 1
    """Deals of every group of bots that meet, each played in all rotations of the seats."""
    rounds: int = 1
    """Of a Swiss tournament; other formats have as many as it takes."""
    groups: Groups = "all"
    hero: str | None = None
    """The one that meets all others in a gauntlet."""
    anchor: str | None = None
    """The bot whose rating is fixed."""
    common_deals: bool = False
    aliases: bool = False
    """Whether bots see `seat-0`, `seat-1` in place of names."""
    jobs: int = 1
    """Matches at once."""
    fresh: bool | None = None
    accept_gaps: tuple[str, ...] = ()
    """What the host may lack for the bots' level."""
    luck: BeaconLuck | None = None
    """What the seed is made from; None: the operator chose it."""

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

    @property
    def operator_seed(self) -> str:
        """The seed that is in the file."""
        return self.seed if self.luck is None else self.luck.operator_seed

    @property
    def is_drawn(self) -> bool:
        """Whether the luck is known, so that deals can be computed."""
        return bool(self.seed)

    def check_drawn(self) -> None:
        """Raise PlanError if the luck is not known yet."""
        if not self.is_drawn:
            source = "" if self.luck is None else f" by beacon {self.luck.source!r}"
            raise PlanError(f"{self.file}: the luck is not drawn yet{source}; {next_step(self)}")

    @property
    def bundles(self) -> Path:
        """The folder of the copies from which bots run in sandboxes, beside the store."""
        return self.store.with_name(f"{self.store.stem}-bots")

    @property
    def has_only_samples(self) -> bool:
        """Whether all bots are samples."""
        return all(bot.sample is not None for bot in self.bots)

    def at_level(self, level: Level, accept_gaps: tuple[str, ...]) -> "Plan":
        """Return the same tournament with bots trusted so far."""
        bots = tuple(replace(bot, level=level) for bot in self.bots)
        return replace(self, bots=bots, accept_gaps=accept_gaps)

    def check_folders(self, specs: Iterable[BotSpec]) -> None:
        """Refuse bots in boxes whose folders hold secrets of the tournament, or other bots."""
        check_folders(specs, [self.file, self.store, self.replays, self.bundles])


def load(path: Path) -> Plan:
    """Read a tournament file; raises PlanError, which lists every mistake with its line and what is right.

    It is also an error if the file is not what was committed, where a beacon has a part in the luck.
    """
    plan, flaws = load_for_audit(path)
    if flaws:
        raise PlanError("\n".join(flaws))
    return plan


def load_for_audit(path: Path) -> tuple[Plan, list[str]]:
    """Read a tournament file; return also where it is not what was committed."""
    return drawn(_read(path))


def _read(path: Path) -> Plan:
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
    _look_at_luck(file, mistakes)
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


def _look_at_bots(file: TournamentFile, mistakes: Mistakes) -> None:
    taken: list[str] = []
    for index, bot in enumerate(file.bots):
        where: Where = ("bots", index)
        if why := _unfit_name(bot.name, taken):
            mistakes.add((*where, "name"), why)
        taken.append(bot.name)
        if (bot.sample is None) == (bot.command is None):
            mistakes.add(where, f'{bot.name} needs either sample = "..." or command = "...", and not both')
        if bot.sample is not None:
            with mistakes.at((*where, "sample")):
                check_sample(bot.sample)
    if len(file.bots) > MOST_BOTS:
        mistakes.add(("bots",), f"a tournament has at most {MOST_BOTS} bots, not {len(file.bots)}")
    for key, name in (("hero", file.hero), ("anchor", file.anchor)):
        if name is not None and name not in taken:
            mistakes.add((key,), f"no bot is called {name!r}: {nearest(name, taken)}")
    for name in file.accept_gaps:
        with mistakes.at(("accept_gaps",)):
            check_acceptable([name])


def _unfit_name(name: str, taken: Sequence[str]) -> str:
    """Return why a bot cannot have a name beside those that are taken, or ''."""
    if name in taken:
        return f"two bots are called {name}: names must differ"
    if not name.isprintable():
        return f"{clean(name)} has a character that is not printed, as joined emoji do: leave it out"
    if flaw := names.flaw(name):
        return f"{name}: {flaw}"
    other = names.look_alike(name, taken)
    return f"{name} looks like {other}, the name of another bot: names must differ" if other else ""


def _look_at_luck(file: TournamentFile, mistakes: Mistakes) -> None:
    unprinted = "has a character that is not printed: leave it out"
    if file.beacon is not None and not file.beacon.isprintable():
        mistakes.add(("beacon",), unprinted)
    for index, bot in enumerate(file.bots):
        where: Where = ("bots", index, "luck")
        if bot.luck is not None and file.beacon is None:
            mistakes.add(where, 'belongs to a tournament with a beacon: add beacon = "...", or leave it out')
        elif bot.luck is not None and not bot.luck.isprintable():
            mistakes.add(where, unprinted)


def _look_at_format(file: TournamentFile, mistakes: Mistakes) -> None:
    is_gauntlet = file.format == "gauntlet"
    if is_gauntlet and file.hero is None:
        mistakes.add(("hero",), "is missing: a gauntlet needs the name of the bot that meets all others")
    if not is_gauntlet and file.hero is not None:
        mistakes.add(("hero",), f'belongs to format = "gauntlet", not to {file.format}')
    if file.format != "swiss" and file.rounds is not None:
        hint = "; for more deals, raise blocks" if file.format == "round-robin" else ""
        mistakes.add(("rounds",), f'belongs to format = "swiss", not to {file.format}{hint}')
    if file.format not in ("round-robin", "gauntlet") and file.groups != "all":
        mistakes.add(("groups",), f"belongs to round-robin and gauntlet, not to {file.format}")


def _game(file: TournamentFile, mistakes: Mistakes) -> Game | None:
    """Return the game, after a look at everything that depends on it alone."""
    game: Game | None = None
    with mistakes.at(("game",)):
        game = registry.game(file.game)
    if game is None:
        return None
    for error in option_errors(game, file.options):
        mistakes.add(("options", error.option), str(error))
    with mistakes.at(("preset",)):
        check_preset(game, file.preset)
    seats = game.info.least_seats if file.seats is None else file.seats
    with mistakes.at(("seats",)):
        game.check_seats(seats)
        if len(file.bots) < seats:
            mistakes.add(("bots",), f"{seats} bots play in a match, but there are only {len(file.bots)}")
    return game


def _options(game: Game, file: TournamentFile, seats: int, mistakes: Mistakes) -> Options:
    try:
        return options_of(game, file.preset, file.options, seats)
    except OptionError as error:
        # An option that the preset has set has no line of its own.
        mistakes.add(("options", error.option) if error.option in file.options else ("options",), str(error))
    return {}


def _plan(path: Path, file: TournamentFile, game: Game, mistakes: Mistakes) -> Plan:
    """Fill in what is not given."""
    seats = file.seats or game.info.least_seats
    plan = Plan(
        file=path,
        name=file.name or path.stem,
        game=file.game,
        seed=str(file.seed) if file.beacon is None else "",
        seats=seats,
        profile=profile_of(file.profile, file.clock),
        options=_options(game, file, seats, mistakes),
        bots=tuple(_entrant(path.parent, file, index, mistakes) for index in range(len(file.bots))),
        store=_beside(path.parent, file.store or f"{path.stem}.sqlite", mistakes, ("store",)),
        replays=_beside(path.parent, file.replays or f"{path.stem}-replays", mistakes, ("replays",)),
        format=file.format,
        blocks=file.blocks,
        rounds=file.rounds or max(1, ceil(log2(len(file.bots)))),
        groups=file.groups,
        hero=file.hero,
        anchor=file.anchor,
        common_deals=file.common_deals,
        aliases=file.aliases,
        jobs=file.jobs or fair_jobs(game.info, seats),
        fresh=file.fresh,
        accept_gaps=file.accept_gaps,
        luck=None if file.beacon is None else BeaconLuck(file.beacon, str(file.seed)),
    )
    if (matches := _matches(plan)) > MOST_MATCHES:
        hint = 'fewer blocks, or groups = "few"' if plan.groups == "all" and seats > 2 else "fewer blocks"
        mistakes.add(("blocks",), f"that makes {matches:,} matches, over {MOST_MATCHES:,}: take {hint}")
    return plan


def _matches(plan: Plan) -> int:
    """Return a bound on the number of matches, without listing them."""
    bots, seats = len(plan.bots), plan.seats
    if plan.format == "swiss":
        groups = plan.rounds * (bots // seats)
    elif plan.format == "knockout" or plan.groups == "few":
        groups = bots
    else:
        groups = comb(bots - 1, seats - 1) if plan.format == "gauntlet" else comb(bots, seats)
    return groups * plan.blocks * seats


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
        limits=limits_of(file.limits, bot.limits),
        transport=bot.transport,
        fresh=file.fresh,
        level=file.level,
        luck=bot.luck or "",
    )
