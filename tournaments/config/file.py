"""What may stand in a tournament file, key by key. `docs/tournaments.md` says what it is for."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.limits import NAME_LENGTH
from referee.process.spec import Level, Transport

Format = Literal["round-robin", "gauntlet", "swiss", "knockout"]
Tables = Literal["all", "few"]

# The descriptions are what `check` says of a wrong value.

_Text = Annotated[str, Meta(min_length=1, max_length=200, description="a text in quotes, not empty")]
_Seed = Annotated[str, Meta(min_length=1, max_length=200, description="a text in quotes")]
_Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=NAME_LENGTH,
        pattern=r"^\S([^\x00-\x1f\x7f-\x9f]*\S)?\Z",
        description=f"a text of 1 to {NAME_LENGTH} characters without spaces at its ends",
    ),
]
_Blocks = Annotated[int, Meta(ge=1, le=100_000, description="a whole number from 1 to 100000")]
_Rounds = Annotated[int, Meta(ge=1, le=1_000, description="a whole number from 1 to 1000")]
_Jobs = Annotated[int, Meta(ge=1, le=1_024, description="a whole number from 1 to 1024")]
_Seats = Annotated[int, Meta(ge=1, le=100, description="a whole number: the bots at one table")]
_Ms = Annotated[int, Meta(ge=0, le=10**9, description="a whole number of milliseconds")]
_Most = Annotated[int, Meta(ge=0, le=10**9, description="a whole number; 0 means no limit")]
_Words = Annotated[list[str], Meta(min_length=1, description="a list of words")]


class ClockTable(Struct, frozen=True):
    """Times that differ from the profile's."""

    ready_ms: _Ms | None = None
    first_ms: _Ms | None = None
    move_ms: _Ms | None = None
    bank_ms: _Ms | None = None
    grace_ms: _Ms | None = None
    hello_ms: _Ms | None = None
    goodbye_ms: _Ms | None = None


class LimitsTable(Struct, frozen=True):
    """Limits that differ from the usual ones."""

    memory_mib: _Most | None = None
    cpu_s: _Most | None = None
    processes: _Most | None = None
    open_files: _Most | None = None
    file_mib: _Most | None = None


class BotTable(Struct, frozen=True):
    """One entry of `[[bots]]`."""

    name: _Name
    sample: _Text | None = None
    command: _Text | _Words | None = None
    folder: _Text | None = None
    env: dict[str, str] = {}
    limits: LimitsTable = LimitsTable()
    transport: Transport = "auto"


class TournamentFile(Struct, frozen=True):
    """All keys, with the defaults of those that may be left out."""

    game: _Text
    seed: _Seed | int
    bots: tuple[BotTable, ...]
    name: _Text | None = None
    format: Format = "round-robin"
    blocks: _Blocks = 10
    rounds: _Rounds | None = None
    seats: _Seats | None = None
    tables: Tables = "all"
    hero: _Text | None = None
    anchor: _Text | None = None
    profile: Literal["strict", "classroom"] = "strict"
    preset: _Text | None = None
    common_deals: bool = False
    aliases: bool = False
    fresh: bool | None = None
    jobs: _Jobs | None = None
    level: Level = "trusted"
    accept_gaps: tuple[str, ...] = ()
    store: _Text | None = None
    replays: _Text | None = None
    options: dict[str, str | int] = {}
    clock: ClockTable = ClockTable()
    limits: LimitsTable = LimitsTable()
