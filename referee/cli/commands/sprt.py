"""`referee sprt`: plays until it is clear whether a new bot is better; the exit code is the answer."""

import time
from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from referee.cli import examples
from referee.cli.options.bots import complete_bot
from referee.cli.options.cluster import cluster_options
from referee.cli.options.common import POSITIVE, json_option, junit_option
from referee.cli.options.games import complete_game, to_game
from referee.cli.options.terms import (
    jobs_option,
    level_options,
    limit_option,
    replay_folder,
    terms_options,
    warn,
    warn_of_division,
    workers_option,
)
from referee.cli.output.printer import show_json
from referee.cli.output.sprt_progress import SprtProgress
from referee.cli.output.sprt_tables import faults, junit_case, show_plan, show_verdict
from referee.errors import ConfigError, nearest
from referee.game import Game, Options
from referee.hub.capacity import WorkDivision, divide_host
from referee.hub.signals import Stop
from referee.process.sandbox.levels import check_folders
from referee.process.spec import Level, ResourceLimits, starts_fresh
from referee.wording import clean, plural
from referee.worker.cluster_place import ClusterPlace, use_of
from tournaments.config.bots import is_sample, read_bots
from tournaments.config.cautions import memory_caution, new_seed, seed_caution
from tournaments.config.terms import ClockChanges, options_of, profile_of
from tournaments.pairing.outlook import random_matches
from tournaments.pilot import sprt_pilot
from tournaments.rating.basis import Basis, assumed
from tournaments.rating.sprt import Sprt
from tournaments.rating.sprt_plan import check_wishes, plan_of
from tournaments.report import junit
from tournaments.sprt_runner import SprtRunner, SprtSetting, SprtVerdict

BETTER, FAILED, NOT_BETTER, UNDECIDED, INTERRUPTED = 0, 1, 10, 11, 130

PILOT: Final = 30
"""Blocks of a pilot: numbers of blocks are then known to about a half."""

_ASSUMED: Final = {"draws": (0.0, 0.99), "sd": (0.001, 0.5), "seconds": (0.001, 86_400.0)}
"""What `--assume` may state, from where to where."""


