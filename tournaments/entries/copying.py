"""What was submitted, in a folder of ours: the copy of a folder or of files, or an archive unpacked."""

import os
import stat
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.errors import LaunchError
from referee.process import bundle
from tournaments.entries.archives import BOUNDS, MOST_PACKED, unpack
from tournaments.entries.platforms import FOREIGN, is_archive
from tournaments.entries.submission_error import OF_HOST, SubmissionError
from tournaments.entries.submissions import IGNORED, Submitted

_DOCUMENTS: Final = (".txt", ".md", ".pdf", ".docx", ".doc", ".odt", ".rtf", ".html", ".png", ".jpg")
_MOST_LAYERS: Final = 4
"""Folders and archives that may be around the bot, one in the other."""
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class BroughtIn(Struct, frozen=True):
    """The bot's own folder in a copy of a submission, and what was left out."""

    root: Path
    ignored: tuple[str, ...]


def digest_of(submitted: Submitted) -> str:
    """Return the SHA-256 of what was submitted. Raises SubmissionError if it cannot be read."""
    found = [_digest(path, name) for path, name in zip(submitted.paths, submitted.names, strict=True)]
    if len(found) == 1:
        return found[0]
    return sha256(
        "".join(f"{name}\0{one}\0" for name, one in zip(submitted.names, found, strict=True)).encode()
    ).hexdigest()


def _digest(path: Path, name: str) -> str:
    if _is_folder(path, name):
        try:
            return bundle.digest_of(bundle.manifest_of(path, BOUNDS, IGNORED))
        except LaunchError as error:
            raise _refused(path, name, error) from error
    digest = sha256()
    for piece in _pieces(path, name):
        digest.update(piece)
    return digest.hexdigest()


def bring(submitted: Submitted, into: Path) -> BroughtIn:
    """Copy or unpack what was submitted into an empty folder; return the bot's own folder in it.

    Raises SubmissionError.
    """
    ignored: list[str] = []
    first = submitted.paths[0]
    if len(submitted.paths) == 1 and _is_folder(first, submitted.names[0]):
        try:
            ignored += bundle.copy(first, into, BOUNDS, IGNORED).ignored
        except LaunchError as error:
            raise _refused(first, submitted.names[0], error) from error
    else:
        _copy_files(submitted.paths, submitted.names, into)
    root = into
    for _ in range(_MOST_LAYERS):
        inner = _inner(root, ignored)
        if inner is None:
            break
        root = inner
    if not any(root.iterdir()):
        raise SubmissionError("there is nothing in it")
    return BroughtIn(root, tuple(ignored))


def _is_folder(path: Path, name: str) -> bool:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise SubmissionError(f"{name}: it is a link, and where it leads is not looked at; put a copy there")
    return stat.S_ISDIR(found.st_mode)


def _copy_files(paths: Sequence[Path], names: Sequence[str], into: Path) -> None:
    for path, name in zip(paths, names, strict=True):
        if _is_folder(path, name):
            raise SubmissionError(f"{name}: it is a folder beside files of the same submission; pack it")
        plain = "".join(one if bundle.is_text(one) and one != "/" else "_" for one in name)
        target = into / (plain if plain not in (".", "..") else "_")
        try:
            with target.open("xb") as file:
                for piece in _pieces(path, name):
                    file.write(piece)
            if path.stat(follow_symlinks=False).st_mode & stat.S_IXUSR:
                target.chmod(0o755)
        except OSError as error:
            if error.errno in OF_HOST:
                raise
            raise SubmissionError(f"{name}: it cannot be copied: {error.strerror}") from error


def _pieces(path: Path, name: str) -> Sequence[bytes]:
    """Return the content of a regular file in pieces; other things are refused before they are read."""
    try:
        file = os.open(path, _READ)
    except OSError as error:
        raise SubmissionError(f"{name}: it cannot be read: {error.strerror}") from error
    with open(file, "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            what = "a FIFO" if stat.S_ISFIFO(found.st_mode) else "a device or a socket"
            raise SubmissionError(f"{name}: it is {what}, not a file; remove it")
        if found.st_size > MOST_PACKED:
            raise SubmissionError(f"{name}: it is larger than {MOST_PACKED >> 20} MiB")
        pieces = []
        while piece := opened.read(1 << 20):
            pieces.append(piece)
            if len(pieces) > MOST_PACKED >> 20:
                raise SubmissionError(f"{name}: it is larger than {MOST_PACKED >> 20} MiB")
        return pieces


def _inner(folder: Path, ignored: list[str]) -> Path | None:
    """Return the only folder or the only archive, unpacked, in a folder; documents beside it do not count."""
    entries = [path for path in sorted(folder.iterdir()) if not path.name.lower().endswith(_DOCUMENTS)]
    if len(entries) != 1 or entries[0].is_symlink():
        return None
    only = entries[0]
    if only.is_dir():
        return only
    if not is_archive(only.name):
        if only.name.lower().endswith(FOREIGN):
            raise SubmissionError(
                f"{only.name}: an archive of this kind is not unpacked here; submit a zip or a tar"
            )
        return None
    target = Path(tempfile.mkdtemp(prefix=".unpacked-", dir=folder))
    ignored += unpack(only, only.name, target, IGNORED).ignored
    return target


def _refused(path: Path, name: str, error: LaunchError) -> SubmissionError:
    """Return why a folder cannot be copied, by its name and not by its path on this host."""
    return SubmissionError(str(error).replace(str(path), name))
