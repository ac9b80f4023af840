"""Entries on the site: an author uploads a submission and sees what comes of it; the organiser decides."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from referee.errors import RefereeError
from referee.hub.feed_messages import OrderDone
from tournaments.config.entry_record import EntryRecord, Invitation, Submission, read_record
from tournaments.config.plan import Plan
from tournaments.entries.decisions import approve, leave_out
from tournaments.entries.uploads import Upload, file_name, keep, kept_uploads
from tournaments.event_file import plans_of
from tournaments.live.access import Access
from tournaments.live.answers import Refusal, json_answer
from tournaments.live.entry_queue import EntryQueue
from tournaments.live.event_pages import both_places, event_asked
from tournaments.live.live_event import LiveEvent
from tournaments.live.live_site import LiveSite
from tournaments.site.data import VERSION

_MOST_LOG: Final = 64_000
_MOST_SHOWN: Final = 20
_CLOSED: Final = "this event takes no uploads: its organiser has not opened it for submissions"


def routes(site: LiveSite) -> list[Route]:
    """Return the routes of entries, and begin to try uploads that were left."""
    api = _EntryInterface(site)
    return [
        *both_places("/api/v1/entry", api.own),
        *both_places("/api/v1/entry/{file}", api.upload, "POST"),
    ]


def entries_of(event: LiveEvent) -> tuple[list[Plan], Path] | None:
    """Return the tournaments of an event and the folder of its entries; None if it takes none."""
    if event.source.kind != "tournament":
        return None
    plans = plans_of(Path(event.source.path))
    return (plans, plans[0].entries) if plans[0].entries is not None else None


def decide(event: LiveEvent, act: str, bot: str) -> OrderDone:
    """Carry out a decision of the organiser about a bot."""
    try:
        found = entries_of(event)
        if found is None:
            return OrderDone(0, 'the tournament file has no key `entries`: add entries = "..."', ok=False)
        return OrderDone(0, (approve if act == "approve" else leave_out)(found[0], bot))
    except RefereeError as error:
        return OrderDone(0, str(error), ok=False)


def entry_lines(event: LiveEvent) -> list[dict[str, Any]]:
    """Return how every bot of an event stands, for the organiser."""
    try:
        found = entries_of(event)
    except RefereeError:
        return []
    if found is None:
        return []
    plans, folder = found
    record = read_record(folder)
    names = dict.fromkeys([*plans[0].names, *record.names()])
    return [_line(folder, record, bot) for bot in names]


def _line(folder: Path, record: EntryRecord, bot: str) -> dict[str, Any]:
    """Return how a bot stands; without a submission it is of the file, or still to come."""
    one = record.standing(bot)
    is_invited = one is None and any(bot == other.bot for other in record.invited)
    return {
        "bot": bot,
        "state": "nothing yet" if is_invited else _state_of(record, bot, one),
        "why": one.why if one else "",
        "authors": one.authors if one else (),
        "language": one.language if one else "",
        "received": one.received if one else "",
        "log": _log(folder, one) if one and one.state == "failed" else "",
    }


def _state_of(record: EntryRecord, bot: str, one: Submission | None) -> str:
    if bot in record.left_out:
        return "left out"
    return "entered" if one is None else one.state


def _log(folder: Path, one: Submission) -> str:
    if not one.log:
        return ""
    try:
        return (folder / one.log).read_text("utf-8", errors="replace")[-_MOST_LOG:]
    except OSError:
        return ""


class _EntryInterface:
    """Answers authors."""

    def __init__(self, site: LiveSite) -> None:
        self._site = site
        self._access = Access(site)
        self._queues: dict[str, EntryQueue] = {}
        self._sending: set[tuple[str, str]] = set()
        """Event and bot of each upload on its way."""
        for slug, event in site.events.items():
            if event.source.kind == "tournament" and event.source.secret:
                file = Path(event.source.path)
                queue = EntryQueue(file, lambda text: site.remark(text, warns=True), event.poke)
                self._queues[slug] = queue
                site.add_job(queue.work(partial(_folder_of, event)))

    async def own(self, request: Request) -> Response:
        """Answer with the submissions of the author's bot, and how far the newest is."""
        event = event_asked(self._site, request)
        bot = self._access.author(request, event)
        return json_answer(await asyncio.to_thread(self._document, event, bot))

    async def upload(self, request: Request) -> Response:
        """Keep the file of a request, and let it be tried."""
        event = event_asked(self._site, request)
        bot = self._access.author(request, event)
        if request.headers.get("content-type", "").partition(";")[0] != "application/octet-stream":
            # A form of another site can send no such content.
            raise Refusal(415, "send application/octet-stream")
        name = file_name(request.path_params["file"])
        if not name:
            raise Refusal(400, "the file has no name")
        with self._sending_alone(event.source.slug, bot):
            entries, upload = await asyncio.to_thread(self._prepared, event, bot, name)
            try:
                folder = await keep(entries, upload, request.stream())
            except RefereeError as error:
                raise Refusal(400, str(error)) from error
            except OSError as error:
                raise Refusal(507, f"it cannot be kept: {error.strerror}") from error
            self._queues[event.source.slug].add(folder)
        return json_answer({"version": VERSION, "ok": True, "upload": folder.name}, 202)

    @contextmanager
    def _sending_alone(self, slug: str, bot: str) -> Iterator[None]:
        """Let an author send one file at a time, so that many at once cannot fill the disk."""
        if (slug, bot) in self._sending:
            raise Refusal(409, "another file of yours is still being sent: wait until that is done")
        self._sending.add((slug, bot))
        try:
            yield
        finally:
            self._sending.discard((slug, bot))

    def _prepared(self, event: LiveEvent, bot: str, name: str) -> tuple[Path, Upload]:
        """Return where an upload goes; raises Refusal if it may not be sent now."""
        try:
            found = entries_of(event)
        except RefereeError as error:
            raise Refusal(
                503, "the tournament file cannot be read now; the organiser's log says why"
            ) from error
        if found is None or event.source.slug not in self._queues:
            raise Refusal(409, _CLOSED)
        plans, entries = found
        record = read_record(entries)
        if bot in plans[0].names and bot not in record.bots():
            raise Refusal(409, f"{bot} is written in the tournament file: its organiser changes it there")
        mine = [folder.name for folder, one in kept_uploads(entries) if one.bot == bot]
        states = self._queues[event.source.slug].states
        if any(folder in states and states[folder].stage != "not tried" for folder in mine):
            raise Refusal(409, "your last submission is still being tried: wait until that is done")
        if len(mine) >= self._site.settings.limits.uploads_each:
            raise Refusal(429, f"you have uploaded {len(mine)} submissions: ask the organiser")
        known = record.invitation(bot) or Invitation(f"name:{bot.casefold()}", bot, (bot,))
        if record.bot_of(known.owner) not in ("", bot):
            raise Refusal(409, f"the bot of its author is called otherwise than {bot}: ask for another link")
        return entries, Upload(bot, name, datetime.now(UTC), known.authors, known.owner, known.team)

    def _document(self, event: LiveEvent, bot: str) -> dict[str, Any]:
        found = entries_of(event)
        if found is None:
            return {
                "version": VERSION,
                "bot": bot,
                "open": False,
                "why": _CLOSED,
                "submissions": [],
                "trial": None,
            }
        plans, folder = found
        record = read_record(folder)
        own = list(reversed(record.of_bot(bot)))[:_MOST_SHOWN]
        deadline = plans[0].deadline
        return {
            "version": VERSION,
            "bot": bot,
            "open": True,
            "most_bytes": self._site.settings.limits.upload_bytes,
            "deadline": deadline.isoformat() if deadline is not None else None,
            "left_out": bot in record.left_out,
            "trial": self._trial(event, folder, bot),
            "submissions": [
                {
                    "number": one.number,
                    "file": one.source.rpartition("/")[2],
                    "received": one.received,
                    "state": one.state,
                    "why": one.why,
                    "language": one.language,
                    "digest": one.digest,
                    "notes": one.notes,
                    "ignored": one.ignored,
                    "log": _log(folder, one),
                }
                for one in own
            ],
        }

    def _trial(self, event: LiveEvent, entries: Path, bot: str) -> dict[str, Any] | None:
        """Return how far the newest upload of a bot is that is not on record."""
        queue = self._queues.get(event.source.slug)
        if queue is None:
            return None
        for folder, upload in reversed(kept_uploads(entries)):
            state = queue.states.get(folder.name)
            if upload.bot == bot and state is not None:
                before = list(queue.states).index(folder.name)
                return {"file": upload.file, "stage": state.stage, "text": state.text, "before": before}
        return None


def _folder_of(event: LiveEvent) -> Path | None:
    """Return the folder of an event's entries; None if it takes none, or its file cannot be read now."""
    try:
        found = entries_of(event)
    except RefereeError:
        return None
    return None if found is None else found[1]
