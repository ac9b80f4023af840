"""The intake of an event: takes submissions one after the other, and puts each on record when it is tried."""

import errno
import fcntl
import os
import re
import tempfile
import unicodedata
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, Self

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import ConfigError, LaunchError
from referee.process import bundle
from referee.process.forkserver import Forkserver
from referee.process.sandbox.levels import insist
from referee.wording import clean, clean_lines
from tournaments.config.bot_names import fit_name, printable
from tournaments.config.entrants import Entrant
from tournaments.config.entry_record import (
    EntryRecord,
    Invitation,
    Submission,
    change_record,
    read_record,
    write_whole,
)
from tournaments.config.plan import Plan
from tournaments.entries.building import BuildFailedError, build
from tournaments.entries.copying import bring, digest_of
from tournaments.entries.lateness import waits_for
from tournaments.entries.leftovers import remove
from tournaments.entries.line_ends import cure
from tournaments.entries.recognition import Recipe, product_of, recognise
from tournaments.entries.smoke_test import smoke_test
from tournaments.entries.submission_error import SubmissionError
from tournaments.entries.submissions import Submitted

BOTS: Final = "bots"
LOGS: Final = "logs"
_UNFINISHED: Final = ".unfinished-"
_LOCK: Final = "intake.lock"
_MOST_WHY: Final = 400
_MOST_LANGUAGE: Final = 40

_OF_NAMES: Final = (errno.ENAMETOOLONG, errno.ELOOP)
"""Errors that a submission causes, and no trouble of this host."""

Stage = Literal["unpacking", "building", "testing"]
Report = Callable[[Stage, str], None]
"""Gets what is being done, and what a build prints meanwhile."""


class TakenIn(Struct, frozen=True):
    """A submission that was looked at."""

    submission: Submission
    is_new: bool
    """Whether it was tried now; otherwise it is on record already."""
    note: str = ""
    """What the organiser is to decide about it, in a sentence."""


