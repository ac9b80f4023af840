"""The file of a ladder of several games: `referee serve ladder.toml`. `docs/ladder.md` explains its keys."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from referee import registry
from referee.errors import ConfigError
from referee.game import Game, Options
from referee.match.faults import Profile
from referee.server.hours import Hours, Outside, check_zone, read_hours, read_span
from tournaments.config.mistakes import Mistakes, PlanError, look, syntax_error
from tournaments.config.terms import ClockChanges, options_of, profile_of

_Text = Annotated[str, Meta(min_length=1, max_length=500, description="a text in quotes, not empty")]
_Count = Annotated[int, Meta(ge=1, le=1_024, description="a whole number from 1 to 1024")]
_Spans = Annotated[
    list[str], Meta(min_length=1, max_length=50, description='a list of hours, as in ["Mon-Fri 18:00-23:00"]')
]


class LadderEntry(Struct, frozen=True):
    """One entry of `[[games]]`."""

    game: _Text
    seats: _Count | None = None
    jobs: _Count | None = None
    even: bool = False
    profile: Literal["strict", "classroom"] = "strict"
    preset: _Text | None = None
    options: dict[str, str | int] = {}
    clock: ClockChanges = ClockChanges()


class LadderFile(Struct, frozen=True):
    """All keys, with the defaults of those that may be left out."""

    games: tuple[LadderEntry, ...]
    announcement: _Text | None = None
    rated: _Spans | None = None
    zone: _Text = "UTC"
    outside: Outside = "unrated"


class LadderGame(Struct, frozen=True):
    """A game of a ladder, and on which terms it is played."""

    game: Game
    seats: int
    options: Options
    profile: Profile
    even: bool = False
    jobs: int | None = None
    """Its matches at once; None: its part of all."""


class LadderPlan(Struct, frozen=True):
    """What a daemon plays, and when."""

    games: tuple[LadderGame, ...]
    hours: Hours | None = None
    """When matches are rated; None: always."""
    announcement: str | None = None
    """What the pages say and the authors of bots are sent; None: what was announced before."""


def load_ladder(path: Path) -> LadderPlan:
    """Read the file of a ladder; raises PlanError, which lists every mistake with its line."""
    try:
        text = path.read_text("utf-8")
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(path, error) from error
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no TOML in UTF-8"
        raise PlanError(f"cannot read {path}: {reason}") from error
    mistakes = Mistakes(path, text, LadderFile.__struct_fields__)
    look(raw, LadderFile, mistakes)
    mistakes.raise_any()
    file = msgspec.convert(raw, LadderFile)
    if not file.games:
        mistakes.add((), "there is no game: give each an entry [[games]] with its id")
    games = [game for index, entry in enumerate(file.games) if (game := _game(entry, index, mistakes))]
    for index, entry in enumerate(file.games):
        if entry.game in [other.game for other in file.games[:index]]:
            mistakes.add(("games", index, "game"), f"{entry.game} is there twice: a daemon plays it once")
    with mistakes.at(("zone",)):
        check_zone(file.zone)
    for number, span in enumerate(file.rated or ()):
        with mistakes.at(("rated", number)):
            read_span(span)
    mistakes.raise_any()
    hours = read_hours(file.rated, file.zone, file.outside) if file.rated else None
    return LadderPlan(tuple(games), hours, file.announcement)


def _game(entry: LadderEntry, index: int, mistakes: Mistakes) -> LadderGame | None:
    """Return a game of the file; None if it is wrong, which is noted."""
    with mistakes.at(("games", index, "game")):
        game = registry.game(entry.game)
        seats = entry.seats or game.info.least_seats
        try:
            options = options_of(game, entry.preset, entry.options, seats)
        except ConfigError as error:
            mistakes.add(("games", index), str(error))
            return None
        return LadderGame(
            game, seats, options, profile_of(entry.profile, entry.clock), entry.even, entry.jobs
        )
    return None
