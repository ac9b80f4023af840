"""`referee feedback`: writes what the authors of bots get back from an event, a folder for each bot."""

from pathlib import Path

import click

from referee.cli import examples
from referee.cli.options.common import json_option, subject_argument
from referee.cli.options.event_bots import complete_event_bot
from referee.cli.output.printer import show_json, show_table
from referee.cli.output.progress import Progress
from referee.wording import clean, plural
from tournaments.feedback.events import bots_of, parts_of, whole_of
from tournaments.feedback.gathering import matches_of
from tournaments.feedback.writing import Written, check_folder, write_feedback


@click.command(
    epilog=examples(
        "referee feedback event.toml --out feedback",
        "referee feedback event.toml --out feedback --bot alice --bot bob --zip",
        "referee feedback ladder --out feedback",
    )
)
@subject_argument
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    required=True,
    help="The folder in which every bot gets a folder.",
)
@click.option(
    "--bot",
    "bots",
    metavar="NAME",
    multiple=True,
    shell_complete=complete_event_bot,
    help="Write the feedback of this bot only.",
)
@click.option("--zip", "zipped", is_flag=True, help="Write an archive for each bot in place of a folder.")
@json_option
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
def feedback(
    file: Path, folder: Path, bots: tuple[str, ...], zipped: bool, as_json: bool, quiet: bool
) -> None:
    """Write what the author of each bot gets back from the event in FILE.

    FILE is a tournament file, the folder of a ladder, or its store. The event may be running: deals that
    other bots are still to play are withheld. A folder goes to one author: it has feedback.html, which opens
    from disk, the same as text and as JSON, the replays as its seat saw them, and its stderr. It has nothing
    that the bot may not know, and nothing that other bots wrote.
    """
    check_folder(folder)
    parts = parts_of(file)
    wanted = bots_of(parts, bots)
    with Progress(sum(matches_of(parts, bot) for bot in wanted), quiet=quiet or as_json) as bar:
        whole = whole_of(file, parts)
        found = write_feedback(parts, wanted, folder, zipped=zipped, done=lambda: bar.done(""), whole=whole)
        written = list(found)
    if as_json:
        show_json([_document(one) for one in written])
    elif not quiet:
        show_table(("bot", "matches", "feedback", "note"), map(_row, written), numbers=("matches",))


def _document(one: Written) -> dict[str, object]:
    return {
        "bot": one.bot,
        "path": str(one.path),
        "matches": one.matches,
        "withheld": one.withheld,
        "broken": one.broken,
        "left_out": one.left_out,
    }


def _row(one: Written) -> tuple[str, ...]:
    notes = [
        "left out: the page says why" if one.left_out else "",
        f"{one.withheld} withheld until their deals are played" if one.withheld else "",
        f"{plural(one.broken, 'replay')} cannot be shown" if one.broken else "",
    ]
    page = one.path if one.path.suffix == ".zip" else one.path / "feedback.html"
    return (one.bot, str(one.matches), clean(str(page)), ", ".join(filter(None, notes)))
