"""Options and arguments of many commands: `--json`, `--junit`, `--html`, `--site`, FILE, numbers above 0."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from referee.errors import ConfigError, RefereeError

Command = TypeVar("Command", bound=Callable[..., Any])

POSITIVE = click.IntRange(min=1)


def file_argument(command: Command) -> Command:
    """Give a command the argument FILE, a tournament file."""
    return click.argument("file", type=click.Path(dir_okay=False, path_type=Path))(command)


def subject_argument(command: Command) -> Command:
    """Give a command the argument FILE: a tournament file, the folder of a ladder, or its store."""
    return click.argument("file", type=click.Path(path_type=Path))(command)


def json_option(command: Command) -> Command:
    """Give a command the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def json_lines_option(command: Command) -> Command:
    """Give a command that prints many things the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")(command)


def junit_option(command: Command) -> Command:
    """Give a command the option `--junit FILE`."""
    return output_option("--junit", "junit_file", help="Also write JUnit XML.", begins=b"<")(command)


def part_option(command: Command) -> Command:
    """Give a command the option `--part NAME`."""
    text = "One part of an event of several stages or games, such as final-gangsters."
    return click.option("--part", metavar="NAME", help=text, shell_complete=_parts)(command)


def _parts(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a part, if the file was named before."""
    from tournaments.config.plan import read_event

    try:
        parts = read_event(ctx.params["file"]).parts
    except (KeyError, RefereeError, TypeError):
        return []
    return [part.name for part in parts if part.name.startswith(incomplete)]


def check_no_part(file: Path, part: str | None) -> None:
    """Refuse `--part` for a ladder."""
    if part is not None:
        raise ConfigError(f"--part is for tournament files; {file} is a ladder")


def page_option(command: Command) -> Command:
    """Give a command the option `--html FILE`; a folder that is missing is made."""
    text = "Write the HTML report to this file."
    option = output_option(
        "--html", "page", help=text, begins=b"<", makes_folders=True, check_more=_check_match_pages
    )
    return option(command)


def site_option(command: Command) -> Command:
    """Give a command the option `--site DIR`; a folder that cannot be a site is refused at once."""
    return click.option(
        "--site",
        "site_folder",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write the whole event as a site of static files into this folder.",
        callback=_check_site,
    )(command)


def _check_site(_ctx: click.Context, _param: click.Parameter, folder: Path | None) -> Path | None:
    if folder is not None:
        from tournaments.site.folders import check_folder

        check_folder(folder)
    return folder


def _check_match_pages(report: Path) -> None:
    """Refuse a report if the pages of its matches cannot be written."""
    from tournaments.report.match_pages import folder_of

    folder = folder_of(report)
    if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise ConfigError(
            f"cannot write {folder}: the pages of matches need a folder of this name; name another report"
        )


def output_option(
    *names: str,
    help: str,
    begins: bytes,
    makes_folders: bool = False,
    check_more: Callable[[Path], None] = lambda _: None,
) -> Callable[[Command], Command]:
    """Give a command an option for a file that it writes; one that cannot be written is refused at once.

    So is a file that does not begin as such a file does: it has something else, which would be lost.
    """

    def check(_ctx: click.Context, _param: click.Parameter, path: Path | None) -> Path | None:
        if path is not None:
            check_output(path, begins, makes_folders=makes_folders)
            check_more(path)
        return path

    file = click.Path(dir_okay=False, path_type=Path)
    return click.option(*names, type=file, help=help, callback=check)


def check_output(path: Path, begins: bytes, *, makes_folders: bool = False) -> None:
    """Refuse a file that cannot be written, or that has something else than files that begin so."""
    _check_writable(path, makes_folders)
    _check_kind(path, begins)


def _check_kind(path: Path, begins: bytes) -> None:
    if os.path.isfile(path):
        with path.open("rb") as file:
            beginning = file.read(len(begins))
        if beginning not in (b"", begins):
            raise ConfigError(f"cannot write {path}: it is a file of another kind; name another file")


def _check_writable(path: Path, makes_folders: bool) -> None:
    """Refuse a file that cannot be written, and leave nothing behind."""
    folder = path.parent
    while makes_folders and not os.path.lexists(folder):
        folder = folder.parent
    if not os.path.lexists(folder):
        raise ConfigError(f"cannot write {path}: there is no folder {folder}")
    try:
        if os.path.isfile(path):
            os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC))
        # A device or a FIFO is opened once: a reader at its other end would see more.
        elif not os.path.exists(path):
            with tempfile.TemporaryFile(dir=folder):
                pass
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error