@click.command(
    epilog=examples(
        "referee sprt ./v2 ./v1 --game chicago-poker",
        "referee sprt new.py old.py --game chicago-poker --elo0 -5 --elo1 5 --junit sprt.xml",
        "referee sprt poker random --game chicago-poker --seats 4 --elo1 50 --seed 7 --json",
        "referee sprt new.py old.py --game chicago-poker --nelo --elo1 15",
        "referee sprt new.py old.py --game chicago-poker --plan --precision 5",
        "referee sprt new.py old.py --game chicago-poker --plan --assume draws=0.3,seconds=0.5",
    )
)
@click.argument("new", shell_complete=complete_bot)
@click.argument("old", shell_complete=complete_bot)
@click.option(
    "--game",
    required=True,
    is_eager=True,
    callback=to_game,
    shell_complete=complete_game,
    help="The game to play.",
)
@click.option(
    "--elo0",
    type=float,
    default=0.0,
    show_default=True,
    help="The answer is `not better` at this difference or less.",
)
@click.option(
    "--elo1",
    type=float,
    default=10.0,
    show_default=True,
    help="The answer is `better` at this difference or more.",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Risk of the answer `better` when NEW is not.",
)
@click.option(
    "--beta", type=float, default=0.05, show_default=True, help="Risk of the answer `not better` when NEW is."
)
@click.option(
    "--nelo",
    is_flag=True,
    help="elo0 and elo1 are normalised Elo: differences in standard deviations of a match.",
)
@click.option("--seed", help="The seed of all luck; default: a new one, which is printed.")
@click.option("--seats", type=POSITIVE, help="Bots in a match; default: the fewest of the game.")
@click.option(
    "--max-blocks",
    "most_blocks",
    type=POSITIVE,
    default=20_000,
    show_default=True,
    help="Stop without an answer after this number of deals.",
)
@terms_options
@limit_option()
@level_options()
@jobs_option()
@workers_option()
@cluster_options
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the replays; default: replays are not kept.",
)
@click.option(
    "--plan",
    is_flag=True,
    help="Do not test: report how many blocks the test, and others, would take, and how long here.",
)
@click.option(
    "--pilot",
    type=click.IntRange(min=2),
    metavar="BLOCKS",
    help=f"With --plan: blocks to play before, with deals of their own; default: {PILOT}.",
)
@click.option(
    "--assume",
    metavar="NAME=N,...",
    multiple=True,
    help="With --plan, instead of a pilot: draws (part of the matches) or sd (of a block's score), and "
    "seconds (from match to match).",
)
@click.option("--power", type=float, help="With --plan: of a fixed number of blocks; default: 1 - beta.")
@click.option(
    "--precision",
    type=float,
    metavar="ELO",
    help="With --plan: also the blocks until Elo is known to ±.",
)
@junit_option
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print only the answer.")
@click.pass_context
def sprt(
    ctx: click.Context,
    /,
    junit_file: Path | None,
    as_json: bool,
    quiet: bool,
    plan: bool,
    pilot: int | None,
    assume: tuple[str, ...],
    power: float | None,
    precision: float | None,
    **asked: Any,
) -> None:
    """Decide whether the bot NEW is better than the bot OLD, with as few matches as possible.

    Each is the name of a sample bot, a .py file, or a command line in quotes; NAME=... gives it a name. Every
    deal is played once with NEW in each seat, and OLD in all others.

    Exits with 0 if NEW is better, 10 if it is not, 11 if the answer is open after --max-blocks, and with
    another code if the test failed. After Ctrl-C running matches are played to the end; a second Ctrl-C
    abandons them.

    With --plan no test is made: after a short pilot, or from assumptions, a table says how many blocks and
    how much time it would take. Then the exit code is 0.
    """
    of_plan = {"--pilot": pilot, "--assume": assume, "--power": power, "--precision": precision}
    _check_options(ctx, plan, of_plan, junit_file)
    setting = _setting(**asked)
    if not quiet and setting.cluster is None:
        work = setting.work
        warn_of_division(work, setting.game.info, setting.seats, asked["level"], workers=asked["workers"])
    if plan:
        _plan(setting, pilot, assume, power, precision, as_json=as_json, quiet=quiet)
        return
    _warn_of_cheats(setting)
    began = time.monotonic()
    with replay_folder(setting.replays), Stop() as stop, SprtProgress(quiet=quiet) as progress:
        runner = SprtRunner(setting, progress=progress.update, note=progress.note)
        runner.run(stop)
    verdict = runner.verdict(time.monotonic() - began)
    if junit_file is not None:
        junit.write(junit_file, "referee sprt", [junit_case(verdict)])
    if as_json:
        show_json(verdict)
    else:
        show_verdict(verdict, quiet=quiet)
    for line in faults(verdict) if quiet else ():
        click.echo(f"referee: {clean(line)}", err=True)
    if verdict.failure:
        click.echo(f"referee: {clean(verdict.failure)}", err=True)
    ctx.exit(_code(verdict))


def _check_options(
    ctx: click.Context, plan: bool, of_plan: Mapping[str, object], junit_file: Path | None
) -> None:
    """Refuse options that contradict each other, and say what to do."""
    if not plan:
        for name, value in of_plan.items():
            if value not in (None, ()):
                raise ConfigError(f"{name} belongs to --plan: add --plan, or leave {name} out")
        return
    if of_plan["--pilot"] is not None and of_plan["--assume"]:
        raise ConfigError("--assume replaces the pilot: leave out either --assume or --pilot")
    if junit_file is not None:
        raise ConfigError("--plan tests nothing, so there is no verdict for --junit: use --json")
    for name, option in (("replays", "--replays"), ("most_blocks", "--max-blocks")):
        if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise ConfigError(f"{option} belongs to a test, not to --plan: leave it out")


