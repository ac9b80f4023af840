"""The lock of a store in a file: one process at a time may write. The kernel releases it with the process."""

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from tournaments.store.errors import StoreBusyError, StorePlaceError

_PATIENCE_S: Final = 0.5
"""How long to wait for the lock: a child that a killed process left may be about to release it."""


class SqliteLock:
    """The right to write, held as long as this process lives or until it is released."""

    def __init__(self, store: Path) -> None:
        self._path = _lock_path(store)
        self.made = not self._path.exists()
        """Whether the file of the lock was not there before."""
        try:
            store.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._opened()
        except OSError as error:
            raise StorePlaceError(f"{store}: cannot be written: {error.strerror}") from error
        try:
            self._take(store)
        except BaseException:
            os.close(self._file)
            raise

    def _opened(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _take(self, store: Path) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not self._is_ours():
            if time.monotonic() > end:
                pid = writer(store)
                other = f"process {pid}" if pid else "another process"
                raise StoreBusyError(f"{store}: {other} is playing this tournament; only one at a time may")
            time.sleep(0.01)
        # The process id is for the message of the next process: no room for it is no reason to stop.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, str(os.getpid()).encode(), 0)

    def _is_ours(self) -> bool:
        """Try to lock the file; one that was removed meanwhile is opened anew, and locked the next time."""
        if not _locked(self._file):
            return False
        if os.fstat(self._file).st_nlink:
            return True
        os.close(self._file)
        self._file = self._opened()
        return False

    def release(self, *, remove: bool = False) -> None:
        """Let other processes write."""
        # Without need the file stays, because other processes may wait for it.
        with suppress(OSError):
            if remove:
                os.unlink(self._path)
            os.ftruncate(self._file, 0)
        os.close(self._file)


def writer(store: Path) -> int | None:
    """Return the id of the process that writes to a store now: 0 if it is not known, None if none does."""
    try:
        file = os.open(_lock_path(store), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if _locked(file, shared=True):
            return None
        text = os.read(file, 20)
        return int(text) if text.isdigit() else 0
    finally:
        os.close(file)


def _locked(file: int, *, shared: bool = False) -> bool:
    """Lock a file until it is closed; False if another process has it."""
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def _lock_path(store: Path) -> Path:
    # Not the store itself: closing any descriptor of that file would take SQLite's own locks from it.
    return store.with_name(store.name + ".writer")
