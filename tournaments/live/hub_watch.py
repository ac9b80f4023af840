"""What the site knows of its hub: asked for while a page needs it, and handed on to the watchers.

The hub is asked for its state while a stream is open or a request has asked for it a moment ago, and for the
matches that streams watch. Sentences for events and text boards are made here: that is no work of the hub.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from referee import registry
from referee.errors import RefereeError
from referee.hub.feed_messages import HubEnded, HubStatus, LiveMoment, NotShown, ResultsChanged, Wishes
from referee.player.linker import board_source
from referee.wording import clean
from tournaments.live.hub_link import HubLink
from tournaments.live.watchers import Watchers, sse
from tournaments.site.masks import NO_MASKS, Masks

SITE: Final = "site"
"""The topic of everything that is not about one match."""
MATCH: Final = "match:"
"""The topic of a match is this and its id."""

_ASKED_S: Final = 10.0
"""For how long the hub is asked for its state after a request for it."""
_WISH_S: Final = 0.1
"""The shortest time between two messages to the hub about what is watched."""
_FRESH_S: Final = 3.0
"""A state that is older than this is not shown as the present."""
_MOST_SENTENCES: Final = 60
"""Sentences that a watcher gets who comes in the middle of a match."""
_MOST_WATCHED: Final = 64

_WHY: Final = {
    "unknown": "this match is not being played now",
    "deal": "its deal is still to be played by other bots or in other seats, so it is shown only afterwards",
    "starting": "its bots are not ready yet",
    "frozen": "the organiser has frozen the table: running matches are shown again when it is revealed",
}


class WatchedMatch(Struct):
    """What is known of a match that is watched: its last moment, and its events in words."""

    moment: dict[str, Any]
    said: list[str]
    over_s: float = 0.0
    """When it ended, on the monotonic clock; 0 while it goes on."""


class HubWatch:
    """The state of the hub and its watched matches."""

    def __init__(
        self,
        link: HubLink,
        watchers: Watchers,
        is_frozen: Callable[[], bool],
        masks: Callable[[], Masks],
        patience_s: float,
    ) -> None:
        """Take the messages of a link.

        `is_frozen` returns whether the public may see no running match, `masks` the pseudonyms of the event
        that is played; `patience_s` is how long the hub may take to send its state.
        """
        self._masks = masks
        self._patience_s = patience_s
        self._link = link
        self._watchers = watchers
        self._is_frozen = is_frozen
        self._status: HubStatus | None = None
        self._status_s = 0.0
        self._asked_s = self._metrics_s = -_ASKED_S
        """When the state, and when the metrics were asked for last."""
        self._news = asyncio.Event()
        self._sent = Wishes()
        self._timer: asyncio.TimerHandle | None = None
        self._matches: dict[str, WatchedMatch] = {}
        self._unknown: set[str] = set()
        """Ids that are watched, and that the hub does not know."""
        self.has_ended = False
        """Whether nothing more is played, while the site stays."""
        self.results_changed: Callable[[], None] = lambda: None
        """Called when the hub reports new results."""
        link.on(HubStatus, lambda status, _: self._take_status(status))
        link.on(LiveMoment, lambda moment, _: self._take_moment(moment))
        link.on(NotShown, lambda hidden, _: self._take_refusal(hidden))
        link.on(HubEnded, lambda _message, _: self._end())
        link.on(ResultsChanged, lambda _message, _: self.results_changed())

    def begin(self) -> None:
        """Take the messages of another hub from now on: the next part of the event begins."""
        self.has_ended = False
        self._status = None
        self._sent = Wishes()
        self._matches.clear()
        self._unknown.clear()
        self.wish()

    async def status(self) -> HubStatus | None:
        """Return the present state of the hub; None if it does not send it in time."""
        self._asked_s = time.monotonic()
        self.wish()
        if self._status is None or time.monotonic() - self._status_s > _FRESH_S:
            self._news.clear()
            try:
                async with asyncio.timeout(self._patience_s):
                    await self._news.wait()
            except TimeoutError:
                return None
        return self._status

    async def metrics(self) -> str | None:
        """Return the metrics of the hub; None if it does not send them in time."""
        self._metrics_s = time.monotonic()
        if self._status is None or not self._status.metrics:
            self._status = None
        status = await self.status()
        return None if status is None else status.metrics

    @property
    def silent_s(self) -> float:
        """How long the hub has sent no state."""
        return time.monotonic() - self._status_s

    def wish(self) -> None:
        """Ask the hub soon for what is watched now: watchers come and go in crowds."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_WISH_S, self._wish)

    def _wish(self) -> None:
        """Ask the hub for what is watched now, if that is not what it was asked for."""
        self._timer = None
        topics = self._watchers.topics
        now = time.monotonic()
        asked, metrics = (now - moment < _ASKED_S for moment in (self._asked_s, self._metrics_s))
        watched = [topic.removeprefix(MATCH) for topic in topics if topic.startswith(MATCH)]
        running = [match for match in watched if not (known := self._matches.get(match)) or not known.over_s]
        # A visitor can watch ids that do not exist: these come last, and take no place of a match that runs.
        running.sort(key=lambda match: (match in self._unknown, match))
        wishes = Wishes(asked or SITE in topics, metrics, tuple(sorted(running[:_MOST_WATCHED])))
        if wishes != self._sent and self._link.send(wishes):
            self._sent = wishes

    async def keep_wishes(self) -> None:
        """Take back wishes of requests that are long answered, and forget matches that are not watched."""
        while True:
            await asyncio.sleep(_ASKED_S / 4)
            self.wish()
            watched = set(self._watchers.topics)
            self._matches = {id: one for id, one in self._matches.items() if MATCH + id in watched}
            self._unknown = {id for id in self._unknown if MATCH + id in watched}

    def first_of_site(self) -> list[bytes]:
        """Return what a new watcher of the site is sent first: the state, as far as it is known."""
        if self._status is None or self.has_ended:
            return []
        return [sse("status", self.public(self._status))]

    def first_of(self, match: str) -> list[bytes]:
        """Return what a new watcher of a match is sent first."""
        known = self._matches.get(match)
        if known is None:
            return []
        if self._is_frozen():
            return [_refusal(match, "frozen")]
        return [sse("moment", known.moment | {"said": known.said, "events": []})]

    def _end(self) -> None:
        self.has_ended = True
        self._watchers.publish(SITE, sse("status", None), SITE)
        self.results_changed()

    def _take_status(self, status: HubStatus) -> None:
        self._status = status
        self._status_s = time.monotonic()
        self._news.set()
        self._watchers.publish(SITE, sse("status", self.public(status)), SITE)

    def public(self, status: HubStatus) -> dict[str, Any]:
        """Return a state for the public."""
        return public_status(status, frozen=self._is_frozen(), masks=self._masks())

    def _take_moment(self, moment: LiveMoment) -> None:
        self._unknown.discard(moment.match)
        if self._is_frozen():
            self._matches.pop(moment.match, None)
            self._watchers.publish(MATCH + moment.match, _refusal(moment.match, "frozen"), "frozen")
            return
        made = _in_words(moment)
        before = self._matches.get(moment.match)
        said = [*(before.said if before else ()), *made["said"]][-_MOST_SENTENCES:]
        over_s = time.monotonic() if moment.result is not None else 0.0
        self._matches[moment.match] = WatchedMatch(made, said, over_s)
        self._watchers.publish(MATCH + moment.match, sse("moment", made))

    def _take_refusal(self, hidden: NotShown) -> None:
        if hidden.why == "unknown":
            self._unknown.add(hidden.match)
            self.wish()
        else:
            self._unknown.discard(hidden.match)
        if hidden.match not in self._matches:
            self._watchers.publish(MATCH + hidden.match, _refusal(hidden.match, hidden.why), "refusal")


