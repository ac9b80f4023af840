"""Print what an intake did: a line while each submission is tried, and the table of all at the end."""

import sys
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

import click

from referee.cli.output.printer import show_table
from referee.wording import clean, plural
from tournaments.config.entry_record import EntryRecord, Submission
from tournaments.config.plan import Plan
from tournaments.entries.intake import Stage, TakenIn
from tournaments.entries.submissions import NOT_IN_ROSTER, FoundSubmissions, Submitted

_WIDTH = 79


class EntryProgress:
    """Shows on a terminal which submission is being tried; a log has the table at the end."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._name = ""
        self._is_shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._show("")

    def wait(self) -> None:
        """Say that another intake has the folder."""
        click.echo("waiting for another intake of this event to end", err=True)

    def begin(self, submitted: Submitted) -> None:
        """Take note of the next submission."""
        self._done += 1
        self._name = clean(submitted.source)
        self._show(f"{self._done}/{self._total} {self._name}")

    def report(self, stage: Stage, _text: str) -> None:
        """Take note of what is being done with it."""
        self._show(f"{self._done}/{self._total} {self._name}: {stage}")

    def interrupted(self, done: int) -> None:
        """Say what is kept, and how it goes on."""
        are = "is" if done == 1 else "are"
        kept = f"{done} of {plural(self._total, 'submission')} {are} on record"
        click.echo(f"{kept}; the same command takes in the rest", err=True)

    def _show(self, line: str) -> None:
        if self._is_shown:
            click.echo(f"\r\x1b[K{line[:_WIDTH]}", nl=False, err=True)


def show_taken(taken: Sequence[TakenIn], found: FoundSubmissions, record: EntryRecord, plan: Plan) -> None:
    """Print the table of an intake: what is entered and what is not, why, and what was ignored."""
    new = [one.submission for one in taken if one.is_new]
    known = [one.submission for one in taken if not one.is_new]
    if not taken:
        click.echo("there are no submissions in this folder")
    if new:
        show_table(("bot", "state", "language", "submitted (UTC)"), _rows(new, record), aligned_in_pipes=True)
    _show_reasons([one for one in new if one.state in ("failed", "waiting")], plan)
    _show_notes(new)
    for note in filter(None, (one.note for one in taken)):
        click.echo(f"note: {clean(note)}")
    if found.receipts:
        click.echo(f"ignored: {plural(found.receipts, 'receipt')} of the learning platform")
    if found.ignored:
        click.echo(f"ignored: {clean(_some(found.ignored))}")
    if found.missing:
        click.echo(f"nothing was submitted by: {clean(_some(found.missing, 12))}")
    unstamped = [one for one in found.submissions if not (one.is_stamped or one.is_late)]
    if plan.deadline is not None and unstamped:
        click.echo(
            f"note: {plural(len(unstamped), 'submission')} had no time stamp: the deadline was not applied"
        )
    if known:
        _show_known(known, record, plan)
    _show_sum(record, plan)


def _show_known(known: Sequence[Submission], record: EntryRecord, plan: Plan) -> None:
    """Print how many submissions were not tried again, and that some of their bots do not play."""
    words = [f"{plural(len(known), 'submission')} on record already: not tried again"]
    playing = {*record.left_out, *(one.bot for one in record.submissions if one.state != "failed")}
    if failed := {one.bot for one in known} - playing:
        are = "is" if len(failed) == 1 else "are"
        words.append(
            f"{plural(len(failed), 'bot')} of them {are} not entered "
            f"(`referee entries list {plan.file.name}` says why)"
        )
    click.echo(clean("; ".join(words)))


def _show_notes(new: Sequence[Submission]) -> None:
    """Print what there is to say of single submissions; strangers to the roster in one line."""
    strangers = [one.bot for one in new if any(note.endswith(NOT_IN_ROSTER) for note in one.notes)]
    if strangers:
        click.echo(f"note: not in the roster: {clean(_some(strangers, 12))}")
    for one in new:
        for note in one.notes:
            if not note.endswith(NOT_IN_ROSTER):
                click.echo(f"note: {clean(one.bot)}: {clean(note)}")
        if one.ignored:
            click.echo(f"ignored: {clean(one.bot)}: {clean(_some(one.ignored))}")


def show_entries(record: EntryRecord, plan: Plan, *, every: bool) -> None:
    """Print the bots of a record: of each the submission that counts, or every submission."""
    standing = [record.standing(bot) for bot in record.bots()]
    shown = list(record.submissions) if every else [one for one in standing if one is not None]
    if shown:
        show_table(
            ("bot", "state", "language", "submitted (UTC)"), _rows(shown, record), aligned_in_pipes=True
        )
    _show_reasons([one for one in shown if one.state in ("failed", "waiting")], plan)
    others = [bot for bot in record.left_out if bot not in record.bots()]
    for bot in others:
        click.echo(f"{clean(bot)}, a bot of {plan.file.name}, is left out")
    _show_sum(record, plan)


def _state_words(one: Submission, record: EntryRecord) -> str:
    """Return how a submission stands, for people."""
    if one.bot in record.left_out:
        return "left out"
    plays = any(other.bot == one.bot and other.state == "entered" for other in record.submissions)
    if one.state == "waiting" and plays:
        return "waiting, an earlier one plays"
    return {"failed": "NOT entered", "waiting": "waiting"}.get(one.state, one.state)


def _rows(submissions: Iterable[Submission], record: EntryRecord) -> list[tuple[str, str, str, str]]:
    return [
        (one.bot, _state_words(one, record), one.language or "-", one.received[:16].replace("T", " "))
        for one in submissions
    ]


def _show_reasons(submissions: Sequence[Submission], plan: Plan) -> None:
    for one in submissions:
        word = "waits" if one.state == "waiting" else "not entered"
        click.echo(f"{word}: {clean(one.bot)}: {clean(one.why)}")
        if one.state == "failed" and one.log and plan.entries is not None:
            click.echo(f"    the whole log: {clean(_short(plan, one.log))}")


def _short(plan: Plan, log: str) -> str:
    """Return the path of a log, as it is reached from the folder of the tournament file if it is there."""
    assert plan.entries is not None
    path = plan.entries / log
    return str(path.relative_to(plan.file.parent) if path.is_relative_to(plan.file.parent) else path)


def _show_sum(record: EntryRecord, plan: Plan) -> None:
    entered, waiting = record.entered(), [one for one in record.submissions if one.state == "waiting"]
    words = [f"{plural(len(entered), 'bot')} of submissions entered in {plan.file.name}"]
    if waiting:
        words.append(f"{len(waiting)} waiting (`referee entries approve {plan.file.name} BOT`)")
    if record.left_out:
        words.append(f"{len(record.left_out)} left out")
    click.echo(clean("; ".join(words)))


def _some(names: Sequence[str], most: int = 6) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