class Intake:
    """Takes submissions for one event, as a context manager: one intake at a time has the folder of entries.

    What a killed intake left half made is removed by the next one.
    """

    def __init__(
        self,
        plans: Sequence[Plan],
        *,
        report: Report = lambda *_: None,
        waiting: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare; `waiting` is called if another intake must end first. Raises ConfigError.

        The plans are those of one tournament file, with the key `entries`.
        """
        entries = plans[0].entries
        assert entries is not None
        self._plans = plans
        self._plan = plans[0]
        self.entries = entries
        self._report = report
        self._waiting = waiting

    def __enter__(self) -> Self:
        insist(self._plan.level, self._plan.accept_gaps)
        try:
            for folder in (self.entries, self.entries / BOTS, self.entries / LOGS):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self.entries / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(f"cannot write to {self.entries}: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._waiting()
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._remove_unfinished()
        self._forkserver = Forkserver()
        return self

    def __exit__(self, *_: object) -> None:
        self._forkserver.close()
        os.close(self._lock)

    def _remove_unfinished(self) -> None:
        known = {name for one in read_record(self.entries).submissions for name in one.folder.split("/")}
        left = [path for path in (self.entries / BOTS).iterdir() if path.name not in known]
        for path in [*left, *self.entries.glob(f"{_UNFINISHED}*")]:
            remove(path)

    def take(self, submitted: Submitted, *, again: bool = False) -> TakenIn:
        """Unpack, build and test a submission, and put it on record; one that is there already stays.

        With `again` one that failed is tried once more. Raises ConfigError if the record cannot be written.
        """
        record = read_record(self.entries)
        try:
            digest, unreadable = digest_of(submitted), ""
        except SubmissionError as error:
            digest, unreadable = sha256(str(error).encode()).hexdigest(), str(error)
        same = [one for one in record.submissions if (one.source, one.digest) == (submitted.source, digest)]
        if same and not (again and same[-1].state == "failed"):
            return self._known(submitted, same[-1])
        number = same[-1].number if same else 1 + max((one.number for one in record.submissions), default=0)
        one = self._begun(submitted, record, number, digest)
        one = replace(one, state="failed", why=unreadable) if unreadable else self._tried(submitted, one)
        change_record(self.entries, lambda record: record.with_submission(one))
        settled = read_record(self.entries).submissions
        return TakenIn(next(other for other in settled if other.number == number), is_new=True)

    def _known(self, submitted: Submitted, one: Submission) -> TakenIn:
        """Return a submission that is on record, as that of the owner whom the roster now names."""
        authors = tuple(printable(author)[:200] for author in submitted.authors)
        owner = Invitation(submitted.owner, one.bot, authors, submitted.team)
        if not submitted.is_known or (owner.owner, owner.authors) == (one.owner, one.authors):
            return TakenIn(one, is_new=False)
        other = read_record(self.entries).bot_of(owner.owner)
        if other not in ("", one.bot):
            whose = f"of team {owner.team}" if owner.team else f"by {' & '.join(owner.authors)}"
            note = f"{one.bot} is {whose}, whose bot is {other}: leave out one of the two"
            return TakenIn(one, is_new=False, note=note)
        change_record(self.entries, lambda record: record.of_another_owner(one.owner, owner, submitted.ids))
        changed = replace(one, owner=owner.owner, ids=submitted.ids, team=owner.team, authors=owner.authors)
        return TakenIn(changed, is_new=False)

    def _begun(self, submitted: Submitted, record: EntryRecord, number: int, digest: str) -> Submission:
        """Return a submission with its name in the event, which its owner keeps."""
        own = record.bot_of(submitted.owner)
        bot = own or fit_name(submitted.title, {*self._plan.names, *record.names()})
        notes = list(submitted.notes)
        if bot != submitted.title and not own:
            is_taken = bot.startswith(f"{submitted.title}-")
            why = "another bot has that name or one like it" if is_taken else "the name was cleaned"
            notes.append(f"{clean(submitted.title)} is called {bot}: {why}")
        return Submission(
            number=number,
            owner=submitted.owner,
            bot=bot,
            source=submitted.source,
            digest=digest,
            received=submitted.received.isoformat(timespec="seconds"),
            state="entered",
            id=submitted.id,
            team=submitted.team,
            ids=submitted.ids,
            authors=tuple(printable(author)[:200] for author in submitted.authors),
            notes=tuple(notes),
        )

    def _tried(self, submitted: Submitted, one: Submission) -> Submission:
        """Return a submission as it was judged; its folder is there only if it is good."""
        trial = _Trial(self._plans, self._forkserver, self._report, one)
        try:
            return trial.run(submitted, self.entries)
        except SubmissionError as error:
            why = " ".join(clean(_without_paths(str(error), self.entries)).split())
            failed = replace(trial.one, state="failed", why=why[:_MOST_WHY], folder="", command=())
            trial.remove(self.entries)
            return failed
        except OSError as error:
            trial.remove(self.entries)
            if error.errno in _OF_NAMES:
                why = f"a name in it is too long, or a link leads in a circle: {error.strerror}"
                return replace(trial.one, state="failed", why=why, folder="", command=())
            raise ConfigError(
                f"{one.source}: cannot be taken in: {error.strerror or error} ({self.entries})"
            ) from error


class _Trial:
    """The way of one submission from its file to a bot that plays."""

    def __init__(
        self, plans: Sequence[Plan], forkserver: Forkserver, report: Report, one: Submission
    ) -> None:
        self.one = one
        self._plans = plans
        self._forkserver = forkserver
        self._report = report
        self._log: list[str] = []
        self._name = f"{one.number:04}-{_slug(one.bot)}"

    def run(self, submitted: Submitted, entries: Path) -> Submission:
        """Unpack, recognise, build, test; return the submission as it is entered. Raises SubmissionError."""
        log = entries / LOGS / f"{self._name}.txt"
        self.one = replace(self.one, log=str(log.relative_to(entries)))
        try:
            return self._run(submitted, entries)
        except SubmissionError as error:
            self._log.append(f"failed: {error}")
            raise
        finally:
            text = _without_paths("\n".join(self._log), entries)
            write_whole(log, ("\n".join(clean_lines(text)) + "\n").encode(errors="replace"))

    def _run(self, submitted: Submitted, entries: Path) -> Submission:
        work = entries / BOTS / self._name
        remove(work)
        self._unpack(submitted, entries, work)
        recipe = recognise(work)
        folder = work / recipe.folder
        self.one = replace(self.one, language=clean(recipe.language)[:_MOST_LANGUAGE])
        self._log.append(f"language: {self.one.language or 'as its bot.toml says'}")
        command = self._built(recipe, folder)
        self._settle(work, entries)
        inside = str(folder.relative_to(entries))
        self.one = replace(self.one, folder=inside, command=command)
        self._test(folder, command, entries)
        waits = waits_for(self._plans, submitted, self.one.bot)
        return replace(self.one, state="waiting" if waits else "entered", why=waits)

    def remove(self, entries: Path) -> None:
        """Remove everything but the log."""
        remove(entries / BOTS / self._name)

    def _unpack(self, submitted: Submitted, entries: Path, work: Path) -> None:
        self._report("unpacking", "")
        self._log.append(f"submitted: {submitted.source}")
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=entries) as staging:
            into = Path(staging) / "submitted"
            into.mkdir()
            contents = bring(submitted, into)
            if digest_of(submitted) != self.one.digest:
                raise SubmissionError("it was changed while it was read: the next intake tries it")
            if cured := cure(contents.root):
                notes = (*self.one.notes, f"Windows line ends were replaced in {', '.join(cured[:5])}")
                self.one = replace(self.one, notes=notes)
            self.one = replace(self.one, ignored=contents.ignored)
            os.rename(contents.root, work)
        self._log += [f"ignored: {clean(name)}" for name in contents.ignored]
        self._log += self.one.notes

    def _built(self, recipe: Recipe, folder: Path) -> tuple[str, ...]:
        """Build a bot, if it needs to be; return its command."""
        before = {path for path in folder.rglob("*") if path.is_file()}
        if recipe.build:
            level = self._plans[0].level
            where = "without a box, because level is trusted" if level == "trusted" else "in a box"
            self._report("building", f"{recipe.build}\n")
            self._log.append(f"build ({where}): {recipe.build}")
            try:
                output = build(
                    recipe, folder, level, self._forkserver, lambda text: self._report("building", text)
                )
            except BuildFailedError as error:
                self._log.append(error.output)
                raise
            self._log.append(output)
        command = product_of(recipe, folder, before if recipe.build else set())
        program = folder / command[0]
        if command[0].startswith("./") and program.is_file() and _is_inside(program, folder):
            program.chmod(0o755)
        self._log.append(f"command: {' '.join(command)}")
        return command

    def _settle(self, work: Path, entries: Path) -> None:
        """Put a copy of our own in place of the folder that a build could write to."""
        try:
            with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=entries) as staging:
                copied = Path(staging) / "copy"
                copied.mkdir(mode=0o755)
                bundle.copy(work, copied)
                os.rename(work, Path(staging) / "built")
                os.rename(copied, work)
        except LaunchError as error:
            raise SubmissionError(str(error).replace(f"{work}/", "")) from error

    def _test(self, folder: Path, command: tuple[str, ...], entries: Path) -> None:
        self._report("testing", "")
        newcomer = self._plans[0].newcomer
        bot: Entrant = replace(newcomer, name=self.one.bot, folder=folder, command=command)
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=entries) as store:
            found = smoke_test(bot, self._plans, self._forkserver, Path(store) / "bundles")
        self._log += ["test:", found.text]
        if found.why:
            raise SubmissionError(found.why)


def _without_paths(text: str, entries: Path) -> str:
    """Return a text for authors, who need not know where on this host their bots are."""
    return re.sub(rf"{re.escape(str(entries))}/(?:{BOTS}/[^/\s'\"]+/?)?", "", text)


def _is_inside(path: Path, folder: Path) -> bool:
    """Return whether a path is in a folder: a build may have made links, and they may lead anywhere."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "bot"
