"""The keys of a tournament file and their kinds. `docs/tournaments.md` explains them."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.limits import NAME_LENGTH
from referee.process.spec import Level, Transport
from tournaments.config.terms import ClockChanges, LimitChanges

Format = Literal["round-robin", "gauntlet", "swiss", "knockout"]
Groups = Literal["all", "few"]
Order = Literal["rating", "points"]
"""By what the table of a round robin or a gauntlet is ordered."""
Combine = Literal["places", "ratings"]
"""How the tables of several games become one: by points for places, or by the mean of the ratings."""
Broken = Literal["leave out", "forfeit", "stop"]
"""What becomes of a bot that does not start: the event goes without it, it loses, or nothing is played."""

# `check` quotes the descriptions where a value is wrong.

_Text = Annotated[str, Meta(min_length=1, max_length=200, description="a text in quotes, not empty")]
_Path = Annotated[str, Meta(min_length=1, max_length=4_000, description="a text in quotes, not empty")]
"""A path, or a command with paths: these are often long."""
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
_Line = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=r"^\S([^\x00-\x1f\x7f-\x9f]*\S)?\Z",
        description="a text of 1 to 200 characters without spaces at its ends",
    ),
]
_Blocks = Annotated[int, Meta(ge=1, le=100_000, description="a whole number from 1 to 100000")]
_Rounds = Annotated[int, Meta(ge=1, le=1_000, description="a whole number from 1 to 1000")]
_Pools = Annotated[int, Meta(ge=1, le=128, description="a whole number from 1 to 128")]
_Workers = Annotated[int, Meta(ge=1, le=256, description="a whole number from 1 to 256")]
_Jobs = Annotated[int, Meta(ge=1, le=1_024, description="a whole number from 1 to 1024")]
_Seats = Annotated[int, Meta(ge=1, le=100, description="a whole number: the bots in one match")]
_Label = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        pattern=r"^\w[\w -]*\Z",
        description="a text of 1 to 40 letters, digits, blanks and hyphens",
    ),
]
_Weight = Annotated[float, Meta(gt=0, le=1_000, description="a number above 0, at most 1000")]
_Take = Annotated[int, Meta(ge=1, le=256, description="a whole number: the bots that go on")]
_Moment = Annotated[
    datetime, Meta(tz=True, description="a date and time with its zone, such as 2026-12-01T18:00:00+01:00")
]
_Share = Annotated[float, Meta(gt=0, lt=1, description="a share of the matches between 0 and 1, such as 0.8")]
_Words = Annotated[list[str], Meta(min_length=1, description="a list of words")]


Command = _Path | _Words
"""How a bot is started: one text, split as a shell would, or its words."""


class BotEntry(Struct, frozen=True):
    """One entry of `[[bots]]`."""

    name: _Name
    sample: _Text | None = None
    command: Command | None = None
    folder: _Path | None = None
    env: dict[str, str] = {}
    limits: LimitChanges = LimitChanges()
    transport: Transport = "auto"
    luck: _Line | None = None
    authors: tuple[_Line, ...] = ()


class GameEntry(Struct, frozen=True):
    """One entry of `[[games]]`: a game of an event, and the keys in which it differs from the others."""

    game: _Text
    name: _Label | None = None
    seats: _Seats | None = None
    preset: _Text | None = None
    options: dict[str, str | int] | None = None
    blocks: _Blocks | None = None
    weight: _Weight = 1.0


class StageEntry(Struct, frozen=True):
    """One entry of `[[stages]]`: a stage of an event, and the keys in which it differs from the others."""

    name: _Label
    take: _Take | None = None
    format: Format | None = None
    blocks: _Blocks | None = None
    rounds: _Rounds | None = None
    groups: Groups | None = None
    hero: _Text | None = None
    order: Order | None = None
    pools: _Pools | None = None
    third_place: bool | None = None


class ClusterEntry(Struct, frozen=True):
    """The table `[cluster]`: the scheduler of a Dask cluster, and the files of TLS."""

    address: _Text
    ca: _Path | None = None
    cert: _Path | None = None
    key: _Path | None = None


class TournamentFile(Struct, frozen=True):
    """All keys, with the defaults of those that may be left out."""

    seed: _Seed | int
    bots: tuple[BotEntry, ...] = ()
    game: _Text | None = None
    beacon: _Line | None = None
    name: _Text | None = None
    format: Format = "round-robin"
    blocks: _Blocks = 10
    rounds: _Rounds | None = None
    seats: _Seats | None = None
    groups: Groups = "all"
    pools: _Pools | None = None
    order: Order | None = None
    third_place: bool = False
    hero: _Text | None = None
    anchor: _Text | None = None
    profile: Literal["strict", "classroom"] = "strict"
    preset: _Text | None = None
    common_deals: bool = False
    aliases: bool = False
    fresh: bool | None = None
    jobs: _Jobs | None = None
    workers: _Workers | None = None
    cluster: ClusterEntry | None = None
    level: Level = "trusted"
    accept_gaps: tuple[str, ...] = ()
    store: _Text | None = None
    replays: _Text | None = None
    options: dict[str, str | int] = {}
    clock: ClockChanges = ClockChanges()
    limits: LimitChanges = LimitChanges()
    entries: _Path | None = None
    next_event: _Line | None = None
    broken: Broken = "leave out"
    deadline: _Moment | None = None
    freeze: _Share | _Moment | None = None
    pseudonyms: bool = False
    games: tuple[GameEntry, ...] = ()
    combine: Combine | UnsetType = UNSET
    stages: tuple[StageEntry, ...] = ()
