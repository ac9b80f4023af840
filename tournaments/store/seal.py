"""The seal of a store: the SHA-256 of its file as it lies on disk, in a file beside it.

The chain guards what is read from a store; a database has bytes that nobody reads. The seal guards them all.
It is broken before a store is written to and made again when it is closed in good order. So after a crash
there is none, and only the chain can be checked until the next run has closed the store.
"""

import os
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path

import msgspec

from referee.replay import files
from referee.replay.hashchain import Head


class Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a seal says."""

    sha256: str
    """Of the store's file."""
    results: int
    head: str


def seal_path(store: Path) -> Path:
    """Return where the seal of a store is."""
    return store.with_name(f"{store.name}.seal")


def make(store: Path, head: Head) -> None:
    """Seal a store that this process has closed. Where there is no room for a seal, there is none."""
    with suppress(OSError):
        text = _spelled(Seal(_hash_of(store), head.results, head.hash))
        files.write_together({seal_path(store): text})


def remove(store: Path) -> None:
    """Take the seal off, before anything is written: it must not come back after a loss of power."""
    path = seal_path(store)
    if not path.exists():
        return
    path.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def examine(store: Path) -> tuple[bool, str]:
    """Say whether there is a seal, and what is wrong with the store that has it; '' if nothing is.

    This process must not have the store open: to close its file would take SQLite's locks from it.
    """
    path = seal_path(store)
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return False, ""
    except OSError as error:
        return True, f"{path}: cannot be read: {error.strerror}"
    try:
        seal = msgspec.json.decode(text, type=Seal)
    except ValueError:
        seal = None
    if seal is None or _spelled(seal) != text:
        return True, f"{path}: the seal is not as it was written"
    # A log of changes, and one of changes to be taken back: SQLite obeys both.
    for beside in (store.with_name(f"{store.name}-wal"), store.with_name(f"{store.name}-journal")):
        if beside.exists() and beside.stat().st_size:
            return True, f"{beside}: changes that are not under the seal"
    try:
        whole = _hash_of(store) == seal.sha256
    except OSError as error:
        return True, f"{store}: cannot be read: {error.strerror}"
    return True, "" if whole else f"{store}: the file is not as it was when it was sealed"


def _spelled(seal: Seal) -> bytes:
    return msgspec.json.encode(seal) + b"\n"


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
