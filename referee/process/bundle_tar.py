"""Bundles on their way to another host: one tar for each, checked against its digest where it is unpacked.

What is packed is what the manifest of `referee.process.bundle` names, so it is bounded and has no devices.
What is unpacked is refused unless it has the digest that was announced, entry by entry.
"""

import io
import os
import shutil
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from referee.errors import LaunchError
from referee.process import bundle

MOST_TAR_BYTES: Final = 1 << 28
"""A bundle that travels is in memory, here and there."""


def pack(folder: Path) -> tuple[str, bytes]:
    """Return the digest of a folder, and a tar of it; raises LaunchError as `bundle.take_in` does."""
    manifest = bundle.manifest_of(folder, bundle.Bounds(all_bytes=MOST_TAR_BYTES))
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for entry in manifest:
            found = tarfile.TarInfo(entry.path)
            found.mode = 0o755 if entry.kind in ("executable", "folder") else 0o644
            if entry.kind == "folder":
                found.type = tarfile.DIRTYPE
                tar.addfile(found)
            elif entry.kind == "link":
                found.type, found.linkname = tarfile.SYMTYPE, entry.content
                tar.addfile(found)
            else:
                data = _read(folder / entry.path, entry.content)
                found.size = len(data)
                tar.addfile(found, io.BytesIO(data))
    return bundle.digest_of(manifest), target.getvalue()


def _read(path: Path, digest: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            data = file.read(bundle.MOST_FILE_BYTES)
    except OSError as error:
        raise LaunchError(f"{path}: it cannot be read: {error.strerror}") from error
    if sha256(data).hexdigest() != digest:
        raise LaunchError(f"{path}: it was changed while it was read; try again when it stays as it is")
    return data


def unpack(data: bytes, digest: str, store: Path) -> Path:
    """Unpack a bundle into the store, and return its folder; raises LaunchError if it is another one."""
    target = store / digest
    if target.exists():
        return target
    made = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=store))
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            _extract(tar, made)
        made.chmod(0o755)
        if bundle.digest_of(bundle.manifest_of(made)) != digest:
            raise LaunchError("the bundle that arrived is not the one that was announced")
        os.rename(made, target)
    except (OSError, tarfile.TarError) as error:
        raise LaunchError(f"a bundle cannot be unpacked: {error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return target


def _extract(tar: tarfile.TarFile, into: Path) -> None:
    """Write folders and files, and links last: nothing is written through a link."""
    links: list[tarfile.TarInfo] = []
    for number, found in enumerate(tar):
        path = PurePosixPath(found.name)
        if number >= bundle.MOST_ENTRIES or path.is_absolute() or ".." in path.parts:
            raise LaunchError("the bundle that arrived has too many entries, or one that leads out of it")
        if found.isdir():
            (into / path).mkdir()
        elif found.issym():
            links.append(found)
        elif found.isreg() and (file := tar.extractfile(found)) is not None:
            (into / path).write_bytes(file.read())
            (into / path).chmod(0o755 if found.mode & 0o100 else 0o644)
        else:
            raise LaunchError(f"the bundle that arrived has a thing that is no file: {found.name!r}")
    for link in links:
        (into / link.name).symlink_to(link.linkname)
