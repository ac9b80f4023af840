"""The field of a tournament: which bots of its file take part, in which versions, as its store has noted.

Readers of results do not look at programs. What a run found out about them is in the notes of the store, and
`as_played` gives every reader the same plan: the bots that take part, their versions, and why others do not.
"""

from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tournaments.config.entrants import Entrant
from tournaments.config.late import takes_late, too_late
from tournaments.config.plan import Plan, usual_rounds
from tournaments.store import terms
from tournaments.store.errors import StoreError
from tournaments.store.store import Store
from tournaments.store.versions import versions_of

NOTE: Final = "field"
"""The name of the store's notes."""


class FieldNote(Struct, frozen=True):
    """Who takes part from now on."""

    bots: tuple[str, ...] = ()
    """The bots of the table."""
    left_out: dict[str, str] = {}
    """By name why a bot does not play, in words for all; one with results is in the table too."""
    forfeits: dict[str, str] = {}
    """By name why a bot in the field loses its matches without a start."""


def noted_field(store: Store) -> FieldNote:
    """Return the field that was noted last; an empty one if none was."""
    noted = store.noted(NOTE)
    try:
        return msgspec.json.decode(noted[-1], type=FieldNote) if noted else FieldNote()
    except ValueError as error:
        raise StoreError(f"{store.address}: the note of the field is not as it was written") from error


def field_note(field: FieldNote) -> tuple[str, str]:
    """Return the note that says who takes part from now on."""
    return NOTE, msgspec.json.encode(field).decode()


def as_played(plan: Plan, store: Store) -> Plan:
    """Return the plan with the field and the versions that its store has noted."""
    fixed, field = with_fixed_bots(plan, store), noted_field(store)
    out = {name: field.left_out[name] for name in fixed.names if name in field.left_out} | fixed.left_out
    # The pools follow from the order of all bots: one that is mended changes no pool of the others.
    staying = fixed.names if plan.pools > 1 else field.bots
    bots = tuple(bot for bot in fixed.bots if bot.name not in out or bot.name in staying)
    forfeits = {bot.name: field.forfeits[bot.name] for bot in bots if bot.name in field.forfeits}
    anchor = plan.anchor if plan.anchor in {bot.name for bot in bots} else None
    versions = versions_of(store).in_force
    return replace(fixed, bots=bots, anchor=anchor, left_out=out, forfeits=forfeits, versions=versions)


def fixed_bots(plan: Plan, store: Store) -> list[str] | None:
    """Return the bots with which a tournament in rounds has begun; None if bots may still come."""
    noted = store.noted(terms.NOTE)
    return terms.bots_of(noted[-1]) if noted and not takes_late(plan.format) else None


def with_fixed_bots(plan: Plan, store: Store) -> Plan:
    """Return the plan with the bots with which it has begun, if its format takes no others.

    A bot that is no longer in the file has no program; its results stay.
    """
    names = fixed_bots(plan, store)
    if names is None or names == list(plan.names):
        return replace(plan, left_out={})
    known = {bot.name: bot for bot in plan.bots}
    bots = tuple(known.get(name) or Entrant(name, plan.file.parent, level=plan.level) for name in names)
    late = {name: too_late(plan) for name in plan.names if name not in names}
    late |= {name: why for name, why in noted_field(store).left_out.items() if name in late}
    # The usual number of rounds follows from the number of bots, and was fixed with them.
    is_usual = plan.format == "swiss" and plan.rounds == usual_rounds(len(plan.bots))
    rounds = terms.rounds_of(store.noted(terms.NOTE)[-1]) if is_usual else None
    return replace(plan, bots=bots, left_out=late, rounds=rounds or plan.rounds)
