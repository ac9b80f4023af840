"""The keys of a tournament file and their kinds. `docs/tournaments.md` explains them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.limits import NAME_LENGTH
from referee.process.spec import Level, Transport
from tournaments.config.terms import ClockChanges, LimitChanges

Format = Literal["round-robin", "gauntlet", "swiss", "knockout"]
Groups = Literal["all", "few"]

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
_Jobs = Annotated[int, Meta(ge=1, le=1_024, description="a whole number from 1 to 1024")]
_Seats = Annotated[int, Meta(ge=1, le=100, description="a whole number: the bots in one match")]
_Words = Annotated[list[str], Meta(min_length=1, description="a list of words")]


class BotEntry(Struct, frozen=True):
    """One entry of `[[bots]]`."""

    name: _Name
    sample: _Text | None = None
    command: _Path | _Words | None = None
    folder: _Path | None = None
    env: dict[str, str] = {}
    limits: LimitChanges = LimitChanges()
    transport: Transport = "auto"
    luck: _Line | None = None


class TournamentFile(Struct, frozen=True):
    """All keys, with the defaults of those that may be left out."""

    game: _Text
    seed: _Seed | int
    bots: tuple[BotEntry, ...]
    beacon: _Line | None = None
    name: _Text | None = None
    format: Format = "round-robin"
    blocks: _Blocks = 10
    rounds: _Rounds | None = None
    seats: _Seats | None = None
    groups: Groups = "all"
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
    clock: ClockChanges = ClockChanges()
    limits: LimitChanges = LimitChanges()
