"""`referee tournament history` and `pair`: one bot over time, and two bots against each other."""

from collections.abc import Sequence
from pathlib import Path

import click

from referee.cli import examples
from referee.cli.options.common import POSITIVE, check_no_part, json_option, part_option, subject_argument
from referee.cli.output.printer import named_lines, show_facts, show_json, show_table
from referee.wording import plural
from tournaments.event_file import plan_at
from tournaments.rating.standings import StandingLine, history
from tournaments.report.bot_history import (
    BotHistory,
    BotMatch,
    PairHistory,
    bot_history,
    ladder_versions,
    pair_history,
)
from tournaments.report.results_so_far import ResultsSoFar, plan_results, results_of
from tournaments.report.words import percent, rating_text
from tournaments.store import ladders
from tournaments.store.ladder_versions import LadderVersion

_PARTS = 4
"""Steps of the ratings of all bots."""

_COURSE = 8
"""Ratings of one bot that are printed."""

_LAST = 20
_HEADS = ("match", "bot", "against", "result", "score", "fault")

last_option = click.option(
    "--last", type=POSITIVE, default=_LAST, show_default=True, help="Print at most so many matches."
)


@click.command(
    "history",
    epilog=examples(
        "referee tournament history spring.toml",
        "referee tournament history spring.toml alice",
        "referee tournament history serve alice --last 100",
        "referee tournament history serve alice --json",
    ),
)
@subject_argument
@click.argument("bot", required=False)
@part_option
@last_option
@json_option
def show_history(file: Path, bot: str | None, part: str | None, last: int, as_json: bool) -> None:
    """Print how the ratings of the tournament in FILE came about, or the life of one BOT.

    For a BOT that is its standing, its ratings so far and its last matches. FILE may also be the folder of a
    ladder (`referee serve`), or its store: then BOT may be an account, and all its versions are printed.
    """
    results = _results(file, part)
    if bot is not None:
        found = bot_history(results, bot, ladder_versions(file))
        if as_json:
            show_json(found)
        else:
            _show_bot(found, last)
        return
    names = [line.name for line in results.standings.table]
    steps = history(results.played, names, results.standings.anchor, most=_PARTS)
    if as_json:
        show_json(history(results.played, names, results.standings.anchor))
        return
    if not steps:
        click.echo("No match has been played yet.")
        return
    heads = ("bot", *(f"after {step.blocks}" for step in steps))
    rows = [[name, *(_elo(step.elo.get(name)) for step in steps)] for name in names]
    show_table(heads, rows, numbers=frozenset(heads) - {"bot"}, aligned_in_pipes=True)


@click.command(
    "pair",
    epilog=examples(
        "referee tournament pair spring.toml alice bob", "referee tournament pair serve alice bob --json"
    ),
)
@subject_argument
@click.argument("one")
@click.argument("other")
@part_option
@last_option
@json_option
def show_pair(file: Path, one: str, other: str, part: str | None, last: int, as_json: bool) -> None:
    """Print how bot ONE did against bot OTHER in the tournament in FILE, and their last matches.

    FILE may also be the folder of a ladder (`referee serve`), or its store. `referee tournament export
    --pairs` has all pairs.
    """
    found = pair_history(_results(file, part), one, other)
    if as_json:
        show_json(found)
        return
    show_facts(_pair_facts(found))
    _show_matches(found.matches, last)


def _results(file: Path, part: str | None) -> ResultsSoFar:
    """Return the results of a ladder, or of one tournament of a file."""
    if ladders.find(file) is not None:
        check_no_part(file, part)
        return results_of(file)
    return plan_results(plan_at(file, part or ""))


def _pair_facts(found: PairHistory) -> list[tuple[str, str]]:
    both = found.together
    if both is None:
        return [("pair", f"{found.name} and {found.other} have not been compared")]
    facts = [
        ("pair", f"{found.name} against {found.other}"),
        ("results", f"{both.wins} won, {both.draws} drawn, {both.losses} lost: {both.percent:.1f} %"),
        ("rating", f"{both.elo.value:+.0f} Elo by these matches alone"),
    ]
    if found.superior is not None:
        facts.append(("better", f"{percent(found.superior)} likely, by all results"))
    return facts


def _show_bot(found: BotHistory, last: int) -> None:
    rows = [("bot", found.bot)]
    rows += [("standing", f"{line.name}: {_standing(line)}") for line in found.lines]
    rows += list(named_lines("version", [_version(one) for one in found.versions]))
    for line in found.lines:
        course = [step.elo[line.name] for step in found.ratings if line.name in step.elo][-_COURSE:]
        rows.append(("ratings", f"{line.name}: {', '.join(map(_elo, course))}"))
    show_facts(rows)
    _show_matches(found.matches, last)


def _standing(line: StandingLine) -> str:
    faults = ", ".join(f"{count} {code}" for code, count in line.faults.items())
    results = f"{line.wins} won, {line.draws} drawn, {line.losses} lost"
    return f"{rating_text(line)}, {plural(line.matches, 'match')}, {results}{f'; {faults}' if faults else ''}"


def _version(one: LadderVersion) -> str:
    known = f"program {one.program[:12]}" if one.program else "its program is not known and may have changed"
    kit = f", {one.kit}" if one.kit else ""
    return f"{one.kept_as} since {one.at}: {known}{kit}"


def _show_matches(matches: Sequence[BotMatch], last: int) -> None:
    shown = matches[-last:]
    click.echo()
    if len(shown) < len(matches):
        click.echo(f"The last {len(shown)} of {plural(len(matches), 'match')}:")
    show_table(_HEADS, [_cells(one) for one in shown], aligned_in_pipes=True)


def _cells(one: BotMatch) -> list[str]:
    score = " : ".join(map(str, (one.score, *one.scores)))
    return [one.match, one.bot, ", ".join(one.opponents), _result(one), score, one.fault]


def _result(one: BotMatch) -> str:
    return f"rank {one.rank} of {one.seats}"


def _elo(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
