"""Notices for the authors of bots: announcements, hours and ratings, carried by pings that bots ignore."""

from collections.abc import Callable, Sequence
from datetime import datetime

from protocol.limits import REASON_LENGTH
from protocol.messages import Ping
from referee.hub.hub import Hub
from referee.hub.session import Session
from referee.server.served_game import ServedGame

_NUMBER = 100
"""The number of the pings that carry a notice: it is none of those that measure the latency."""


class AuthorNotices:
    """Sends notices to the bots of a hub."""

    def __init__(self, hub: Hub, games: Sequence[ServedGame], now: Callable[[], datetime]) -> None:
        self.announcement = ""
        """What the authors of bots that connect are sent; '' for nothing."""
        self._hub = hub
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
