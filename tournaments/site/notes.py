"""The acts of the organiser that outlast a run: chained notes of the store, written by the hub's process.

The table of an event is frozen at the number of results that the store had when the act was noted.
"""

from datetime import UTC, datetime
from typing import Final

import msgspec
from msgspec import Struct

from referee.hub.feed_messages import OrganiserAct
from tournaments.site.model import PublicNotes
from tournaments.store.store import Store

NOTE: Final = "site"
"""The name of the store's notes."""

MOST_LETTERS: Final = 500
"""The longest announcement."""


class SiteNote(Struct, frozen=True):
    """An act of the organiser."""

    act: OrganiserAct
    at: str
    """When (UTC)."""
    text: str = ""


def add_note(store: Store, act: OrganiserAct, text: str = "") -> SiteNote:
    """Note an act in the chain of a store that is open for writing."""
    note = SiteNote(act, datetime.now(UTC).isoformat(timespec="seconds"), text[:MOST_LETTERS])
    store.note(NOTE, msgspec.json.encode(note).decode())
    return note


def acts_of(store: Store) -> list[tuple[int, SiteNote]]:
    """Return all acts, the oldest first, each with the number of results before it."""
    return [(results, msgspec.json.decode(text, type=SiteNote)) for results, text in store.noted_after(NOTE)]


def public_notes(store: Store) -> PublicNotes:
    """Return what the organiser lets the pages say and hide."""
    announcement, frozen_after = "", None
    for results, note in acts_of(store):
        if note.act == "announce":
            announcement = note.text
        elif note.act == "freeze" and frozen_after is None:
            frozen_after = results
        elif note.act == "reveal":
            frozen_after = None
    return PublicNotes(announcement, frozen_after)
