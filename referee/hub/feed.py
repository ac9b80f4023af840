"""The feed: what the process of a site is sent of a hub, and the orders that come back.

Nothing is made that was not asked for: without a watcher the feed only waits for the site's next message, and
the hub does not know that it is there. What is asked for is looked up at a beat, five times a second, and
encoded once for all watchers. A site that does not read loses messages; the hub never waits for it.

A match is shown as the public knows it, from public events and `State.view(None)`, and never earlier than its
seats are sent the same: not before all bots are ready, and after all output of the hub has left. Choices that
are made at once are in no state before all of them are shown. A match whose deal another match is still to
play is not shown at all.
"""

import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, islice

import msgspec
from msgspec import Struct

from referee.hub.feed_messages import (
    MOST_BYTES,
    BotLine,
    HubEnded,
    HubStatus,
    NotShown,
    NotShownReason,
    OrderDone,
    OrganiserOrder,
    PersonCame,
    Remark,
    ResultsChanged,
    RowAdded,
    RunningLine,
    SeatsOffered,
    SeatTaken,
    ToHub,
    ToSite,
    Wishes,
)
from referee.hub.hub import Hub
from referee.hub.pairing import Pairing
from referee.hub.running_match import InPlay, names_in
from referee.match.clock import MS

BEAT_NS = 200 * MS
"""The shortest time between two messages about one match."""
_STATUS_BEATS = 5
"""The state of the hub is sent at every so many beats."""

_MOST_LINES = 200
"""Running matches, and bots, in one message."""
_MOST_COMING = 20
"""Matches of the queue in one message."""
_PATIENCE_S = 2.0
"""How long a site may take to read what must not be lost: the last results, and the seat of a person."""
_MOST_WATCHED = 64
"""Matches that are sent at once; the site asks for no more."""

_decode = msgspec.json.Decoder(ToHub).decode
_encode = msgspec.json.Encoder().encode

Answer = Callable[[OrderDone], object]


class FeedEar(Struct, frozen=True):
    """What a feed calls, in the thread of the hub."""

    order: Callable[[OrganiserOrder, Answer], None]
    """Carries out an order of the organiser and gives the answer, perhaps later."""
    remark: Callable[[Remark], None] = lambda _: None
    """Takes a sentence of the site for the log."""
    gone: Callable[[], None] = lambda: None
    """Takes note that the site has ended."""
    taken: Callable[[SeatTaken], None] = lambda _: None
    """Takes note that a person at a browser has taken a seat, or given it back."""
    metrics: Callable[[Hub, int], str] = lambda *_: ""
    """Returns the metrics in the text format of Prometheus; given how late the loop is, in nanoseconds."""
    may_show: Callable[[Pairing], bool] = lambda _: True
    """Returns whether no match that is not planned yet can have the same deal as a running one."""


