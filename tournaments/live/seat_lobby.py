"""The lobby: which seats for people are free, and which people have the others. Pure.

Every seat has a link of its own, which the command prints and which is always valid. A person who takes a
seat in the lobby gets another link to it, which is valid until the seat is given back.
"""

import hmac
import secrets
from collections.abc import Iterable
from typing import Any

from referee import names
from tournaments.live.seat_session import NotNowError

_NAME_LENGTH = 32
"""The largest number of characters by which a person calls itself."""


class Lobby:
    """Hands out seats."""

    def __init__(self, title: str, token: str, links: dict[str, str]) -> None:
        """Begin with all seats free; `links` are the secrets of their printed links, by name of the bot."""
        self.title = title
        self.called: dict[str, str] = {}
        """What people call themselves, by name of the bot."""
        self._token = token
        self._links = dict(links)
        self._taken: dict[str, str] = {}
        """The secrets of those that took a seat here, by name of the bot."""
        self._used: set[str] = set()
        """Seats that are played by their printed link."""

    def admits(self, token: str) -> bool:
        """Return whether this is the secret of the lobby's own link."""
        return bool(self._token) and _same(self._token, token)

    def seat_of(self, token: str) -> str | None:
        """Return the seat of a secret; None if it is none."""
        found = [name for links in (self._links, self._taken) for name in links if _same(links[name], token)]
        return found[0] if found else None

    def secrets_of(self, seat: str) -> list[str]:
        """Return the secrets that are valid for a seat."""
        return [links[seat] for links in (self._links, self._taken) if seat in links]

    def use(self, token: str) -> None:
        """Take note that a page of this secret was opened: the lobby does not hand out its seat."""
        self._used |= {name for name, link in self._links.items() if _same(link, token)}

    def is_free(self, seat: str) -> bool:
        """Return whether a seat can be taken."""
        return seat in self._links and seat not in self._taken and seat not in self._used

    def take(self, seat: str, called: str, others: Iterable[str] = ()) -> tuple[str, str]:
        """Give a seat to a person, and return it with the secret of its link; '' stands for any that is free.

        `others` are further names in the matches. Raises NotNowError if there is no such seat free, or if the
        name is none that the others can distinguish.
        """
        called = " ".join(called.split())
        if not called or len(called) > _NAME_LENGTH or not called.isprintable():
            raise NotNowError(f"a name has 1 to {_NAME_LENGTH} letters, digits and signs")
        free = [name for name in self._links if self.is_free(name)]
        if not free:
            raise NotNowError("all seats are taken")
        chosen = seat or free[0]
        if chosen not in free:
            raise NotNowError("this seat has just been taken: choose another one")
        known = {*self._links, *others, *self.called.values()} - {chosen}
        if alike := called if called in known else names.look_alike(called, known):
            raise NotNowError(f"the name {called} looks like {alike}: choose another name")
        token = self._taken[chosen] = secrets.token_urlsafe(16)
        self.called[chosen] = called
        return chosen, token

    def give_back(self, seat: str) -> None:
        """Make a seat free: the link of the person that took it is no longer valid."""
        self._taken.pop(seat, None)
        self.called.pop(seat, None)
        self._used.discard(seat)

    def document(self, playing: Iterable[str]) -> dict[str, Any]:
        """Return what the page of the lobby shows; `playing` are the seats that play a match now."""
        busy = frozenset(playing)
        return {
            "version": 1,
            "title": self.title,
            "seats": [
                {
                    "bot": name,
                    "called": self.called.get(name, ""),
                    "free": self.is_free(name),
                    "playing": name in busy,
                }
                for name in self._links
            ],
        }


def _same(secret: str, given: str) -> bool:
    return hmac.compare_digest(secret.encode(), given.encode())
