"""What the process of a hub and the process of its site send each other, as JSON, one message a packet.

The site asks for what its watchers look at, and passes on acts of the organiser; the hub sends only what was
asked for. A message of the hub holds nothing that the public may not know.
"""

from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

OrganiserAct = Literal["pause", "resume", "drain", "announce", "freeze", "reveal", "approve", "leave out"]
NotShownReason = Literal["unknown", "deal", "starting"]
"""No such match runs; its deal is still to be played by another match; not all bots are ready."""


class Wishes(Struct, frozen=True, tag="wishes"):
    """What the watchers of the site look at now, in place of what they looked at before."""

    status: bool = False
    """Whether the state of the hub is to be sent every second."""
    metrics: bool = False
    """Whether the metrics are to be in it."""
    matches: tuple[str, ...] = ()
    """Ids of running matches whose public view is to be sent."""


class OrganiserOrder(Struct, frozen=True, tag="order"):
    """An act of the organiser."""

    id: int
    act: OrganiserAct
    text: str = ""
    """The text of an announcement, of which an empty one takes the last back; the bot of a decision."""
    event: str = ""
    """The slug of the event, where the hub plays several."""


class Remark(Struct, frozen=True, tag="remark"):
    """A sentence of the site for the operator's log."""

    text: str
    warns: bool = False


class RunningLine(Struct, frozen=True):
    """A match that is being played."""

    match: str
    names: tuple[str, ...]
    """As the public knows them: aliases where names are hidden."""
    seconds: int
    events: int
    """How many events there were so far; 0 if its view may not be shown."""
    shown: bool
    """Whether its public view may be shown. Not while its deal is still to be played by another match."""


class BotLine(Struct, frozen=True):
    """A bot that is here."""

    name: str
    processes: int
    """Processes or connections of it; 0 where names are hidden."""
    playing: int
    """Matches it plays now; 0 where names are hidden."""


class HubStatus(Struct, frozen=True, tag="status"):
    """The state of a hub. The lists are cut where they are very long."""

    running: tuple[RunningLine, ...]
    playing: int
    """Matches that are being played."""
    coming: tuple[tuple[str, ...], ...]
    """The names of the bots of the next matches in the queue; empty where names are hidden."""
    waiting: int
    """Matches in the queue."""
    bots: tuple[BotLine, ...]
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
    """How many events there were."""
    view: dict[str, Any]
    events: tuple[dict[str, Any], ...] = ()
    """As the public saw them; the last ones, if there are very many."""
    result: dict[str, Any] | None = None
    """What the public may know of the result, once the match is over."""


class NotShown(Struct, frozen=True, tag="hidden"):
    """A match whose view was asked for, and why it is not sent."""

    match: str
    why: NotShownReason


class ResultsChanged(Struct, frozen=True, tag="results"):
    """There are more results than before; sent while the state is asked for."""

    results: int
    """Since the hub was started."""


class HubEnded(Struct, frozen=True, tag="ended"):
    """Nothing more is played, and the site stays."""


class RowAdded(Struct, frozen=True, tag="row"):
    """A match that was finished where there is no store (`referee play`)."""

    row: msgspec.Raw
    """A `tournaments.results.Played`, encoded."""


class PartBegins(Struct, frozen=True, tag="part"):
    """From now on the hub plays this part of the event."""

    slug: str
    """The event of the site."""


class OrderDone(Struct, frozen=True, tag="done"):
    """The answer to an order."""

    id: int
    note: str
    """What was done, in a sentence, or why not."""
    ok: bool = True


class SeatsOffered(Struct, frozen=True, tag="seats"):
    """The seats for people at browsers, before any of them plays."""

    game: str
    """The id of the game."""
    lobby: str
    """The secret part of the address of the page that hands out seats."""
    links: tuple[tuple[str, str], ...]
    """By seat: the name of the bot, and the secret part of the address of its page."""
    timed: bool
    """Whether people play by the clock of the bots."""


class PersonCame(Struct, frozen=True, tag="person"):
    """The hub has started the bot of a person. Three descriptors come with it: stdin, stdout, supervisor."""

    name: str


class SeatTaken(Struct, frozen=True, tag="taken"):
    """A person has taken a seat in the lobby, or given it back."""

    name: str
    called: str
    """What the person calls itself; empty if the seat is free again."""


ToHub = Wishes | OrganiserOrder | Remark | SeatTaken
ToSite = (
    HubStatus
    | LiveMoment
    | NotShown
    | ResultsChanged
    | HubEnded
    | RowAdded
    | OrderDone
    | PartBegins
    | SeatsOffered
    | PersonCame
)

MOST_EVENTS: Final = 40
"""Events in one message about a match; those before the last ones are left out."""

MOST_BYTES = 180_000
"""The longest message; the kernel takes packets of at least this length with its usual settings."""
