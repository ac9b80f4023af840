"""The JSON of everything that the site shows, under `/api/v1`, and what supervisors ask for."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tournaments.live.answers import json_answer
from tournaments.live.live_site import LiveSite


def routes(site: LiveSite) -> list[Route]:
    """Return the routes of the interface for programs."""

    async def index(_request: Request) -> Response:
        return json_answer({"version": 1, "events": list(site.events)})

    return [Route("/api/v1", index)]
