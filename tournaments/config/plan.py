"""The plan of a tournament: the contents of its file, checked. With its seed it is the whole experiment.

`load` reads the file, and what was committed and revealed of its luck, and reports all mistakes at once. It
starts nothing and looks at no bot's program: the standings of a finished tournament can be made on a host
that lacks its bots. `docs/tournaments.md` is the description for people.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import ceil, comb, log2
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import ConfigError, LaunchError, OptionError, nearest
from referee.game import Game, Options
from referee.match.faults import Profile
from referee.process.sandbox.levels import folder_flaws
from referee.process.spec import BotSpec, Level, ResourceLimits
from referee.worker.cluster_place import ClusterPlace
from tournaments.config.cluster_key import cluster_of
from tournaments.config.entrants import Entrant, beside, entrants_of
from tournaments.config.entry_record import EntryRecord, read_record
from tournaments.config.file_checks import MOST_BOTS, look_at_bots, look_at_format, look_at_game, look_at_luck
from tournaments.config.file_keys import Broken, Combine, Format, Groups, Order, TournamentFile
from tournaments.config.luck import BeaconLuck, PublicEvent, next_step, public_event
from tournaments.config.luck_files import drawn
from tournaments.config.mistakes import Mistakes, PlanError, Where
from tournaments.config.parts import Part, look_at_parts, parts_of
from tournaments.config.pseudonyms import pseudonyms
from tournaments.config.store_address import Address, database_url, is_url, schema_name
from tournaments.config.terms import limits_of, options_of, profile_of
from tournaments.config.toml_files import read_keys, read_text

MOST_MATCHES: Final = 1_000_000


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
    store: Address
    replays: Path
    format: Format = "round-robin"
    blocks: int = 1
    """Deals of every group of bots that meet, each played in all rotations of the seats."""
    rounds: int = 1
    """Of a Swiss tournament; other formats have as many as it takes."""
    groups: Groups = "all"
    pools: int = 1
    """Of a round robin: bots of different pools do not meet."""
    order: Order = "rating"
    """By what the table of a round robin or a gauntlet is ordered."""
    third_place: bool = False
    """Whether the losers of the semifinals of a knockout meet."""
    hero: str | None = None
    """The one that meets all others in a gauntlet."""
    anchor: str | None = None
    """The bot whose rating is fixed."""
    common_deals: bool = False
    aliases: bool = False
    """Whether bots see `seat-0`, `seat-1` in place of names."""
    asked_jobs: int | None = None
    asked_workers: int | None = None
    """Matches at once, and processes that play them, if the file asks for a number."""
    cluster: ClusterPlace | None = None
    """The cluster whose hosts play them; None: this host."""
    fresh: bool | None = None
    accept_gaps: tuple[str, ...] = ()
    """What the host may lack for the bots' level."""
    limits: ResourceLimits = ResourceLimits()
    """What a bot may use, unless its own entry says otherwise."""
    luck: BeaconLuck | None = None
    """What the seed is made from; None: the operator chose it."""
    entries: Path | None = None
    """The folder of the submissions that were entered; None if there is none."""
    next_event: str = ""
    """When the next event starts, in the organiser's words; for bots that come too late for this one."""
    broken: Broken = "leave out"
    """What becomes of a bot that does not start."""
    versions: dict[str, int] = {}
    """The versions of bots, as the store has noted them (`tournaments.store.field`); none: the first."""
    forfeits: dict[str, str] = {}
    left_out: dict[str, str] = {}
    """By name why bots lose without a start, or do not play; of these the ones with results are in `bots`."""
    withdrawn: tuple[str, ...] = ()
    """Bots that the organiser has left out, whether they were submitted or are in the file."""
    newcomer: Entrant = Entrant("", Path())
    """What every bot of a submission is entered as: its level and limits, without a name and a command."""
    deadline: datetime | None = None
    """Until when bots may be submitted, with its zone; None if the file does not say."""
    freeze: float | datetime | None = None
    """From which share of the matches, or from when on, the public sees no new results; None: it sees all."""
    pseudonyms: bool = False
    """Whether the public and the bots see pseudonyms in place of names."""
    masks: dict[str, str] = {}
    """By name the pseudonyms of all bots of the file, whether they are used or not."""
    part: str = ""
    """The name of this part of an event file; '' if the file has one tournament."""
    event: str = ""
    """The name of the event that it is a part of."""
    file_seed: str = ""
    """The seed that is in the file, if the part has another one."""

    def __repr__(self) -> str:
        return f"<Plan {self.name}: {self.format} of {self.game}, {len(self.bots)} bots>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bots, in the order of the file."""
        return tuple(bot.name for bot in self.bots)

    def shown(self, name: str) -> str:
        """Return the name of a bot for the public."""
        return self.masks.get(name, name) if self.pseudonyms else name

    @property
    def level(self) -> Level:
        """How far the bots are trusted."""
        return self.bots[0].level if self.bots else self.newcomer.level

    @property
    def operator_seed(self) -> str:
        """The seed that is in the file."""
        return self.file_seed or (self.seed if self.luck is None else self.luck.operator_seed)

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
    def store_file(self) -> Path:
        """The file of the store, or where it would be if it were no database: other files are beside it."""
        if isinstance(self.store, Path):
            return self.store
        part = f"-{self.part}" if self.part else ""
        return self.file.with_name(f"{self.file.stem}{part}.sqlite")

    @property
    def bundles(self) -> Path:
        """The folder of the copies from which bots run in sandboxes, beside the store."""
        return self.store_file.with_name(f"{self.store_file.stem}-bots")

    @property
    def has_only_samples(self) -> bool:
        """Whether all bots are samples."""
        return all(bot.sample is not None for bot in self.bots)

    def at_level(self, level: Level, accept_gaps: tuple[str, ...]) -> "Plan":
        """Return the same tournament with bots trusted so far."""
        bots = tuple(replace(bot, level=level) for bot in self.bots)
        newcomer = replace(self.newcomer, level=level)
        return replace(self, bots=bots, newcomer=newcomer, accept_gaps=accept_gaps)

    def check_entrants(self) -> None:
        """Raise PlanError if bots are still missing: those of submissions may be entered later."""
        if len(self.bots) < self.seats:
            raise PlanError(
                f"{self.file}: {self.seats} bots play in a match, but there are only {len(self.bots)}: take "
                f"submissions in with `referee entries DIR --into {self.file.name}`, or add [[bots]]"
            )
        if self.pools > 1 and len(self.bots) // self.pools < self.seats:
            raise PlanError(
                f"{self.file}: {len(self.bots)} bots in {self.pools} pools: some pool has fewer than the "
                f"{self.seats} seats of a match; take fewer pools"
            )
        if self.hero in self.withdrawn:
            cure = f"`referee entries approve {self.file.name} BOT` takes it in again"
            raise PlanError(f"{self.file}: hero: {self.hero} is left out; {cure}")
        for key, name in (("hero", self.hero), ("anchor", self.anchor)):
            if name is not None and name not in self.names:
                raise PlanError(f"{self.file}: {key}: no bot is called {name!r}: {nearest(name, self.names)}")

    def folder_flaws(self, specs: Iterable[BotSpec]) -> dict[str, str]:
        """Return by name which bots in boxes could read secrets of the tournament, or other bots."""
        return folder_flaws(specs, [self.file, self.store_file, self.replays, self.bundles])


