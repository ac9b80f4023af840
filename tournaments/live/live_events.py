"""The streams of server-sent events: of the site, and of one running match."""

import re
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tournaments.live.answers import Refusal
from tournaments.live.event_pages import both_places
from tournaments.live.hub_watch import MATCH, SITE
from tournaments.live.live_site import LiveSite
from tournaments.live.sse import stream
from tournaments.live.watchers import sse

_ID: Final = re.compile(r"[\w.-]{1,120}", re.ASCII)


def routes(site: LiveSite) -> list[Route]:
    """Return the routes of the streams."""

    async def of_site(request: Request) -> Response:
        readings = [
            sse("results", {"event": slug, "reading": event.number}) for slug, event in site.events.items()
        ]
        state = site.hub.first_of_site() if site.hub is not None else []
        return stream(request, site.watchers, SITE, *readings, *state)

    async def of_match(request: Request) -> Response:
        match = request.path_params["match"]
        if site.hub is None or not _ID.fullmatch(match):
            raise Refusal(404, "no match is played here")
        return stream(request, site.watchers, MATCH + match, *site.hub.first_of(match))

    return [*both_places("/events", of_site), *both_places("/events/match/{match}", of_match)]
