"""The record of an event's entries: every submission there ever was, and which bots are left out.

It is one file in the folder of the entries, written whole, so the end of a process at any moment leaves the
record as it was before or after a change. Several processes may change it (the command, the site), one at a
time: they hold a lock that the kernel releases when they end.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.errors import ConfigError

RECORD: Final = "record.json"
LOCK: Final = "record.lock"
FORMAT: Final = 1

State = Literal["entered", "replaced", "failed", "waiting"]
"""It plays; a newer one of the same author or team plays; it does not play; the organiser is to decide."""


class Submission(Struct, frozen=True):
    """One submission, as it was judged."""

    number: int
    """From 1, in the order of taking in."""
    owner: str
    """What says that two submissions are of the same author or team."""
    bot: str
    """What the bot is called in the event."""
    source: str
    """The file or folder that was submitted, as the organiser knows it."""
    digest: str
    """The SHA-256 of what was submitted."""
    received: str
    """When it was submitted (UTC)."""
    state: State
    why: str = ""
    """Why it failed or waits, in one line."""
    id: str = ""
    """The author's id on the learning platform."""
    ids: tuple[str, ...] = ()
    """The ids of all its authors in the roster; empty if it is not known there."""
    team: str = ""
    authors: tuple[str, ...] = ()
    language: str = ""
    folder: str = ""
    """Where it runs, relative to the folder of the entries; empty if it failed."""
    command: tuple[str, ...] = ()
    log: str = ""
    """The log of build and test, relative to the folder of the entries."""
    ignored: tuple[str, ...] = ()
    """What was submitted and not copied."""
    notes: tuple[str, ...] = ()
    """What was changed in the copy, in sentences."""


class Invitation(Struct, frozen=True):
    """An author or team that was given a link to upload, and what its bot is called."""

    owner: str
    bot: str
    authors: tuple[str, ...] = ()
    team: str = ""


class EntryRecord(Struct, frozen=True):
    """Everything that is known of the entries of an event."""

    version: int = FORMAT
    invited: tuple[Invitation, ...] = ()
    submissions: tuple[Submission, ...] = ()
    left_out: tuple[str, ...] = ()
    """Bots that the organiser has left out, of submissions or of the tournament file."""

    def entered(self) -> list[Submission]:
        """Return the submissions that play, in the order in which their bots first came."""
        first: dict[str, int] = {}
        for one in self.submissions:
            first.setdefault(one.bot, one.number)
        there = [one for one in self.submissions if one.state == "entered" and one.bot not in self.left_out]
        return sorted(there, key=lambda one: first[one.bot])

    def of_bot(self, bot: str) -> list[Submission]:
        """Return the submissions of a bot, the oldest first."""
        return sorted((one for one in self.submissions if one.bot == bot), key=age)

    def standing(self, bot: str) -> Submission | None:
        """Return the submission that says how a bot stands: the newest that waits or plays, or the last."""
        own = self.of_bot(bot)
        good = [one for one in own if one.state in ("waiting", "entered")]
        return next(reversed(good or own), None)

    def bots(self) -> list[str]:
        """Return the names of all bots that were ever submitted."""
        return list(dict.fromkeys(one.bot for one in self.submissions))

    def names(self) -> list[str]:
        """Return all names that are taken: of bots that were submitted, and of those that will be."""
        return list(dict.fromkeys([*self.bots(), *(one.bot for one in self.invited), *self.left_out]))

    def bot_of(self, owner: str) -> str:
        """Return the name of an owner's bot; '' if the owner is not known yet."""
        submitted = [one.bot for one in self.submissions if one.owner == owner]
        return next(iter([*submitted, *(one.bot for one in self.invited if one.owner == owner)]), "")

    def invitation(self, bot: str) -> Invitation | None:
        """Return to whom a bot belongs: by its submissions, or by an invitation."""
        for one in reversed(self.of_bot(bot)):
            return Invitation(one.owner, bot, one.authors, one.team)
        return next((one for one in self.invited if one.bot == bot), None)

    def of_another_owner(self, before: str, owner: Invitation, ids: tuple[str, ...]) -> "EntryRecord":
        """Return the record in which the bot of one owner is another's, who has none; its name stays."""
        submissions = tuple(
            replace(one, owner=owner.owner, ids=ids, team=owner.team, authors=owner.authors)
            if one.owner == before
            else one
            for one in self.submissions
        )
        invited = tuple(replace(owner, bot=one.bot) if one.owner == before else one for one in self.invited)
        return replace(self, submissions=submissions, invited=invited)

    def with_submission(self, new: Submission) -> "EntryRecord":
        """Return the record with one submission more, or anew; the last good one of its owner plays."""
        others = [one for one in self.submissions if one.number != new.number]
        return replace(self, submissions=tuple(_settled([*others, new], new.owner)))


def age(one: Submission) -> tuple[str, int]:
    """Return by what submissions are ordered: when they were submitted."""
    return one.received, one.number


def _settled(submissions: Iterable[Submission], owner: str) -> list[Submission]:
    """Return submissions in order, of which the newest good one of an owner is entered and no other."""
    ordered = sorted(submissions, key=lambda one: one.number)
    good = [one for one in ordered if one.owner == owner and one.state in ("entered", "replaced")]
    last = max(good, key=age, default=None)
    return [
        one if one not in good else replace(one, state="entered" if one is last else "replaced")
        for one in ordered
    ]


def read_record(folder: Path | None) -> EntryRecord:
    """Return the record of a folder of entries; an empty one if there is none yet. Raises ConfigError."""
    if folder is None:
        return EntryRecord()
    path = folder / RECORD
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return EntryRecord()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    try:
        record = msgspec.json.decode(data, type=EntryRecord)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path} is not a record of entries: {error}; restore it from a copy") from error
    if record.version != FORMAT:
        raise ConfigError(f"{path} was written by another version of the referee (format {record.version})")
    return record


def change_record(folder: Path, change: Callable[[EntryRecord], EntryRecord]) -> EntryRecord:
    """Change the record of a folder of entries while no other process does, and return it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            record = change(read_record(folder))
            write_whole(folder / RECORD, msgspec.json.format(msgspec.json.encode(record)) + b"\n")
        finally:
            os.close(lock)
    except OSError as error:
        raise ConfigError(f"cannot write {folder / RECORD}: {error.strerror}") from error
    return record


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it has all of this or, if the process ends before, what it had."""
    made, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with open(made, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
