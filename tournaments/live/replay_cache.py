"""Replays as scripts for the player: made when they are asked for, few at a time, and the last ones kept."""

import asyncio
from collections import OrderedDict
from typing import Final

from msgspec import Struct

from tournaments.live.answers import Content
from tournaments.results import Played
from tournaments.site.model import SiteEvent
from tournaments.site.replay_scripts import others_of, replay_script

_AT_ONCE: Final = 2
"""How many are made at once: other requests want the processor too."""
_MOST_BYTES: Final = 64 << 20


class ReplayKey(Struct, frozen=True):
    """What the script of a match depends on: its file, whether it is shown, and the matches beside it."""

    folder: str
    match: str
    withheld: bool
    others: int


class ReplayCache:
    """The scripts of replays."""

    def __init__(self) -> None:
        self._kept: OrderedDict[ReplayKey, Content] = OrderedDict()
        self._bytes = 0
        self._making: dict[ReplayKey, asyncio.Task[Content]] = {}
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def script(self, event: SiteEvent, match: Played) -> Content:
        """Return the script of a match. Many requests for one are answered by one making."""
        key = ReplayKey(
            str(event.replays), match.match, event.is_withheld(match), len(others_of(event, match))
        )
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if key not in self._making:
            self._making[key] = asyncio.create_task(self._make(key, event, match))
        # A visitor that leaves does not take it from the others.
        return await asyncio.shield(self._making[key])

    async def _make(self, key: ReplayKey, event: SiteEvent, match: Played) -> Content:
        try:
            async with self._turns:
                text = await asyncio.to_thread(replay_script, event, match)
            content = await asyncio.to_thread(Content, text.encode(), "text/javascript")
            self._keep(key, content)
            return content
        finally:
            del self._making[key]

    def _keep(self, key: ReplayKey, content: Content) -> None:
        self._kept[key] = content
        self._bytes += len(content.data)
        while self._bytes > _MOST_BYTES and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._bytes -= len(old.data)
