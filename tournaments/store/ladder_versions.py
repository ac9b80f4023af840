"""Versions of the bots of a ladder: each is rated by itself, under a name of its own.

An account is a name; a version of it is what its author calls so, or another program. The first one is kept
under the name of the account, or `alice@1.4` if it has a version; another program without a version becomes
`alice@2`. A row of the store has the version as its bot, and the account as the name in its result, so
matches of versions are never mixed. A chained note says when a version first came, with the kit and the hash
of the program, if `referee join` has sent one. A bot without version and hash goes on with the newest
version: its program may have changed, and the note says so by an empty hash.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Final, Self

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.gate.records import Greeted
from tournaments.results import Played
from tournaments.store.store import Store

NOTE: Final = "ladder version"
"""The name of the store's notes."""

MOST_VERSIONS: Final = 50
"""Of one account. More programs go on under the last version: ratings of countless versions cost time."""


class LadderVersion(Struct, frozen=True):
    """What an account has played with from some moment on."""

    bot: str
    """The account."""
    kept_as: str
    """The name of the version in the rows of the store."""
    version: str
    """As its author counts; may be empty."""
    program: str
    """The hash of its program; '' if it is not known: then the program may have changed."""
    kit: str
    at: str
    """When it came (UTC)."""

    @property
    def facts(self) -> tuple[str, str, str, str]:
        """All but account and time."""
        return self.kept_as, self.version, self.program, self.kit


def ladder_versions_of(store: Store) -> list[tuple[int, LadderVersion]]:
    """Return the versions of a ladder, the oldest first, each with the number of results before it."""
    return [
        (results, msgspec.json.decode(text, type=LadderVersion)) for results, text in store.noted_after(NOTE)
    ]


def kept_as(
    known: Sequence[LadderVersion], taken: Iterable[str], bot: str, version: str, program: str
) -> str:
    """Return under which name the matches of a version are kept.

    `known` are the versions of this account so far, `taken` the names of all versions of all accounts.
    """
    alike = [one for one in known if one.version == version]
    if not program:
        # It cannot be seen whether this is another program: the author's word counts.
        found = alike if version else known
    else:
        unseen = {one.kept_as for one in alike} - {one.kept_as for one in known if one.program}
        found = (
            [one for one in alike if one.program == program]
            # Its author has only not said the version again.
            or [one for one in known if not version and one.program == program]
            or [one for one in alike if one.kept_as in unseen]
        )
    if found:
        return found[-1].kept_as
    if known and len({one.kept_as for one in known}) >= MOST_VERSIONS:
        return known[-1].kept_as
    return _new_name(bot, version, {one.kept_as for one in known}, set(taken))


def _new_name(bot: str, version: str, own: set[str], taken: set[str]) -> str:
    base = f"{bot}@{version}" if version else bot
    if base not in taken and (version or not own):
        return base
    joint = "-" if version else "@"
    return next(name for n in range(2, len(taken) + 3) if (name := f"{base}{joint}{n}") not in taken)


class VersionRegister:
    """The versions of a ladder that is being played; a context manager.

    Notes are written in a thread: a disk that stands still must not keep the hub from its clocks.
    """

    def __init__(self, store: Store) -> None:
        self.trouble = ""
        """Why a version could not be noted; '' if all were."""
        self._store = store
        self._known: dict[str, list[LadderVersion]] = {}
        for _, one in ladder_versions_of(store):
            self._known.setdefault(one.bot, []).append(one)
        self._taken = {one.kept_as for known in self._known.values() for one in known}
        self._writer = ThreadPoolExecutor(max_workers=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.shutdown()

    def identify(self, bot: str, hello: Greeted) -> str:
        """Return under which name the matches of a bot that has come are kept, and note it if it is news."""
        known = self._known.setdefault(bot, [])
        name = kept_as(known, self._taken, bot, hello.version, hello.program)
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        version = LadderVersion(bot, name, hello.version, hello.program, hello.kit, moment)
        if not known or known[-1].facts != version.facts:
            known.append(version)
            self._taken.add(name)
            self._writer.submit(self._note, version)
        return name

    def all(self) -> list[LadderVersion]:
        """Return all versions, those of an account in the order in which they came."""
        return [one for known in self._known.values() for one in known]

    def _note(self, version: LadderVersion) -> None:
        try:
            self._store.note(NOTE, msgspec.json.encode(version).decode())
        except RefereeError as error:
            self.trouble = str(error)


def accounts_of(rows: Iterable[Played]) -> dict[str, str]:
    """Return by version the account that it is of, as the rows of a ladder say."""
    return {version: name for row in rows for version, name in zip(row.bots, row.result.names, strict=True)}


def earlier_versions(rows: Sequence[Played], versions: Iterable[LadderVersion]) -> tuple[str, ...]:
    """Return the versions that are not the newest of their account, among those that have played.

    The newest is the one that came last; it may have no match yet, and then the one before it is shown.
    """
    accounts = accounts_of(rows)
    newest = {account: version for version, account in accounts.items()}
    newest |= {one.bot: one.kept_as for one in versions if one.kept_as in accounts}
    return tuple(version for version, account in accounts.items() if newest[account] != version)
