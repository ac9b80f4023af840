"""The acts of the organiser that outlast a run: chained notes of the store, written by the hub's process.

The table of an event is frozen at the number of results that the store had when the act was noted.
"""

from datetime import UTC, datetime
from math import ceil
from typing import Final

import msgspec
from msgspec import Struct

from referee.hub.feed_messages import OrganiserAct
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import expected
from tournaments.site.model import PublicNotes
from tournaments.store.errors import NoResultsError
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


def public_notes(store: Store, plan: Plan | None = None) -> PublicNotes:
    """Return what the organiser lets the pages say and hide, by acts and by the tournament file."""
    announcement, frozen_after = "", None
    due = None if plan is None else freeze_point(plan, store)
    for results, note in acts_of(store):
        if note.act == "announce":
            announcement = note.text
        elif note.act == "freeze" and frozen_after is None:
            frozen_after = results
        elif note.act == "reveal":
            frozen_after = None
            # A reveal before the table was frozen is none of these results.
            due = due if due is not None and results < due else None
    frozen = [point for point in (frozen_after, due) if point is not None]
    return PublicNotes(announcement, min(frozen, default=None))


def freeze_point(plan: Plan, store: Store) -> int | None:
    """Return after how many results the file freezes the public table; None: not, or not yet."""
    if plan.freeze is None:
        return None
    if isinstance(plan.freeze, float):
        point = ceil(plan.freeze * expected(plan))
        return point if store.head().results >= point else None
    if datetime.now(UTC) < plan.freeze:
        return None
    return store.count_until(plan.freeze.astimezone(UTC).isoformat(timespec="seconds"))


def is_frozen(plan: Plan) -> bool:
    """Return whether the public table of a tournament is frozen."""
    try:
        with Store(plan.store, write=False) as store:
            return public_notes(store, plan).frozen_after is not None
    except NoResultsError:
        return False


def is_paused(store: Store) -> bool:
    """Return whether the organiser has paused the event, and not resumed it."""
    acts = [note.act for _, note in acts_of(store) if note.act in ("pause", "resume")]
    return acts[-1:] == ["pause"]
