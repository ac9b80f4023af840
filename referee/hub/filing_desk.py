"""The filing desk of a hub: takes matches that are over, has them explained and written, and reports them.

A match is reported when its replay is safely on disk, and not before. One with a fault waits a moment for
what its bots wrote to stderr.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from referee.errors import RefereeError
from referee.hub.archive import Filed, Filing, MakeArchive
from referee.hub.counters import Counters
from referee.hub.event_loop import EventLoop
from referee.hub.last_words import LastWords
from referee.hub.pairing import Finished, Pairing, our_error, void_result
from referee.hub.running_match import RunningMatch
from referee.match.result import Result
from referee.replay.format import ReplayText


class FilingDesk:
    """Puts matches on the way to the disk, and reports them when they are there."""

    def __init__(
        self,
        loop: EventLoop,
        counts: Counters,
        archive: MakeArchive,
        report: Callable[[Finished], None],
        fail: Callable[[RefereeError], None],
    ) -> None:
        """Begin; `fail` is called with the error of a match that cannot be written."""
        self._counts = counts
        self._report = report
        self._fail = fail
        self._archive = archive(lambda filed: loop.call(partial(self._filed, filed)))
        self._last_words = LastWords(loop)
        self._unwritten = 0

    @property
    def is_busy(self) -> bool:
        """Whether a match that is over is not reported yet."""
        return bool(self._unwritten or self._last_words.waiting)

    @property
    def is_full(self) -> bool:
        """Whether so many matches wait for the disk that no more should be begun."""
        return self._archive.is_full

    def close(self) -> None:
        """Write what is there, and stop."""
        try:
            self._last_words.end()
        finally:
            self._archive.close()

    def take(self, running: RunningMatch, result: Result, path: Path | None) -> None:
        """Take a match that is over; its replay is written to this path, if there is one."""
        try:
            replay = running.replay()
        except Exception as error:  # noqa: BLE001 - an error of ours voids this match and no other
            self.take_void(running.pairing, our_error(error))
            return
        finished = Finished(running.pairing, result, replay.play, path)
        if path is None or not running.needs_dossier(result):
            self.file(Filing(finished, replay, None))
        else:
            self._last_words.when_heard(
                running.seats, lambda: self.file(Filing(finished, replay, running.dossier(finished)))
            )

    def take_void(self, pairing: Pairing, why: str) -> None:
        """Take a match of which there is no replay."""
        self.file(Filing(Finished(pairing, void_result(pairing, why), "", None), ReplayText([], ""), None))

    def file(self, filing: Filing) -> None:
        """Put a match on the way to the disk."""
        self._unwritten += 1
        self._counts.ended += 1
        self._archive.file(filing)

    def _filed(self, filed: Filed) -> None:
        """Report what is on disk."""
        for finished, error in filed:
            self._unwritten -= 1
            if error is None:
                self._counts.finish(finished.result)
                self._report(finished)
                continue
            # A match that is not on disk is not finished: it is not reported, and no more are begun.
            self._fail(
                RefereeError(
                    f"{error}; finished matches are safe, match {finished.result.match} is not and must be "
                    "played again"
                )
            )
