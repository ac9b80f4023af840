"""Replays on disk: written whole or not at all, read with every byte checked, packed or plain.

A replay has the key of its deal, which may still be played in another rotation: files are closed to other
users, and so are the folders we make for them. The operator publishes them when the time has come.
"""

import ctypes
import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import Final

from referee.errors import RecordError
from referee.replay.format import Replay, parse

SUFFIXES: Final = (".jsonl", ".jsonl.gz")
"""The suffixes of replays; the stem is the id of the match."""

FILE_BYTES: Final = 64 * 2**20
"""The largest file that is read, packed or unpacked: many times the longest match."""

# The gzip header carries a hash of all that follows it (RFC 1952, an extra field `RF`): a flipped bit of
# packed data may unpack to the same text, and nothing of the header itself would be checked.
_GZIP: Final = b"\x1f\x8b\x08\x04" + bytes(4) + b"\x02\xff" + (36).to_bytes(2, "little") + b"RF\x20\x00"
_HASH_END: Final = len(_GZIP) + 32

_libc: Final = ctypes.CDLL(None, use_errno=True)


def write(path: Path, lines: Iterable[bytes], compress: bool = False) -> None:
    """Write a replay; when this returns, it will survive a loss of power.

    A reader finds the whole file or none. A file of this name is replaced.
    """
    write_whole(path, replay_bytes(lines, compress))


def replay_bytes(lines: Iterable[bytes], compress: bool = False) -> bytes:
    """Return a replay as it stands in its file."""
    data = b"".join(lines)
    return pack(data) if compress else data


def read(path: Path) -> Replay:
    """Return a replay, packed or not, after every check that needs no rules.

    Raises RecordError, which names the file, the line and the reason.
    """
    data = read_bytes(path)
    return parse(_unpack(data, path) if data[:1] == _GZIP[:1] else data, str(path))


def pack(data: bytes) -> bytes:
    """Return the data as a gzip file that is the same every time."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = deflate.compress(data) + deflate.flush() + _trailer(data)
    return _GZIP + sha256(body).digest() + body


def _trailer(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little") + (len(data) % 2**32).to_bytes(4, "little")


def _unpack(packed: bytes, path: Path) -> bytes:
    """Return what `pack` was given."""
    body = packed[_HASH_END:]
    if not packed.startswith(_GZIP) and _is_whole(packed):
        raise RecordError(f"{path}: another program packed it; unpack it with gunzip, and try again")
    if packed[:_HASH_END] != _GZIP + sha256(body).digest():
        raise RecordError(f"{path}: the gzip file is not as the referee wrote it")
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        data = inflate.decompress(body, FILE_BYTES)
    except zlib.error as error:
        raise RecordError(f"{path}: the gzip file does not unpack: {error}") from error
    if not inflate.eof or inflate.unused_data != _trailer(data):
        raise RecordError(f"{path}: the gzip file does not unpack to a whole replay")
    return data


def _is_whole(packed: bytes) -> bool:
    """Return whether this is a whole gzip file, of any program."""
    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        inflate.decompress(packed, FILE_BYTES)
    except zlib.error:
        return False
    return inflate.eof and not inflate.unused_data


def read_bytes(path: Path) -> bytes:
    """Return what is in a file, if it can be one of ours; otherwise raise RecordError."""
    try:
        # Without blocking: a FIFO of this name would wait for a writer.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise RecordError(f"{path}: this is no file, but a pipe or a device")
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > FILE_BYTES:
        raise RecordError(f"{path}: larger than {FILE_BYTES} bytes, so no file of ours")
    return data


def make_private(folder: Path) -> None:
    """Make a folder that is closed to other users; one that exists keeps its mode.

    Raises OSError, also if files cannot be made in it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass


def write_whole(path: Path, data: bytes) -> None:
    """Write one file, whole or not at all; raise RecordError if it cannot be written."""
    for error in write_together({path: data}).values():
        raise error


def write_together(files: Mapping[Path, bytes]) -> dict[Path, RecordError]:
    """Write files into one folder, each whole or not at all; return what could not be written, and why.

    When this returns, all others will survive a loss of power. They appear in their order.
    """
    errors: dict[Path, OSError] = {}
    made: dict[Path, str] = {}
    try:
        for path, data in files.items():
            try:
                made[path] = _put_aside(path, data, sync=len(files) == 1)
            except OSError as error:
                errors[path] = error
        if made:
            errors |= _put_in_place(made)
    finally:
        for aside in made.values():
            with suppress(OSError):
                os.unlink(aside)
    return {
        path: RecordError(f"{path}: cannot be written: {error.strerror}") for path, error in errors.items()
    }


def _put_aside(path: Path, data: bytes, *, sync: bool) -> str:
    """Write a file under another name in the same folder, and return that name."""
    made = str(path.with_name(f".{path.name[:80]}.{token_hex(8)}"))
    try:
        with open(made, "xb", opener=_private) as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            os.unlink(made)
        raise
    return made


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _put_in_place(made: dict[Path, str]) -> dict[Path, OSError]:
    """Give files their names, once their contents are on the disk; those that get none stay in `made`."""
    paths = tuple(made)
    errors: dict[Path, OSError] = {}
    try:
        folder = os.open(paths[0].parent, os.O_RDONLY)
        try:
            if len(paths) > 1:
                # One wait for all of them: to sync each by itself takes ten times as long.
                _sync_file_system(folder)
            for path in paths:
                try:
                    os.replace(made[path], path)
                    del made[path]
                except OSError as error:
                    errors[path] = error
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        return dict.fromkeys(paths, error)
    return errors


def _sync_file_system(descriptor: int) -> None:
    if _libc.syncfs(descriptor) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
