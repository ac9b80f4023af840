"""The pages of the site's events, as the static site has them, with those that only a live site has.

A page is made when it is asked for, in a thread, and kept until the results change. Replays are made one or
two at a time, because each takes a good part of a second, and the last ones are kept.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tournaments.live.answers import Content, Refusal, answer
from tournaments.live.live_event import LiveEvent
from tournaments.live.live_pages import LIVE_PATHS, Read, index_asset, index_files, render_live
from tournaments.live.live_site import LiveSite
from tournaments.live.replay_cache import ReplayCache
from tournaments.site.model import SiteEvent
from tournaments.site.pages import render_file

Handler = Callable[[Request], Awaitable[Response]]

_KINDS: Final = {
    "html": "text/html",
    "js": "text/javascript",
    "css": "text/css",
    "json": "application/json",
    "csv": "text/csv",
}


UNREADABLE: Final = "the results cannot be read now; the organiser's log says why"
"""What the public reads of a store that is damaged. What exactly is wrong names files of the host."""


def both_places(path: str, handler: Handler, *methods: str) -> list[Route]:
    """Return the routes of a path below the site, for its only event, and below each event."""
    return [Route(prefix + path, handler, methods=list(methods or ["GET"])) for prefix in ("/e/{slug}", "")]


def event_asked(site: LiveSite, request: Request) -> LiveEvent:
    """Return the event of a request. Raises Refusal if there is none."""
    slug = request.path_params.get("slug")
    if slug is None and len(site.events) == 1:
        return next(iter(site.events.values()))
    event = site.events.get(slug or "")
    if event is None:
        raise Refusal(404, "there is no such event; the list of events is at /")
    return event


async def shown_event(event: LiveEvent) -> SiteEvent:
    """Return what the public may see of an event. Raises Refusal if its results cannot be read."""
    reading = await event.reading()
    if reading is None:
        raise Refusal(503, UNREADABLE, Retry_After="10")
    return reading.public


def routes(site: LiveSite) -> list[Route]:
    """Return the routes of all pages."""
    pages = _Pages(site)
    return [
        *both_places("/", pages.front),
        Route("/e/{slug}", pages.folder),
        *both_places("/replays/{match}.js", pages.replay),
        *both_places("/{path:path}", pages.file),
    ]


class _Pages:
    """Answers requests for pages."""

    def __init__(self, site: LiveSite) -> None:
        self._site = site
        self._replays = ReplayCache()
        self._indexed: tuple[tuple[int, ...], asyncio.Task[dict[str, Content]]] | None = None
        """The list of events of these readings."""

    async def front(self, request: Request) -> Response:
        """Answer with the front page of an event, or with the list of events."""
        if not self._is_of_event(request):
            return answer(request, (await self._index())["index.html"])
        event_asked(self._site, request)
        return RedirectResponse("index.html")

    async def folder(self, request: Request) -> Response:
        """Lead to the folder of an event."""
        event_asked(self._site, request)
        return RedirectResponse(f"{request.url.path}/")

    async def replay(self, request: Request) -> Response:
        """Answer with the script of a replay."""
        shown = await shown_event(event_asked(self._site, request))
        match = shown.by_id.get(request.path_params["match"])
        if match is None:
            raise Refusal(404, "no result of this match is shown")
        return answer(request, await self._replays.script(shown, match))

    async def file(self, request: Request) -> Response:
        """Answer with a page or another file of an event, or of the list of events."""
        path = request.path_params["path"]
        if not self._is_of_event(request):
            found = _of_index(path) or (await self._index()).get(path)
        else:
            event = event_asked(self._site, request)
            await shown_event(event)
            found = await event.page(path, lambda shown: _made(shown, path))
        if found is None:
            raise Refusal(404, "there is no such page")
        return answer(request, found)

    def _is_of_event(self, request: Request) -> bool:
        return "slug" in request.path_params or len(self._site.events) == 1

    async def _index(self) -> dict[str, Content]:
        """Return the page that lists the events, and its data, by path; made once for each reading."""
        found = []
        for event in self._site.events.values():
            reading = await event.reading()
            found.append((event.source, reading.public if reading else None))
        numbers = tuple(event.number for event in self._site.events.values())
        if self._indexed is None or self._indexed[0] != numbers:
            self._indexed = (numbers, asyncio.create_task(asyncio.to_thread(_contents, found)))
        # Many visitors ask for it at once when results have changed.
        return await asyncio.shield(self._indexed[1])


def _of_index(path: str) -> Content | None:
    try:
        return Content(index_asset(path).encode(), _KINDS[path.rpartition(".")[2]])
    except KeyError:
        return None


def _contents(events: list[Read]) -> dict[str, Content]:
    return {
        path: Content(data, _KINDS[path.rpartition(".")[2]]) for path, data in index_files(events).items()
    }


def _made(event: SiteEvent, path: str) -> Content | None:
    """Return a page or another file of an event; None if there is none of this path."""
    kind = _KINDS.get(path.rpartition(".")[2])
    if kind is None or path.startswith("replays/"):
        return None
    try:
        data = render_live(event, path) if path in LIVE_PATHS else render_file(event, path, live=True)
    except KeyError:
        return None
    return Content(data, kind)