def _plan(
    setting: SprtSetting,
    pilot: int | None,
    assume: tuple[str, ...],
    power: float | None,
    precision: float | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print what the test would take."""
    test = setting.test
    power = 1 - max(test.beta, 1e-12) if power is None else power
    check_wishes(power, precision)
    if assume:
        basis = _assumed(assume, setting)
    else:
        blocks = pilot or PILOT
        if not quiet:
            click.echo(f"a pilot of {plural(blocks, 'block')} is played", err=True)
        with Stop() as stop:
            basis = sprt_pilot(setting, blocks, stop, lambda text: click.echo(clean(text), err=True))
    found = plan_of(test, basis, power, precision)
    if as_json:
        show_json(found)
    else:
        show_plan(found, setting.new.name, setting.old.name, setting.most_blocks)


def _assumed(texts: tuple[str, ...], setting: SprtSetting) -> Basis:
    """Read the assumptions."""
    values: dict[str, float] = {}
    for pair in (pair for text in texts for pair in text.split(",")):
        name, _, number = pair.partition("=")
        if name not in _ASSUMED:
            raise ConfigError(f"--assume has no {name!r}: {nearest(name, _ASSUMED)}")
        least, most = _ASSUMED[name]
        try:
            values[name] = float(number)
        except ValueError:
            values[name] = nan
        if not least <= values[name] <= most:
            raise ConfigError(f"--assume {name} is a number from {least:g} to {most:g}, not {number!r}")
    if ("draws" in values) == ("sd" in values):
        raise ConfigError("--assume needs either draws or sd: how much blocks differ follows from either")
    _, only_winners = random_matches(setting.game, setting.seats, setting.options)
    return assumed(
        setting.seats,
        values.get("draws", 0.0),
        values.get("sd"),
        values.get("seconds"),
        only_winners=only_winners,
    )


def _setting(
    *,
    new: str,
    old: str,
    game: Game,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    nelo: bool,
    seed: str | None,
    seats: int | None,
    most_blocks: int,
    settings: Options,
    preset: str | None,
    profile_name: str,
    clock: ClockChanges,
    limits: ResourceLimits,
    level: Level,
    jobs: int | None,
    workers: int | None,
    cluster: ClusterPlace | None,
    replays: Path | None,
) -> SprtSetting:
    """Check all options before any process is started."""
    size = game.info.least_seats if seats is None else seats
    game.check_seats(size)
    options = options_of(game, preset, settings, size)
    specs = read_bots([new, old], bot_limits=limits, fresh=starts_fresh(level, None), level=level)
    check_folders(specs, [replays] if replays is not None else [])
    division = divide_host(game.info, size, level, jobs=jobs, workers=workers)
    use = use_of(cluster, game.info, size, jobs)
    test = Sprt(elo0, elo1, alpha, beta, unit="nElo" if nelo else "Elo", seats=size)
    return SprtSetting(
        game=game,
        new=specs[0],
        old=specs[1],
        seats=size,
        options=options,
        profile=profile_of(profile_name, clock),
        seed=new_seed() if seed is None else seed,
        work=division if use is None else WorkDivision(jobs=use.lanes),
        cluster=use,
        most_blocks=most_blocks,
        replays=replays,
        test=test,
    )


def _warn_of_cheats(setting: SprtSetting) -> None:
    """Warn if a bot could guess the seed or remember a deal; our own samples do neither."""
    program = setting.new.program
    only_samples = all(is_sample(bot.program) for bot in (setting.new, setting.old))
    if not only_samples:
        warn(seed_caution(setting.seed, "without --seed there is a good one"))
    warn(memory_caution(program.level, setting.new.fresh, only_samples=only_samples, in_file=False))


def _code(verdict: SprtVerdict) -> int:
    if verdict.failure:
        return FAILED
    if verdict.interrupted:
        return INTERRUPTED
    return {"better": BETTER, "not better": NOT_BETTER, None: UNDECIDED}[verdict.state.decided]
