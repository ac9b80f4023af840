"""`referee tournament status`, `standings` and `export`: the results of a tournament or a ladder so far."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import (
    check_no_part,
    file_argument,
    json_option,
    part_option,
    subject_argument,
)
from referee.cli.output.event_tables import show_event
from referee.cli.output.printer import named_lines, show_facts, show_json, show_table
from referee.cli.output.results import show_results
from referee.cli.output.round_tables import show_rounds
from referee.wording import clean, plural
from tournaments.config.luck import LuckOrigin, origin_of, state_in_words
from tournaments.config.plan import Plan, later_versions
from tournaments.event_file import EventPart, EventPlan, event_at, results_of_event
from tournaments.pairing.schedule import counted, expected, fixtures, is_over
from tournaments.rating.standings import standings, times
from tournaments.report.facts import moment_in_words
from tournaments.report.results_so_far import (
    ladder_results,
    plan_results,
    results_of,
    stored_results,
)
from tournaments.report.words import leaders_text
from tournaments.store import ladders
from tournaments.store.backend import writer
from tournaments.store.chain import Head
from tournaments.store.provenance import lock_path
from tournaments.store.store import Store


class Status(msgspec.Struct, frozen=True):
    """How far a tournament or a ladder is."""

    name: str
    game: str
    format: str
    """That of the tournament file, or `ladder`."""
    bots: tuple[str, ...]
    store: str
    replays: str
    played: int
    left: int
    """Matches that are still to be played; a ladder has none."""
    round: int
    complete: bool
    """Whether nothing is left; a ladder is never complete."""
    leader: str
    """The bot in the first place; '' if several share it, or if there are pools."""
    leaders: tuple[str, ...]
    """All bots in the first place; of a knockout that is not over, those that are still in."""
    running: int | None
    """The process that plays it now: 0 if its id is not known, None if there is none."""
    running_on: str
    """The host of that process, if it is another one; a store in a file has none."""
    last_finished: str
    """When the last match was committed (UTC); empty if none was."""
    chain: Head
    """The head of the chain of all results."""
    took_us: int
    """The time that the answers of all bots really took."""
    charged_ms: int
    """What of it was charged to their clocks, after the grace of every answer."""
    void: int = 0
    """Matches of a ladder that came to no verdict."""
    unrated: int = 0
    """Matches of a ladder that were played outside of its hours."""
    luck: LuckOrigin | None = None
    """Where the luck of a tournament comes from."""
    deadline: str = ""
    """Until when bots may be submitted, with its zone; empty if the file does not say."""
    left_out: dict[str, str] = {}
    """By name why bots of the file do not play."""
    forfeits: dict[str, str] = {}
    """By name why bots lose their matches without a start."""
    versions: dict[str, int] = {}
    """The versions of bots whose programs were changed."""

    def named(self, bot: str) -> str:
        """Return the name of a bot, with its version if that is not the first."""
        return f"{bot} (version {self.versions[bot]})" if bot in self.versions else bot


@click.command(
    epilog=examples("referee tournament status spring.toml", "referee tournament status spring.toml --json")
)
@subject_argument
@part_option
@json_option
def status(file: Path, part: str | None, as_json: bool) -> None:
    """Print how far the tournament in FILE is. It may be running meanwhile.

    FILE may also be the folder of a ladder (`referee serve`), or its store.
    """
    ladder = ladders.find(file)
    if ladder is not None:
        check_no_part(file, part)
        found = ladder_status(ladder)
        rows = _ladder_rows(found)
    else:
        event = event_at(file)
        if part is None and not event.is_single:
            _show_event_status(event, file, as_json=as_json)
            return
        plan = event.plan_named(part) if part else event.plans[0]
        found = status_of(plan)
        rows = _status_rows(found, file, plan)
    if as_json:
        show_json(found)
        return
    show_facts((name, value) for name, value in rows if value)


def _show_event_status(event: EventPlan, file: Path, *, as_json: bool) -> None:
    """Print how far an event of several tournaments is: a line for each part."""
    found = {one.part.name: status_of(one.plan) for one in event.parts if one.plan is not None}
    is_complete = len(found) == len(event.parts) and all(one.complete for one in found.values())
    leaders = results_of_event(event, plan_results).leaders
    if as_json:
        parts = [
            {"part": one.part.name, "waits": one.waits, "status": found.get(one.part.name)}
            for one in event.parts
        ]
        show_json({"event": event.name, "complete": is_complete, "leaders": leaders, "parts": parts})
        return
    click.echo(clean(f"{event.name}: {'complete' if is_complete else 'not complete'}"))
    heads = ("part", "game", "format", "played", "state", "leader")
    rows = [_part_row(one, found.get(one.part.name)) for one in event.parts]
    show_table(heads, rows, numbers=["played"], aligned_in_pipes=True)
    for name, one in found.items():
        for bot, why in one.left_out.items():
            click.echo(clean(f"{name}: left out: {bot}: {why}"))
        for bot, why in one.forfeits.items():
            click.echo(clean(f"{name}: loses its matches: {bot}: {why}"))
    if leaders:
        click.echo(clean(f"{'winner' if is_complete else 'leader'}: {leaders_text(leaders)}"))
    if not is_complete and not any(_running(one) for one in found.values()):
        click.echo(clean(f"To continue: referee tournament run {shlex.quote(str(file))}"))


def _part_row(one: EventPart, found: Status | None) -> list[str]:
    if found is None:
        return [one.part.name, one.part.file.game or "", one.part.file.format, "", one.waits, ""]
    state = _running(found) or ("complete" if found.complete else "not complete")
    played = f"{found.played}/{found.played + found.left}"
    return [one.part.name, found.game, found.format, played, state, leaders_text(found.leaders)]


def status_of(plan: Plan) -> Status:
    """Return how far a tournament is, as its store says; without a store, that nothing was played."""
    playing = writer(plan.store)
    stored = stored_results(plan)
    plan = stored.plan
    wanted = fixtures(plan, stored.rows)
    played = counted(wanted, stored.rows)
    complete = is_over(wanted, played)
    used = times(played, plan.names)
    leaders = standings(plan, played, wanted).leaders
    return Status(
        name=plan.name,
        game=plan.game,
        format=plan.format,
        bots=tuple(bot.name for bot in plan.bots),
        store=str(plan.store),
        replays=str(plan.replays),
        played=len(played),
        left=0 if complete else max(expected(plan), len(wanted)) - len(played),
        round=max((fixture.round for fixture in wanted), default=0),
        complete=complete,
        leader=_alone(leaders),
        leaders=leaders,
        took_us=sum(one.took_us for one in used),
        charged_ms=sum(one.charged_ms for one in used),
        running=None if playing is None else playing.pid,
        running_on=playing.host if playing else "",
        last_finished=stored.last_finished,
        chain=stored.head,
        luck=origin_of(plan),
        left_out=plan.left_out,
        forfeits=plan.forfeits,
        versions=later_versions(plan),
        deadline="" if plan.deadline is None else plan.deadline.isoformat(),
    )


def ladder_status(path: Path) -> Status:
    """Return how far the ladder of a store is."""
    playing = writer(path)
    with Store(path, write=False) as store:
        terms, last, head = ladders.terms_of(store), store.last_finished(), store.head()
        results = ladder_results(store)
    bots = [line.name for line in results.standings.shown]
    return Status(
        name=terms.name,
        game=terms.game,
        format="ladder",
        bots=tuple(bots),
        store=str(path),
        replays=str(results.replays),
        played=len(results.played),
        left=0,
        round=0,
        complete=False,
        leader=_alone(results.standings.leaders),
        leaders=results.standings.leaders,
        took_us=sum(one.took_us for one in times(results.played, bots)),
        charged_ms=sum(one.charged_ms for one in times(results.played, bots)),
        running=None if playing is None else playing.pid,
        running_on="",
        last_finished=last,
        chain=head,
        void=results.void,
        unrated=results.unrated,
    )


def _alone(leaders: Sequence[str]) -> str:
    return leaders[0] if len(leaders) == 1 else ""


def _leaders(found: Status) -> tuple[str, str]:
    """Return the row about the bots in the first place: the winner, if all is over."""
    return "winner" if found.complete else "leader", leaders_text(found.leaders)


def _ladder_rows(found: Status) -> list[tuple[str, str]]:
    return [
        ("ladder", f"{found.name}: {found.game}"),
        ("bots", ", ".join(found.bots)),
        ("played", plural(found.played, "match")),
        ("void", plural(found.void, "match") if found.void else ""),
        ("not rated", plural(found.unrated, "match") if found.unrated else ""),
        ("state", _running(found) or "not being played"),
        _leaders(found),
        ("time", _time(found)),
        ("last match", found.last_finished),
        ("store", found.store),
        ("replays", found.replays),
    ]


def _time(found: Status) -> str:
    """Return the time of all answers, in words; '' before the first match."""
    if not found.played:
        return ""
    charged = f"{found.charged_ms / 1000:.1f} s charged to their clocks"
    return f"{found.took_us / 1e6:.1f} s used by all bots, {charged}"


def _running(found: Status) -> str:
    """Return which process plays now, in words; '' if none does."""
    if found.running is None:
        return ""
    where = f" on host {found.running_on}" if found.running_on else ""
    return f"being played by process {found.running}{where}" if found.running else "being played"


def _status_rows(found: Status, file: Path, plan: Plan) -> list[tuple[str, str]]:
    done = f"{found.played} of {plural(found.played + found.left, 'match')}, round {found.round}"
    rest = f"not complete; to continue: referee tournament run {shlex.quote(str(file))}"
    rest = rest if plan.is_drawn else "not complete; the luck is not drawn yet"
    state = _running(found) or ("complete" if found.complete else rest)
    return [
        ("tournament", f"{found.name}: {found.game}, {found.format}"),
        ("bots", ", ".join(map(found.named, found.bots))),
        *named_lines("left out", [f"{name}: {why}" for name, why in found.left_out.items()]),
        *named_lines("forfeits", [f"{name}: {why}" for name, why in found.forfeits.items()]),
        ("played", done),
        ("state", state),
        _leaders(found),
        ("time", _time(found)),
        ("last match", found.last_finished),
        ("bots until", "" if plan.deadline is None else moment_in_words(plan.deadline)),
        *named_lines("luck", state_in_words(plan)),
        ("store", found.store),
        ("lock", str(lock_path(plan.store_file))),
        ("replays", found.replays),
    ]


@click.command(
    "standings",
    epilog=examples(
        "referee tournament standings spring.toml",
        "referee tournament standings spring.toml --json",
        "referee tournament standings spring.toml --part final-gangsters",
    ),
)
@subject_argument
@part_option
@json_option
def show_standings(file: Path, part: str | None, as_json: bool) -> None:
    """Print the standings of the tournament in FILE as they are now. It may be running meanwhile.

    Of an event of several tournaments it prints the places, the combined tables, and a short table of each
    part; --part NAME prints everything about one. Names and results are shown here that the public may not
    see yet.

    FILE may also be the folder of a ladder (`referee serve`), or its store.
    """
    if ladders.find(file) is not None:
        check_no_part(file, part)
        show_results(results_of(file), as_json=as_json)
        return
    event = event_at(file)
    if part is None and not event.is_single:
        show_event(results_of_event(event, plan_results), as_json=as_json)
    else:
        plan = event.plan_named(part) if part else event.plans[0]
        show_results(plan_results(plan), as_json=as_json)


@click.command(
    "rounds",
    epilog=examples("referee tournament rounds spring.toml", "referee tournament rounds spring.toml --json"),
)
@file_argument
@part_option
@json_option
def show_rounds_of(file: Path, part: str | None, as_json: bool) -> None:
    """Print the rounds of the tournament in FILE: pairings, results, rests, and which bots go on and why.

    It may be running meanwhile. The groups of a round robin or a gauntlet are one round. Of an event of
    several tournaments it prints those of all parts that are known; --part NAME prints those of one.
    """
    event = event_at(file)
    plans = [event.plan_named(part)] if part else event.plans
    found = [(plan.part, plan_results(plan)) for plan in plans]
    if as_json:
        listed = [{"name": one.standings.name, "rounds": one.rounds} for _, one in found]
        parts = [{"part": name, **one} for (name, _), one in zip(found, listed, strict=True)]
        show_json(listed[0] if part or event.is_single else {"event": event.name, "parts": parts})
        return
    for at, (_, results) in enumerate(found):
        if at:
            click.echo()
        if len(found) > 1:
            click.echo(clean(results.standings.name))
        show_rounds(results.rounds)
        if not results.rounds:
            click.echo("No match is planned yet.")
