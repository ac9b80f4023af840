"""The terms of a match as options of a command: rules, profile, clock, limits of the bots."""

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from referee.cli.options.game import set_option
from referee.errors import ConfigError, nearest
from referee.game import Game, GameInfo, Options
from referee.hub.capacity import cores, fair_jobs, thinking_at_once
from referee.match.faults import PROFILES, Profile
from referee.process.sandbox.levels import ACCEPTABLE, insist
from referee.process.spec import LEVELS, Level, ResourceLimits

Command = TypeVar("Command", bound=Callable[..., Any])

CLOCK = {
    "ready": "ready_ms",
    "first": "first_ms",
    "move": "move_ms",
    "bank": "bank_ms",
    "grace": "grace_ms",
    "hello": "hello_ms",
    "goodbye": "goodbye_ms",
}
"""What `--clock` may change, all in milliseconds; the last two are the profile's own."""

LIMITS = {
    "memory": "memory_mib",
    "cpu": "cpu_s",
    "processes": "processes",
    "files": "open_files",
    "file-size": "file_mib",
}
"""What `--limit` may change; 0 means no limit."""

_MOST = 10**9
_ACCEPTED = "referee.accepted_gaps"


def terms_options(command: Command) -> Command:
    """Give a command with GAME the options `--set`, `--preset`, `--profile` and `--clock`."""
    options = [
        set_option(),
        click.option("--preset", metavar="NAME", help="Use a named set of the game's options."),
        click.option(
            "--profile",
            "profile_name",
            type=click.Choice(sorted(PROFILES)),
            default="strict",
            show_default=True,
            help="How many strikes a bot has, and how much time.",
        ),
        click.option(
            "--clock",
            metavar="NAME=MS,...",
            multiple=True,
            callback=_reader("--clock", CLOCK),
            help=f"Change times of the profile, in milliseconds: {', '.join(CLOCK)}.",
        ),
    ]
    return functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)


def limit_option() -> Callable[[Command], Command]:
    """Give a command the option `--limit`; its parameter `limits` is a ResourceLimits."""

    def read(ctx: click.Context, param: click.Parameter, texts: Iterable[str]) -> ResourceLimits:
        return ResourceLimits(**_reader("--limit", LIMITS)(ctx, param, texts))

    return click.option(
        "--limit",
        "limits",
        metavar="NAME=N,...",
        multiple=True,
        callback=read,
        help="Limits of each bot: memory (MiB), cpu (s), processes, files, file-size (MiB); 0: no limit.",
    )


def level_options() -> Callable[[Command], Command]:
    """Give a command `--level` and `--accept-gap`; a level that this host cannot keep is refused."""

    def read(ctx: click.Context, _param: click.Parameter, level: Level) -> Level:
        insist(level, ctx.meta[_ACCEPTED])
        return level

    def note(ctx: click.Context, _param: click.Parameter, names: tuple[str, ...]) -> None:
        ctx.meta[_ACCEPTED] = names

    level = level_option(default="trusted", show_default=True, callback=read)
    gaps = accept_gap_option(is_eager=True, expose_value=False, callback=note)
    return lambda command: level(gaps(command))


def level_option(**settings: Any) -> Callable[[Command], Command]:
    """Give a command `--level` alone."""
    told = "How far bots are trusted; docs/sandbox.md explains it, `referee doctor` tests this host."
    return click.option("--level", type=click.Choice(LEVELS), help=told, **settings)


def accept_gap_option(**settings: Any) -> Callable[[Command], Command]:
    """Give a command `--accept-gap` alone, any number of times."""
    told = f"Accept that this host lacks one of these at level contest: {', '.join(ACCEPTABLE)}."
    return click.option("--accept-gap", metavar="NAME", multiple=True, help=told, **settings)


def jobs_option(told: str = "") -> Callable[[Command], Command]:
    """Give a command `--jobs`."""
    default = "default, and the largest fair number: one processor for each bot that may have to act"
    return click.option(
        "--jobs", type=click.IntRange(min=1), help=f"Number of matches at once; {told or default}."
    )


def warn_of_overload(jobs: int, info: GameInfo, bots: int) -> None:
    """Warn if more bots may have to act at once than there are processors, `bots` in each match."""
    thinkers = jobs * thinking_at_once(info, bots)
    if thinkers <= cores():
        return
    matches = "1 match" if jobs == 1 else f"{jobs} matches"
    fair = f" (--jobs {fair_jobs(info, bots)} is fair)" if jobs > 1 else ""
    click.echo(
        f"referee: {matches} at once, so up to {thinkers} bots think at the same time on {cores()} of the "
        f"host's processors: they slow each other down, and their clocks do not stop{fair}",
        err=True,
    )


def make_folder(folder: Path) -> None:
    """Make a folder for replays; raise ConfigError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {folder} for replays: {error.strerror}") from error


def profile_of(name: str, clock: Mapping[str, int]) -> Profile:
    """Return the profile with the changes of `--clock`."""
    return PROFILES[name].timed(clock)


def options_of(game: Game, preset: str | None, settings: Options, seats: int) -> Options:
    """Return all options of the game: `--set` overrides the preset, which overrides the defaults."""
    given: Options = {}
    if preset is not None:
        if preset not in game.info.presets:
            presets = game.info.presets
            hint = nearest(preset, presets) if presets else "it has none"
            raise ConfigError(f"{game.info.id} has no preset {preset!r}: {hint}")
        given = dict(game.info.presets[preset])
    return game.resolve(given | settings, seats)


def _reader(
    option: str, known: Mapping[str, str]
) -> Callable[[click.Context, click.Parameter, Iterable[str]], dict[str, int]]:
    """Return a callback that reads `name=number,...` into fields and their values."""

    def read(_ctx: click.Context, _param: click.Parameter, texts: Iterable[str]) -> dict[str, int]:
        values: dict[str, int] = {}
        for pair in (pair for text in texts for pair in text.split(",")):
            name, _, number = pair.partition("=")
            if name not in known:
                raise ConfigError(f"{option} has no {name!r}: {nearest(name, known)}")
            if not number.isdecimal() or int(number) > _MOST:
                raise ConfigError(f"{option} {name} is a whole number from 0 to {_MOST}, not {number!r}")
            values[known[name]] = int(number)
        return values

    return read
