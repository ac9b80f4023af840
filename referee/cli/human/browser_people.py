"""People at browsers: their links, and the way by which the site's process becomes their bot."""

import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence

from referee.errors import RefereeError
from referee.hub.feed_messages import PersonCame, SeatsOffered, SeatTaken
from referee.hub.hub import Hub
from referee.wording import clean

HandOver = Callable[[PersonCame, Sequence[int]], bool]
"""Sends a seat with its descriptors to the site; returns whether the site has them."""


class BrowserPeople:
    """The seats for people at browsers."""

    def __init__(self, game: str, names: Sequence[str], *, timed: bool, say: Callable[[str], None]) -> None:
        """Make the links of the seats; `say` prints a line for the operator."""
        self._say = say
        links = tuple((name, secrets.token_urlsafe(16)) for name in names)
        self.offer = SeatsOffered(game=game, lobby=secrets.token_urlsafe(16), links=links, timed=timed)
        self._hub: Hub | None = None
        self._hand_over: HandOver = lambda *_: False
        self._called: dict[str, str] = {}

    def attach(self, hub: Hub, hand_over: HandOver) -> None:
        """Hand seats of this hub over to the site by this function."""
        self._hub, self._hand_over = hub, hand_over

    def connect(self, name: str, pipes: tuple[int, int], supervisor: socket.socket) -> None:
        """Let the site be the bot of a person.

        The supervisor's end of the socket stays open here until the hub lets go of the bot. So the end of the
        site does not look like the end of a bot, which would cost the person the match.
        """
        assert self._hub is not None, "people come after the hub"
        self._hand_over(PersonCame(name), [*pipes, supervisor.fileno()])
        for end in pipes:
            os.close(end)
        loop = self._hub.loop

        def let_go() -> None:
            loop.forget(supervisor.fileno())
            supervisor.close()

        loop.watch(supervisor.fileno(), let_go)

    def site_gone(self) -> None:
        """End what runs without a verdict: the pages of people have gone with the site."""
        why = "the process of the site, where people play, has ended (was it killed?)"
        if self._hub is None or not self._hub.running:
            raise RefereeError(why)
        self._say(f"{why[0].upper()}{why[1:]}; the match does not count.")
        self._hub.abandon(f"an error of the referee: {why}")

    def taken(self, message: SeatTaken) -> None:
        """Report that a person has taken a seat, or given it back."""
        if message.called:
            self._called[message.name] = message.called
            self._say(f"{message.called} has taken the seat {message.name}.")
        else:
            who = self._called.pop(message.name, "")
            self._say(f"{who or 'A person'} has given back the seat {message.name}.")

    def report(self, result: str) -> None:
        """Print how a match ended."""
        self._say(f"A match is over: {result}")

    def links(self, url: str) -> dict[str, str]:
        """Return the address of the page of each seat."""
        return {name: f"{url}/seat.html#{secret}" for name, secret in self.offer.links}

    def _greeting(self, url: str) -> Iterator[str]:
        """Return what the operator is to do, with all links."""
        links = self.links(url)
        if len(links) == 1:
            yield f"Play here: {links[self.offer.links[0][0]]}"
        else:
            yield f"For everyone, to take a free seat: {url}/join.html#{self.offer.lobby}"
            yield "Or one link for each seat, which also takes up a seat again:"
            width = max(map(len, links))
            yield from (f"  {name:<{width}}  {link}" for name, link in links.items())
        if not self.offer.timed:
            yield "The match waits for people as long as it takes. Ctrl-C ends at once."

    def greet(self, url: str, *, opens: bool) -> None:
        """Print the links, and open the first of them in the browser of this desktop, if that is wanted."""
        for line in self._greeting(url):
            self._say(line)
        if opens:
            self._open_browser(url)

    def _open_browser(self, url: str) -> None:
        """Open the page of the only seat, or of the lobby, if there is a desktop."""
        if sys.platform == "linux" and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))):
            return
        links = list(self.links(url).values())
        page = links[0] if len(links) == 1 else f"{url}/join.html#{self.offer.lobby}"
        try:
            webbrowser.open(page)
        except webbrowser.Error as error:
            self._say(f"No browser could be opened ({clean(str(error))}): open the link yourself.")
