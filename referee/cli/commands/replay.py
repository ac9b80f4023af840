"""`referee replay`: show replays, and verify them."""

from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import json_lines_option
from referee.cli.output.printer import is_for_people
from referee.errors import RefereeError
from referee.replay.files import read
from referee.replay.narration import BoardChoice, headline, known_result, moments, text_of, watcher_of
from referee.replay.playback import verify
from referee.wording import clean

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def replay() -> None:
    """Show replays, or verify them."""


@replay.command(
    epilog=examples(
        "referee replay show replays/m-1.jsonl",
        "referee replay show replays/m-1.jsonl --as public --board last",
        "referee replay show replays/m-1.jsonl --as 0 --json",
    )
)
@click.argument("file", type=FILE)
@click.option(
    "--as",
    "who",
    default="referee",
    show_default=True,
    metavar="VIEWER",
    help="The point of view: referee, public, or a seat.",
)
@click.option(
    "--board",
    type=click.Choice([board.value for board in BoardChoice]),
    default=BoardChoice.TURNS.value,
    show_default=True,
    help="How often to draw the board.",
)
@json_lines_option
def show(file: Path, who: str, board: str, as_json: bool) -> None:
    """Print the match in FILE as text.

    Seen by the public or a seat, it contains what they saw in the match, and no secret of others.
    """
    found = read(file)
    watcher = watcher_of(found, who)
    if as_json:
        click.echo(_to_json({"type": "header", **headline(found, watcher)}))
        for moment in moments(found, watcher, BoardChoice(board)):
            click.echo(_to_json(moment))
        click.echo(_to_json(known_result(found.result, watcher)))
        return
    lines = (f"{line}\n" for line in text_of(found, watcher, BoardChoice(board)))
    if is_for_people():
        click.echo_via_pager(lines)
        return
    for line in lines:
        click.echo(line, nl=False)


@replay.command(
    "verify",
    epilog=examples(
        "referee replay verify replays/m-1.jsonl", "referee replay verify replays/*.jsonl.gz --json"
    ),
)
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@json_lines_option
@click.pass_context
def verify_command(ctx: click.Context, files: tuple[Path, ...], as_json: bool) -> None:
    """Check that no FILE was changed, and that the rules lead to its result.

    Exits with 1 if a file was changed, or its result does not follow.
    """
    failed = 0
    for file in files:
        play, reason = _examine(file)
        failed += bool(reason)
        if as_json:
            click.echo(_to_json({"file": str(file), "ok": not reason, "play": play, "reason": reason}))
        else:
            click.echo(f"not OK  {clean(reason)}" if reason else f"OK  {clean(str(file))}  play {play[:16]}")
    ctx.exit(1 if failed else 0)


def _examine(file: Path) -> tuple[str, str]:
    """Return the play hash and '', or '' and the error."""
    try:
        found = read(file)
        verify(found)
    except RefereeError as error:
        return "", str(error)
    return found.play, ""


def _to_json(record: object) -> str:
    return msgspec.json.encode(record).decode()
