"""The versions of bots: a bot is a name and what was submitted under it.

A store notes a version when it comes into force: the name of the bot, the number of the version, and what the
program is known by. Numbers begin with 1. A program that was there before is its old version again, so that
its results count again. A ladder may note what a remote bot announces in place of what its program is.

What was added, changed or given back between two notes cannot be mixed up: all results after a note, up to
the next one for the bot, are those of its version.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from tournaments.store.errors import StoreError
from tournaments.store.store import Store

NOTE: Final = "version"
"""The name of the store's notes."""

_DIGITS: Final = 12
"""Hexadecimal digits of a hash that people read."""


class Identity(Struct, frozen=True):
    """What a program is known by. No part of it depends on where the event or its interpreters are."""

    command: str = ""
    """As the tournament file has it; '' for a submission."""
    digest: str = ""
    """Of what was submitted, or of the bundle; '' for a trusted bot, of which some files are known."""
    files: dict[str, str] = {}
    """SHA-256 by path in the folder of the bot."""
    announced: str = ""
    """The version that a remote bot claims to be."""

    def is_same(self, other: "Identity") -> bool:
        """Return whether two programs are the same, as far as both are known.

        Of trusted bots only files that both knew are compared: where bots share a folder, files come and go.
        """
        if Identity() in (self, other):
            # A program that does not start is known by nothing: none that is known is the same.
            return self == other
        if (self.command, self.announced) != (other.command, other.announced):
            return False
        if self.digest and other.digest:
            return self.digest == other.digest
        shared = self.files.keys() & other.files.keys()
        return all(self.files[path] == other.files[path] for path in shared)

    @property
    def hash(self) -> str:
        """The beginning of a hash for people, from which no file can be found; '' if no file is known."""
        parts = [self.digest] if self.digest else sorted(filter(None, self.files.values()))
        return sha256("\n".join(parts).encode()).hexdigest()[:_DIGITS] if any(parts) else ""


class VersionNote(Struct, frozen=True):
    """A version that comes into force."""

    bot: str
    version: int
    identity: Identity = Identity()


class Versions:
    """The versions of all bots of a store, as its notes say."""

    def __init__(self, noted: Iterable[tuple[int, VersionNote]] = ()) -> None:
        """Take the notes, the oldest first, each with the number of results before it."""
        self.noted = list(noted)
        self._since: list[int] = [0]
        self._states: list[dict[str, int]] = [{}]
        for since, note in self.noted:
            state = self._states[-1] | {note.bot: note.version}
            if since == self._since[-1]:
                self._states[-1] = state
            else:
                self._since.append(since)
                self._states.append(state)

    @property
    def in_force(self) -> dict[str, int]:
        """The version of every bot that counts now."""
        return self._states[-1]

    @property
    def programs(self) -> dict[str, str]:
        """By bot the hash of the program that is in force, for people, if any file of it is known."""
        last = {note.bot: note.identity.hash for _, note in self.noted}
        return {bot: program for bot, program in last.items() if program}

    def of_result(self, number: int) -> Mapping[str, int]:
        """Return the versions that were in force when a result was committed; the first result is 1."""
        return self._states[bisect_right(self._since, number - 1) - 1]

    def of(self, bot: str) -> list[tuple[int, VersionNote]]:
        """Return the versions of a bot in the order in which they came into force, each with its moment."""
        return [(since, note) for since, note in self.noted if note.bot == bot]

    def bots(self) -> list[str]:
        """Return the bots that have a version, in the order of their first notes."""
        return list(dict.fromkeys(note.bot for _, note in self.noted))

    def number(self, bot: str, identity: Identity) -> int:
        """Return the number of a program: that of the same program before, or the next one."""
        known = [note for _, note in self.of(bot)]
        same = [note.version for note in reversed(known) if note.identity.is_same(identity)]
        return same[0] if same else 1 + max((note.version for note in known), default=0)


def versions_of(store: Store) -> Versions:
    """Return the versions that a store has noted."""
    try:
        return read_versions(store.noted_after(NOTE))
    except ValueError as error:
        raise StoreError(f"{store.address}: the note of a version is not as it was written") from error


def read_versions(noted: Iterable[tuple[int, str]]) -> Versions:
    """Return the versions of notes; raises ValueError for a text that is none."""
    return Versions((since, msgspec.json.decode(text, type=VersionNote)) for since, text in noted)


def version_note(bot: str, version: int, identity: Identity) -> tuple[str, str]:
    """Return the note by which a version comes into force: all later results of this name are its own."""
    return NOTE, msgspec.json.encode(VersionNote(bot, version, identity)).decode()
