"""`referee sprt`: plays until it is clear whether a new bot is better; the exit code is the answer."""

import time
from pathlib import Path
from typing import Any

import click

from referee.cli import examples
from referee.cli.options.bots import complete_bot
from referee.cli.options.common import POSITIVE, json_option, junit_option
from referee.cli.options.games import complete_game, to_game
from referee.cli.options.terms import (
    jobs_option,
    level_options,
    limit_option,
    replay_folder,
    terms_options,
    warn,
    warn_of_overload,
)
from referee.cli.output.printer import show_json
from referee.cli.output.sprt_progress import SprtProgress, describe
from referee.game import Game, Options
from referee.hub.capacity import fair_jobs
from referee.hub.signals import Stop
from referee.process.sandbox.levels import check_folders
from referee.process.spec import Level, ResourceLimits, starts_fresh
from referee.wording import clean, plural
from tournaments.config.bots import is_sample, read_bots
from tournaments.config.cautions import memory_caution, new_seed, seed_caution
from tournaments.config.terms import ClockChanges, options_of, profile_of
from tournaments.rating.sprt import Sprt
from tournaments.report import junit
from tournaments.report.words import memory_warning
from tournaments.sprt_runner import SprtRunner, SprtSetting, SprtVerdict

BETTER, FAILED, NOT_BETTER, UNDECIDED, INTERRUPTED = 0, 1, 10, 11, 130


@click.command(
    epilog=examples(
        "referee sprt ./v2 ./v1 --game chicago-poker",
        "referee sprt new.py old.py --game chicago-poker --elo0 -5 --elo1 5 --junit sprt.xml",
        "referee sprt poker random --game chicago-poker --seats 4 --elo1 50 --seed 7 --json",
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
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the replays; default: replays are not kept.",
)
@junit_option
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print only the answer.")
@click.pass_context
def sprt(ctx: click.Context, /, junit_file: Path | None, as_json: bool, quiet: bool, **asked: Any) -> None:
    """Decide whether the bot NEW is better than the bot OLD, with as few matches as possible.

    Each is the name of a sample bot, a .py file, or a command line in quotes; NAME=... gives it a name. Every
    deal is played once with NEW in each seat, and OLD in all others.

    Exits with 0 if NEW is better, 10 if it is not, 11 if the answer is open after --max-blocks, and with
    another code if the test failed. After Ctrl-C running matches are played to the end; a second Ctrl-C
    abandons them.
    """
    setting = _setting(**asked)
    if not quiet:
        warn_of_overload(setting.jobs, setting.game.info, setting.seats)
    _warn_of_cheats(setting)
    began = time.monotonic()
    with replay_folder(setting.replays), Stop() as stop, SprtProgress(quiet=quiet) as progress:
        runner = SprtRunner(setting, progress=progress.update, note=progress.note)
        runner.run(stop)
    verdict = runner.verdict(time.monotonic() - began)
    if junit_file is not None:
        junit.write(junit_file, "referee sprt", [_case(verdict)])
    if as_json:
        show_json(verdict)
    else:
        _show(verdict, quiet=quiet)
    for line in _faults(verdict) if quiet else ():
        click.echo(f"referee: {clean(line)}", err=True)
    if verdict.failure:
        click.echo(f"referee: {clean(verdict.failure)}", err=True)
    ctx.exit(_code(verdict))


def _setting(
    *,
    new: str,
    old: str,
    game: Game,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
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
    replays: Path | None,
) -> SprtSetting:
    """Check all options before any process is started."""
    size = game.info.least_seats if seats is None else seats
    game.check_seats(size)
    options = options_of(game, preset, settings, size)
    specs = read_bots([new, old], bot_limits=limits, fresh=starts_fresh(level, None), level=level)
    check_folders(specs, [replays] if replays is not None else [])
    test = Sprt(elo0, elo1, alpha, beta)
    return SprtSetting(
        game=game,
        new=specs[0],
        old=specs[1],
        seats=size,
        options=options,
        profile=profile_of(profile_name, clock),
        seed=new_seed() if seed is None else seed,
        jobs=jobs or fair_jobs(game.info, size),
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


def _answer(verdict: SprtVerdict) -> str:
    """Return the answer in one sentence."""
    risk = f"elo0 {verdict.elo0:g}, elo1 {verdict.elo1:g}, alpha {verdict.alpha:g}, beta {verdict.beta:g}"
    after = plural(verdict.state.blocks, "block")
    answer = {
        "better": f"{verdict.new} is better than {verdict.old}",
        "not better": f"{verdict.new} is not better than {verdict.old}",
        None: f"It is not known yet whether {verdict.new} is better than {verdict.old}",
    }[verdict.state.decided]
    return f"{answer}: {after} of {plural(verdict.seats, 'match')}, {risk}."


def _show(verdict: SprtVerdict, *, quiet: bool) -> None:
    click.echo(clean(_answer(verdict)))
    if not quiet:
        for line in _details(verdict):
            click.echo(clean(line))


def _details(verdict: SprtVerdict) -> list[str]:
    lengths = ", ".join(
        f"{blocks} at {elo} Elo" for elo, blocks in verdict.expected.items() if blocks is not None
    )
    scores = ", ".join(f"{score}: {count}" for score, count in verdict.scores.items())
    return [
        describe(verdict.state),
        *([f"half points of the blocks: {scores}"] if scores else []),
        *([f"expected length: {lengths}"] if lengths else []),
        *_faults(verdict),
        *(f"warning: {memory_warning(line)}" for line in verdict.memory if line.named),
        f"{verdict.game}, {plural(verdict.seats, 'seat')}, seed {verdict.seed}, {verdict.took_s:.1f} s",
    ]


def _faults(verdict: SprtVerdict) -> list[str]:
    """Return a line for each bot that lost matches by a fault."""
    lines = []
    for bot, codes in verdict.faults.items():
        if codes:
            counts = ", ".join(f"{count} {code}" for code, count in codes.items())
            is_all = bot == verdict.new and sum(codes.values()) >= verdict.state.blocks * verdict.seats
            extent = ", every match it played" if is_all else ""
            why = "" if verdict.replays else " (with --replays FOLDER, `referee why` explains them)"
            lines.append(f"{bot} lost by faults: {counts}{extent}{why}")
    return lines


def _case(verdict: SprtVerdict) -> junit.TestCase:
    name = f"{verdict.new} is better than {verdict.old} at {verdict.game}"
    detail = "\n".join(_details(verdict))
    if verdict.failure:
        return junit.TestCase(name, "error", verdict.failure, detail, verdict.took_s)
    if verdict.state.decided == "better":
        return junit.TestCase(name, seconds=verdict.took_s)
    return junit.TestCase(name, "failed", _answer(verdict), detail, verdict.took_s)
