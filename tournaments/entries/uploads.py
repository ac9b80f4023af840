"""Submissions that authors upload: kept whole on disk before they are tried, so that none is lost.

An upload is a folder with the file and a few words about it. It waits until the record has it; a site that
was killed finds it there when it starts again.
"""

import os
import secrets
import shutil
import time
from collections.abc import AsyncIterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from referee.errors import ConfigError
from referee.process import bundle
from tournaments.config.entry_record import EntryRecord, read_record, write_whole
from tournaments.entries.submissions import Submitted

UPLOADS: Final = "uploads"
_ABOUT: Final = ".about.json"
"""What is known of an upload. No uploaded file has this name, because none begins with a dot."""
_UNFINISHED: Final = ".unfinished-"
_MOST_NAME: Final = 120
_MOST_NAME_BYTES: Final = 200
_STALE_S: Final = 3_600.0
"""An upload takes less: what is older and unfinished is of a site that was killed."""


class Upload(Struct, frozen=True):
    """A file that an author has uploaded."""

    bot: str
    file: str
    """What its author called it."""
    received: datetime
    authors: tuple[str, ...] = ()
    owner: str = ""
    team: str = ""


def file_name(sent: str) -> str:
    """Return the name of an uploaded file as it is kept: without a path, cleaned and not too long."""
    last = unquote(sent).replace("\\", "/").rpartition("/")[2]
    plain = "".join(one if bundle.is_text(one) and one.isprintable() else "_" for one in last).strip(". ")
    stem, dot, suffix = plain.rpartition(".")
    if len(plain) > _MOST_NAME:
        stem, suffix = stem[: _MOST_NAME - 20], suffix[:19]
    room = _MOST_NAME_BYTES - len(f"{dot}{suffix}".encode())
    return f"{stem.encode()[:room].decode(errors='ignore')}{dot}{suffix}"


async def keep(entries: Path, upload: Upload, content: AsyncIterable[bytes]) -> Path:
    """Write an upload as it comes, and return its folder when it is complete; otherwise nothing is left."""
    place = entries / UPLOADS
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_stale(place)
    name = f"{upload.received:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
    made = place / f"{_UNFINISHED}{name}"
    made.mkdir(mode=0o700)
    try:
        with (made / upload.file).open("xb") as file:
            async for piece in content:
                file.write(piece)
            _check_content(file.tell())
            file.flush()
            os.fsync(file.fileno())
        write_whole(made / _ABOUT, msgspec.json.encode(upload))
        os.rename(made, place / name)
    except BaseException:
        for path in made.iterdir():
            path.unlink()
        made.rmdir()
        raise
    return place / name


def _remove_stale(place: Path) -> None:
    """Remove uploads that a killed site left unfinished."""
    for path in place.glob(f"{_UNFINISHED}*"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _STALE_S:
                shutil.rmtree(path, ignore_errors=True)


def _check_content(size: int) -> None:
    if not size:
        raise ConfigError("the file is empty")


def submitted(folder: Path) -> Submitted:
    """Return the submission of an upload."""
    upload = msgspec.json.decode((folder / _ABOUT).read_bytes(), type=Upload)
    return Submitted(
        source=_source(folder, upload),
        paths=(folder / upload.file,),
        names=(upload.file,),
        owner=upload.owner or f"name:{upload.bot.casefold()}",
        title=upload.bot,
        received=upload.received.astimezone(UTC),
        team=upload.team,
        authors=upload.authors or (upload.bot,),
    )


def _source(folder: Path, upload: Upload) -> str:
    return f"{UPLOADS}/{folder.name}/{upload.file}"


def kept_uploads(entries: Path) -> list[tuple[Path, Upload]]:
    """Return all uploads of an event, the oldest first."""
    place = entries / UPLOADS
    if not place.is_dir():
        return []
    folders = [path for path in sorted(place.iterdir()) if not path.name.startswith(".")]
    return [(path, msgspec.json.decode((path / _ABOUT).read_bytes(), type=Upload)) for path in folders]


def waiting_uploads(entries: Path, record: EntryRecord | None = None) -> Sequence[Path]:
    """Return the folders of uploads that are not on record, the oldest first."""
    known = {one.source for one in (record or read_record(entries)).submissions}
    return [folder for folder, upload in kept_uploads(entries) if _source(folder, upload) not in known]