class Feed:
    """Serves one site: reads its wishes and orders from the link, and sends what it may know."""

    def __init__(self, hub: Hub, link: socket.socket, ear: FeedEar) -> None:
        """Listen to the site from now on. The link is a socket of packets, and does not block."""
        self._hub = hub
        self._link = link
        self._ear = ear
        self._wishes = Wishes()
        self._beats = 0
        self._is_beating = False
        self._late_ns = 0
        self._watched: dict[str, tuple[InPlay, int]] = {}
        """By id: a match that is watched, and how many of its events were sent; -1 before the first."""
        self._refused: dict[str, str] = {}
        """By id: why a match that is watched is not shown, as it was sent."""
        self._rows: deque[RowAdded] = deque()
        self._finished = 0
        self._deals: Counter[bytes] = Counter()
        self._running: set[str] = set()
        self._counted = (-1, -1, -1, -1)
        link.setblocking(False)
        hub.loop.watch(link.fileno(), self._read)

    def close(self) -> None:
        """Stop: the site learns from the closed link that the hub has gone."""
        self._forget()
        self._link.close()

    def detach(self) -> None:
        """Leave the link open, but serve nothing any more: the hub is about to be closed, the site stays."""
        # The last match may have ended since the last beat.
        for match in self._wishes.matches:
            self._show(match)
        with suppress(OSError):
            self._link.settimeout(_PATIENCE_S)
            while self._rows:
                self._link.send(_encode(self._rows.popleft()))
        self._forget()
        self._send(HubEnded())

    def _forget(self) -> None:
        self._wishes = Wishes()
        self._rows.clear()
        if self._link.fileno() >= 0:
            # The loop may be closed already.
            with suppress(ValueError):
                self._hub.loop.forget(self._link.fileno())

    # Messages of the site.

    def _read(self) -> None:
        try:
            data = self._link.recv(MOST_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        try:
            message = _decode(data)
        except msgspec.DecodeError:
            # The end, or no message: the site is not trusted with the hub's loop.
            self.close()
            self._ear.gone()
            return
        match message:
            case Wishes() as wishes:
                self._wish(wishes)
            case OrganiserOrder() as order:
                self._ear.order(order, self._send)
            case Remark() as remark:
                self._ear.remark(remark)
            case SeatTaken() as taken:
                self._ear.taken(taken)

    def _wish(self, wishes: Wishes) -> None:
        if wishes.status and (not self._wishes.status or wishes.metrics > self._wishes.metrics):
            # A page that begins to look does not wait for a second.
            self._beats = -1
        self._wishes = msgspec.structs.replace(wishes, matches=wishes.matches[:_MOST_WATCHED])
        for gone in self._watched.keys() - set(self._wishes.matches):
            del self._watched[gone]
        self._refused = {match: why for match, why in self._refused.items() if match in self._wishes.matches}
        if not self._is_beating and (wishes.status or wishes.matches):
            self._is_beating = True
            self._beat(time.monotonic_ns())

    # The beat.

    def _beat(self, due_ns: int) -> None:
        """Send what is wished for, after everything that the hub has for its bots."""
        wishes = self._wishes
        if not wishes.status and not wishes.matches:
            self._is_beating = False
            return
        self._late_ns = time.monotonic_ns() - due_ns
        self._beats += 1
        self._hub.loop.flush()
        self._hub.watch(wishes.matches)
        for match in wishes.matches:
            self._show(match)
        if wishes.status and self._beats % _STATUS_BEATS == 0:
            self._send_status()
        if self._is_beating:
            next_ns = time.monotonic_ns() + BEAT_NS
            self._hub.loop.at(next_ns, lambda: self._beat(next_ns))

    def _show(self, match: str) -> None:
        """Send the moment of a match, if it is news."""
        if match not in self._watched:
            found = next((one for one in self._hub.in_play if one.pairing.match == match), None)
            if found is None:
                self._refuse(match, "unknown")
                return
            self._watched[match] = found, -1
        running, sent = self._watched[match]
        if running.is_starting:
            self._refuse(match, "starting")
        elif not self._is_shown(running.pairing):
            self._refuse(match, "deal")
        elif running.step != sent or running.is_over:
            self._send_moment(running, sent)

    def _send_moment(self, running: InPlay, sent: int) -> None:
        moment = running.moment(max(0, sent))
        if self._send(moment):
            self._refused.pop(moment.match, None)
            self._watched[moment.match] = running, moment.step
            if moment.result is not None:
                del self._watched[moment.match]
                self._wishes = _without(self._wishes, moment.match)

    def _refuse(self, match: str, why: NotShownReason) -> None:
        """Send once why a match is not shown."""
        if self._refused.get(match) != why and self._send(NotShown(match, why)):
            self._refused[match] = why

    def _is_shown(self, pairing: Pairing) -> bool:
        """Return whether no other match of the same deal runs or is in the queue."""
        counts = self._hub.counts
        queue = self._hub.queue
        now = (counts.submitted, counts.begun, counts.ended, queue.stamp)
        if now != self._counted:
            self._counted = now
            running = [one.pairing for one in self._hub.in_play]
            self._running = {one.match for one in running}
            self._deals = Counter(one.key for one in chain(running, self._hub.given))
        # The queue counts its deals itself: to look through all that waits would take longer and longer.
        others = self._deals[pairing.key] + queue.of_deal(pairing.key) - (pairing.match in self._running)
        return not others and self._ear.may_show(pairing)

    # The state.

    def _send_status(self) -> None:
        self._send(self._status())
        finished = self._hub.counts.finished
        if finished != self._finished and self._send(ResultsChanged(finished)):
            self._finished = finished

    def _status(self) -> HubStatus:
        hub, counts = self._hub, self._hub.counts
        running = hub.in_play
        return HubStatus(
            running=tuple(map(self._line, running[:_MOST_LINES])),
            playing=len(running),
            coming=_coming(hub),
            waiting=0 if hub.draining else len(hub.queue) + sum(1 for _ in hub.given),
            bots=_bots(hub)[:_MOST_LINES],
            begun=counts.begun,
            finished=counts.finished,
            void=counts.void,
            decisions=counts.decisions,
            paused=hub.paused,
            draining=hub.draining,
            late_ms=self._late_ns // MS,
            metrics=self._ear.metrics(hub, self._late_ns) if self._wishes.metrics else "",
        )

    def _line(self, running: InPlay) -> RunningLine:
        shown = self._is_shown(running.pairing)
        return RunningLine(
            match=running.pairing.match,
            names=names_in(running.pairing),
            seconds=(time.monotonic_ns() - running.began_ns) // (1_000 * MS),
            events=running.step if shown and not running.is_starting else 0,
            shown=shown,
        )

    # Sending.

    def add_row(self, row: bytes) -> None:
        """Send a finished match, as JSON, to a site that has no store to read."""
        self._rows.append(RowAdded(msgspec.Raw(row)))
        self._send_rows()

    def _send_rows(self) -> None:
        """Send rows as far as the site takes them, and go on when it takes more: none may be lost."""
        while self._rows and self._send(self._rows[0]):
            self._rows.popleft()
        if self._link.fileno() >= 0:
            self._hub.loop.watch_writing(self._link.fileno(), self._send_rows if self._rows else None)

    def offer_seats(self, offer: SeatsOffered) -> None:
        """Send the seats for people, before the first of them is handed over."""
        self._send(offer)

    def hand_over(self, person: PersonCame, descriptors: Sequence[int]) -> bool:
        """Send the seat of a person with its descriptors; return whether the site has them.

        A site that is behind is waited for, as an exception: without its seat a person would lose the match.
        """
        try:
            self._link.settimeout(_PATIENCE_S)
            socket.send_fds(self._link, [_encode(person)], list(descriptors))
            self._link.setblocking(False)
        except OSError:
            return False
        return True

    def _send(self, message: ToSite) -> bool:
        """Send a message, unless the site is behind: then it is lost, and what it said is sent later."""
        try:
            self._link.send(_encode(message), socket.MSG_DONTWAIT)
        except OSError:
            return False
        return True


def _coming(hub: Hub) -> tuple[tuple[str, ...], ...]:
    if hub.draining:
        return ()
    coming = islice(chain(hub.given, hub.queue), _MOST_COMING)
    return tuple(one.bots for one in coming if not one.names)


def _bots(hub: Hub) -> tuple[BotLine, ...]:
    if _hides_names(hub):
        # Which bots have processes now would show which of them play the running matches.
        return tuple(BotLine(name, 0, 0) for name in sorted(hub.roster.specs))
    playing = Counter(name for one in hub.in_play for name in one.present)
    processes = Counter(session.name for session in hub.sessions) | playing
    return tuple(BotLine(name, processes[name], playing[name]) for name in sorted(processes))


def _hides_names(hub: Hub) -> bool:
    """Return whether bots play under aliases: all matches of a hub do, or none.

    Bots that have connected by themselves never do: their matches name accounts, in place of versions.
    """
    running = (one.pairing for one in hub.in_play)
    first = islice(chain(running, hub.given, hub.queue), 1)
    return bool(hub.roster.specs) and any(one.names for one in first)


def _without(wishes: Wishes, match: str) -> Wishes:
    return msgspec.structs.replace(wishes, matches=tuple(one for one in wishes.matches if one != match))
