"""Bundles: copies of programs in a folder of our own, out of the reach of their authors.

A bundle is a content-addressed copy of a folder: regular files, folders and checked links, and nothing else.
A bot in a sandbox runs from its bundle, so its author can change nothing while it plays, and a FIFO or a
socket in the author's folder connects it to nothing.

The folder is hostile and may change while it is read. Every entry is opened without following a link and
without waiting, and the opened thing is looked at, never its name. Reading stops at the bounds, not at the
size that was announced. The digest is that of what was copied.
"""

import errno
import os
import shutil
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import dropwhile
from pathlib import Path
from typing import Final, Literal, NoReturn

from msgspec import Struct

from referee.errors import LaunchError
from referee.process.sandbox.policy import SYSTEM

MOST_BYTES: Final = 1 << 30
MOST_FILE_BYTES: Final = 1 << 29
MOST_ENTRIES: Final = 50_000
MOST_DEPTH: Final = 32
MOST_PATH_BYTES: Final = 1_024
"""The bounds of a bundle: all bytes, those of a file, files and folders, levels, the length of a path."""


class Bounds(Struct, frozen=True):
    """How much a copy of a folder may hold."""

    all_bytes: int = MOST_BYTES
    file_bytes: int = MOST_FILE_BYTES
    entries: int = MOST_ENTRIES


_BUNDLE: Final = Bounds()

_CHUNK: Final = 1 << 20
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER: Final = _READ | os.O_DIRECTORY
_UNFINISHED: Final = ".unfinished-"

_REMOVE: Final = (
    "remove what the bot does not need to run (such as .git, caches, and what a build leaves behind)"
)

_NO_TEXT: Final = "its name is not UTF-8 or has control characters"
_COPY: Final = "put a copy of it there"

Kind = Literal["file", "executable", "folder", "link"]


class BundleEntry(Struct, frozen=True):
    """One thing in a bundle."""

    path: str
    """Relative to the folder, with slashes."""
    kind: Kind
    content: str = ""
    """The SHA-256 of a file, where a link leads, and nothing for a folder."""


Manifest = tuple[BundleEntry, ...]
"""Everything in a bundle, by path."""


class Copied(Struct, frozen=True):
    """What was copied of a folder, and what was left out."""

    manifest: Manifest
    ignored: tuple[str, ...]


class Bundle(Struct, frozen=True):
    """A copy of a folder, named by its digest."""

    digest: str
    path: Path
    manifest: Manifest


def digest_of(manifest: Manifest) -> str:
    """Return the SHA-256 over path, kind and content of every entry, each followed by a zero byte."""
    digest = sha256()
    for entry in manifest:
        digest.update(f"{entry.path}\0{entry.kind}\0{entry.content}\0".encode())
    return digest.hexdigest()


def take_in(folder: Path, store: Path) -> Bundle:
    """Copy a folder into the store, and return the bundle; equal folders share one.

    Raises LaunchError, which names the entry, for a folder with anything that a bundle cannot hold.
    """
    # What can be refused by a look is refused before anything is read.
    for _ in _Walk(folder).entries():
        pass
    if (known := _known(folder, store)) is not None:
        return known
    try:
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=store))
    except OSError as error:
        raise LaunchError(f"cannot copy {folder} to {store}: {error.strerror}") from error
    try:
        manifest = _Walk(folder, into=made).manifest()
        digest = digest_of(manifest)
        made.chmod(0o755)
        _put_in_place(made, store / digest, digest)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return Bundle(digest, store / digest, manifest)


def copy(folder: Path, into: Path, bounds: Bounds = _BUNDLE, ignored: Collection[str] = ()) -> Copied:
    """Copy a folder into an empty one, without entries of these names; the copies can be written to.

    Raises LaunchError as `take_in` does.
    """
    for _ in _Walk(folder, bounds=bounds, ignored=ignored).entries():
        pass
    walk = _Walk(folder, into=into, bounds=bounds, ignored=ignored, writable=True)
    return Copied(walk.manifest(), tuple(walk.left_out))


