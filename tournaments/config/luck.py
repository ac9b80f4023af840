"""Luck that a public source has a part in: what is committed, what is revealed, and what follows. Pure.

A tournament file may name a beacon: a public source whose value is not known yet, such as a lottery. Hashes
of the operator's seed and of the plan are published before that value is known. With the value there is a
seed of the deals (`referee.chance.Beacon`), which no single person has chosen. `protocol/SPEC.md`, section 8,
has the derivation byte for byte; `tournaments.config.luck_files` keeps the two documents.
"""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
from msgspec import Meta, Struct

from referee.chance import Beacon, plan_hash, seed_hash, tournament_commitment
from referee.errors import ConfigError
from referee.game import Options
from referee.match.faults import Profile
from tournaments.config.cautions import LEAST_BITS, seed_bits
from tournaments.config.mistakes import PlanError

if TYPE_CHECKING:
    from tournaments.config.plan import EventConfig, Plan

MOST_VALUE: Final = 1_000
"""Characters of the value of a beacon."""

FORMAT: Final = 1
"""The version of the two documents."""

_BLANKS: Final = " \t\r\n"

_Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class PublicEntrant(Struct, frozen=True, forbid_unknown_fields=True):
    """What is committed of a bot."""

    name: str
    luck: str
    """The text that its entrant gave; empty if there is none."""


