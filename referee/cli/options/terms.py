"""The terms of a match as options of a command: rules, profile, clock, limits of the bots."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from referee.cli.options.common import Command
from referee.cli.options.games import set_option
from referee.errors import ConfigError, nearest
from referee.game import GameInfo
from referee.hub.capacity import WorkDivision, cores, fair_jobs, spare_cores, thinking_at_once
from referee.match.faults import PROFILES
from referee.process.sandbox.levels import ACCEPTABLE, insist
from referee.process.spec import LEVELS, Level, ResourceLimits
from referee.replay.files import make_private
from referee.wording import plural
from tournaments.config.terms import LIMITS, MOST, ClockChanges, LimitChanges, limits_of

Changes = TypeVar("Changes", ClockChanges, LimitChanges)

CLOCK = {field.removesuffix("_ms"): field for field in ClockChanges.__struct_fields__}
"""What `--clock` may change, all in milliseconds."""

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
            callback=lambda _ctx, _param, texts: _read("--clock", CLOCK, ClockChanges, texts),
            help=f"Change times of the profile, in milliseconds: {', '.join(CLOCK)}.",
        ),
    ]
    return functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)


def limit_option() -> Callable[[Command], Command]:
    """Give a command the option `--limit`; its parameter `limits` is a ResourceLimits."""

    def read(_ctx: click.Context, _param: click.Parameter, texts: Iterable[str]) -> ResourceLimits:
        return limits_of(_read("--limit", LIMITS, LimitChanges, texts))

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
    text = "How far bots are trusted; docs/sandbox.md explains it, `referee doctor` tests this host."
    return click.option("--level", type=click.Choice(LEVELS), help=text, **settings)


def accept_gap_option(**settings: Any) -> Callable[[Command], Command]:
    """Give a command `--accept-gap` alone, any number of times."""
    text = f"Accept that this host lacks one of these at level contest: {', '.join(ACCEPTABLE)}."
    return click.option("--accept-gap", metavar="NAME", multiple=True, help=text, **settings)


def jobs_option(about: str = "") -> Callable[[Command], Command]:
    """Give a command `--jobs`."""
    default = (
        "default: a processor for each bot that may have to act, and more matches while all bots answer far "
        "within the grace"
    )
    return click.option(
        "--jobs", type=click.IntRange(min=1), help=f"Number of matches at once; {about or default}."
    )


def workers_option(about: str = "default: one for every four processors") -> Callable[[Command], Command]:
    """Give a command `--workers`."""
    return click.option(
        "--workers",
        type=click.IntRange(min=1, max=256),
        help=f"Number of processes that play, each some of the matches at once; {about}.",
    )


def warn(text: str) -> None:
    """Print a warning, if there is one; also with --quiet, which is about output."""
    if text:
        click.echo(f"referee: {text}", err=True)


def warn_of_overload(jobs: int, info: GameInfo, bots: int, spare: int = 0) -> None:
    """Warn if more bots may have to act at once than there are processors, `bots` in each match.

    The referee itself needs so many of them to spare.
    """
    thinkers = jobs * thinking_at_once(info, bots)
    if thinkers + spare <= cores():
        return
    fair = f" (--jobs {fair_jobs(info, bots, spare)} is fair)" if jobs > 1 else ""
    taken = f", of which the referee itself needs {spare}" if spare else ""
    click.echo(
        f"referee: {plural(jobs, 'match')} at once, so up to {thinkers} bots think at the same time on "
        f"{cores()} of the host's processors{taken}: they slow each other down, and their clocks do not stop"
        f"{fair}",
        err=True,
    )


def warn_of_division(
    division: WorkDivision, info: GameInfo, bots: int, level: Level, *, workers: int | None
) -> None:
    """Warn if bots slow each other down, or if fewer workers play than were asked for."""
    warn_of_overload(division.jobs, info, bots, spare_cores(division.workers, level))
    if workers is not None and division.workers < workers:
        warn(
            f"{plural(division.workers, 'worker')} in place of {workers}: "
            f"{plural(division.jobs, 'match')} at once need no more, and more are not fair to clocks here "
            "(--jobs asks for them)"
        )


def make_folder(folder: Path) -> None:
    """Make a folder for replays, closed to other users; raise ConfigError if that fails."""
    try:
        make_private(folder)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {folder} for replays: {error.strerror}") from error


@contextmanager
def replay_folder(folder: Path | None) -> Iterator[None]:
    """Make a folder for replays; remove it if the block fails while nothing is in it."""
    is_new = folder is not None and not folder.exists()
    if folder is not None:
        make_folder(folder)
    try:
        yield
    except BaseException:
        if folder is not None and is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _read(option: str, known: Mapping[str, str], kind: type[Changes], texts: Iterable[str]) -> Changes:
    """Read `name=number,...` into the fields of a struct."""
    values: dict[str, int] = {}
    for pair in (pair for text in texts for pair in text.split(",")):
        name, _, number = pair.partition("=")
        if name not in known:
            raise ConfigError(f"{option} has no {name!r}: {nearest(name, known)}")
        if not number.isdecimal() or int(number) > MOST:
            raise ConfigError(f"{option} {name} is a whole number from 0 to {MOST}, not {number!r}")
        values[known[name]] = int(number)
    return msgspec.convert(values, kind)
