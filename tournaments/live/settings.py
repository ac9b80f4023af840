"""What the process of a site is started with: the events it shows, its secrets and its limits."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from tournaments.config.store_address import Address, store_address

SourceKind = Literal["tournament", "ladder", "run", "replays"]


class EventSource(Struct, frozen=True):
    """An event that a site shows, and where it is read."""

    slug: str
    """Its part of the address, where a site has several events."""
    kind: SourceKind
    """A tournament file, the store of a ladder, a run without a store, or a folder of replays."""
    path: str = ""
    """The tournament file, the folder of the ladder, or the folder of replays."""
    part: str = ""
    """The part of a tournament file with several tournaments."""
    group: str = ""
    """The name of the event that it is a part of; empty if it stands alone."""
    freezes: str = ""
    """When the public table is frozen, if the file names a moment."""
    store: str = ""
    """The address of the store of a tournament or a ladder; that of a database may have a password."""
    record: str = ""
    """The record of the entries of a tournament; empty if it takes none."""
    title: str = ""
    """The title of a run; other events have their own."""
    game: str = ""
    """The game of a run."""
    bots: tuple[str, ...] = ()
    """The bots of a run."""
    replays: str = ""
    """The folder of a run's replays."""
    planned: int = 0
    """How many matches a run will have."""
    of_deal: int = 1
    """How many matches of a run have the same deal."""
    above: str = ""
    """Where the list of all events is, from the event's own folder; empty if the site has only this one."""
    secret: str = ""
    """What the tokens of the event are made from, in hexadecimal digits; empty: it has none."""

    @property
    def store_address(self) -> Address:
        """Where the store is."""
        return store_address(self.store, Path())

    def __repr__(self) -> str:
        return f"<EventSource {self.slug}: {self.kind} {self.path}>"


class SiteLimits(Struct, frozen=True):
    """How much a site does at once, so that no visitor can take it from the others."""

    connections: int = 1_500
    connections_each: int = 400
    """Connections of one address; a class may be behind one."""
    watchers: int = 1_000
    """Open streams of events."""
    watchers_each: int = 300
    rate: float = 100.0
    """Requests a second of one address, on average."""
    burst: int = 1_000
    """Requests of one address at once."""
    tries: int = 10
    """Wrong tokens of one address in a minute."""
    header_s: float = 10.0
    """How long the head of a request may take."""
    request_s: float = 60.0
    """How long it may take until an answer begins."""
    stall_s: float = 20.0
    """How long a reader may read nothing while something is waiting for it."""
    body_bytes: int = 65_536
    upload_bytes: int = 32 << 20
    """Of a submission that an author uploads."""
    upload_s: float = 300.0
    """How long an upload may take."""
    uploads_each: int = 100
    """Submissions that one author may upload to an event."""
    hub_s: float = 5.0
    """How long the hub may take to send its state."""
    rebuild_s: float = 2.0
    """The shortest time between two readings of the results."""


class SiteSettings(Struct, frozen=True):
    """What a site gets from the command that started it."""

    events: tuple[EventSource, ...]
    url: str
    """The address for people, such as `http://127.0.0.1:8000`."""
    is_local: bool
    """Whether only this host can reach it: then requests for other names are refused."""
    playing: str = ""
    """The slug of the event that the hub at the other end of the link plays; empty without a hub."""
    also_playing: tuple[str, ...] = ()
    """The slugs of further events that it plays: a daemon of several games."""
    keys: str = ""
    """The folder of keys of a daemon, by which authors can log in; empty if there is none."""
    limits: SiteLimits = SiteLimits()
