"""Watchers of a site, many in one process: half read its news, half follow running matches."""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from urllib.parse import quote, urlsplit

RUNNING: list[str] = []
"""Matches that the last state of the hub named."""


async def lines(host: str, port: int, path: str, opened: asyncio.Event | None = None) -> AsyncIterator[bytes]:
    """Return the lines of a stream of events."""
    reader, writer = await asyncio.open_connection(host, port, limit=1 << 20)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        await writer.drain()
        while line := await reader.readline():
            if opened is not None:
                opened.set()
            yield line
    finally:
        writer.close()


async def read_news(host: str, port: int, opened: asyncio.Event) -> None:
    """Read the news of the site for ever."""
    async for line in lines(host, port, "/events", opened):
        if line.startswith(b'data: {"type":"status"'):
            RUNNING[:] = [one["match"] for one in json.loads(line[6:])["running"] if one["shown"]]


async def follow_matches(host: str, port: int, opened: asyncio.Event) -> None:
    """Follow one running match after the other for ever."""
    opened.set()
    while True:
        if not RUNNING:
            await asyncio.sleep(0.1)
            continue
        async for line in lines(host, port, f"/events/match/{quote(random.choice(RUNNING))}"):
            if line.startswith(b"event: hidden") or (b'"result":{' in line):
                break
        # A person looks for another match.
        await asyncio.sleep(0.5 + random.random())


async def main(url: str, count: int) -> None:
    """Connect so many watchers, print a line when all are there, and watch until stdin is closed."""
    host, port = urlsplit(url).hostname or "", urlsplit(url).port or 80
    tasks, opened = [], []
    for number in range(count):
        opened.append(asyncio.Event())
        watch = follow_matches if number % 2 else read_news
        tasks.append(asyncio.create_task(watch(host, port, opened[-1])))
    for event in opened:
        await event.wait()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
