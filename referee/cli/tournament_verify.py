"""`referee tournament verify`: whether results and replays are as they were written."""

import re
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.output import clean, plural
from referee.cli.progress import Progress
from referee.cli.report import in_matches
from referee.cli.tournament_show import file_argument, json_option
from referee.errors import ConfigError
from tournaments.audit import Books, Evidence, Examined, evidence, examine_replay, examine_store
from tournaments.plan import Plan, load
from tournaments.runner import counted
from tournaments.schedule import fixtures
from tournaments.seal import seal_path

_MOST_NAMED = 5


class Verdict(msgspec.Struct, frozen=True):
    """What an audit has found."""

    ok: bool
    results: int
    head: str
    sealed: bool
    """Whether every byte of the store's file was checked, and not only what is read from it."""
    running: bool
    replays: int
    """Replays that were played again by the rules."""
    unhashed: int
    """Results of a time when replays were not hashed: only the rules could be asked about these."""
    stray: tuple[str, ...]
    """Replays of no result: of void matches, and those that are missed."""
    missed: tuple[str, ...]
    """Replays of matches that came to a verdict, of which there is no result."""
    left: int
    """Matches of the tournament file of which there is no result, as far as they are known."""
    uncounted: int
    """Results that do not count for the tournament file as it is now: of bots that were taken out of it."""
    heads: dict[str, int | None]
    """How many results each head that was asked about stood for; null: it is not in the chain."""
    flaws: tuple[str, ...]


@click.command(
    epilog=examples(
        "referee tournament verify spring.toml",
        "referee tournament verify spring.toml --head 5f0c... --json",
        "referee tournament verify spring.toml --replays-only",
    )
)
@file_argument
@click.option("--head", "heads", metavar="HASH", multiple=True, help="A head you wrote down: is it there?")
@click.option("--replays-only", is_flag=True, help="Do without the store.")
@click.option("--quiet", "-q", is_flag=True, help="Do not tell how far it is.")
@json_option
@click.pass_context
def verify(
    ctx: click.Context, file: Path, heads: tuple[str, ...], replays_only: bool, quiet: bool, as_json: bool
) -> None:
    """Look for any change of the results and replays of the tournament in FILE.

    Every result is checked against the chain, the hash of its replay, the replay itself, which is played
    again by the rules, and FILE, which says who plays whom. The store's file is compared with its seal, if it
    was closed in good order.

    A head stands for all results up to it. With --head it must still be in the chain: then nothing that was
    there when you wrote it down has been changed or taken out.

    Exits with 1 if anything is not as it was written.
    """
    plan = load(file)
    _check_heads(heads, replays_only)
    books = Books() if replays_only else examine_store(plan)
    found = evidence(plan.replays, books.played)
    flaws = [*books.flaws, *_lost_heads(books, heads)]
    if not replays_only and found and not plan.store.exists():
        flaws.append(f"{plan.store}: there is no store, but there are replays (--replays-only does without)")
    examined = _play_again(plan, found, quiet=quiet or as_json)
    flaws += [one.flaw for one in examined if one.flaw]
    counting = counted(plan, books.played)
    stray = [
        (path.name, one)
        for (path, played), one in zip(found, examined, strict=True)
        if played is None and not replays_only
    ]
    missed = tuple(name for name, one in stray if not one.void and not one.flaw)
    if missed and not books.played and not flaws:
        flaws.append(
            f"{plan.store}: there is no result, but there are {len(missed)} replays of played matches"
        )
    verdict = Verdict(
        ok=not flaws,
        results=books.head.results,
        head=books.head.hash,
        sealed=books.sealed,
        running=books.running,
        replays=len(found),
        unhashed=sum(not one.digest for one in books.played),
        stray=tuple(name for name, _ in stray),
        missed=missed,
        left=len(fixtures(plan, books.played)) - len(counting),
        uncounted=len(books.played) - len(counting),
        heads={head: books.position(head) for head in heads},
        flaws=tuple(flaws),
    )
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(verdict)))
    else:
        _tell(verdict, plan.store, replays_only)
    ctx.exit(0 if verdict.ok else 1)


def _check_heads(heads: Sequence[str], replays_only: bool) -> None:
    if heads and replays_only:
        raise ConfigError("a head is looked for in the store: --head and --replays-only exclude each other")
    for head in heads:
        if not re.fullmatch("[0-9a-f]{64}", head):
            raise ConfigError(f"{head!r} is no head: a head is 64 hex digits, as `run` and `verify` print it")


def _lost_heads(books: Books, heads: Sequence[str]) -> list[str]:
    return [
        f"the head {head} is not in the chain: results up to it were changed or taken out"
        for head in heads
        if books.position(head) is None
    ]


def _play_again(plan: Plan, found: Sequence[Evidence], *, quiet: bool) -> list[Examined]:
    examined = []
    with Progress(len(found), quiet=quiet) as progress:
        for path, played in found:
            examined.append(examine_replay(plan, path, played))
            progress.done("")
    return examined


def _tell(verdict: Verdict, store: Path, replays_only: bool) -> None:
    for flaw in verdict.flaws:
        click.echo(f"not OK  {clean(flaw)}")
    for head, position in verdict.heads.items():
        if position is not None:
            since = verdict.results - position
            click.echo(f"head {head} stood for {plural(position, 'result')}; {since} came since")
    if not replays_only:
        for line in _about_store(verdict, store):
            click.echo(line)
    if verdict.ok:
        what = "" if replays_only else f"{plural(verdict.results, 'result')}, "
        click.echo(f"OK  {what}{plural(verdict.replays, 'replay')} played again")
    if not replays_only:
        click.echo(f"head {verdict.head}")


def _about_store(verdict: Verdict, store: Path) -> list[str]:
    """Return what a reader must know to value the verdict."""
    said = []
    if verdict.running:
        said.append("It is being played: what is committed by now was checked.")
    elif verdict.results and not verdict.sealed:
        said.append(
            f"There is no {clean(seal_path(store).name)}, as after a crash: all that is read from the store "
            "was checked, but not its unused bytes. The next run seals it."
        )
    if verdict.unhashed:
        said.append(f"{plural(verdict.unhashed, 'result')} of an older version: no hashes of their replays.")
    if others := len(verdict.stray) - len(verdict.missed):
        said.append(f"{plural(others, 'replay')} of no result: void.")
    if verdict.missed and verdict.results:
        said.append(_about_missed(verdict))
    if verdict.uncounted:
        said.append(f"{plural(verdict.uncounted, 'result')} that do not count for the file as it is now.")
    if verdict.results and verdict.left:
        said.append(f"{in_matches(verdict.left)} of the file without a result.")
    return said


def _about_missed(verdict: Verdict) -> str:
    """Tell of replays that should have a result."""
    few = ", ".join(clean(name) for name in verdict.missed[:_MOST_NAMED])
    names = few if len(verdict.missed) <= _MOST_NAMED else f"{few}, ..."
    why = (
        "they may be committed by now"
        if verdict.running
        else "a run was killed before they were committed, or results were taken out at the end; a head that "
        "was written down tells which (--head)"
    )
    return f"{plural(len(verdict.missed), 'replay')} of played matches without a result ({names}): {why}."
