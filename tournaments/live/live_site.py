"""Everything that the process of a site knows: its settings, its link, its events and its watchers."""

import asyncio
import sys
import traceback
from collections.abc import Callable, Coroutine
from typing import Any, Final

import msgspec

from referee.hub.feed_messages import PartBegins, RowAdded
from referee.wording import clean
from tournaments.live.guard import RateLimit
from tournaments.live.hub_link import HubLink
from tournaments.live.hub_watch import SITE, HubWatch
from tournaments.live.live_event import LiveEvent
from tournaments.live.settings import SiteSettings
from tournaments.live.watchers import Watchers, sse
from tournaments.results import Played
from tournaments.site.masks import NO_MASKS, Masks

_REMARKS_A_SECOND: Final = 1.0
_REMARKS_AT_ONCE: Final = 60


class LiveSite:
    """A site. Made in the event loop that serves it."""

    def __init__(self, settings: SiteSettings, link: HubLink | None = None) -> None:
        self.settings = settings
        self.link = link
        self.ended = asyncio.Event()
        """Set when the site is to end."""
        self.events = {
            source.slug: LiveEvent(source, settings.limits.rebuild_s, self._changed)
            for source in settings.events
        }
        self.watchers = Watchers(settings.limits, self._watchers_changed)
        self.hub: HubWatch | None = None
        """What is known of the hub; None on a site without one."""
        self._playing = settings.playing
        self._remarks = RateLimit(_REMARKS_A_SECOND, _REMARKS_AT_ONCE)
        self._troubles: dict[str, str] = {}
        """By event why its results could not be read, as it was reported."""
        self._at_end: list[Callable[[], None]] = []
        self._jobs: list[Coroutine[Any, Any, None]] = []
        if link is not None:
            self.hub = HubWatch(link, self.watchers, self._is_frozen, self._masks, settings.limits.hub_s)
            link.on(PartBegins, lambda message, _: self._begin(message))
            self.hub.results_changed = self._poke
            link.on(RowAdded, lambda message, _: self._take_row(message))

    @property
    def playing(self) -> LiveEvent | None:
        """The event that the hub plays."""
        return self.events.get(self._playing)

    def _begin(self, message: PartBegins) -> None:
        self._playing = message.slug
        if self.hub is not None:
            self.hub.begin()
        for event in self.events.values():
            # The bots of a later stage follow from the results of an earlier one.
            event.poke()

    def _masks(self) -> Masks:
        return NO_MASKS if self.playing is None else self.playing.masks

    @property
    def all_playing(self) -> list[LiveEvent]:
        """All events that the hub plays: several games of a daemon."""
        slugs = (self._playing, *self.settings.also_playing)
        return [self.events[slug] for slug in slugs if slug in self.events]

    def _is_frozen(self) -> bool:
        return any(event.is_frozen for event in self.all_playing)

    def add_job(self, job: Coroutine[Any, Any, None]) -> None:
        """Add something that runs as long as the site does."""
        self._jobs.append(job)

    def jobs(self) -> list[Coroutine[Any, Any, None]]:
        """Return what runs as long as the site does."""
        jobs = [*self._jobs, *(event.keep_fresh() for event in self.events.values())]
        if self.link is not None and self.hub is not None:
            self.link.start()
            jobs += [self.hub.keep_wishes(), self._end_with(self.link)]
        return jobs

    async def _end_with(self, link: HubLink) -> None:
        await link.ended.wait()
        self.end()

    def at_end(self, callback: Callable[[], None]) -> None:
        """Call back when the site ends."""
        self._at_end.append(callback)

    def end(self) -> None:
        """End all streams, and then the server."""
        if not self.ended.is_set():
            self.ended.set()
            self.watchers.end_all()
            for callback in self._at_end:
                callback()

    def remark(self, text: str, *, warns: bool = False) -> None:
        """Report something to the operator, in the log of the command; without one, on stderr.

        Visitors can cause remarks. Those beyond a limit are left out: the hub has other things to do.
        """
        if not self._remarks.allows(""):
            return
        if self.link is not None:
            self.link.remark(text, warns=warns)
        else:
            sys.stderr.write(f"{clean(text)}\n")

    def report_trouble(self, error: Exception) -> None:
        """Report an error of ours that ended a request."""
        where = traceback.extract_tb(error.__traceback__)[-1:]
        place = f" ({where[0].name}, line {where[0].lineno})" if where else ""
        self.remark(
            f"the site could not answer a request: {type(error).__name__}: {error}{place}", warns=True
        )

    def _poke(self) -> None:
        for event in self.all_playing:
            event.poke()

    def _take_row(self, message: RowAdded) -> None:
        if self.playing is not None:
            self.playing.rows.append(msgspec.json.decode(message.row, type=Played))
            self.playing.poke()

    def _changed(self, event: LiveEvent) -> None:
        """Let all pages know that there is a new reading, and the operator what is wrong with it."""
        slug = event.source.slug
        if event.trouble and event.trouble != self._troubles.get(slug):
            self.remark(f"the results of {slug} cannot be read: {event.trouble}", warns=True)
        self._troubles[slug] = event.trouble
        news = {"event": slug, "reading": event.number}
        self.watchers.publish(SITE, sse("results", news), f"results {slug}")

    def _watchers_changed(self) -> None:
        if self.hub is not None:
            self.hub.wish()
