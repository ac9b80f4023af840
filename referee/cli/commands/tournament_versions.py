"""`referee tournament versions`: all versions of bots, with the results of each."""

from pathlib import Path

import click

from referee.cli import examples
from referee.cli.options.common import json_option, part_option, subject_argument
from referee.cli.output.printer import show_json, show_table
from referee.errors import ConfigError, nearest
from tournaments.event_file import plan_at
from tournaments.report.version_history import VersionLine, history_of
from tournaments.store import ladders


@click.command(
    epilog=examples(
        "referee tournament versions spring.toml",
        "referee tournament versions spring.toml --bot mine",
        "referee tournament versions spring.toml --json",
    )
)
@subject_argument
@part_option
@click.option("--bot", "bots", metavar="NAME", multiple=True, help="Only the versions of this bot.")
@json_option
def versions(file: Path, part: str | None, bots: tuple[str, ...], as_json: bool) -> None:
    """Print all versions of the bots of the tournament in FILE, with the results of each.

    A bot whose program changes is another version. The table has only the results of the version that plays
    now; a program that comes back is its old version again. FILE may also be the folder of a ladder
    (`referee serve`), or its store.
    """
    found = history_of(ladders.find(file) or plan_at(file, part or "").store)
    known = list(dict.fromkeys(line.bot for line in found))
    for name in bots:
        if name not in known:
            raise ConfigError(f"no bot {name!r} has played: {nearest(name, known)}" if known else NO_VERSIONS)
    lines = [line for line in found if not bots or line.bot in bots]
    if as_json:
        show_json(lines)
    elif not lines:
        click.echo(NO_VERSIONS)
    else:
        show_table(VERSION_HEADS, map(_version_cells, lines), numbers=VERSION_NUMBERS, aligned_in_pipes=True)


NO_VERSIONS = "No version of a bot is noted yet: `referee tournament run` notes them."
VERSION_HEADS = ("bot", "version", "program", "from result", "matches", "w/d/l", "%", "counts")
VERSION_NUMBERS = frozenset({"version", "from result", "matches", "w/d/l", "%"})


def _version_cells(line: VersionLine) -> tuple[str, ...]:
    return (
        line.bot,
        str(line.version),
        line.announced or line.digest,
        str(line.since + 1),
        str(line.matches),
        f"{line.wins}/{line.draws}/{line.losses}",
        f"{line.percent:.1f}",
        "yes" if line.counts else "no",
    )
