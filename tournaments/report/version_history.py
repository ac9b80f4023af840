"""The versions of bots with the results of each: the table has the newest, the history has all."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from referee.hub.fixture import is_rated
from tournaments.config.store_address import Address
from tournaments.rating.tally import Tally
from tournaments.results import Played
from tournaments.store.errors import NoResultsError
from tournaments.store.ladder_versions import LadderVersion, ladder_versions_of
from tournaments.store.store import Store
from tournaments.store.versions import Versions, versions_of

_DIGITS: Final = 12
"""Hexadecimal digits of the hash of a program that people read."""


class VersionLine(Struct, frozen=True):
    """One version of a bot, and all matches that it has played."""

    bot: str
    version: int
    since: int
    """How many results there were when it first came into force."""
    digest: str
    """The beginning of the hash of its program; no file can be found from it."""
    announced: str
    """What the bot says it is; '' if it says nothing."""
    counts: bool
    """Whether it is the version that plays now, whose results are in the table."""
    matches: int
    wins: int
    draws: int
    losses: int
    points: float
    percent: float


def version_history(versions: Versions, rows: Sequence[Played], bots: Iterable[str]) -> list[VersionLine]:
    """Return the versions of these bots, the first first; `rows` are in the order of their commits."""
    names = list(bots)
    tallies: dict[tuple[str, int], Tally] = {}
    for number, row in enumerate(rows, 1):
        if row.result.void:
            continue
        then = versions.of_result(number)
        for bot in dict.fromkeys(row.bots):
            tallies.setdefault((bot, then.get(bot, 1)), Tally()).count(row)
    return [line for name in names for line in _lines(versions, name, tallies)]


def _lines(versions: Versions, name: str, tallies: dict[tuple[str, int], Tally]) -> Iterable[VersionLine]:
    first = {note.version: (since, note) for since, note in reversed(versions.of(name))}
    for version in sorted(first):
        since, note = first[version]
        yield VersionLine(
            bot=name,
            version=version,
            since=since,
            digest=note.identity.hash,
            announced=note.identity.announced,
            counts=versions.in_force[name] == version,
            **_results(tallies.get((name, version), Tally()), name),
        )


def _results(tally: Tally, name: str) -> dict[str, Any]:
    """Return the results of one bot of a tally, by the fields of a line."""
    own = next((line for line in tally.table() if line.name == name), None)
    fields = ("matches", "wins", "draws", "losses", "points", "percent")
    return {field: getattr(own, field) if own is not None else 0 for field in fields}


def ladder_history(noted: Sequence[tuple[int, LadderVersion]], rows: Sequence[Played]) -> list[VersionLine]:
    """Return the versions of the accounts of a ladder; there each version has a name of its own."""
    tally = Tally()
    counted = [row for row in rows if not row.result.void and is_rated(row.deal)]
    for row in counted:
        tally.count(row)
    played = {bot for row in counted for bot in row.bots}
    newest = {one.bot: one.kept_as for _, one in noted}
    # As in the table: until the newest has played, the one before it counts.
    newest |= {one.bot: one.kept_as for _, one in noted if one.kept_as in played}
    first: dict[str, tuple[int, LadderVersion]] = {}
    for since, one in noted:
        first.setdefault(one.kept_as, (since, one))
    found: dict[str, list[VersionLine]] = {}
    for name, (since, one) in first.items():
        lines = found.setdefault(one.bot, [])
        lines.append(
            VersionLine(
                bot=one.bot,
                version=len(lines) + 1,
                since=since,
                digest=one.program[:_DIGITS],
                announced=one.version,
                counts=newest[one.bot] == name,
                **_results(tally, name),
            )
        )
    return [line for lines in found.values() for line in lines]


def history_of(address: Address) -> list[VersionLine]:
    """Return the versions of all bots of the tournament or the ladder with this store."""
    try:
        with Store(address, write=False) as store:
            if of_ladder := ladder_versions_of(store):
                return ladder_history(of_ladder, store.all_played())
            versions = versions_of(store)
            return version_history(versions, store.all_played(), versions.bots())
    except NoResultsError:
        return []


def all_matches(address: Address) -> tuple[list[Played], dict[str, Mapping[str, int]]]:
    """Return all matches in the order of their commits, and by match the versions of its bots."""
    rows, versions = _stored(address)
    played = [row for row in rows if not row.result.void]
    return played, {row.match: versions.of_result(number) for number, row in enumerate(rows, 1)}


def _stored(address: Address) -> tuple[list[Played], Versions]:
    try:
        with Store(address, write=False) as store:
            return store.all_played(), versions_of(store)
    except NoResultsError:
        return [], Versions()
