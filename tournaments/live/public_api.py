"""The JSON of everything that the site shows, under `api/v1`, with what supervisors and feed readers ask for.

`docs/live-site.md` describes it. A document has a version; fields may be added, none changes its meaning.
"""

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

import referee
from tournaments.live.answers import Content, Refusal, answer, json_answer
from tournaments.live.event_pages import UNREADABLE, both_places, event_asked, shown_event
from tournaments.live.feeds import atom_feed, json_feed
from tournaments.live.live_event import LiveEvent
from tournaments.live.live_site import LiveSite
from tournaments.site.addresses import bot_path
from tournaments.site.data import event_document, matches_document, render_data
from tournaments.site.model import SiteEvent

VERSION: Final = 1

ENDPOINTS: Final = {
    "GET api/v1": "this list",
    "GET api/v1/events": "all events of the site, with their states",
    "GET api/v1/event": "one event: terms, state, bots, announcement",
    "GET api/v1/standings": "standings with intervals, ratings over time, times",
    "GET api/v1/matches": "all results that are shown",
    "GET api/v1/matches/ID": "one result, and whether its replay is shown",
    "GET api/v1/bots/NAME": "one bot: its line of the table and its matches",
    "GET api/v1/status": "what is being played now, queue, bots, health",
    "GET api/v1/author": "author's token: the bot, its matches and which have a dossier",
    "GET api/v1/author/ID": "author's token: the dossier of the own bot in a match",
    "GET api/v1/organiser": "organiser's token: the true table, acts, tokens of authors",
    "POST api/v1/organiser": "organiser's token: an act, {act, text}",
    "POST api/v1/login": "a key of an account: a token of its author",
    "GET events": "server-sent events: results, status",
    "GET events/match/ID": "server-sent events of a running match: moment, hidden",
    "GET feed.json": "JSON Feed of results",
    "GET feed.atom": "Atom feed of results",
    "GET healthz": "whether site and referee are well, for supervisors",
    "GET metrics": "metrics for Prometheus",
}


def routes(site: LiveSite) -> list[Route]:
    """Return the routes of the interface for programs."""
    api = _Interface(site)
    return [
        Route("/healthz", api.health),
        Route("/metrics", api.metrics),
        Route("/api/v1/events", api.events),
        *both_places("/api/v1", api.index),
        *both_places("/api/v1/event", api.event),
        *both_places("/api/v1/standings", api.standings),
        *both_places("/api/v1/matches", api.matches),
        *both_places("/api/v1/matches/{match}", api.match),
        *both_places("/api/v1/bots/{bot:path}", api.bot),
        *both_places("/api/v1/status", api.status),
        *both_places("/feed.json", api.json_feed),
        *both_places("/feed.atom", api.atom_feed),
    ]


