"""The verdict of an audit, and how it is printed."""

import re
from collections.abc import Callable, Sequence

import click
import msgspec

from referee.cli.output.progress import Progress
from referee.errors import ConfigError
from referee.wording import clean, plural
from tournaments.audit.replays import ReplayAudit
from tournaments.audit.store_audit import StoreAudit
from tournaments.config.luck import LuckOrigin

_MOST_NAMED = 5
"""The largest number of files that a sentence names."""


class AuditVerdict(msgspec.Struct, frozen=True):
    """The findings of an audit."""

    ok: bool
    results: int
    head: str
    running: bool
    """Whether results were being added during the audit."""
    replays: int
    """Replays that were played again by the rules."""
    stray: tuple[str, ...]
    """Replays without a result: of void matches, and those in `missed`."""
    missed: tuple[str, ...]
    """Replays of finished matches without a result."""
    heads: dict[str, int | None]
    """How many results each head of `--head` stood for; null: it is not in the chain."""
    flaws: tuple[str, ...]
    left: int = 0
    """Matches of the tournament file without a result, as far as the pairings are known."""
    uncounted: int = 0
    """Results that do not count for the present tournament file: of bots that were removed from it, or
    of earlier versions of bots."""
    luck: LuckOrigin | None = None
    """Where the luck of a tournament comes from."""


def check_heads(heads: Sequence[str]) -> None:
    """Raise ConfigError for a text that is no head."""
    for head in heads:
        if not re.fullmatch("[0-9a-f]{64}", head):
            raise ConfigError(f"{head!r} is no head: a head is 64 hex digits, as `run` and `verify` print it")


def places(store: StoreAudit, heads: Sequence[str]) -> dict[str, int | None]:
    """Return how many results each head stood for; None: it is not in the chain."""
    return {head: store.results_at(head) for head in heads}


def lost(heads: dict[str, int | None]) -> list[str]:
    """Describe the heads that are not in the chain."""
    return [
        f"the head {head} is not in the chain: results up to it were changed or removed"
        for head, place in heads.items()
        if place is None
    ]


def play_again(replays: Sequence[Callable[[], ReplayAudit]], *, quiet: bool) -> list[ReplayAudit]:
    """Examine replays, one after the other, and print the progress."""
    examined = []
    with Progress(len(replays), quiet=quiet) as progress:
        for examine in replays:
            examined.append(examine())
            progress.done("")
    return examined


def show_verdict(verdict: AuditVerdict, *, with_results: bool = True) -> None:
    """Print a verdict for people, with remarks about what was checked."""
    for flaw in verdict.flaws:
        click.echo(f"not OK  {clean(flaw)}")
    for head, place in verdict.heads.items():
        if place is not None:
            since = verdict.results - place
            click.echo(f"head {head} stood for {plural(place, 'result')}; {since} came since")
    for line in _about(verdict) if with_results else []:
        click.echo(clean(line))
    if verdict.ok:
        what = f"{plural(verdict.results, 'result')}, " if with_results else ""
        click.echo(f"OK  {what}{plural(verdict.replays, 'replay')} played again")
    if with_results:
        click.echo(f"head {verdict.head}")
    if verdict.luck is not None and verdict.luck.commitment is not None:
        click.echo(f"commitment {verdict.luck.commitment}")


def _about(verdict: AuditVerdict) -> list[str]:
    said = []
    if verdict.running:
        said.append("It is being played: the results committed so far were checked.")
    if others := len(verdict.stray) - len(verdict.missed):
        said.append(f"{plural(others, 'replay')} of no result: void.")
    if verdict.missed and verdict.results:
        said.append(_about_missed(verdict))
    if verdict.uncounted:
        said.append(f"{plural(verdict.uncounted, 'result')} not counted for the present file.")
    if verdict.results and verdict.left:
        said.append(f"{plural(verdict.left, 'match')} of the file without a result.")
    return said


def _about_missed(verdict: AuditVerdict) -> str:
    """Describe replays that should have a result."""
    few = ", ".join(verdict.missed[:_MOST_NAMED])
    names = few if len(verdict.missed) <= _MOST_NAMED else f"{few}, ..."
    why = (
        "they may be committed by now"
        if verdict.running
        else "a run was killed before they were committed, or results were removed at the end; a published "
        "head shows which (--head)"
    )
    return f"{plural(len(verdict.missed), 'replay')} of played matches without a result ({names}): {why}."
