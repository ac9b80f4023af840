"""A page for each match, made from its replay: what happened, for people who have no terminal at hand."""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from msgspec.structs import replace

from referee.errors import RefereeError
from referee.replay.files import read
from referee.replay.narration import BoardChoice, Watcher, text_of
from tournaments.report.markup import render
from tournaments.report.page import MOST_MATCHES, digest, report_style
from tournaments.results import Played


def write_match_pages(
    played: Sequence[Played], replays: Path, report: Path, *, hides_commands: bool = False
) -> dict[str, str]:
    """Write the pages of the matches that a report lists; return their addresses, relative to the report.

    With `hides_commands` no page has the commands of bots: where names are hidden they may disclose them.
    They are in a folder beside the report. A page that is newer than its replay is not written again. It has
    the permissions of the replay. A match whose replay cannot be read has no page.
    """
    folder = folder_of(report)
    addresses: dict[str, str] = {}
    for match in _listed(played):
        page = folder / f"{match.match}.html"
        replay = replays / match.replay
        if _is_newer(page, replay) or _is_written(match, replay, page, report, hides_commands):
            addresses[match.match] = f"{folder.name}/{page.name}"
    return addresses


def folder_of(report: Path) -> Path:
    """Return the folder of the pages of a report's matches."""
    return report.with_name(f"{report.stem}-matches")


def _listed(played: Sequence[Played]) -> Iterable[Played]:
    """Return the matches that the report lists and that have a replay."""
    lost = [match for match in played if any(match.result.faults)]
    listed = {match.match: match for match in [*played[:MOST_MATCHES], *lost[:MOST_MATCHES]]}
    # A store may come from another host: an id that is a path would lead out of the folder.
    return [match for match in listed.values() if match.replay and Path(match.match).name == match.match]


def _is_newer(page: Path, replay: Path) -> bool:
    """Return whether a page was written after its replay."""
    try:
        return page.stat().st_mtime_ns >= replay.stat().st_mtime_ns
    except OSError:
        return False


def _is_written(match: Played, replay: Path, page: Path, report: Path, hides_commands: bool) -> bool:
    """Write a page; return False if there is no replay to make it from."""
    try:
        found = read(replay)
        if hides_commands:
            found = replace(found, header=replace(found.header, bots=()))
        lines = list(text_of(found, Watcher(sees_all=True), BoardChoice.LAST))
    except RefereeError:
        return False
    shown = render(
        "match.html",
        style=report_style(),
        digest=digest,
        match=match.match,
        report=os.path.relpath(report, page.parent),
        replay=os.path.relpath(replay, report.parent),
        lines=lines,
    )
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        # Not readable by others at any moment, unless the replay is.
        with NamedTemporaryFile("w", dir=page.parent, delete=False, encoding="utf-8") as file:
            file.write(shown)
        shutil.copymode(replay, file.name)
        os.replace(file.name, page)
    except OSError as error:
        raise RefereeError(f"cannot write {page}: {error.strerror}; the results are safe") from error
    return True
