"""The watchers of the site: open streams of server-sent events, and what each is still to be sent.

A message is encoded once and shared by all streams. Of messages under one key only the newest waits; a stream
in which too many others wait is ended, and its browser connects again and gets the present state.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import msgspec

from tournaments.live.answers import Refusal
from tournaments.live.settings import SiteLimits

_MOST_WAITING: Final = 32
_BEAT_S: Final = 15.0
"""How often a silent stream is sent a comment, so that proxies do not end it."""


def sse(kind: str, value: Any) -> bytes:
    """Return a server-sent event with a value as JSON."""
    return b"event: " + kind.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"


class StreamWatcher:
    """One stream."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.ended = False
        self._waiting: dict[object, bytes] = {}
        self._news = asyncio.Event()

    def put(self, data: bytes, key: str = "") -> None:
        """Add a message; with a key it replaces one of that key that was not sent yet."""
        if self.ended:
            return
        self._waiting[key or object()] = data
        if len(self._waiting) > _MOST_WAITING:
            # A reader that reads a little from time to time keeps its connection for long.
            self._waiting.clear()
            self.ended = True
        self._news.set()

    def end(self) -> None:
        """End the stream."""
        self.ended = True
        self._news.set()

    async def messages(self) -> AsyncIterator[bytes]:
        """Return the messages as they come, until the end; silence is broken by comments."""
        yield b"retry: 2000\n\n"
        while not self.ended:
            if not self._waiting:
                try:
                    async with asyncio.timeout(_BEAT_S):
                        await self._news.wait()
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
            self._news.clear()
            waiting, self._waiting = self._waiting, {}
            for data in waiting.values():
                yield data


class Watchers:
    """All streams, by topic."""

    def __init__(self, limits: SiteLimits, changed: Callable[[], None]) -> None:
        """Allow so many; `changed` is called when a topic gets its first watcher or loses its last."""
        self._limits = limits
        self._changed = changed
        self._by_topic: dict[str, set[StreamWatcher]] = {}
        self._by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._by_address.total()

    @property
    def topics(self) -> list[str]:
        """The topics that are watched."""
        return list(self._by_topic)

    def open(self, topic: str, address: str) -> StreamWatcher:
        """Return a new stream. Raises Refusal if there are too many."""
        if len(self) >= self._limits.watchers or self._by_address[address] >= self._limits.watchers_each:
            raise Refusal(503, "too many watchers; try again in a minute", Retry_After="60")
        watcher = StreamWatcher(topic)
        self._by_address[address] += 1
        is_first = topic not in self._by_topic
        self._by_topic.setdefault(topic, set()).add(watcher)
        if is_first:
            self._changed()
        return watcher

    def close(self, watcher: StreamWatcher, address: str) -> None:
        """Forget a stream."""
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]
        watching = self._by_topic.get(watcher.topic, set())
        watching.discard(watcher)
        if not watching:
            self._by_topic.pop(watcher.topic, None)
            self._changed()

    def publish(self, topic: str, data: bytes, key: str = "") -> None:
        """Send a message to all watchers of a topic."""
        for watcher in self._by_topic.get(topic, ()):
            watcher.put(data, key)

    def end_all(self) -> None:
        """End every stream."""
        for watching in self._by_topic.values():
            for watcher in watching:
                watcher.end()
