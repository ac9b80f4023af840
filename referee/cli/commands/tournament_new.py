"""`referee tournament new` and `check`: write a tournament file, and report its mistakes."""

from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

import click

from referee import registry
from referee.cli import examples
from referee.cli.options.common import json_option
from referee.cli.output.printer import named_lines, show_facts, show_json
from referee.errors import ConfigError, RefereeError
from referee.hub.signals import Stop
from referee.wording import clean, lasting, plural
from tournaments.config.luck import origin_of, state_in_words
from tournaments.config.new_file import EXAMPLES, write_new
from tournaments.config.plan import Plan, check_bots, load
from tournaments.pairing.outlook import OVERHEAD_MS, Outlook, outlook
from tournaments.pairing.schedule import Balance, counted, fixtures
from tournaments.pilot import tournament_pilot
from tournaments.rating.basis import Basis, assumed, of_results, stored_time
from tournaments.rating.precision import Forecast, forecast
from tournaments.results import Played
from tournaments.store.store import Store


@click.command(
    epilog=examples(
        "referee tournament new",
        "referee tournament new spring.toml --game chicago-poker",
        "referee tournament new class.toml --like class",
        "referee tournament new demo.toml --like demo --game gangsters",
    )
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default=Path("tournament.toml"))
@click.option("--game", metavar="GAME", help="The game to play.")
@click.option(
    "--like",
    type=click.Choice(list(EXAMPLES)),
    default="new",
    show_default=True,
    help="The example to start from.",
)
def new(file: Path, game: str | None, like: str) -> None:
    """Write a tournament FILE (default: tournament.toml) with comments and a new seed.

    An existing file is never replaced. The demo has the same seed every time.
    """
    write_new(file, like, game)
    click.echo(f"{clean(str(file))} is written: {EXAMPLES[like]}. Change it, then:")
    click.echo(f"  referee tournament check {clean(str(file))}")
    click.echo(f"  referee tournament run {clean(str(file))}")


@click.command(
    epilog=examples(
        "referee tournament check spring.toml",
        "referee tournament check spring.toml --precision 20",
        "referee tournament check spring.toml --precision 20 --pilot 40 --json",
    )
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--precision",
    type=float,
    metavar="ELO",
    help="Also report how many blocks ratings need to be known to ±.",
)
@click.option(
    "--pilot",
    type=click.IntRange(min=4),
    metavar="BLOCKS",
    help="Play so many blocks first, with deals of their own, to measure errors and time.",
)
@json_option
def check(file: Path, precision: float | None, pilot: int | None, as_json: bool) -> None:
    """Report the mistakes of a tournament FILE, or describe what it will play.

    It also says how precise the ratings will be, and how long it takes: as results in the store show, as a
    pilot shows, or else as if every match were a lot. Without --pilot no process is started; no file is
    written in any case. Exits with 2 if there is a mistake; every mistake is reported with its line and a
    suggestion.
    """
    if precision is not None and not 0 < precision < inf:
        raise ConfigError(f"--precision is a number of Elo points above 0, not {precision:g}")
    plan = load(file)
    if precision is not None and plan.format == "knockout":
        raise ConfigError(
            "--precision: the errors of a knockout are not foretold, because bots that lose are hardly "
            "rated: leave it out"
        )
    check_bots(plan)
    ahead = outlook(plan)
    expects = forecast(plan, ahead.evenness, _basis(plan, pilot, ahead.only_winners), precision)
    if as_json:
        show_json(_document(plan, ahead, expects))
        return
    click.echo(f"{clean(str(file))} is fine.")
    show_facts([*_rows(plan, ahead, expects), *_files(plan)])
    for note in ahead.notes:
        click.echo(f"note: {note}")


def _basis(plan: Plan, pilot: int | None, only_winners: bool) -> Basis:
    """Return what the forecast rests on: a pilot, results in the store, or else an assumption."""
    if pilot is not None:
        with Stop() as stop:
            return tournament_pilot(plan, pilot, stop, lambda text: click.echo(clean(text), err=True))
    rows: list[Played] = []
    # A store that cannot be read is reported when it is used.
    with suppress(RefereeError), Store(plan.store, write=False) as store:
        stored = store.played()
        rows = counted(fixtures(plan, stored), stored)
    found = of_results(rows, "results", stored_time(rows, OVERHEAD_MS, plan.jobs)) if rows else None
    return found or assumed(plan.seats, 0.0, None, None, only_winners=only_winners)