class EventConfig(Struct, frozen=True):
    """A tournament file, checked: one tournament, or the parts of an event."""

    path: Path
    """Absolute."""
    name: str
    parts: tuple[Part, ...]
    """In the order of play."""
    combine: Combine
    """How the tables of several games become one."""
    seed: str
    entrants: tuple[Entrant, ...]
    """All bots that take part, in the order of the seeds: those of the file, then those of submissions."""
    masks: dict[str, str]
    """By name the pseudonyms of all bots, whether they are used or not."""
    entries: Path | None
    """The folder of the submissions; None if there is none."""
    newcomer: Entrant
    """What every bot of a submission is entered with."""
    withdrawn: tuple[str, ...] = ()
    """Bots that the organiser has left out."""
    public: PublicEvent | None = None
    """What is committed of an event of several tournaments, if the file names a beacon."""
    is_staff: bool = False
    """Whether its bots are those that others are graded against: one is enough, copies of it fill a match."""

    def __repr__(self) -> str:
        return f"<EventConfig {self.name}: {len(self.parts)} parts>"


def load(path: Path) -> Plan:
    """Read a file with one tournament; raises PlanError, which lists every mistake with its line.

    It is also an error if the file is not what was committed, where a beacon has a part in the luck.
    """
    plan, flaws = load_for_audit(path)
    if flaws:
        raise PlanError("\n".join(flaws))
    return plan