class _Interface:
    """Answers requests of programs."""

    def __init__(self, site: LiveSite) -> None:
        self._site = site

    async def index(self, _request: Request) -> Response:
        return json_answer(
            {
                "version": VERSION,
                "referee": referee.version(),
                "events": list(self._site.events),
                "endpoints": ENDPOINTS,
            }
        )

    async def events(self, _request: Request) -> Response:
        found = []
        for slug, event in self._site.events.items():
            reading = await event.reading()
            shown = event_document(reading.public) if reading else {"trouble": UNREADABLE}
            found.append({"slug": slug, "address": f"e/{slug}/", **shown})
        return json_answer({"version": VERSION, "events": found})

    async def event(self, request: Request) -> Response:
        return await self._document(request, "data/event.json")

    async def standings(self, request: Request) -> Response:
        return await self._document(request, "data/standings.json")

    async def matches(self, request: Request) -> Response:
        return await self._document(request, "data/matches.json")

    async def _document(self, request: Request, path: str) -> Response:
        event = event_asked(self._site, request)
        await shown_event(event)
        found = await event.page(path, lambda shown: Content(render_data(shown, path), "application/json"))
        assert found is not None
        return answer(request, found)

    async def match(self, request: Request) -> Response:
        shown = await shown_event(event_asked(self._site, request))
        match = shown.by_id.get(request.path_params["match"])
        if match is None:
            raise Refusal(404, "no result of this match is shown")
        only = msgspec.structs.replace(shown, played=[match])
        return json_answer({"version": VERSION, **matches_document(only)["matches"][0]})

    async def bot(self, request: Request) -> Response:
        event = event_asked(self._site, request)
        await shown_event(event)
        name = request.path_params["bot"]
        found = await event.page(f"api/v1/bots/{name}", lambda shown: _bot_document(shown, name))
        if found is None:
            raise Refusal(404, "there is no such bot")
        return answer(request, found)

    async def status(self, request: Request) -> Response:
        event = event_asked(self._site, request)
        if self._site.hub is None or event not in self._site.all_playing or self._site.hub.has_ended:
            return json_answer({"version": VERSION, "status": None})
        status = await self._site.hub.status()
        if status is None:
            raise Refusal(503, "the referee does not answer now", Retry_After="5")
        return json_answer({"version": VERSION, "status": self._site.hub.public(status)})

    async def health(self, _request: Request) -> Response:
        """Answer whether the site is well, and the hub behind it."""
        hub = self._site.hub
        if hub is None or hub.has_ended:
            return json_answer({"status": "ok", "playing": False, "watchers": len(self._site.watchers)})
        status = await hub.status()
        if status is None:
            return json_answer({"status": "stuck", "playing": True, "silent_s": round(hub.silent_s, 1)}, 503)
        return json_answer(
            {
                "status": "draining" if status.draining else "paused" if status.paused else "ok",
                "playing": True,
                "running": status.playing,
                "late_ms": status.late_ms,
                "watchers": len(self._site.watchers),
            }
        )

    async def metrics(self, _request: Request) -> Response:
        own = (
            "# HELP referee_site_watchers Open streams of events.\n# TYPE referee_site_watchers gauge\n"
            f"referee_site_watchers {len(self._site.watchers)}\n"
        )
        hub = self._site.hub
        found = await hub.metrics() if hub is not None and not hub.has_ended else ""
        if found is None:
            raise Refusal(503, "the referee does not answer now", Retry_After="5")
        if any(event.is_frozen for event in self._site.all_playing):
            found = _without_faults(found)
        return PlainTextResponse(found + own, media_type="text/plain; version=0.0.4")

    async def json_feed(self, request: Request) -> Response:
        return await self._feed(request, "feed.json", "application/feed+json")

    async def atom_feed(self, request: Request) -> Response:
        return await self._feed(request, "feed.atom", "application/atom+xml")

    async def _feed(self, request: Request, path: str, kind: str) -> Response:
        event = event_asked(self._site, request)
        await shown_event(event)
        make = json_feed if path == "feed.json" else atom_feed
        base = self._base_of(event)
        found = await event.page(path, lambda shown: Content(make(shown, base), kind))
        assert found is not None
        return answer(request, found)

    def _base_of(self, event: LiveEvent) -> str:
        prefix = f"e/{event.source.slug}/" if len(self._site.events) > 1 else ""
        return f"{self._site.settings.url}/{prefix}"


def _without_faults(metrics: str) -> str:
    """Return metrics without those that count results of one kind."""
    return "".join(line for line in metrics.splitlines(keepends=True) if "referee_faults" not in line)


def _bot_document(event: SiteEvent, name: str) -> Content | None:
    if name not in event.names:
        return None
    place = event.names.index(name)
    played = [one for one in event.newest if name in one.bots]
    only = msgspec.structs.replace(event, played=played)
    document = {
        "version": VERSION,
        "name": name,
        "place": event.standings.table[place].place,
        "page": bot_path(event, name),
        "line": event.standings.table[place],
        "time": event.times[name],
        "versions": event.versions.get(name, ()),
        "matches": matches_document(only)["matches"],
    }
    return Content(msgspec.json.encode(document), "application/json")
