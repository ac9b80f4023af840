"""Unpacks archives of authors: regular files, folders and links inside, within bounds, and nothing else.

An archive is hostile. Names are cleaned and cannot lead out of the folder; files are written before links, so
nothing is written through one; reading stops at the bounds and not at the sizes that the archive announces;
what is no file or folder is refused. An archive that is refused leaves a part of its files in the folder,
which its caller removes.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, Protocol, Self

from msgspec import Struct

from referee.process import bundle
from tournaments.entries.submission_error import OF_HOST, SubmissionError

MOST_PACKED: Final = 64 << 20
"""The largest archive, in bytes."""
BOUNDS: Final = bundle.Bounds(all_bytes=256 << 20, file_bytes=128 << 20, entries=10_000)
"""What a submission may hold when it is unpacked."""

_MOST_DIRECTORY: Final = 8 << 20
"""The largest list of contents in a zip, in bytes: each entry of it costs far more in memory."""
_MOST_LINK: Final = 1_024
_MOST_NOTE: Final = 8 << 10
"""The longest note about a file in a tar: a name that is too long for its head, or a list of properties."""
_MOST_NOTES: Final = 4 << 20
"""What all notes of a tar may have: each costs time with the square of its length, and memory."""
_LEAST_NOTE: Final = 128
_GLOBAL_NOTE: Final = 1 << 20
"""What a note about all files counts, because each file gets a copy of it; `git archive` writes one."""
_CHUNK: Final = 1 << 16
_END_OF_ZIP: Final = b"PK\x05\x06"
_TO_ZIP64: Final = b"PK\x06\x07"
_ZIP64_BYTES: Final = 56
_LOCATOR_BYTES: Final = 20
_BROKEN: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, MemoryError),
    *(ValueError, OverflowError, NotImplementedError, RuntimeError, IndexError, KeyError, TypeError),
)
"""What the libraries raise for archives that are damaged or odd."""

_SMALLER: Final = "leave out what the bot does not need to run"


class Unpacked(Struct, frozen=True):
    """What was left out of an archive."""

    ignored: tuple[str, ...]


def unpack(archive: Path, name: str, into: Path, ignored: Collection[str] = ()) -> Unpacked:
    """Unpack an archive into an empty folder, without entries of some names; `name` says what kind it is.

    Raises SubmissionError.
    """
    try:
        file = os.open(archive, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SubmissionError(f"{name}: it cannot be read: {error.strerror}") from error
    with open(file, "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise SubmissionError(f"{name}: it is no file")
        if found.st_size > MOST_PACKED:
            raise SubmissionError(f"{name}: it is larger than {MOST_PACKED >> 20} MiB; {_SMALLER}")
        target = _Target(into, name, ignored)
        try:
            if _is_zip(opened):
                _unzip(opened, name, target)
            else:
                _untar(opened, name, target)
        except _BROKEN as error:
            raise SubmissionError(
                f"{name}: this archive is damaged: {_words(error)}; pack it anew"
            ) from error
        except OSError as error:
            if error.errno in OF_HOST:
                raise
            raise SubmissionError(f"{name}: it cannot be unpacked: {error.strerror or error}") from error
        target.make_links()
    return Unpacked(tuple(target.ignored))


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


class _Source(Protocol):
    """Where the content of a file comes from."""

    def read(self, size: int, /) -> bytes: ...


class _Target:
    """The folder that an archive is unpacked into, with what is left of the bounds."""

    def __init__(self, folder: Path, name: str, ignored: Collection[str]) -> None:
        self.ignored: list[str] = []
        self._folder = folder
        self._name = name
        self._names_ignored = ignored
        self._left = BOUNDS.all_bytes
        self._entries = 0
        self._files: set[str] = set()
        self._links: dict[str, str] = {}

    def path(self, name: str) -> str:
        """Return where an entry goes, relative to the folder; '' if it is ignored or the folder itself."""
        self._entries += 1
        if self._entries > BOUNDS.entries:
            raise SubmissionError(
                f"{self._name}: it has more than {BOUNDS.entries:,} files and folders; {_SMALLER}"
            )
        plain = name.replace("\\", "/")
        parts = [part for part in plain.split("/") if part not in ("", ".")]
        if plain.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", plain):
            raise SubmissionError(
                f"{self._name}: {_shown(name)} would be unpacked outside of the bot's folder; pack it anew"
            )
        for at, part in enumerate(parts):
            if part in self._names_ignored:
                left_out = _shown("/".join(parts[: at + 1]))
                if left_out not in self.ignored:
                    self.ignored.append(left_out)
                return ""
        cleaned = [_cleaned(part) for part in parts]
        path = "/".join(cleaned)
        if len(parts) > bundle.MOST_DEPTH or len(path.encode()) > bundle.MOST_PATH_BYTES:
            raise SubmissionError(f"{self._name}: {_shown(name[:80])}… is too long or too deep a path")
        if any(len(part.encode()) > 255 for part in cleaned):
            raise SubmissionError(f"{self._name}: {_shown(name[:80])}… is too long a name")
        return path

    def folder(self, path: str) -> None:
        """Make a folder."""
        if path:
            self._made(path)

    def file(self, path: str, announced: int, source: _Source, *, executable: bool) -> None:
        """Write a file."""
        if not path:
            return
        if path in self._files or path in self._links:
            raise SubmissionError(f"{self._name}: it has two files called {_shown(path)}; pack it anew")
        self._files.add(path)
        if announced > BOUNDS.file_bytes:
            self._refuse_large(path)
        self._made(path.rpartition("/")[0])
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            made = os.open(self._folder / path, flags, 0o755 if executable else 0o644)
        except FileExistsError as error:
            raise SubmissionError(
                f"{self._name}: {_shown(path)} is a file and a folder; pack it anew"
            ) from error
        with open(made, "wb") as file:
            self._write(path, source, file)

    def _write(self, path: str, source: _Source, file: IO[bytes]) -> None:
        size = 0
        while data := source.read(_CHUNK):
            size += len(data)
            self._left -= len(data)
            if size > BOUNDS.file_bytes:
                self._refuse_large(path)
            if self._left < 0:
                raise SubmissionError(
                    f"{self._name}: unpacked it is larger than {BOUNDS.all_bytes >> 20} MiB; {_SMALLER}"
                )
            file.write(data)

    def _refuse_large(self, path: str) -> None:
        raise SubmissionError(
            f"{self._name}: {_shown(path)} is larger than {BOUNDS.file_bytes >> 20} MiB; {_SMALLER}"
        )

    def link(self, path: str, leads: str) -> None:
        """Note a link, which is made when all files are there."""
        if not path:
            return
        inside = os.path.normpath(os.path.join(os.path.dirname(path), leads))
        if leads.startswith("/") or inside == ".." or inside.startswith("../") or not bundle.is_text(leads):
            raise SubmissionError(
                f"{self._name}: {_shown(path)} is a link to {_shown(leads)}, which is outside of the bot's "
                "folder; put a copy of it there"
            )
        if bundle.turns_back(leads):
            # After a name that is a link itself, '..' leads up from where that link leads.
            raise SubmissionError(
                f"{self._name}: {_shown(path)} is a link to {_shown(leads)}, with '..' after a name; "
                "make it direct"
            )
        self._links[path] = leads

    def make_links(self) -> None:
        """Make the links; a name that is taken is refused."""
        for path, leads in self._links.items():
            self._made(path.rpartition("/")[0])
            try:
                (self._folder / path).symlink_to(leads)
            except OSError as error:
                if error.errno in OF_HOST:
                    raise
                raise SubmissionError(
                    f"{self._name}: the link {_shown(path)} cannot be made: {error.strerror}"
                ) from error

    def _made(self, path: str) -> None:
        """Make a folder with those above it, none of which may be a link."""
        place = self._folder
        for part in filter(None, path.split("/")):
            place /= part
            with suppress(FileExistsError):
                place.mkdir()
            if not stat.S_ISDIR(place.lstat().st_mode):
                raise SubmissionError(f"{self._name}: {_shown(path)} is a file and a folder; pack it anew")


def _shown(name: str) -> str:
    return name if bundle.is_text(name) else ascii(name)


def _cleaned(name: str) -> str:
    """Return a name without characters that would break a line or turn its direction, or are no UTF-8."""
    return "".join(one if bundle.is_text(one) else "_" for one in name)


# Zip.


def _is_zip(file: IO[bytes]) -> bool:
    found = zipfile.is_zipfile(file)
    file.seek(0)
    return found


def _unzip(file: IO[bytes], name: str, target: _Target) -> None:
    _check_directory(file, name)
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            path = target.path(member.orig_filename.partition("\0")[0])
            mode = member.external_attr >> 16
            kind = stat.S_IFMT(mode)
            if member.flag_bits & 1:
                raise SubmissionError(f"{name}: it has a password; pack it without one")
            # Of the others Python's reader unpacks a piece at once, however much comes of it.
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise SubmissionError(f"{name}: it is packed in an unusual way; make a plain zip")
            if member.filename.endswith("/") or kind == stat.S_IFDIR:
                target.folder(path)
            elif kind == stat.S_IFLNK:
                with archive.open(member) as source:
                    target.link(path, source.read(_MOST_LINK).decode(errors="surrogateescape"))
            elif kind in (0, stat.S_IFREG):
                with archive.open(member) as source:
                    is_executable = bool(mode & stat.S_IXUSR)
                    target.file(path, member.file_size, source, executable=is_executable)
            else:
                raise SubmissionError(f"{name}: {_shown(path)} is no file or folder; leave it out")


def _check_directory(file: IO[bytes], name: str) -> None:
    """Refuse a zip whose list of contents is very long, before it is read."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - (1 << 16) - 22 - _LOCATOR_BYTES - _ZIP64_BYTES))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END_OF_ZIP)
    if at < 0 or len(tail) < at + 22:
        raise SubmissionError(f"{name}: this archive is damaged: its end is missing; pack it anew")
    (size,) = struct.unpack_from("<I", tail, at + 12)
    before = at - _LOCATOR_BYTES
    if before >= _ZIP64_BYTES and tail.startswith(_TO_ZIP64, before):
        # Then the reader takes the size from there.
        (size,) = struct.unpack_from("<Q", tail, before - _ZIP64_BYTES + 40)
    if size > _MOST_DIRECTORY:
        raise SubmissionError(f"{name}: it has more than {BOUNDS.entries:,} files and folders; {_SMALLER}")


