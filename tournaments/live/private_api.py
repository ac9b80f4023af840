"""What the public may not see: authors' own logs, and the desk of the organiser. Requests have a token."""

import asyncio
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from referee.errors import RefereeError
from referee.hub.feed_messages import OrderDone, OrganiserAct
from referee.replay.dossier import DOSSIER_SUFFIX, SeatDossier, read_dossier
from referee.replay.files import SUFFIXES
from tournaments.failed_starts import failed_starts
from tournaments.live.access import Access
from tournaments.live.answers import Refusal, json_answer, read_body
from tournaments.live.entry_api import decide, entry_lines
from tournaments.live.event_pages import both_places, event_asked, shown_event
from tournaments.live.key_login import KeyLogin, LoginRequest
from tournaments.live.live_event import LiveEvent
from tournaments.live.live_site import LiveSite
from tournaments.live.order_desk import ON_RECORD, OrderDesk, noting_at
from tournaments.live.tokens import Tokens
from tournaments.results import Played
from tournaments.site.data import VERSION, matches_document
from tournaments.site.model import SiteEvent
from tournaments.site.notes import acts_of
from tournaments.store.errors import NoResultsError
from tournaments.store.store import Store, is_there

_MOST_ACTS: Final = 100
_MOST_MATCHES: Final = 500


class ActRequest(Struct, frozen=True):
    """An act that the organiser asks for."""

    act: OrganiserAct
    text: str = ""


def routes(site: LiveSite) -> list[Route]:
    """Return the routes that need a token, and the one that gives one for a key."""
    api = _PrivateInterface(site)
    return [
        *both_places("/api/v1/author", api.author),
        *both_places("/api/v1/author/{match}", api.dossier),
        *both_places("/api/v1/organiser", api.desk),
        *both_places("/api/v1/organiser", api.act, "POST"),
        *both_places("/api/v1/login", api.login, "POST"),
    ]


class _PrivateInterface:
    """Answers requests with a token."""

    def __init__(self, site: LiveSite) -> None:
        self._site = site
        self._access = Access(site)
        keys = site.settings.keys
        self._login = KeyLogin(Path(keys)) if keys else None

    # Authors.

    async def author(self, request: Request) -> Response:
        """Answer with the matches of the author's bot, and why it was left out or did not start."""
        event = event_asked(self._site, request)
        own = self._access.author(request, event)
        shown = await shown_event(event)
        bot = shown.masks.name(own)
        start = await asyncio.to_thread(_start_of, shown, own)
        return json_answer(await asyncio.to_thread(_matches_of, shown, bot) | start)

    async def dossier(self, request: Request) -> Response:
        """Answer with what is kept of the author's own bot in a match."""
        event = event_asked(self._site, request)
        own = self._access.author(request, event)
        shown = await shown_event(event)
        bot = shown.masks.name(own)
        match = shown.by_id.get(request.path_params["match"])
        if match is None or not shown.seats_of(match, bot):
            raise Refusal(404, "your bot has no such match among those that are shown")
        if shown.is_withheld(match):
            raise Refusal(403, "its deal is still to be played; its logs are shown afterwards")
        seats = await asyncio.to_thread(_own_dossiers, shown, match, bot)
        return json_answer({"version": VERSION, "match": match.match, "bot": bot, "seats": seats})

    async def login(self, request: Request) -> Response:
        """Give the author of an account a token, if its key proves it."""
        if self._login is None:
            raise Refusal(404, "this event has no keys: ask the organiser for a token")
        event = event_asked(self._site, request)
        wanted = await read_body(request, LoginRequest)
        tokens = Tokens(event.source.secret)
        box = await asyncio.to_thread(self._login.grant, wanted, tokens.author)
        if box is None:
            self._access.check_tries(request)
            self._access.count_wrong(request, "a key that proves no account")
            raise Refusal(401, "this key proves no account here; is it allowed, and is your clock right?")
        return json_answer({"version": VERSION, "box": box})

    # The organiser.

    async def desk(self, request: Request) -> Response:
        """Answer with everything that the organiser sees."""
        event = event_asked(self._site, request)
        self._access.organiser(request, event)
        reading = await event.reading()
        if reading is None:
            raise Refusal(503, f"the results cannot be read now: {event.trouble}")
        hub = self._site.hub
        status = await hub.status() if hub is not None and not hub.has_ended else None
        return json_answer(await asyncio.to_thread(_desk_document, event, reading.whole, status))

    async def act(self, request: Request) -> Response:
        """Carry out an act of the organiser: by the hub, or in the store if nothing is being played."""
        event = event_asked(self._site, request)
        self._access.organiser(request, event)
        wanted = await read_body(request, ActRequest)
        if wanted.act in ON_RECORD:
            decided = await asyncio.to_thread(decide, event, wanted.act, wanted.text)
            if not decided.ok:
                return json_answer({"version": VERSION, "ok": False, "note": decided.note}, 409)
        if self._site.link is not None and event in self._site.all_playing:
            done = await self._site.link.order(wanted.act, wanted.text, event.source.slug)
        else:
            done = await asyncio.to_thread(_carry_out, event, wanted)
        if done.ok and wanted.act == "freeze":
            event.freeze()
        event.poke()
        return json_answer({"version": VERSION, "ok": done.ok, "note": done.note}, 200 if done.ok else 409)


