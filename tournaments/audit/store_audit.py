"""The audit of a store: whether everything in it is as it was committed.

The chain covers every result, the digest of every replay and every note, so a change of anything that is
read from the store is found. SQLite checks the structure of its file (`PRAGMA integrity_check`); of a store
in PostgreSQL constraints and indexes are checked. A byte that carries nothing, as in the unused part of a
page, may change without being found: what is read stays the same. A chain that was made anew from its
beginning is found by the replays, by the tournament file, and for certain by a head that was written down
before.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from referee.replay import files
from referee.replay.hashchain import START
from tournaments.config.plan import Plan
from tournaments.config.store_address import Address
from tournaments.pairing.schedule import rightful
from tournaments.results import Played
from tournaments.store import chain, schema, terms, versions
from tournaments.store.backend import writer
from tournaments.store.chain import Contents, Head
from tournaments.store.errors import NoResultsError, StoreError, StoreOutageError
from tournaments.store.field import as_played
from tournaments.store.store import Store


class StoreAudit(msgspec.Struct, frozen=True):
    """What a store holds, and what is wrong with it."""

    head: Head = Head()
    running: bool = False
    """Whether a process is adding results."""
    played: Sequence[Played] = ()
    """In the order of the commits, void matches included."""
    links: Sequence[Head] = ()
    """The chain."""
    plan: Plan | None = None
    """The tournament as it is played, if there is one: with the field and the versions that were noted."""
    flaws: Sequence[str] = ()

    def results_at(self, head: str) -> int | None:
        """Return how many results a head stands for; None if it is not in the chain."""
        return {START: 0, **{link.hash: link.results for link in self.links}}.get(head)


def audit_store(address: Address, plan: Plan | None = None) -> StoreAudit:
    """Read everything in a store and compare it with its chain, and with the tournament file if there is one.

    Flaws are returned, not raised. Raises FormatVersionError for a store of another version, and
    StoreOutageError if its server does not answer.
    """
    running = writer(address) is not None
    try:
        with Store(address, write=False) as store:
            flaws = list(store.flaws())
            contents = store.contents()
            plan = plan and as_played(plan, store)
    except NoResultsError as error:
        # Where there never was anything, nothing is missing.
        is_there = isinstance(address, Path) and address.exists() and address.stat().st_size
        return StoreAudit(running=running, flaws=[str(error)] if is_there else [])
    except StoreOutageError:
        # Nothing is known of results that are out of reach.
        raise
    except StoreError as error:
        return StoreAudit(running=running, flaws=[str(error)])
    played, unreadable = _played(contents)
    found = [*chain.flaws(contents), *unreadable]
    if plan is not None:
        found += _foreign(plan, contents, played)
    links = chain.links(contents)
    return StoreAudit(
        head=Head(len(contents.matches), links[-1].hash) if links else Head(),
        running=running,
        played=played,
        links=links,
        plan=plan,
        flaws=[*flaws, *(f"{address}, {flaw}" for flaw in found)],
    )


def _played(contents: Contents) -> tuple[list[Played], list[str]]:
    """Return the results that can be read, and what is wrong with the others."""
    played: list[Played] = []
    flaws: list[str] = []
    for rows in contents.matches:
        try:
            played.append(schema.played_from(rows))
        except ValueError as error:
            flaws.append(f"match {rows.match['match']}: not a result: {error}")
    return played, flaws


def _foreign(plan: Plan, contents: Contents, played: Sequence[Played]) -> list[str]:
    """Return where results do not belong to the tournament of the file."""
    if not played:
        return []
    noted = [note["value"] for note in contents.notes if note["name"] == terms.NOTE]
    if not plan.is_drawn:
        return ["results, but the luck of the tournament is not drawn"]
    if not noted:
        return ["results, but not under which terms they were played"]
    if other := terms.differences(plan, noted[-1]):
        return [f"of a tournament with another {' and another '.join(other)} than in {plan.file.name}"]
    by_match = _plans_by_match(plan, contents)
    return [f"match {one.match}: {flaw}" for one in played if (flaw := _misplaced(by_match[one.match], one))]


def _plans_by_match(plan: Plan, contents: Contents) -> dict[str, Plan]:
    """Return the plan with the versions of bots that were in force when each match was committed."""
    notes = [note for note in contents.notes if note["name"] == versions.NOTE]
    known = versions.read_versions((int(str(note["results"])), str(note["value"])) for note in notes)
    plans: dict[int, Plan] = {}
    found: dict[str, Plan] = {}
    for number, rows in enumerate(contents.matches, 1):
        then = known.of_result(number)
        if id(then) not in plans:
            plans[id(then)] = replace(plan, versions=dict(then))
        found[str(rows.match["match"])] = plans[id(then)]
    return found


def _misplaced(plan: Plan, played: Played) -> str:
    """Compare a result with the match that its id stands for; that follows from the tournament file."""
    fixture = rightful(plan, played)
    if fixture is None:
        return f"{', '.join(played.bots)} play no match of this id"
    for name in ("bots", "round", "block", "deal"):
        if getattr(played, name) != getattr(fixture, name):
            return f"{name} is {getattr(played, name)}, but should be {getattr(fixture, name)}"
    if played.replay not in {played.match + suffix for suffix in files.SUFFIXES}:
        return f"the replay has another name: {played.replay}"
    return ""
