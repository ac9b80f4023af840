"""`referee tournament new` and `check`: write a tournament file, and report its mistakes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final

import click
from msgspec import Struct

from referee import registry
from referee.cli import examples
from referee.cli.options.common import json_option
from referee.cli.output.printer import named_lines, show_facts, show_json, show_table
from referee.errors import ConfigError, RefereeError
from referee.hub.roster import StartFailure
from referee.hub.signals import Stop
from referee.wording import clean, lasting, plural
from tournaments.bot_trial import failure_lines, start_all
from tournaments.config.file_keys import Broken
from tournaments.config.host_share import division_of
from tournaments.config.luck import origin_of, state_in_words
from tournaments.config.new_file import EXAMPLES, write_new
from tournaments.config.plan import Plan, check_bots, draft_of
from tournaments.event_file import EventPlan, event_at
from tournaments.final_file import write_final
from tournaments.pairing.outlook import OVERHEAD_MS, Outlook, outlook
from tournaments.pairing.schedule import Balance, counted, fixtures, pools_of
from tournaments.pilot import tournament_pilot
from tournaments.placing.places import in_words
from tournaments.placing.table_order import BY_POINTS, BY_RATING
from tournaments.rating.basis import Basis, assumed, of_results, stored_time
from tournaments.rating.precision import Forecast, forecast
from tournaments.report.facts import freeze_in_words, moment_in_words
from tournaments.results import Played
from tournaments.site.front import combine_in_words
from tournaments.store.field import as_played
from tournaments.store.store import Store


@click.command(
    epilog=examples(
        "referee tournament new",
        "referee tournament new spring.toml --game chicago-poker",
        "referee tournament new class.toml --like class",
        "referee tournament new demo.toml --like demo --game gangsters",
        "referee tournament new final.toml --from-ladder serve --best 8 --bots entries",
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
@click.option(
    "--from-ladder",
    "ladder",
    metavar="FOLDER",
    type=click.Path(exists=True, path_type=Path),
    help="Make a final of the best bots of this ladder, in the order of their ranks.",
)
@click.option(
    "--best", type=click.IntRange(min=2), default=8, show_default=True, help="How many bots of the ladder."
)
@click.option(
    "--bots",
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    default=Path(),
    help="Where the programs of the final are: a folder with a folder for each name, or a tournament file.",
)
def new(file: Path, game: str | None, like: str, ladder: Path | None, best: int, bots: Path) -> None:
    """Write a tournament FILE (default: tournament.toml) with comments and a new seed.

    An existing file is never replaced. The demo has the same seed every time.

    The bots of a ladder are on other hosts, so a final (--from-ladder) needs their programs here: --bots has
    a folder for each name, with ./run, ./bot, run.py, bot.py or main.py in it, or is a tournament file with
    bots of these names, also by `referee entries`. Bots without a program are named and left out.
    """
    if ladder is not None:
        _write_final(file, game, like, ladder, best, bots)
        return
    write_new(file, like, game)
    click.echo(f"{clean(str(file))} is written: {EXAMPLES[like]}. Change it, then:")
    click.echo(f"  referee tournament check {clean(str(file))}")
    click.echo(f"  referee tournament run {clean(str(file))}")


def _write_final(file: Path, game: str | None, like: str, ladder: Path, best: int, bots: Path) -> None:
    if game is not None:
        raise ConfigError("--game and --from-ladder exclude each other: the game is that of the ladder")
    if like in ("demo", "regression", "games"):
        raise ConfigError(f"--like {like} is no final of one ladder: choose contest, class or stages")
    found = write_final(file, "contest" if like == "new" else like, ladder, best, bots)
    for one in found:
        state = "plays" if one.entry is not None else f"is missing: there is no program of it in {bots}"
        click.echo(clean(f"rank {one.rank}: {one.name} {state}"))
    click.echo(f"{clean(str(file))} is written. To play the final:")
    click.echo(f"  referee tournament run {clean(str(file))}")


@click.command(
    epilog=examples(
        "referee tournament check spring.toml",
        "referee tournament check spring.toml --start",
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
@click.option(
    "--start", is_flag=True, help="Start every bot once, in its sandbox, and report those that cannot play."
)
@json_option
@click.pass_context
def check(
    ctx: click.Context, file: Path, precision: float | None, pilot: int | None, start: bool, as_json: bool
) -> None:
    """Report the mistakes of a tournament FILE, or describe what it will play.

    It also says how precise the ratings will be, and how long it takes: as results in the store show, as a
    pilot shows, or else as if every match were a lot. Without --pilot and --start no process is started; no
    file is written in any case. Exits with 2 if there is a mistake; every mistake is reported with its line
    and a suggestion.

    With --start all bots are tried, and those that do not start are reported with their stderr. Exits with 1
    if there are any.
    """
    if start:
        if precision is not None or pilot is not None:
            raise ConfigError("--start tries the bots alone: leave out --precision and --pilot")
        ctx.exit(_try_event(event_at(file), as_json=as_json))
    if precision is not None and not 0 < precision < inf:
        raise ConfigError(f"--precision is a number of Elo points above 0, not {precision:g}")
    event = event_at(file)
    if not event.is_single:
        _check_event(event, precision, pilot, as_json=as_json)
        return
    plan = event.plans[0]
    found = _examine(plan, precision, pilot)
    if as_json:
        show_json(_document(plan, *found))
        return
    click.echo(f"{clean(str(file))} is fine.")
    ahead, expects = found
    show_facts([*_rows(plan, ahead, expects), *_files(plan)])
    for note in ahead.notes:
        click.echo(f"note: {note}")


def _examine(plan: Plan, precision: float | None, pilot: int | None) -> tuple[Outlook, Forecast]:
    """Return the forecast of a tournament; raises PlanError about bots that cannot be started."""
    if precision is not None and plan.format == "knockout":
        raise ConfigError(
            "--precision: the errors of a knockout are not foretold, because bots that lose are hardly "
            "rated: leave it out"
        )
    check_bots(plan)
    ahead = outlook(plan)
    return ahead, forecast(plan, ahead.evenness, _basis(plan, pilot, ahead.only_winners), precision)


def _check_event(event: EventPlan, precision: float | None, pilot: int | None, *, as_json: bool) -> None:
    """Describe an event of several tournaments: what all share, then each part."""
    # The bots of a later stage are not known: it is foretold with others in their place.
    plans = [one.plan or draft_of(event.file, one.part) for one in event.parts]
    check_bots(event.plans[0])
    found = [(plan, *_examine(plan, precision, pilot)) for plan in plans]
    if as_json:
        parts = [
            {"part": one.part.name, "take": one.part.take, "weight": one.part.weight, **_document(*each)}
            for one, each in zip(event.parts, found, strict=True)
        ]
        show_json({"event": event.name, "combine": event.file.combine, "parts": parts})
        return
    click.echo(f"{clean(str(event.file.path.name))} is fine: {plural(len(plans), 'tournament')}.")
    for one, (plan, ahead, expects) in zip(event.parts, found, strict=True):
        click.echo()
        rows = [(name, text) for name, text in _rows(plan, ahead, expects) if name != "tournament"]
        entrants = f"the best {one.part.take_text} of the stage before" if one.part.take else "all"
        store = plan.store.name if isinstance(plan.store, Path) else str(plan.store)
        show_facts([("part", one.part.name), ("bots", entrants), *rows, ("store", store)])
    click.echo()
    if any(one.part.game for one in event.parts):
        click.echo(f"combined table: {combine_in_words(event)}")
    show_facts(_files(event.plans[0]))
    for note in dict.fromkeys(note for _, ahead, _ in found for note in ahead.notes):
        click.echo(f"note: {note}")


class TriedBot(Struct, frozen=True):
    """Whether a bot starts."""

    name: str
    starts: bool
    why: str = ""
    """In words for all."""
    message: str = ""
    """With its command, for the operator."""
    stderr: str = ""


_FATES: Final[dict[Broken, str]] = {
    "leave out": "`run` leaves them out",
    "forfeit": "they lose all their matches",
    "stop": "`run` plays nothing",
}
"""What becomes of bots that do not start, by what the file says."""


def _try_event(event: EventPlan, *, as_json: bool) -> int:
    """Start every bot once in each game, and report all failures; return the exit code."""
    plans = [one.plan for one in event.parts if one.plan is not None and one.part.number == 0]
    failures = [start_all(plan) for plan in plans]
    tried = [_tried(plan, found) for plan, found in zip(plans, failures, strict=True)]
    if as_json:
        parts = [
            {"name": plan.name, "game": plan.game, "level": plan.level, "bots": bots}
            for plan, bots in zip(plans, tried, strict=True)
        ]
        show_json(parts[0] if event.is_single else {"event": event.name, "parts": parts})
    else:
        for plan, bots, found in zip(plans, tried, failures, strict=True):
            if len(plans) > 1:
                click.echo(clean(f"{plan.name}:"))
            _show_tried(plan, bots, found)
    return int(any(failures))


def _tried(plan: Plan, failures: Mapping[str, StartFailure]) -> list[TriedBot]:
    return [
        TriedBot(name, starts=False, why=failure.public, message=failure.message, stderr=failure.stderr)
        if (failure := failures.get(name)) is not None
        else TriedBot(name, starts=True)
        for name in plan.names
    ]


def _show_tried(plan: Plan, tried: Sequence[TriedBot], failures: Mapping[str, StartFailure]) -> None:
    rows = [(bot.name, "starts" if bot.starts else "does not start", bot.why) for bot in tried]
    show_table(("bot", "state", "why"), rows, aligned_in_pipes=True)
    if failures:
        click.echo()
        for line in failure_lines(failures):
            click.echo(clean(line))
        click.echo(f"{len(failures)} of {plural(len(tried), 'bot')} cannot play: {_FATES[plan.broken]}.")
    else:
        click.echo("All bots start.")


def _basis(plan: Plan, pilot: int | None, only_winners: bool) -> Basis:
    """Return what the forecast rests on: a pilot, results in the store, or else an assumption."""
    if pilot is not None:
        with Stop() as stop:
            return tournament_pilot(plan, pilot, stop, lambda text: click.echo(clean(text), err=True))
    rows: list[Played] = []
    # A store that cannot be read is reported when it is used.
    with suppress(RefereeError), Store(plan.store, write=False) as store:
        stored = store.played()
        rows = counted(fixtures(as_played(plan, store), stored), stored)
    found = (
        of_results(rows, "results", stored_time(rows, OVERHEAD_MS, division_of(plan).jobs)) if rows else None
    )
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
        "order": _order(plan),
        "pools": [list(pool) for pool in pools_of(plan)] if plan.pools > 1 else None,
        "third_place": plan.third_place,
        "profile": plan.profile,
        "bots": [
            {"name": bot.name, "command": bot.spec().program.command_line(), "authors": bot.authors}
            for bot in plan.bots
        ],
        "deadline": plan.deadline,
        "freeze": plan.freeze,
        "pseudonyms": plan.pseudonyms,
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
    yield "order", _order(plan)
    ties = ", and more to break ties" if plan.format == "knockout" else ""
    work = division_of(plan)
    light = f", up to {work.light_jobs} while all bots answer quickly" if work.light_jobs > work.jobs else ""
    yield "matches", f"{ahead.matches}{ties}, {work.jobs} at once{light}"
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
        by = f" (by {', '.join(bot.authors)})" if bot.authors else ""
        yield "bot", f"{bot.name}{by}: {bot.spec().program.command_line()}"
    if plan.deadline is not None:
        yield "bots until", moment_in_words(plan.deadline)
    if plan.freeze is not None:
        yield "public", freeze_in_words(plan)
    if plan.pseudonyms:
        yield "names", "pseudonyms; `referee tournament names` lists them"
    yield from named_lines("luck", state_in_words(plan))
    if not plan.part:
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
    if plan.pools > 1:
        sizes = sorted({len(pool) for pool in pools_of(plan)})
        text += f" in {plan.pools} pools of {' or '.join(map(str, sizes))} bots"
    return text + (" with a match for third place" if plan.third_place else "")


_ORDERED: Final = {
    "swiss": "by Swiss points, then Buchholz, wins, rating and lot",
    "knockout": "by the round that a bot reaches",
}


def _order(plan: Plan) -> str:
    """Describe by what the table is ordered."""
    if plan.format in _ORDERED:
        return _ORDERED[plan.format]
    by = BY_RATING if plan.order == "rating" else BY_POINTS
    return f"by {in_words(by)}{', in each pool' if plan.pools > 1 else ''}"


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
    who = (
        f"{plan.hero} and each other bot"
        if plan.format == "gauntlet"
        else "every two bots"
        if plan.pools == 1
        else "every two of a pool"
    )
    meet = f"meet {plural(least, 'time')}" if least == most else f"meet {least} to {most} times (not even)"
    return f"{who} {meet}; every bot sits in every seat equally often"