def manifest_of(folder: Path, bounds: Bounds = _BUNDLE, ignored: Collection[str] = ()) -> Manifest:
    """Return what a copy of this folder would hold; raises LaunchError as `take_in` does."""
    for _ in _Walk(folder, bounds=bounds, ignored=ignored).entries():
        pass
    return _Walk(folder, bounds=bounds, ignored=ignored).manifest()


def remove_unfinished(store: Path) -> None:
    """Remove copies that a killed process left half made. Call only while no other process takes in."""
    for path in store.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(path, ignore_errors=True)


def file_digest(path: Path, folder: Path) -> str:
    """Return the SHA-256 of one file of a folder, read with the same care as a bundle.

    A link is followed inside the folder, to the system and to our own interpreter. Raises LaunchError.
    """
    if not is_text(str(path)):
        _refuse(path, _NO_TEXT, "rename it")
    real = Path(os.path.realpath(path))
    if path.is_relative_to(folder) and not _may_lead_to(str(real), folder):
        _refuse(path, f"it is a link to {real}, which is outside of the bot's folder {folder}", _COPY)
    try:
        with _opened(str(real), _READ) as file:
            _check_file(path, os.fstat(file))
            return _copied(path, file, None)[0]
    except OSError as error:
        _unreadable(path, error)


def named_digest(path: Path, folder: Path) -> str:
    """Return the SHA-256 of a file that the command of a program in this folder names.

    Outside of the folder the file is the operator's, and so are its links; it need not be readable to be
    executed, and '' is returned if it is not. Inside, raises LaunchError as `file_digest` does.
    """
    if path.is_relative_to(folder):
        return file_digest(path, folder)
    real = Path(os.path.realpath(path))
    with suppress(LaunchError):
        return file_digest(real, real.parent)
    return ""


def _known(folder: Path, store: Path) -> Bundle | None:
    """Return the bundle of a folder, if the store has it already."""
    if not store.is_dir() or not any(store.iterdir()):
        return None
    manifest = _Walk(folder).manifest()
    known = Bundle(digest_of(manifest), store / digest_of(manifest), manifest)
    return known if known.path.exists() and _is_sound(known.path, known.digest) else None


def _put_in_place(made: Path, target: Path, digest: str) -> None:
    """Give a finished copy its name, unless a sound one has it."""
    try:
        if target.exists() and not _is_sound(target, digest):
            shutil.rmtree(target)
        os.rename(made, target)
    except OSError as error:
        # A sound bundle of this name stays.
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise LaunchError(f"cannot keep the bundle {target}: {error.strerror}") from error


def _is_sound(bundle: Path, digest: str) -> bool:
    with suppress(LaunchError):
        return digest_of(_Walk(bundle).manifest()) == digest
    return False


