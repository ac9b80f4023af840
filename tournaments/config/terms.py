"""The terms of a match as an operator writes them: options of the game, preset, clock and limits.

The command line and the tournament file both read them here.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from referee.errors import OptionError, PresetError, nearest
from referee.game import Game, Options
from referee.match.faults import PROFILES, Profile
from referee.process.spec import ResourceLimits

MOST: Final = 10**9
"""The largest number of milliseconds, or of a limit."""

LIMITS: Final = {
    "memory": "memory_mib",
    "cpu": "cpu_s",
    "processes": "processes",
    "files": "open_files",
    "file-size": "file_mib",
}
"""What `--limit` may change; 0 means no limit."""

_Ms = Annotated[int, Meta(ge=0, le=MOST, description=f"a whole number from 0 to {MOST}, in milliseconds")]
_Limit = Annotated[
    int, Meta(ge=0, le=MOST, description=f"a whole number from 0 to {MOST}, where 0 means no limit")
]


class ClockChanges(Struct, frozen=True):
    """Times that differ from the profile's."""

    ready_ms: _Ms | None = None
    first_ms: _Ms | None = None
    move_ms: _Ms | None = None
    bank_ms: _Ms | None = None
    grace_ms: _Ms | None = None
    hello_ms: _Ms | None = None
    goodbye_ms: _Ms | None = None


class LimitChanges(Struct, frozen=True):
    """Limits of a bot that differ from the usual ones."""

    memory_mib: _Limit | None = None
    cpu_s: _Limit | None = None
    processes: _Limit | None = None
    open_files: _Limit | None = None
    file_mib: _Limit | None = None


def profile_of(name: str, clock: ClockChanges) -> Profile:
    """Return a profile with a changed clock."""
    return PROFILES[name].timed(_given(clock))


def limits_of(*changes: LimitChanges) -> ResourceLimits:
    """Return the limits of a bot; later changes go before earlier ones."""
    limits = ResourceLimits()
    for change in changes:
        limits = replace(limits, **_given(change))
    return limits


def options_of(game: Game, preset: str | None, settings: Mapping[str, str | int], seats: int) -> Options:
    """Return all options of the game: single settings go before the preset, the preset before the defaults.

    Raises PresetError or OptionError.
    """
    check_preset(game, preset)
    given: Options = dict(game.info.presets[preset]) if preset is not None else {}
    return game.resolve(given | dict(settings), seats)


def check_preset(game: Game, preset: str | None) -> None:
    """Refuse a preset that the game does not have."""
    presets = game.info.presets
    if preset is not None and preset not in presets:
        hint = nearest(preset, presets) if presets else "it has none"
        raise PresetError(f"{game.info.id} has no preset {preset!r}: {hint}")


def option_errors(game: Game, settings: Mapping[str, str | int]) -> Iterator[OptionError]:
    """Return what is wrong with each setting by itself."""
    for name, value in settings.items():
        try:
            game.info.option(name).parse(value)
        except OptionError as error:
            yield error


def _given(changes: ClockChanges | LimitChanges) -> dict[str, int]:
    """Return the fields that were set."""
    return {name: value for name, value in asdict(changes).items() if value is not None}