def public_status(status: HubStatus, *, frozen: bool, masks: Masks = NO_MASKS) -> dict[str, Any]:
    """Return the state of a hub for the public, without the metrics."""
    # A bot that came after the last reading has no pseudonym yet, and is not shown before it has one.
    known = [bot for bot in status.bots if not masks or bot.name in masks.by_name]
    bots = [msgspec.structs.replace(bot, name=masks.name(bot.name)) for bot in known]
    # In the order of names the list would help to guess them.
    bots = sorted(bots, key=lambda bot: bot.name) if masks else bots
    found: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(status, bots=tuple(bots)))
    del found["metrics"]
    if frozen:
        # Which bots play, or are to play, in a later round would disclose the results of the one before.
        found |= {"running": [], "coming": [], "bots": []}
    return found | {"frozen": frozen}


def _in_words(moment: LiveMoment) -> dict[str, Any]:
    """Return a moment for a page: with its events in words, and a text board if it has no picture."""
    found: dict[str, Any] = {
        "match": moment.match,
        "game": moment.game,
        "title": moment.game,
        "names": [clean(name) for name in moment.names],
        "step": moment.step,
        "view": moment.view,
        "events": moment.events,
        "result": moment.result,
        "said": [],
    }
    try:
        game = registry.game(moment.game)
    except RefereeError:
        return found
    found["title"] = game.info.title
    found["said"] = [clean(game.describe(event, found["names"])) for event in moment.events]
    if moment.view and board_source(game) is None:
        found["view"] = moment.view | {"text": game.draw(moment.view)}
    return found


def _refusal(match: str, why: str) -> bytes:
    return sse("hidden", {"match": match, "why": why, "text": _WHY[why]})
