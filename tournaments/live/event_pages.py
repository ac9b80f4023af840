"""The pages of the site's events, as the static site has them, and the list of events."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tournaments.live.answers import Content, Refusal, answer
from tournaments.live.live_event import LiveEvent
from tournaments.live.live_site import LiveSite
from tournaments.site.model import SiteEvent

Handler = Callable[[Request], Awaitable[Response]]


def both_places(path: str, handler: Handler, methods: tuple[str, ...] = ("GET",)) -> list[Route]:
    """Return the routes of a path below the site, for its only event, and below each event."""
    return [Route(prefix + path, handler, methods=list(methods)) for prefix in ("", "/e/{slug}")]


def event_asked(site: LiveSite, request: Request) -> LiveEvent:
    """Return the event of a request. Raises Refusal if there is none."""
    slug = request.path_params.get("slug")
    if slug is None and len(site.events) == 1:
        return next(iter(site.events.values()))
    event = site.events.get(slug or "")
    if event is None:
        raise Refusal(404, "there is no such event")
    return event


def routes(site: LiveSite) -> list[Route]:
    """Return the routes of all pages."""

    async def front(request: Request) -> Response:
        if "slug" not in request.path_params and len(site.events) != 1:
            return answer(request, Content(b"events", "text/html"))
        event_asked(site, request)
        return RedirectResponse("index.html")

    async def page(request: Request) -> Response:
        event = event_asked(site, request)
        path = request.path_params["path"]
        found = await event.page(path, lambda shown: _made(shown, path))
        if found is None:
            raise Refusal(404, "there is no such page")
        return answer(request, found)

    return [
        *both_places("/", front),
        *both_places("/{path:path}", page),
    ]


def _made(event: SiteEvent, path: str) -> Content | None:
    return Content(f"{event.name}: {path}".encode(), "text/plain") if path == "index.html" else None