class PublicPlan(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is committed of a tournament: everything that decides which matches it has, and their luck."""

    name: str
    game: str
    options: Options
    seats: int
    format: str
    blocks: int
    rounds: int | None
    """Of a Swiss tournament."""
    groups: str
    hero: str | None
    common_deals: bool
    aliases: bool
    profile: Profile
    beacon: str
    bots: tuple[PublicEntrant, ...]
    """In the order of the file, which is that of the seeds of a knockout."""
    # Left out of the text if they are not used: what version 0.5 committed keeps its hash.
    pools: int = 1
    third_place: bool = False

    def text(self) -> bytes:
        """Return the plan as JSON text in its one spelling: keys in order, no blanks."""
        return msgspec.json.encode(self, order="sorted")


class PublicPart(Struct, frozen=True, forbid_unknown_fields=True):
    """What is committed of one tournament of an event."""

    name: str
    take: int | None
    """How many bots of the stage before take part."""
    weight: float
    plan: PublicPlan
    """Without bots: those of the event, or those that go on."""


class PublicEvent(Struct, frozen=True, forbid_unknown_fields=True):
    """What is committed of an event of several tournaments."""

    name: str
    combine: str
    beacon: str
    parts: tuple[PublicPart, ...]
    bots: tuple[PublicEntrant, ...]

    def text(self) -> bytes:
        """Return the event as JSON text in its one spelling: keys in order, no blanks."""
        return msgspec.json.encode(self, order="sorted")


class BeaconLuck(Struct, frozen=True):
    """The parts that make the luck of a tournament with a beacon, as far as they are known."""

    source: str
    """The name of the beacon."""
    operator_seed: str
    """The operator's part, a secret until the tournament is over."""
    commitment: str = ""
    """What was committed; empty before."""
    beacon: Beacon | None = None
    """With the value; None before it is revealed."""
    event: PublicEvent | None = None
    """What is committed of the event of several tournaments that this is a part of; None: the plan itself."""
    file_seed: str = ""
    """The seed that is in the file, if the part has another one."""

    @property
    def committed_seed(self) -> str:
        """The seed of the operator that is committed: one for the whole file."""
        return self.file_seed or self.operator_seed

    def __repr__(self) -> str:
        return f"<BeaconLuck of {self.source}>"


class _Hashes(Struct, frozen=True, forbid_unknown_fields=True):
    """The hashes of every commitment."""

    format: int
    commitment: _Hash
    """Of the two hashes below: the one line that stands for everything here."""
    seed_hash: _Hash
    plan_hash: _Hash

    def is_of(self, plan: PublicPlan | PublicEvent) -> bool:
        """Return whether the hashes are those of a plan, and of each other."""
        return (
            self.format == FORMAT
            and self.plan_hash == plan_hash(plan.text())
            and self.commitment == tournament_commitment(self.seed_hash, self.plan_hash)
        )


class TournamentCommitment(_Hashes, frozen=True, forbid_unknown_fields=True):
    """What is published of a tournament before the value of the beacon is known."""

    plan: PublicPlan

    @property
    def is_sound(self) -> bool:
        """Whether the hashes are right."""
        return self.is_of(self.plan)


class EventCommitment(_Hashes, frozen=True, forbid_unknown_fields=True):
    """What is published of an event of several tournaments before the value of the beacon is known."""

    plan: PublicEvent

    @property
    def is_sound(self) -> bool:
        """Whether the hashes are right."""
        return self.is_of(self.plan)


Commitment = TournamentCommitment | EventCommitment


class BeaconReveal(Struct, frozen=True, forbid_unknown_fields=True):
    """What is published when the value of the beacon is known."""

    format: int
    commitment: _Hash
    beacon: str
    value: str
    fingerprint: _Hash
    """The hash of the seed of the deals: it binds before the first match, and discloses nothing."""

    @property
    def is_sound(self) -> bool:
        """Whether its value is one that can be entered."""
        return (
            self.format == FORMAT
            and self.value == self.value.strip(_BLANKS)
            and not _flaw_of_value(self.value)
        )


class LuckOrigin(Struct, frozen=True):
    """Where the luck of a tournament comes from, for its readers; nothing in it is secret."""

    chosen_by: tuple[str, ...] = ("operator",)
    """Of operator, beacon and entrants those that have a part in it."""
    beacon: str | None = None
    value: str | None = None
    commitment: str | None = None
    seed_hash: str | None = None
    """Of the operator's seed; None for a short one that its hash would disclose."""
    plan_hash: str | None = None
    fingerprint: str | None = None
    texts: dict[str, str] = {}
    """The texts of the entrants, by bot."""


def public_plan(plan: "Plan") -> PublicPlan:
    """Return what is committed of a plan with a beacon."""
    return PublicPlan(
        name=plan.name,
        game=plan.game,
        options=plan.options,
        seats=plan.seats,
        format=plan.format,
        blocks=plan.blocks,
        rounds=plan.rounds if plan.format == "swiss" else None,
        groups=plan.groups,
        hero=plan.hero,
        common_deals=plan.common_deals,
        aliases=plan.aliases,
        profile=plan.profile,
        beacon=_luck(plan).source,
        bots=tuple(PublicEntrant(bot.name, bot.luck) for bot in plan.bots),
        pools=plan.pools,
        third_place=plan.third_place,
    )


def public_event(event: "EventConfig", plans: Sequence["Plan"]) -> PublicEvent:
    """Return what is committed of an event with a beacon; `plans` are those of its parts."""
    parts = [
        PublicPart(part.name, part.take, part.weight, msgspec.structs.replace(public_plan(plan), bots=()))
        for part, plan in zip(event.parts, plans, strict=True)
    ]
    first = public_plan(plans[0])
    return PublicEvent(event.name, event.combine, first.beacon, tuple(parts), first.bots)


def commitment_of(plan: "Plan") -> Commitment:
    """Return what is to be published of a plan; raises PlanError for a seed that its hash would disclose."""
    luck = _luck(plan)
    seed = luck.committed_seed
    if (bits := seed_bits(seed)) < LEAST_BITS:
        raise PlanError(
            f"{plan.file}: the seed is short: at about {bits} of {LEAST_BITS} bits it can be found by trying "
            "which one has the published hash; `referee tournament new` writes a good one"
        )
    public = luck.event or public_plan(plan)
    of_seed, of_plan = seed_hash(seed), plan_hash(public.text())
    commitment = tournament_commitment(of_seed, of_plan)
    if isinstance(public, PublicEvent):
        return EventCommitment(FORMAT, commitment, of_seed, of_plan, public)
    return TournamentCommitment(FORMAT, commitment, of_seed, of_plan, public)


def beacon_of(committed: Commitment, value: str) -> Beacon:
    """Return the part of the beacon in the luck."""
    return Beacon(committed.plan.beacon, value, committed.plan_hash)


def reveal_of(plan: "Plan", committed: Commitment, text: str) -> BeaconReveal:
    """Return what is to be published with a value, of which blanks and line ends around it are no part.

    Raises ConfigError for a text that cannot be a value.
    """
    value = text.strip(_BLANKS)
    if flaw := _flaw_of_value(value):
        raise ConfigError(f"--beacon: the value of a beacon {flaw}")
    drawn = fingerprint(_luck(plan), beacon_of(committed, value))
    return BeaconReveal(FORMAT, committed.commitment, committed.plan.beacon, value, drawn)


def fingerprint(luck: BeaconLuck, beacon: Beacon) -> str:
    """Return the hash of the seed that a value makes: of all deals, or of the seeds of all parts."""
    return seed_hash(beacon.seed(luck.committed_seed))


def differences(plan: "Plan", committed: Commitment) -> list[str]:
    """Return the names of the keys in which a plan is not what was committed."""
    luck = _luck(plan)
    now = msgspec.to_builtins(luck.event or public_plan(plan))
    then = msgspec.to_builtins(committed.plan)
    other = [name for name in now | then if now.get(name) != then.get(name)]
    return other + (["seed"] if seed_hash(luck.committed_seed) != committed.seed_hash else [])


def origin_of(plan: "Plan") -> LuckOrigin:
    """Return where the luck of a plan comes from."""
    luck = plan.luck
    if luck is None:
        # The hash of a short seed would disclose it.
        is_long = seed_bits(plan.operator_seed) >= LEAST_BITS
        return LuckOrigin(seed_hash=seed_hash(plan.operator_seed) if is_long else None)
    texts = {bot.name: bot.luck for bot in plan.bots if bot.luck}
    found = LuckOrigin(
        chosen_by=("operator", "beacon", *(["entrants"] if texts else [])),
        beacon=luck.source,
        commitment=luck.commitment or None,
        seed_hash=seed_hash(luck.committed_seed),
        texts=texts,
    )
    if luck.beacon is None:
        return found
    return msgspec.structs.replace(
        found,
        value=luck.beacon.value,
        plan_hash=luck.beacon.plan,
        fingerprint=fingerprint(luck, luck.beacon),
    )


def next_step(plan: "Plan") -> str:
    """Return what is to be done before a deal can be computed; '' if nothing is."""
    file, luck = shlex.quote(str(plan.file)), plan.luck
    if luck is None or luck.beacon is not None:
        return ""
    if not luck.commitment:
        return f"commit to it before its value is known: referee tournament commit {file}"
    return f"when its value is known: referee tournament reveal {file} --beacon VALUE"


def state_in_words(plan: "Plan") -> list[str]:
    """Describe where the luck comes from, how far it is drawn, and what is to be done next.

    A hash has a line of its own, so that it can be read on a terminal.
    """
    luck = plan.luck
    if luck is None:
        return ["all of it follows from the seed, which the operator chose"]
    beacon = f"beacon {luck.source!r}"
    if luck.beacon is not None:
        gave = f"gave {luck.beacon.value!r}; fingerprint of the seed of all deals:"
        return [beacon, gave, fingerprint(luck, luck.beacon)]
    if luck.commitment:
        return [beacon, "committed as:", luck.commitment, next_step(plan)]
    return [
        beacon,
        "nothing is committed; hash of the seed:",
        seed_hash(luck.committed_seed),
        next_step(plan),
    ]


def _luck(plan: "Plan") -> BeaconLuck:
    if plan.luck is None:
        raise PlanError(
            f"{plan.file}: no beacon is named, so there is nothing to commit or to reveal; "
            'beacon = "..." above the first line in [brackets] names one (docs/luck.md)'
        )
    return plan.luck


def _flaw_of_value(value: str) -> str:
    """Return why a text cannot be the value of a beacon, or ''."""
    if not value:
        return "is not empty"
    if len(value) > MOST_VALUE:
        return f"has at most {MOST_VALUE} characters, not {len(value)}"
    return "" if value.isprintable() else "is one line without characters that are not printed"
