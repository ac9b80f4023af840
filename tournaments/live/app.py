"""The application of the site: the routes of all parts behind the guard."""

from typing import Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from tournaments.live import entry_api, event_pages, live_events, private_api, public_api, seats
from tournaments.live.answers import Refusal
from tournaments.live.guard import Guard, refused
from tournaments.live.live_site import LiveSite

LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")

PARTS: Final = (seats, live_events, public_api, private_api, entry_api, event_pages)
"""Modules with a function `routes(site)`; pages come last, because any path may be that of a page."""


def make_app(site: LiveSite) -> ASGIApp:
    """Return the application of a site."""
    routes = [route for part in PARTS for route in part.routes(site)]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _not_served, Refusal: _refuse})
    settings = site.settings
    hosts = (*LOCAL_NAMES, urlsplit(settings.url).hostname or "") if settings.is_local else None
    return Guard(app, settings.limits, hosts=hosts, trouble=site.report_trouble)


async def _not_served(request: Request, error: Exception) -> Response:
    """Answer what no route takes."""
    assert isinstance(error, HTTPException)
    why = {404: "there is no such page", 405: "this cannot be done here"}.get(error.status_code, error.detail)
    return refused(request.scope, Refusal(error.status_code, why, **dict(error.headers or {})))


async def _refuse(request: Request, error: Exception) -> Response:
    """Answer what a route refuses."""
    assert isinstance(error, Refusal)
    return refused(request.scope, error)
