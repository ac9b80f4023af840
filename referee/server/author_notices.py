"""Notices for the authors of bots: announcements, hours and ratings, carried by pings that bots ignore."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime

from protocol.limits import REASON_LENGTH
from protocol.messages import Ping
from referee.hub.hub import Hub
from referee.hub.session import Session
from referee.match.clock import MS
from referee.server.served_game import ServedGame

_NUMBER = 100
"""The number of the pings that carry a notice: it is none of those that measure the latency."""

MUTE_NS = 10_000 * MS
"""How long a bot may leave the first pings without an answer before its author reads what that means."""


class AuthorNotices:
    """Sends notices to the bots of a hub."""

    def __init__(self, hub: Hub, games: Sequence[ServedGame], now: Callable[[], datetime]) -> None:
        self.announcement = ""
        """What the authors of bots that connect are sent; '' for nothing."""
        self._hub = hub
        self._mute_since: dict[str, int | None] = {}
        """By session: since when its bot has answered no ping; None once that was reported."""
        self._games = games
        self._now = now

    def announce(self, text: str) -> None:
        """Send a text to the authors of all bots, and to those that come later; '' takes it back."""
        self.announcement = text
        if text:
            self.send(f"announcement: {text}")

    def send(self, text: str, accounts: Sequence[str] | None = None) -> None:
        """Send a notice to the bots of these accounts, or to all."""
        for session in self._hub.sessions:
            if accounts is None or session.name in accounts:
                _send(session, text)

    def greet(self, session: Session) -> None:
        """Send the author of a bot that has just come what holds now."""
        if self.announcement:
            _send(session, f"announcement: {self.announcement}")
        for game in self._games:
            if game.hours is not None:
                _send(session, self.hours_of(game))

    def report_mute(self, note: Callable[[str], None]) -> None:
        """Report bots that answer no ping: their latency is not known, so they get no match."""
        now_ns = time.monotonic_ns()
        mute = [one for one in self._hub.sessions if one.is_open and not one.admission.measured]
        self._mute_since = {one.id: self._mute_since.get(one.id, now_ns) for one in mute}
        for session in mute:
            since_ns = self._mute_since[session.id]
            if since_ns is not None and now_ns - since_ns > MUTE_NS:
                self._mute_since[session.id] = None
                note(f"{session.name} answers no ping, so it gets no match")
                _send(session, "your bot answers no ping: it gets no match until it does (referee check)")

    def send_hours(self, game: ServedGame) -> str:
        """Send all authors what is played of a game now, and return it."""
        text = self.hours_of(game)
        self.send(text)
        return text

    def hours_of(self, game: ServedGame) -> str:
        """Describe what is played of a game now; '' if that is the same at all times."""
        if game.hours is None:
            return ""
        what = f"{game.id}: " if len(self._games) > 1 else ""
        return f"{what}{game.hours.sentence(self._now())}"


def _send(session: Session, text: str) -> None:
    if session.is_open:
        session.send(Ping(_NUMBER, text[:REASON_LENGTH]))
