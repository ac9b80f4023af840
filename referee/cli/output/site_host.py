"""The site of a command that plays: started with `--web`, joined to the hub, and reported to the operator."""

import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import click
import msgspec

from referee.cli.output.log import EventLog
from referee.cli.output.metrics import metrics_text
from referee.hub.feed import FeedEar
from referee.hub.feed_messages import Remark, SeatTaken
from referee.hub.hub import Hub
from referee.hub.pairing import Pairing
from referee.hub.signals import Stop
from referee.wording import clean
from tournaments.live.order_desk import OrderDesk, noting, noting_at
from tournaments.live.settings import EventSource, SiteSettings
from tournaments.live.site_process import SiteProcess, listen, url_of, web_address
from tournaments.live.sources import beside_each_other
from tournaments.live.tokens import Tokens
from tournaments.results import Played
from tournaments.store.store import Store


class SiteHost:
    """The site of a command; a context manager. Without an address it does nothing."""

    def __init__(
        self,
        web: str | None,
        sources: Callable[[], Sequence[EventSource]],
        *,
        log: EventLog,
        note: Callable[[str], None],
        keys: Path | None = None,
    ) -> None:
        """Listen at once, so that a wrong address is reported before anything is played.

        `sources` returns the events, which are played at the same time, or, if they are parts of one event,
        one after the other; it is called if there is an address. `note` takes a line for the operator.
        """
        self.url = ""
        """The address for people; '' if there is no site."""
        self.process: SiteProcess | None = None
        self._log = log
        self.note = note
        """Takes a line for the operator; while matches are played it may log the line, too."""
        self.show = note
        """Prints a line for the operator, and does not log it."""
        self.announced: Callable[[str], None] = lambda _: None
        """Takes what the organiser announces while matches are played."""
        self.taken: Callable[[SeatTaken], None] = lambda _: None
        """Takes note that a person at a browser has taken a seat, or given it back."""
        self.gone = self._note_end
        """Takes note that the process of the site has ended."""
        self._desk: OrderDesk | None = None
        self._playing: Sequence[EventSource] = ()
        if web is None:
            return
        address = web_address(web)
        listener = listen(address)
        events = beside_each_other(sources())
        self._playing = events[:1] if events[0].group else events
        self.url = url_of(listener, address)
        if not address.is_local:
            click.echo(
                f"Warning: every host that reaches {self.url} can see the site, and its messages are not "
                "encrypted: put a proxy with TLS in front of it (docs/live-site.md).",
                err=True,
            )
        settings = SiteSettings(
            events=events,
            url=self.url,
            is_local=address.is_local,
            playing=events[0].slug,
            also_playing=tuple(event.slug for event in self._playing[1:]),
            keys=str(keys.resolve()) if keys else "",
        )
        self.process = SiteProcess(listener, settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._desk is not None:
            self._desk.close()
        if self.process is not None:
            self.process.close()

    def introduce(self) -> None:
        """Print where the site is; the organiser's link only to a person, because it is a secret."""
        if self.process is None:
            return
        self.note(f"the site is at {self.url}/")
        secret = [event for event in self._playing if event.secret]
        if not secret:
            return
        if sys.stderr.isatty():
            # Not through the log: each reader of the link can stop the event.
            for event in secret:
                place = f"e/{event.slug}/" if event.above else ""
                link = f"{self.url}/{place}organiser.html#{Tokens(event.secret).organiser()}"
                click.echo(f"the organiser's page, which is secret: {link}", err=True)
        elif secret[0].store:
            self.note("`referee site token` prints the link of the organiser's page")

    def begin(self, number: int) -> None:
        """Show the part of this number, from 0, as the one that is played."""
        if self.process is not None:
            self._playing = self.process.settings.events[number : number + 1]
            self.process.begin_part(self._playing[0].slug)

    def watch(
        self,
        hub: Hub,
        stop: Stop,
        stores: Sequence[Store] = (),
        may_show: Callable[[Pairing], bool] = lambda _: True,
    ) -> None:
        """Show this hub from now on. Called in its thread, before it plays.

        `stores` are those of the events that it plays, in the same order.
        """
        if self.process is None:
            return
        by_slug = dict(zip((event.slug for event in self._playing), stores, strict=False))
        self._desk = OrderDesk(
            noting(by_slug) if stores else None,
            self._ordered,
            stop.ask,
            announced=lambda text: self.announced(text),
        )
        self._desk.hub = hub
        ear = FeedEar(
            order=self._desk.take,
            remark=self._remark,
            gone=lambda: self.gone(),
            taken=lambda taken: self.taken(taken),
            metrics=metrics_text,
            may_show=may_show,
        )
        self.process.attach(hub, ear)

    def add_row(self, row: Played) -> None:
        """Show a result that no store has."""
        if self.process is not None:
            self.process.add_row(msgspec.json.encode(row))

    def unwatch(self) -> None:
        """Show the hub no longer: it is closed."""
        if self._desk is not None:
            self._desk.close()
            self._desk.hub = None
        if self.process is not None:
            self.process.detach()

    def stay(self) -> None:
        """Let the site stay until a signal arrives. Acts of the organiser open the store for a moment."""
        if self.process is None:
            return
        source = self._playing[0]
        desk = OrderDesk(noting_at(source.store_address) if source.store else None, self._ordered)
        self.note(f"the site stays at {self.url}/ until Ctrl-C")
        with Stop() as stop:
            stop.then(lambda: None)
            self.process.stay(desk.take, lambda: stop.asked)
        desk.close()

    def _note_end(self) -> None:
        self.note("the site has ended; matches go on without it")

    def _ordered(self, act: str, text: str) -> None:
        self._log.write("organiser", text, act=act)
        self.show(clean(text))

    def _remark(self, remark: Remark) -> None:
        self._log.write("site", remark.text, logging.WARNING if remark.warns else logging.INFO)