def load_for_audit(path: Path) -> tuple[Plan, list[str]]:
    """Read a file with one tournament; return also where it is not what was committed."""
    event = read_event(path)
    if len(event.parts) > 1:
        names = ", ".join(part.name for part in event.parts)
        raise PlanError(f"{path}: an event of several tournaments ({names}): name one of them with --part")
    return plan_of(event, event.parts[0])


def read_event(path: Path, *, is_staff: bool = False) -> EventConfig:
    """Read a tournament file; raises PlanError, which lists every mistake with its line and what is right."""
    return _event(path, *_read(path), is_staff=is_staff)


def check_text(path: Path, text: str) -> None:
    """Raise PlanError if a tournament file would have mistakes with this text."""
    _event(path, *_read(path, text))


def _event(path: Path, file: TournamentFile, mistakes: Mistakes, *, is_staff: bool = False) -> EventConfig:
    folder, record = path.resolve().parent, EntryRecord()
    entries = None if file.entries is None else beside(folder, file.entries, mistakes, ("entries",))
    with mistakes.at(("entries",)):
        record = read_record(entries)
    look_at_bots(file, record, mistakes)
    look_at_luck(file, mistakes)
    look_at_parts(file, mistakes)
    mistakes.raise_any()
    parts = parts_of(file, path.stem)
    newcomer = Entrant("", Path(), limits=limits_of(file.limits), fresh=file.fresh, level=file.level)
    written = [bot.name for bot in file.bots]
    event = EventConfig(
        path=path.resolve(),
        name=file.name or path.stem,
        parts=tuple(parts),
        combine=file.combine if file.combine else "places",
        seed=str(file.seed),
        entrants=tuple(entrants_of(folder, file, newcomer, entries, record, mistakes)),
        masks=pseudonyms(str(file.seed), dict.fromkeys([*written, *record.bots()])),
        entries=entries,
        newcomer=newcomer,
        withdrawn=record.left_out,
        is_staff=is_staff,
    )
    # Which bots go on is not known yet; how many is enough to find mistakes.
    plans = [
        _checked(event, part, mistakes.of_part(part.owners), event.entrants[: part.entrants])
        for part in parts
    ]
    mistakes.raise_any()
    if file.beacon is None or len(parts) == 1:
        return event
    return replace(event, public=public_event(event, [plan for plan in plans if plan is not None]))


def plan_of(event: EventConfig, part: Part, bots: Sequence[str] | None = None) -> tuple[Plan, list[str]]:
    """Return the tournament of a part, and where the file is not what was committed.

    `bots` are the names of those that take part, the best seed first; None: all of the event.
    """
    mistakes = Mistakes(event.path, "").of_part(part.owners)
    known = {bot.name: bot for bot in event.entrants}
    # A bot that goes on may have been left out since.
    chosen = event.entrants if bots is None else tuple(known[name] for name in bots if name in known)
    plan = _checked(event, part, mistakes, chosen)
    mistakes.raise_any()
    assert plan is not None
    return drawn(plan)


def draft_of(event: EventConfig, part: Part) -> Plan:
    """Return the tournament of a part whose bots are not known yet, with others in their place."""
    return plan_of(event, part, [bot.name for bot in event.entrants[: part.entrants]])[0]


def _checked(event: EventConfig, part: Part, mistakes: Mistakes, chosen: tuple[Entrant, ...]) -> Plan | None:
    """Return the plan of a part with these bots; None after a mistake."""
    file = part.file
    look_at_format(file, mistakes)
    # With submissions `check_entrants` counts them when it is played: until then bots are taken in.
    may_be_few = event.is_staff or event.entries is not None
    game = look_at_game(file, mistakes, MOST_BOTS if may_be_few else len(chosen))
    if game is None or mistakes:
        return None
    plan = _plan(event, file, game, mistakes, chosen)
    if not part.name:
        return plan
    luck = plan.luck and replace(plan.luck, file_seed=event.seed, event=event.public)
    return replace(plan, part=part.name, event=event.name, file_seed=event.seed, luck=luck)


def _read(path: Path, text: str | None = None) -> tuple[TournamentFile, Mistakes]:
    """Return the keys of a file; raises PlanError if it has others, or values of other kinds."""

    def look_at_games(raw: Mapping[str, Any], mistakes: Mistakes) -> None:
        if not raw.get("game") and not raw.get("games"):
            mistakes.add(("game",), "is missing: it is a text in quotes; several games stand below [[games]]")

    return read_keys(path, TournamentFile, "tournament file", look_at_games, text)


