"""Writes the folders of feedback: one for each bot, private, each file whole or not at all."""

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import ConfigError, RefereeError
from referee.replay.files import make_private, write_whole
from referee.wording import clean
from tournaments.feedback.events import NO_WHOLE, PlayedPart
from tournaments.feedback.gathering import Gathered, gather
from tournaments.feedback.model import BotFeedback
from tournaments.feedback.page import page_of
from tournaments.feedback.text import text_of
from tournaments.site.slugs import slug

PAGE: Final = "feedback.html"
TEXT: Final = "feedback.txt"
DATA: Final = "feedback.json"

_OLDEST: Final = (1980, 1, 1, 0, 0, 0)
"""The date of files in an archive: the same feedback gives the same bytes."""


class Written(Struct, frozen=True):
    """What was written for one bot."""

    bot: str
    path: Path
    """The folder, or the archive."""
    matches: int
    withheld: int
    broken: int
    """Matches whose replays cannot be shown."""
    left_out: bool = False
    """Whether it was left out of a tournament of the event."""


def check_folder(folder: Path) -> None:
    """Refuse what cannot be a folder of feedback."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"cannot write feedback into {clean(str(folder))}: it is no folder")


def write_feedback(
    parts: Sequence[PlayedPart],
    bots: Iterable[str],
    folder: Path,
    *,
    zipped: bool = False,
    done: Callable[[], None] = lambda: None,
    whole: Mapping[str, str] = NO_WHOLE,
) -> Iterator[Written]:
    """Write the feedback of each bot into a folder of its own, or an archive; yield what was written.

    `done` is called after each match; `whole` is for `gather`. Raises RefereeError if a file cannot be
    written.
    """
    check_folder(folder)
    for bot in bots:
        found = gather(parts, bot, done, whole)
        name = slug(bot)
        try:
            make_private(folder)
            if zipped:
                path = folder / f"{name}.zip"
                write_whole(path, _archive(name, files_of(found)))
            else:
                path = folder / name
                _write_folder(path, files_of(found))
        except OSError as error:
            raise RefereeError(f"cannot write the feedback of {bot}: {error.strerror}") from error
        yield _written(found.feedback, path)


def files_of(found: Gathered) -> Iterator[tuple[str, bytes]]:
    """Return the files of a bot's feedback by their names; the page comes last."""
    feedback = found.feedback
    for name, replay in found.replays.items():
        yield name, replay.file()
    for part in feedback.parts:
        for match in part.matches:
            if match.stderr:
                yield f"stderr/{match.match}.txt", match.stderr.encode(errors="replace")
    for number, note in enumerate(feedback.starts, 1):
        if note.stderr:
            yield f"stderr/start-{number}.txt", note.stderr.encode(errors="replace")
    yield DATA, msgspec.json.format(msgspec.json.encode(feedback)) + b"\n"
    yield TEXT, "\n".join([*text_of(feedback), ""]).encode()
    yield PAGE, page_of(found).encode()


def _write_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files, and remove those of earlier feedback that are no more."""
    make_private(folder)
    wanted = set()
    for name, content in files:
        path = folder / name
        make_private(path.parent)
        write_whole(path, content)
        wanted.add(path)
    for below in ("replays", "stderr"):
        for path in (folder / below).rglob("*") if (folder / below).is_dir() else ():
            if path.is_file() and path not in wanted:
                path.unlink()


def _archive(name: str, files: Iterable[tuple[str, bytes]]) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            archive.writestr(zipfile.ZipInfo(f"{name}/{path}", _OLDEST), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _written(feedback: BotFeedback, path: Path) -> Written:
    matches = [match for part in feedback.parts for match in part.matches]
    return Written(
        bot=feedback.bot,
        path=path,
        matches=len(matches),
        withheld=sum(match.withheld for match in matches),
        broken=sum(bool(match.trouble) for match in matches),
        left_out=any(note.left_out for note in feedback.starts),
    )