class _Walk:
    """One pass over a folder, with bounds of its own."""

    def __init__(
        self,
        folder: Path,
        into: Path | None = None,
        *,
        bounds: Bounds = _BUNDLE,
        ignored: Collection[str] = (),
        writable: bool = False,
    ) -> None:
        """Prepare a pass; it copies what it reads, if there is a place for it."""
        self._folder = folder
        self._into = into
        self._bounds = bounds
        self._ignored = ignored
        self._modes = (0o755, 0o644) if writable else (0o555, 0o444)
        self.left_out: list[str] = []
        """Paths of what was ignored."""
        self._owner = -1
        self._entries = 0
        self._bytes_seen = 0
        self._bytes_read = 0

    def manifest(self) -> Manifest:
        """Read everything, and return what it is."""
        found = [self._taken(path, kind, place) for path, kind, place in self.entries()]
        return tuple(sorted(found, key=lambda entry: entry.path))

    def entries(self) -> Iterator[tuple[str, Kind, int]]:
        """Return path and kind of everything in the folder, and the open folder that it is in.

        The kind is that of a look: the entry may be another thing when it is opened.
        """
        with self._reading(""), _opened(str(self._folder), _FOLDER) as root:
            # Its author could put a link into the path, and we would follow it to where the author may not.
            if os.readlink(f"/proc/self/fd/{root}") != str(self._folder):
                self._refuse(
                    "", "it is not the folder it was: there are links in its path now", "move it back"
                )
            self._owner = os.fstat(root).st_uid
            yield from self._inside(root, "", 1)

    def _inside(self, place: int, above: str, depth: int) -> Iterator[tuple[str, Kind, int]]:
        if depth > MOST_DEPTH:
            self._refuse(above, f"it is more than {MOST_DEPTH} folders deep", _REMOVE)
        for name in self._names(place, above):
            path = f"{above}{name}"
            with self._reading(path):
                kind = self._kind(path, os.stat(name, dir_fd=place, follow_symlinks=False))
                if kind == "link":
                    self._link(path, os.readlink(name, dir_fd=place))
                yield path, kind, place
                if kind == "folder":
                    with _opened(name, _FOLDER, place) as inner:
                        yield from self._inside(inner, f"{path}/", depth + 1)

    def _names(self, place: int, above: str) -> list[str]:
        names: list[str] = []
        with os.scandir(place) as found:
            for entry in found:
                path = f"{above}{entry.name}"
                if entry.name in self._ignored:
                    self.left_out.append(path)
                    continue
                self._entries += 1
                if self._entries > self._bounds.entries:
                    most = f"{self._bounds.entries:,}"
                    self._refuse(above, f"the bot has more than {most} files and folders", _REMOVE)
                if not is_text(path):
                    self._refuse(path, _NO_TEXT, "rename it")
                if len(path.encode()) > MOST_PATH_BYTES:
                    self._refuse(path, f"its path has more than {MOST_PATH_BYTES:,} bytes", _REMOVE)
                names.append(entry.name)
        return sorted(names)

    def _kind(self, path: str, found: os.stat_result) -> Kind:
        if stat.S_ISDIR(found.st_mode):
            return "folder"
        if stat.S_ISLNK(found.st_mode):
            return "link"
        self._check_file(path, found)
        self._bytes_seen += found.st_size
        self._check_total(path, self._bytes_seen)
        return "file"

    def _check_file(self, path: str, found: os.stat_result) -> None:
        _check_file(self._folder / path, found, self._bounds.file_bytes)
        if found.st_uid != self._owner and not found.st_mode & stat.S_IROTH:
            # As root we can read it, but its author perhaps could only make a hard link to it.
            self._refuse(path, "it is closed to others and belongs to another user than the folder", _COPY)

    def _check_total(self, path: str, total: int) -> None:
        if total > (most := self._bounds.all_bytes):
            self._refuse(path, f"with this file the bot has more than {most >> 20:,} MiB", _REMOVE)

    def _taken(self, path: str, kind: Kind, place: int) -> BundleEntry:
        """Read an entry, and copy it if there is a place for it."""
        name = path.rpartition("/")[2]
        target = self._into / path if self._into is not None else None
        with self._reading(path):
            if kind == "folder":
                if target is not None:
                    target.mkdir()
                    target.chmod(0o755)
                return BundleEntry(path, kind)
            if kind == "link":
                leads = self._link(path, os.readlink(name, dir_fd=place))
                if target is not None:
                    target.symlink_to(leads)
                return BundleEntry(path, kind, leads)
            with _opened(name, _READ, place) as file:
                return self._file(path, file, target)

    def _file(self, path: str, file: int, target: Path | None) -> BundleEntry:
        found = os.fstat(file)
        self._check_file(path, found)
        kind: Kind = "executable" if found.st_mode & stat.S_IXUSR else "file"
        with _made(target) as into:
            digest, size = _copied(self._folder / path, file, into, self._bounds.file_bytes)
            self._bytes_read += size
            self._check_total(path, self._bytes_read)
            if into is not None:
                os.fchmod(into, self._modes[kind != "executable"])
                # Python takes its compiled files for valid while the source has the same time.
                os.utime(into, ns=(found.st_mtime_ns, found.st_mtime_ns))
        return BundleEntry(path, kind, digest)

    def _link(self, path: str, target: str) -> str:
        """Return the target of a link, by a way that stays in the folder if it leads there."""
        here = os.path.dirname(self._folder / path)
        leads = os.path.normpath(os.path.join(here, target))
        if not is_text(target) or not _may_lead_to(leads, self._folder):
            self._refuse(path, f"it is a link to {target!r}, which is outside of the bot's folder", _COPY)
        if turns_back(target):
            # After a name that is a link itself, '..' leads up from where that link leads.
            self._refuse(path, f"it is a link to {target!r}, with '..' after a name", "make it direct")
        way = os.path.join(os.path.dirname(path), target)
        leaves = os.path.isabs(way) or os.path.normpath(way).startswith("..")
        is_inside = Path(leads).is_relative_to(self._folder)
        return os.path.relpath(leads, here) if leaves and is_inside else target

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _unreadable(self._folder / path, error)

    def _refuse(self, path: str, what: str, remedy: str) -> NoReturn:
        _refuse(self._folder / path, what, remedy)