def usual_rounds(bots: int) -> int:
    """Return the rounds of a Swiss tournament in which one of so many bots can win them all."""
    return max(1, ceil(log2(max(1, bots))))


def later_versions(plan: Plan) -> dict[str, int]:
    """Return the versions of the bots of a plan whose programs were changed."""
    return {name: plan.versions[name] for name in plan.names if plan.versions.get(name, 1) > 1}


def check_bots(plan: Plan) -> None:
    """Look whether all bots can be started, without doing so; raises PlanError about those that cannot."""
    plan.check_entrants()
    text = read_text(plan.file)
    mistakes = Mistakes(plan.file, text)
    written = [bot["name"] for bot in tomllib.loads(text).get("bots", [])]
    specs: list[BotSpec] = []
    for bot in plan.bots:
        try:
            specs.append(bot.spec())
        except LaunchError as error:
            is_written = bot.name in written
            where: Where = ("bots", written.index(bot.name), "command") if is_written else ("entries",)
            mistakes.add(where, f"{bot.name}: {error}")
    for flaw in plan.folder_flaws(specs).values():
        mistakes.add(("level",), flaw)
    mistakes.raise_any()


def _options(game: Game, file: TournamentFile, seats: int, mistakes: Mistakes) -> Options:
    try:
        return options_of(game, file.preset, file.options, seats)
    except OptionError as error:
        # An option that the preset has set has no line of its own.
        mistakes.add(("options", error.option) if error.option in file.options else ("options",), str(error))
    return {}


def _plan(
    event: EventConfig, file: TournamentFile, game: Game, mistakes: Mistakes, bots: tuple[Entrant, ...]
) -> Plan:
    """Fill in what is not given."""
    path, seats = event.path, file.seats or game.info.least_seats
    plan = Plan(
        file=path,
        name=file.name or path.stem,
        game=game.info.id,
        seed=str(file.seed) if file.beacon is None else "",
        seats=seats,
        profile=profile_of(file.profile, file.clock),
        options=_options(game, file, seats, mistakes),
        bots=bots,
        store=_store(path, file, mistakes),
        replays=beside(path.parent, file.replays or f"{path.stem}-replays", mistakes, ("replays",)),
        format=file.format,
        blocks=file.blocks,
        rounds=file.rounds or usual_rounds(len(bots)),
        groups=file.groups,
        pools=file.pools or 1,
        order=file.order or "rating",
        third_place=file.third_place,
        hero=file.hero,
        anchor=file.anchor if file.anchor in [bot.name for bot in bots] else None,
        common_deals=file.common_deals,
        aliases=file.aliases,
        asked_jobs=file.jobs,
        asked_workers=file.workers,
        cluster=cluster_of(path.parent, file.cluster, mistakes),
        fresh=file.fresh,
        accept_gaps=file.accept_gaps,
        limits=limits_of(file.limits),
        luck=None if file.beacon is None else BeaconLuck(file.beacon, str(file.seed)),
        entries=event.entries,
        next_event=file.next_event or "",
        broken=file.broken,
        withdrawn=event.withdrawn,
        newcomer=event.newcomer,
        deadline=file.deadline,
        freeze=file.freeze,
        pseudonyms=file.pseudonyms,
        masks=event.masks,
    )
    if (matches := _matches(plan)) > MOST_MATCHES:
        hint = 'fewer blocks, or groups = "few"' if plan.groups == "all" and seats > 2 else "fewer blocks"
        mistakes.add(("blocks",), f"that makes {matches:,} matches, over {MOST_MATCHES:,}: take {hint}")
    return plan


def _store(path: Path, file: TournamentFile, mistakes: Mistakes) -> Address:
    text = file.store or f"{path.stem}.sqlite"
    if not is_url(text):
        return beside(path.parent, text, mistakes, ("store",))
    try:
        return database_url(text, schema_name(path.stem))
    except ConfigError as error:
        mistakes.add(("store",), str(error))
        return path


def _matches(plan: Plan) -> int:
    """Return a bound on the number of matches, without listing them."""
    bots, seats = len(plan.bots), plan.seats
    if plan.format == "swiss":
        groups = plan.rounds * (bots // seats)
    elif plan.format == "knockout" or plan.groups == "few":
        groups = bots + plan.third_place
    else:
        each = ceil(bots / plan.pools)
        rivals = comb(max(0, bots - 1), seats - 1)
        groups = rivals if plan.format == "gauntlet" else plan.pools * comb(each, seats)
    return groups * plan.blocks * seats
