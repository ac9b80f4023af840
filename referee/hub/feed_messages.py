"""What the process of a hub and the process of its site send each other, as JSON, one message a packet.

The site asks for what its watchers look at, and passes on acts of the organiser; the hub sends only what was
asked for. A message of the hub holds nothing that the public may not know.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

Act = Literal["pause", "resume", "drain", "announce", "freeze", "reveal"]


class Wishes(Struct, frozen=True, tag="wishes"):
    """What the watchers of the site look at now, in place of what they looked at before."""

    status: bool = False
    """Whether the state of the hub is to be sent every second."""
    matches: tuple[str, ...] = ()
    """Ids of running matches whose public view is to be sent."""


class Order(Struct, frozen=True, tag="order"):
    """An act of the organiser."""

    id: int
    act: Act
    text: str = ""
    """The text of an announcement; empty takes the last one back."""


class RunningLine(Struct, frozen=True):
    """A match that is being played."""

    match: str
    names: tuple[str, ...]
    """As the public knows them: aliases where names are hidden."""
    seconds: int
    decisions: int
    shown: bool
    """Whether its public view may be shown. Not while its deal is still to be played by other bots."""


class HubStatus(Struct, frozen=True, tag="status"):
    """The state of a hub."""

    running: tuple[RunningLine, ...]
    waiting: int
    """Matches in the queue."""
    bots: int
    """Bots that are connected or being started."""
    begun: int
    finished: int
    void: int
    decisions: int
    paused: bool
    draining: bool
    late_ms: int
    """How late the loop of the hub was at its last beat."""
    metrics: str = ""
    """The metrics in the text format of Prometheus; empty without its library."""


class LiveMoment(Struct, frozen=True, tag="moment"):
    """The public view of a running match, and what has happened since the last message about it."""

    match: str
    game: str
    names: tuple[str, ...]
    step: int
    """How many actions were taken."""
    view: dict[str, Any]
    events: tuple[dict[str, Any], ...] = ()
    """As the public saw them; the last ones, if there are very many."""
    said: tuple[str, ...] = ()
    """The same events in words."""
    over: bool = False


class ResultsChanged(Struct, frozen=True, tag="results"):
    """The store has more results or notes than before."""

    results: int


class RowAdded(Struct, frozen=True, tag="row"):
    """A match that was finished where there is no store (`referee play`)."""

    row: msgspec.Raw
    """A `tournaments.results.Played`, encoded."""


class OrderDone(Struct, frozen=True, tag="done"):
    """The answer to an order."""

    id: int
    note: str
    """What was done, in a sentence, or why not."""
    ok: bool = True


class PersonCame(Struct, frozen=True, tag="person"):
    """A seat for a person at a browser. Three descriptors come with it: stdin, stdout, supervisor."""

    name: str
    token: str
    """The secret part of the address of its page."""
    timed: bool
    """Whether the person plays by the clock of the bots."""


ToHub = Wishes | Order
ToSite = HubStatus | LiveMoment | ResultsChanged | RowAdded | OrderDone | PersonCame