def _document(plan: Plan, ahead: Outlook, expects: Forecast) -> dict[str, Any]:
    even = ahead.evenness
    return {
        "name": plan.name,
        "game": plan.game,
        "options": plan.options,
        "seats": plan.seats,
        "format": plan.format,
        "blocks": plan.blocks,
        "rounds": plan.rounds if plan.format == "swiss" else None,
        "profile": plan.profile,
        "bots": [{"name": bot.name, "command": bot.spec().program.command_line()} for bot in plan.bots],
        "luck": origin_of(plan),
        "store": str(plan.store),
        "replays": str(plan.replays),
        "matches": ahead.matches,
        "decisions_of_a_match": ahead.decisions,
        "seconds": {"quick": ahead.quick_s, "slow": ahead.slow_s, "longest": ahead.longest_s},
        "forecast": expects,
        "balance": even and {"even": even.is_even, "meetings": even.meetings, "seating": even.seating},
        "notes": ahead.notes,
    }


def _rows(plan: Plan, ahead: Outlook, expects: Forecast) -> Iterator[tuple[str, str]]:
    yield "tournament", plan.name
    yield "game", f"{plan.game}, {plural(plan.seats, 'seat')}{_options(plan)}"
    yield "format", f"{_format(plan)}, {plural(plan.blocks, 'deal')} each, in {plan.seats} rotations"
    yield "deals", "the same in every group" if plan.common_deals else "every group has its own"
    ties = ", and more to break ties" if plan.format == "knockout" else ""
    yield "matches", f"{ahead.matches}{ties}, {plan.jobs} at once"
    yield "balance", _balance(plan, ahead.evenness)
    yield "profile", f"{plan.profile.name}, {_strikes(plan.profile.strikes)}"
    yield from _expected(expects)
    if expects.seconds is not None:
        yield "time", f"{lasting(expects.seconds)} here, {lasting(ahead.longest_s)} if all use all their time"
        return
    times = (ahead.quick_s, ahead.slow_s, ahead.longest_s)
    quick, slow, longest = map(lasting, times)
    yield "time", f"{quick} at 1 ms a decision, {slow} at 100 ms, {longest} if all use all their time"
    yield "", f"(a match has about {plural(ahead.decisions, 'decision')})"


def _files(plan: Plan) -> Iterator[tuple[str, str]]:
    for bot in plan.bots:
        yield "bot", f"{bot.name}: {bot.spec().program.command_line()}"
    yield from named_lines("luck", state_in_words(plan))
    yield "store", str(plan.store)
    yield "replays", str(plan.replays)


def _expected(expects: Forecast) -> Iterator[tuple[str, str]]:
    """Describe how precise the ratings of about equal bots will be, and what that rests on."""
    if expects.rating is None or expects.difference is None:
        yield "errors", "those of a knockout are not foretold"
        return
    yield (
        "errors",
        f"a rating ± {expects.rating:.0f} Elo, a difference of two bots ± {expects.difference:.0f}",
    )
    basis = expects.basis
    yield (
        "",
        {
            "pilot": f"(from a pilot of {plural(basis.blocks, 'block')})",
            "results": f"(from {plural(basis.blocks, 'block')} in the store)",
            "assumption": "(assumed: equal bots, every match a lot; --pilot 40 measures it)",
        }[basis.source],
    )
    if (wished := expects.wished) is not None:
        time = "" if wished.seconds is None else f", {lasting(wished.seconds)} here"
        yield (
            "precision",
            (f"± {wished.elo:g} Elo takes blocks = {wished.blocks}: {plural(wished.matches, 'match')}{time}"),
        )


def _options(plan: Plan) -> str:
    """List the options that differ from the defaults of the game."""
    usual = registry.game(plan.game).resolve(None, plan.seats)
    return "".join(f", {name}={value}" for name, value in plan.options.items() if usual[name] != value)


def _format(plan: Plan) -> str:
    text: str = plan.format
    if plan.format == "gauntlet":
        text += f" of {plan.hero}"
    if plan.format == "swiss":
        text += f" of {plural(plan.rounds, 'round')}"
    if plan.groups == "few" and plan.seats > 2:
        text += " of few groups"
    return text


def _strikes(strikes: int) -> str:
    return "the first fault loses the match" if strikes == 1 else f"fault {strikes} loses the match"


def _balance(plan: Plan, even: Balance | None) -> str:
    """Describe how evenly meetings and seats are distributed."""
    if even is None:
        return "every bot sits in every seat equally often; results decide which bots meet"
    least, most = (plan.blocks * count for count in even.meetings)
    if plan.format == "gauntlet":
        with_hero = [count for pair, count in even.pairs.items() if plan.hero in pair]
        least, most = plan.blocks * min(with_hero), plan.blocks * max(with_hero)
    who = f"{plan.hero} and each other bot" if plan.format == "gauntlet" else "every two bots"
    meet = f"meet {plural(least, 'time')}" if least == most else f"meet {least} to {most} times (not even)"
    return f"{who} {meet}; every bot sits in every seat equally often"
