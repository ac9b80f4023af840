"""`referee replay`: show replays as text or as a page, and verify them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import check_output, json_lines_option, output_option
from referee.cli.output.printer import is_for_people
from referee.cli.output.progress import Progress
from referee.errors import ConfigError, RefereeError
from referee.player.frames import EVERYTHING, PUBLIC
from referee.replay.files import read
from referee.replay.format import Replay
from referee.replay.narration import BoardChoice, headline, known_result, moments, text_of, watcher_of
from referee.replay.playback import verify
from referee.wording import clean, plural

_MANY = 20
"""From so many replays on, the making of a page prints its progress."""

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def replay() -> None:
    """Show replays as text or in a browser, or verify them."""


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
    help="The point of view: referee (or everything), public, or a seat.",
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
    epilog=examples(
        "referee replay page replays/m-1.jsonl",
        "referee replay page replays --out spring.html",
        "referee replay page replays/m-1.jsonl --as public --as alice --out alice.html",
    )
)
@click.argument(
    "sources",
    metavar="REPLAY...",
    type=click.Path(exists=True, path_type=Path),
    nargs=-1,
    required=True,
)
@output_option(
    "--out",
    "out",
    help="The page to write; default: named like the replay, in the current folder.",
    begins=b"<",
    makes_folders=True,
)
@click.option(
    "--as",
    "who",
    multiple=True,
    metavar="VIEWER",
    help="A point of view that the page has: everything, public, or a seat, by its number or the name of its "
    "bot; give several times. Default: all.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@click.option("--quiet", is_flag=True, help="Print no progress.")
def page(sources: tuple[Path, ...], out: Path | None, who: tuple[str, ...], opens: bool, quiet: bool) -> None:
    """Write a page that plays matches: one file that opens from disk, without a network.

    REPLAY is a file, or a folder of replays. Matches of one deal can be compared on the page. With --as, the
    page has nothing that these viewers did not see.
    """
    from referee.player.page import page_matches, replay_page, write_page

    files = [file for source in sources for file in _replays_in(source)]
    out = out or _page_named_like(files)
    matches = []
    with Progress(len(files), quiet=quiet or len(files) < _MANY) as progress:
        found = ((_file_for_commands(file), read(file)) for file in files)
        for match in page_matches(found, partial(_viewers, who=who)):
            matches.append(match)
            progress.done("")
    text = replay_page(matches)
    write_page(out, text)
    # The page may be written to stdout, so this is not.
    click.echo(f"{clean(str(out))}: {plural(len(matches), 'match')}, {len(text) / 1e6:.1f} MB", err=True)
    if opens:
        _open(out)


def _replays_in(source: Path) -> list[Path]:
    """Return a file, or the replays of a folder."""
    if not source.is_dir():
        return [source]
    found = sorted(path for pattern in ("*.jsonl", "*.jsonl.gz") for path in source.glob(pattern))
    if not found:
        raise ConfigError(f"{clean(str(source))} has no replays (*.jsonl, *.jsonl.gz)")
    return found


def _page_named_like(files: Sequence[Path]) -> Path:
    """Return the name of the page: that of the only replay, or of the folder of all."""
    first = files[0].name if len(files) == 1 else files[0].absolute().parent.name
    out = Path(f"{first.removesuffix('.gz').removesuffix('.jsonl')}.html")
    check_output(out, b"<")
    return out


def _file_for_commands(file: Path) -> str:
    """Return the file as commands on the page name it: folders of this host are no part of a page."""
    return clean(file.name if file.is_absolute() else str(file))


def _viewers(replay: Replay, who: Sequence[str]) -> list[str]:
    watchers = [watcher_of(replay, name) for name in who]
    found = (
        EVERYTHING if each.sees_all else PUBLIC if each.seat is None else str(each.seat) for each in watchers
    )
    return list(dict.fromkeys(found))


def _open(page: Path) -> None:
    import webbrowser

    if not webbrowser.open(page.absolute().as_uri()):
        click.echo("There is no browser that can be started here: open the page by hand.", err=True)


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
