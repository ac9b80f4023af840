"""The archive: puts finished matches on disk in a thread of its own, while the hub plays on.

All matches that ended while it was busy go to the disk together: one wait for the disk serves many of them.
A slow disk delays reports, but neither bots nor clocks.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.hub.host_speed import HostSpeed, host_name
from referee.hub.pairing import Finished
from referee.replay import files
from referee.replay.dossier import DOSSIER_SUFFIX, Dossier, dossier_bytes
from referee.replay.format import ReplayText

MOST_TOGETHER = 64
"""Matches that go to the disk together."""

MOST_WAITING = 256
"""Matches in memory that wait for the disk, or for a store that is out of reach."""

Keep = Callable[[Sequence[Finished]], None]
"""Commits matches whose replays are on disk; raises RefereeError if it cannot."""


Filed = Sequence[tuple[Finished, RefereeError | None]]
"""Matches, each with the error that kept it from the disk, if there was one."""


class Filing(Struct, frozen=True):
    """A finished match on its way to the disk."""

    finished: Finished
    replay: ReplayText
    dossier: Dossier | None


class MatchArchive(Protocol):
    """Takes matches that are over; some time later the function that it was made with gets them back."""

    @property
    def is_full(self) -> bool:
        """Whether so many matches wait that no more should be begun."""

    def file(self, filing: Filing) -> None:
        """Take a match."""

    def close(self) -> None:
        """Finish what was taken."""


MakeArchive = Callable[[Callable[[Filed], None]], MatchArchive]
"""Makes an archive; given what it calls, in any thread, with matches that are where they belong."""


class Archive:
    """Files matches: writes the replays, calls `keep`, then `done`. Both are called in its own thread.

    Without replays there is nothing to write, and all else is the same.
    """

    def __init__(self, done: Callable[[Filed], None], *, compress: bool, keep: Keep) -> None:
        self._compress = compress
        self._keep = keep
        self._done = done
        self._speed = HostSpeed()
        self._queue: SimpleQueue[Filing | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="archive")
        self._thread.start()

    def file(self, filing: Filing) -> None:
        """Put a match into the queue."""
        self._queue.put(filing)

    @property
    def is_full(self) -> bool:
        """Whether so many matches wait that no more should begin."""
        return self._queue.qsize() >= MOST_WAITING

    def close(self) -> None:
        """File what is in the queue, and stop."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        last = False
        while not last:
            batch = [self._queue.get()]
            while len(batch) < MOST_TOGETHER and not self._queue.empty():
                batch.append(self._queue.get())
            last = None in batch
            if filings := [filing for filing in batch if filing is not None]:
                self._done(self._filed(filings))

    def _filed(self, filings: Sequence[Filing]) -> Filed:
        try:
            return self._file(filings)
        except Exception as error:  # noqa: BLE001 - the hub waits for an answer, and would wait for ever
            ours = RefereeError(f"results cannot be kept: {type(error).__name__}: {error}")
            return [(filing.finished, ours) for filing in filings]

    def _file(self, filings: Sequence[Filing]) -> Filed:
        written = [self._files(filing) for filing in filings]
        failed = files.write_together({path: data for each in written for path, data in each.items()})
        filed: list[tuple[Finished, RefereeError | None]] = []
        for filing, own in zip(filings, written, strict=True):
            errors = [failed[path] for path in own if path in failed]
            replay = own.get(filing.finished.replay) if filing.finished.replay is not None else None
            digest = sha256(replay).hexdigest() if replay is not None else ""
            finished = self._with_host(msgspec.structs.replace(filing.finished, digest=digest))
            filed.append((finished, errors[0] if errors else None))
        try:
            self._keep([finished for finished, error in filed if error is None])
        except RefereeError as trouble:
            return [(finished, error or trouble) for finished, error in filed]
        return filed

    def _with_host(self, finished: Finished) -> Finished:
        """Return a match with the host it was played on: this one, unless a worker named another."""
        if finished.host:
            return finished
        self._speed.sample_now_and_then()
        return msgspec.structs.replace(finished, host=host_name(), speed=self._speed.per_second)

    def _files(self, filing: Filing) -> dict[Path, bytes]:
        """Return the files of a match, after removing those of an earlier attempt at it."""
        path, match = filing.finished.replay, filing.finished.result.match
        if path is None:
            return {}
        for suffix in (*files.SUFFIXES, DOSSIER_SUFFIX):
            with suppress(OSError):
                path.with_name(match + suffix).unlink(missing_ok=True)
        replay = {path: files.replay_bytes(filing.replay.lines, self._compress)}
        if filing.dossier is None:
            return replay
        return {path.with_name(match + DOSSIER_SUFFIX): dossier_bytes(filing.dossier)} | replay
