"""`referee tournament verify`: whether results and replays are as they were written."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.commands.tournament_show import json_option
from referee.cli.output.audit import AuditVerdict, check_heads, lost, places, play_again, tell
from referee.errors import ConfigError
from referee.server import daybook
from referee.wording import plural
from tournaments.audit.ladder import examine_proof, proofs
from tournaments.audit.tournament import Books, evidence, examine_replay, examine_store
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import counted, fixtures
from tournaments.store.seal import seal_path


@click.command(
    epilog=examples(
        "referee tournament verify spring.toml",
        "referee tournament verify spring.toml --head 5f0c... --json",
        "referee tournament verify spring.toml --replays-only",
        "referee tournament verify serve",
    )
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--head", "heads", metavar="HASH", multiple=True, help="A published head that must still be in the chain."
)
@click.option("--replays-only", is_flag=True, help="Check only the replays.")
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
@json_option
@click.pass_context
def verify(
    ctx: click.Context, file: Path, heads: tuple[str, ...], replays_only: bool, quiet: bool, as_json: bool
) -> None:
    """Find any change of the results and replays of the tournament in FILE.

    Every result is checked against the chain, the hash of its replay, the replay itself, which is played
    again by the rules, and FILE, which determines the pairings. The store's file is compared with its seal,
    if it was closed normally.

    FILE may also be the folder of a ladder (`referee serve`), whose chain is in results.jsonl.

    A head stands for all results up to it. If a head given with --head is still in the chain, no result that
    existed when it was published has been changed or removed.

    Exits with 1 if a change is found.
    """
    check_heads(heads)
    is_quiet = quiet or as_json
    if file.is_dir():
        if replays_only:
            raise ConfigError(f"--replays-only is for tournaments; {file} is a folder")
        verdict, about = _of_ladder(file, heads, is_quiet)
    elif replays_only:
        if heads:
            raise ConfigError(
                "a head is looked for in the store: --head and --replays-only exclude each other"
            )
        verdict, about = _of_replays(load(file), is_quiet), []
    else:
        verdict, about = _of_tournament(load(file), heads, is_quiet)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(verdict)))
    else:
        tell(verdict, about, with_results=not replays_only)
    ctx.exit(0 if verdict.ok else 1)


def _of_tournament(plan: Plan, heads: Sequence[str], quiet: bool) -> tuple[AuditVerdict, list[str]]:
    """Check store and replays against the file."""
    books = examine_store(plan)
    found = evidence(plan.replays, books.played)
    places_of = places(books.links, heads)
    flaws = [*books.flaws, *lost(places_of)]
    if found and not plan.store.exists():
        flaws.append(f"{plan.store}: there is no store, but there are replays (--replays-only does without)")
    examined = play_again([partial(examine_replay, plan, *one) for one in found], quiet=quiet)
    flaws += [one.flaw for one in examined if one.flaw]
    wanted = fixtures(plan, books.played)
    counting = counted(wanted, books.played)
    stray = [(one.path.name, by) for one, by in zip(found, examined, strict=True) if one.played is None]
    missed = tuple(name for name, by in stray if not by.void and not by.flaw)
    if missed and not books.played and not flaws:
        there = f"{plural(len(missed), 'replay')} of played matches"
        flaws.append(f"{plan.store}: there is no result, but there are {there}")
    verdict = AuditVerdict(
        ok=not flaws,
        results=books.head.results,
        head=books.head.hash,
        running=books.running,
        replays=len(found),
        unhashed=sum(not one.digest for one in books.played),
        stray=tuple(name for name, _ in stray),
        missed=missed,
        heads=places_of,
        flaws=tuple(flaws),
        sealed=books.sealed,
        left=len(wanted) - len(counting),
        uncounted=len(books.played) - len(counting),
    )
    return verdict, _about_seal(plan, books)


def _about_seal(plan: Plan, books: Books) -> list[str]:
    if books.running or books.sealed or not books.played:
        return []
    return [
        f"There is no {seal_path(plan.store).name}, as after a crash: all rows of the store were checked, "
        "but not its unused bytes. The next run seals it."
    ]


def _of_replays(plan: Plan, quiet: bool) -> AuditVerdict:
    """Check only the replays of a tournament."""
    found = evidence(plan.replays, ())
    examined = play_again([partial(examine_replay, plan, *one) for one in found], quiet=quiet)
    flaws = tuple(one.flaw for one in examined if one.flaw)
    nothing = Books()
    return AuditVerdict(
        ok=not flaws,
        results=0,
        head=nothing.head.hash,
        running=False,
        replays=len(found),
        unhashed=0,
        stray=(),
        missed=(),
        heads={},
        flaws=flaws,
    )


def _of_ladder(folder: Path, heads: Sequence[str], quiet: bool) -> tuple[AuditVerdict, list[str]]:
    """Check the results and the replays of a ladder."""
    path = folder / daybook.RESULTS
    if not path.exists():
        raise ConfigError(
            f"{folder} is neither a tournament file nor the folder of a ladder: it has no {path.name}"
        )
    running = daybook.is_open(path)
    pages = daybook.read(path)
    found = proofs(folder, pages.rows)
    places_of = places(pages.links, heads)
    examined = play_again([partial(examine_proof, one) for one in found], quiet=quiet)
    flaws = [*pages.flaws, *lost(places_of), *(one.flaw for one in examined if one.flaw)]
    missed = tuple(
        one.path.name for one, by in zip(found, examined, strict=True) if one.row is None and not by.flaw
    )
    verdict = AuditVerdict(
        ok=not flaws,
        results=pages.head.results,
        head=pages.head.hash,
        running=running,
        replays=len(found),
        unhashed=sum(not row.chain for row in pages.rows),
        stray=tuple(one.path.name for one in found if one.row is None),
        missed=missed,
        heads=places_of,
        flaws=tuple(flaws),
    )
    torn = f"{path}: the last line is cut off, as after a crash; it was never reported, and the next daemon "
    torn += "drops it."
    return verdict, [torn] if pages.is_torn and not pages.flaws and not running else []