# Tar.


def _untar(file: IO[bytes], name: str, target: _Target) -> None:
    # As a stream: there is no way back in it, so no archive leads its reader in a circle.
    stream = _BoundedStream(_plain(file), name)
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_member_type(name)) as archive:
        for member in archive:
            path = target.path(member.name)
            if member.isdir():
                target.folder(path)
            elif member.issym():
                target.link(path, member.linkname)
            elif member.isreg():
                source = archive.extractfile(member)
                assert source is not None
                target.file(path, member.size, source, executable=bool(member.mode & stat.S_IXUSR))
            else:
                what = _SPECIAL.get(member.type, "a device or another special file")
                raise SubmissionError(f"{name}: {_shown(member.name)} is {what}; leave it out")


def _member_type(name: str) -> type[tarfile.TarInfo]:
    """Return the type of the members of a tar: what costs too much to read is refused before it is read."""
    left = _MOST_NOTES

    class Member(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> Self:
            nonlocal left
            head = super().frombuf(buf, encoding, errors)  # type: ignore[arg-type]
            if head.type in _NOTES:
                left -= _GLOBAL_NOTE if head.type == tarfile.XGLTYPE else max(head.size, _LEAST_NOTE)
                if head.size > _MOST_NOTE or left < 0:
                    raise SubmissionError(f"{name}: the notes about its files are too long; make a plain zip")
            if head.type == tarfile.GNUTYPE_SPARSE:
                head.refuse_sparse()
            return head

        def refuse_sparse(self) -> None:
            raise SubmissionError(f"{name}: {_shown(self.name)} is a sparse file; pack it anew without that")

        def _proc_gnusparse_10(self, next: tarfile.TarInfo, *_: object) -> None:
            """Refuse a sparse file; `tarfile` calls this to read its map, which may have any length."""
            cls = type(self)
            assert isinstance(next, cls)
            next.refuse_sparse()

    return Member


_NOTES: Final = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_SPECIAL: Final = {tarfile.LNKTYPE: "a hard link", tarfile.FIFOTYPE: "a FIFO"}


def _plain(file: IO[bytes]) -> _Source:
    """Return a stream of what was compressed; each of these readers makes no more of it than is asked for."""
    head = file.read(6)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=file)
    if head.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return lzma.LZMAFile(file) if head.startswith(b"\xfd7zXZ\x00") else file


class _BoundedStream(io.RawIOBase):
    """A stream that ends with an error after as many bytes as a submission may have, with those of heads."""

    def __init__(self, source: _Source, name: str) -> None:
        self._source = source
        self._name = name
        self._left = BOUNDS.all_bytes + BOUNDS.entries * 4 * tarfile.BLOCKSIZE

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(size if 0 <= size < _CHUNK else _CHUNK)
        self._left -= len(data)
        if self._left < 0:
            raise SubmissionError(
                f"{self._name}: unpacked it is larger than {BOUNDS.all_bytes >> 20} MiB; {_SMALLER}"
            )
        return data
