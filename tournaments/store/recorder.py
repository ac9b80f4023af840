"""The recorder: commits finished matches to a store, and hands each committed row on."""

from collections.abc import Callable, Sequence

from referee.hub.pairing import Finished
from tournaments.results import Played
from tournaments.store.store import Store


class Recorder:
    """Builds the row of every finished match once. `keep` is the hub's callback of that name.

    `row` returns the row of a match, or None for one that is not kept.
    """

    def __init__(self, store: Store, row: Callable[[Finished], Played | None]) -> None:
        self._store = store
        self._row = row
        self._committed: dict[str, Played] = {}

    def keep(self, finished: Sequence[Finished]) -> None:
        """Commit matches whose replays are on disk. Called in the archive's thread."""
        rows = [row for one in finished if (row := self._row(one)) is not None]
        self._store.add(rows)
        self._committed |= {row.match: row for row in rows}

    def take(self, match: str) -> Played:
        """Return the row of a committed match, once. Called in the thread of the hub, when it reports."""
        return self._committed.pop(match)