def _start_of(event: SiteEvent, own: str) -> dict[str, Any]:
    """Return for the author of a bot why it was left out, and what is kept of its failed start."""
    failed = failed_starts(event.replays).get(own) if event.kind == "tournament" else None
    return {"left_out": event.standings.left_out.get(event.masks.name(own), ""), "start": failed}


def _matches_of(event: SiteEvent, bot: str) -> dict[str, Any]:
    """Return the matches of a bot for its author, the newest first."""
    played = [one for one in event.newest if event.seats_of(one, bot)][:_MOST_MATCHES]
    rows = matches_document(msgspec.structs.replace(event, played=played))["matches"]
    for row, match in zip(rows, played, strict=True):
        seats = event.seats_of(match, bot)
        path = _dossier_path(event, match)
        row["seats"] = seats
        row["dossier"] = path is not None and path.exists() and not event.is_withheld(match)
        row["times"] = [
            {
                "took_us": own.took_us,
                "charged_ms": own.charged_ms,
                "median_us": own.median_us,
                "slowest_us": own.slowest_us,
            }
            for own in (match.result.seats[seat] for seat in seats)
        ]
    return {"version": VERSION, "bot": bot, "matches": rows, "known": bot in event.owners}


def _dossier_path(event: SiteEvent, match: Played) -> Path | None:
    if event.replays is None or not match.replay:
        return None
    stem = match.replay
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        stem = stem.removesuffix(suffix)
    return event.replays / f"{stem}{DOSSIER_SUFFIX}"


def _own_dossiers(event: SiteEvent, match: Played, bot: str) -> list[dict[str, Any]]:
    """Return the dossiers of the seats of one bot, built of what is its own, and of no other seat."""
    path = _dossier_path(event, match)
    try:
        found = read_dossier(path) if path is not None else None
    except RefereeError:
        found = None
    if found is None:
        return []
    return [{"seat": seat, **_own(found.seats[seat])} for seat in event.seats_of(match, bot)]


def _own(dossier: SeatDossier) -> dict[str, Any]:
    fields = ("fault", "why", "exit", "stderr", "dropped_bytes", "charged_ms", "took_us", "median_us")
    more = {"slowest_us": dossier.slowest_us, "messages": dossier.messages}
    return {name: getattr(dossier, name) for name in fields} | more


def _desk_document(event: LiveEvent, whole: SiteEvent, status: Any) -> dict[str, Any]:
    tokens = Tokens(event.source.secret)
    return {
        "version": VERSION,
        "name": whole.name,
        "state": whole.state,
        "notes": {"announcement": whole.notes.announcement, "frozen": event.is_frozen},
        "status": None if status is None else msgspec.structs.replace(status, metrics=""),
        "table": [
            {"place": line.place, "name": line.name, "elo": line.elo, "matches": line.matches}
            for line in whole.standings.table
        ],
        "acts": _acts(event),
        "entries": (entries := entry_lines(event)),
        "authors": [
            {"bot": name, "token": tokens.author(name)}
            for name in dict.fromkeys([*whole.owners, *(line["bot"] for line in entries)])
        ],
        "pseudonyms": event.masks.by_name,
    }


def _acts(event: LiveEvent) -> list[dict[str, Any]]:
    if not event.source.store:
        return []
    try:
        with Store(event.source.store_address, write=False) as store:
            found = acts_of(store)[-_MOST_ACTS:]
    except NoResultsError:
        return []
    return [
        {"results": results, "act": note.act, "at": note.at, "text": note.text} for results, note in found
    ]


def _carry_out(event: LiveEvent, wanted: ActRequest) -> OrderDone:
    """Note an act in the store of an event that no hub of this site plays."""
    store = event.source.store_address
    is_kept = event.source.store and (wanted.act not in ON_RECORD or is_there(store))
    desk = OrderDesk(noting_at(store) if is_kept else None, lambda *_: None)
    return desk.carry_out(wanted.act, wanted.text)
