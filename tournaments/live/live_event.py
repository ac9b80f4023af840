"""An event of the site: read again when its results change, and its pages, made when they are asked for.

Reading and making run in threads, so no request waits for another. The public sees the event as the organiser
lets it; with a frozen table there is a second reading with everything, for the organiser alone.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from tournaments.live.answers import Content
from tournaments.live.event_reading import EventReading, read_event, state_of
from tournaments.live.settings import EventSource
from tournaments.results import Played
from tournaments.site.masks import NO_MASKS, Masks
from tournaments.site.model import SiteEvent

_MOST_BYTES: Final = 64 << 20
"""Of pages that are kept."""
_MOST_SHARE: Final = 0.25
"""The largest share of the time that reading may take: large events take seconds."""
_POLL_S: Final = 1.0


class PageKey(Struct, frozen=True):
    """A page of one reading of an event."""

    reading: int
    path: str
    whole: bool
    """Whether it shows what the public may not see yet."""


class LiveEvent:
    """One event."""

    def __init__(self, source: EventSource, rebuild_s: float, changed: Callable[["LiveEvent"], None]) -> None:
        """Read nothing yet; `changed` is called after every reading."""
        self.source = source
        self.rows: list[Played] = []
        """The results of a run without a store, as the hub has sent them."""
        self.trouble = ""
        """Why the results cannot be read now, for the operator: it names files; '' if they can."""
        self.number = 0
        """The number of the reading."""
        self._rebuild_s = rebuild_s
        self._changed = changed
        self._reading: EventReading | None = None
        self._state: object = None
        self._is_freezing = False
        self._poked = asyncio.Event()
        self._first = asyncio.Event()
        self._making: dict[PageKey, asyncio.Task[Content | None]] = {}
        self._pages: OrderedDict[PageKey, Content] = OrderedDict()

    def freeze(self) -> None:
        """Hide running matches from now on; the next reading decides whether the table is frozen.

        To read a large event takes a while, in which a match could end before the eyes of its watchers.
        """
        self._is_freezing = True
        self.poke()

    def poke(self) -> None:
        """Look soon whether the results have changed."""
        self._poked.set()

    async def keep_fresh(self) -> None:
        """Read the results whenever they have changed, but not too often."""
        while True:
            self._poked.clear()
            state = await asyncio.to_thread(state_of, self.source, self.rows)
            took_s = 0.0
            if state != self._state:
                began = time.monotonic()
                await self._read(state)
                took_s = time.monotonic() - began
            await self._rest(max(self._rebuild_s, took_s / _MOST_SHARE) if took_s else 0)

    async def _rest(self, least_s: float) -> None:
        """Wait at least so long, and then until there is something to look at."""
        await asyncio.sleep(least_s)
        try:
            async with asyncio.timeout(_POLL_S):
                await self._poked.wait()
        except TimeoutError:
            pass

    async def _read(self, state: object) -> None:
        was_freezing = self._is_freezing
        try:
            self._reading = await asyncio.to_thread(read_event, self.source, list(self.rows))
            self.trouble = ""
            # Only a reading that began afterwards knows of it.
            self._is_freezing = self._is_freezing and not was_freezing
        except Exception as error:  # noqa: BLE001 - a store that is damaged or half copied: the pages say so
            self.trouble = str(error)
        self._state = state
        self.number += 1
        self._first.set()
        self._changed(self)

    async def reading(self) -> EventReading | None:
        """Return the last reading, the first if there is none yet; None if the results cannot be read."""
        await self._first.wait()
        return self._reading

    @property
    def is_frozen(self) -> bool:
        """Whether the public sees an older table; also before the first reading, which may say so."""
        if self._reading is None or self._is_freezing:
            return True
        return self._reading.public.notes.frozen_after is not None

    @property
    def masks(self) -> Masks:
        """The pseudonyms of its bots; none before the first reading, when nothing is shown."""
        return NO_MASKS if self._reading is None else self._reading.public.masks

    async def page(
        self, path: str, make: Callable[[SiteEvent], Content | None], *, whole: bool = False
    ) -> Content | None:
        """Return a page of the last reading, made in a thread and kept until the next one."""
        reading = await self.reading()
        if reading is None:
            return None
        key = PageKey(self.number, path, whole)
        if key in self._pages:
            return self._pages[key]
        if key not in self._making:
            shown = reading.whole if whole else reading.public
            self._making[key] = asyncio.create_task(self._make(key, shown, make))
        # Many visitors ask for a page at once when results have changed; it is made once.
        return await asyncio.shield(self._making[key])

    async def _make(
        self, key: PageKey, shown: SiteEvent, make: Callable[[SiteEvent], Content | None]
    ) -> Content | None:
        try:
            found = await asyncio.to_thread(make, shown)
            if found is not None:
                self._keep(key, found)
            return found
        finally:
            del self._making[key]

    def _keep(self, key: PageKey, content: Content) -> None:
        for old in [one for one in self._pages if one.reading != self.number]:
            del self._pages[old]
        self._pages[key] = content
        while sum(len(one.data) for one in self._pages.values()) > _MOST_BYTES and len(self._pages) > 1:
            self._pages.popitem(last=False)

    @property
    def replays(self) -> Path | None:
        """The folder of the replays, if it is known."""
        return self._reading.whole.replays if self._reading is not None else None