def _check_file(path: Path, found: os.stat_result, most: int = MOST_FILE_BYTES) -> None:
    """Refuse what is no regular file, or too large."""
    if not stat.S_ISREG(found.st_mode):
        kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
        _refuse(path, f"it is {kinds.get(stat.S_IFMT(found.st_mode), 'a device')}, not a file", "remove it")
    if found.st_size > most:
        _refuse(path, f"it is larger than {most >> 20:,} MiB", _REMOVE)


def _copied(path: Path, file: int, into: int | None, most: int = MOST_FILE_BYTES) -> tuple[str, int]:
    """Read a file to its end, copy it if there is a place for it, and return its SHA-256 and size."""
    digest, size = sha256(), 0
    while data := os.read(file, _CHUNK):
        size += len(data)
        if size > most:
            _refuse(path, f"it is larger than {most >> 20:,} MiB", _REMOVE)
        digest.update(data)
        while into is not None and data:
            data = data[os.write(into, data) :]
    return digest.hexdigest(), size


@contextmanager
def _opened(name: str, flags: int, place: int | None = None) -> Iterator[int]:
    descriptor = os.open(name, flags, dir_fd=place)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _made(path: Path | None) -> Iterator[int | None]:
    if path is None:
        yield None
        return
    with _opened(str(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC) as descriptor:
        yield descriptor


def _may_lead_to(path: str, folder: Path) -> bool:
    """Return whether a link may lead there: into the folder, the system, or our own interpreter."""
    return any(Path(path).is_relative_to(shown) for shown in (folder, *SYSTEM, sys.prefix, sys.base_prefix))


def turns_back(target: str) -> bool:
    """Return whether a link goes up after it has gone down."""
    parts = [part for part in target.split("/") if part not in ("", ".")]
    return ".." in [*dropwhile(lambda part: part == "..", parts)]


_BREAKS: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNS: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def is_text(name: str) -> bool:
    """Return whether a name is UTF-8, without characters that would break a line or turn its direction."""
    return not any(
        unicodedata.category(char) in _BREAKS or unicodedata.bidirectional(char) in _TURNS for char in name
    )


def _refuse(path: Path, what: str, remedy: str) -> NoReturn:
    shown = str(path) if is_text(str(path)) else ascii(str(path))
    raise LaunchError(f"{shown}: {what}; {remedy}")


def _unreadable(path: Path, error: OSError) -> NoReturn:
    _refuse(path, f"it cannot be read: {error.strerror}", "look at its permissions, and whether it changes")
