"""The folder of a static site: whether it is ours, what it was made with, and files written whole."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import ConfigError, RefereeError
from tournaments.site.addresses import GENERATOR
from tournaments.site.replay_scripts import BEGINNING

MARKER: Final = "referee-site.json"
"""The file by which a folder is known to be a site."""

_OURS: Final = {"bots": GENERATOR.encode(), "why": GENERATOR.encode(), "replays": BEGINNING}
"""Folders whose files depend on the results, and what our files there have near their beginning."""

_HEAD_BYTES: Final = 1_024


class SiteMarker(Struct, frozen=True):
    """What the marker says."""

    site: int = 1
    """The version of the layout."""
    event: str = ""
    frames: str = ""
    """A hash of what the scripts of replays were made with."""


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be a site: a file, or one that holds other things."""
    if folder.is_dir():
        has_others = any(folder.iterdir()) and not (folder / MARKER).is_file()
        if has_others:
            raise ConfigError(
                f"cannot write a site into {folder}: it has files that are not of a site; name a new folder"
            )
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ConfigError(f"cannot write a site into {folder}: it may not be written")
    elif os.path.lexists(folder):
        raise ConfigError(f"cannot write a site into {folder}: it is no folder")
    else:
        above = folder.parent
        while not above.exists() and above != above.parent:
            above = above.parent
        if not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
            raise ConfigError(f"cannot make the folder {folder}: {above} may not be written")


def read_marker(folder: Path) -> SiteMarker:
    """Return what the marker of a folder says; one that cannot be read says nothing."""
    with suppress(OSError, ValueError):
        return msgspec.json.decode((folder / MARKER).read_bytes(), type=SiteMarker)
    return SiteMarker()


def write_marker(folder: Path, marker: SiteMarker) -> None:
    """Write the marker."""
    write_file(folder / MARKER, msgspec.json.encode(marker) + b"\n")


def write_file(path: Path, content: bytes) -> None:
    """Write a file of a site whole, readable by others as far as the user's settings let new files be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o666 & ~_umask())
        os.replace(file.name, path)
    except OSError as error:
        raise RefereeError(f"cannot write {path}: {error.strerror}; the results are safe") from error


def remove_stale(folder: Path, wanted: Iterable[str]) -> None:
    """Remove our files of earlier results from a site; files of others stay."""
    keep = set(wanted)
    for name, sign in _OURS.items():
        if not (folder / name).is_dir():
            continue
        for path in (folder / name).iterdir():
            if f"{name}/{path.name}" not in keep and _begins_with(path, sign):
                path.unlink(missing_ok=True)


def _begins_with(path: Path, sign: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return sign in file.read(_HEAD_BYTES)
    except OSError:
        return False


def _umask() -> int:
    # There is no other way to ask for it; the site is written by one thread of a process.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
