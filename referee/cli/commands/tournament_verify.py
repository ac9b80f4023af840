"""`referee tournament verify`: whether results and replays are as they were written."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from referee.cli import examples
from referee.cli.options.common import json_option, part_option, subject_argument
from referee.cli.output.audit import AuditVerdict, check_heads, lost, places, play_again, show_verdict
from referee.cli.output.printer import show_json
from referee.errors import ConfigError
from referee.replay.hashchain import START
from referee.wording import clean, plural
from tournaments.audit.replays import audit_replay, evidence
from tournaments.audit.store_audit import audit_store
from tournaments.config.luck import origin_of
from tournaments.config.plan import Plan
from tournaments.config.store_address import Address
from tournaments.event_file import event_for_audit
from tournaments.pairing.schedule import counted, fixtures
from tournaments.store import ladders
from tournaments.store.store import is_there


@click.command(
    epilog=examples(
        "referee tournament verify spring.toml",
        "referee tournament verify spring.toml --head 5f0c... --json",
        "referee tournament verify spring.toml --replays-only",
        "referee tournament verify serve",
    )
)
@subject_argument
@click.option(
    "--head", "heads", metavar="HASH", multiple=True, help="A published head that must still be in the chain."
)
@part_option
@click.option("--replays-only", is_flag=True, help="Check only the replays.")
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
@json_option
@click.pass_context
def verify(
    ctx: click.Context,
    file: Path,
    heads: tuple[str, ...],
    part: str | None,
    replays_only: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find any change of the results and replays of the tournament in FILE.

    Every result is checked against the chain, the hash of its replay, the replay itself, which is played
    again by the rules, and FILE, which determines the pairings. FILE itself is checked against what was
    committed, if it names a beacon.

    All parts of an event of several tournaments are checked, or one --part. FILE may also be the folder of a
    ladder (`referee serve`), or its store.

    A head stands for all results up to it. If a head given with --head is still in the chain, no result that
    existed when it was published has been changed or removed.

    Exits with 1 if a change is found.
    """
    check_heads(heads)
    is_quiet = quiet or as_json
    ladder = ladders.find(file)
    if replays_only and ladder is not None:
        raise ConfigError(f"--replays-only is for tournaments; {file} is a ladder")
    if replays_only and heads:
        raise ConfigError("a head is looked for in the store: --head and --replays-only exclude each other")
    if ladder is not None:
        if part is not None:
            raise ConfigError(f"--part is for tournament files; {file} is a ladder")
        verdicts = {"": _of_store(ladder, ladder.parent, None, heads, is_quiet)}
    else:
        verdicts = _of_event(file, part, heads, is_quiet, replays_only=replays_only)
    _show(verdicts, with_results=not replays_only, as_json=as_json)
    ctx.exit(0 if all(verdict.ok for verdict in verdicts.values()) else 1)


def _show(verdicts: Mapping[str, AuditVerdict], *, with_results: bool, as_json: bool) -> None:
    """Print the verdict of a tournament or a ladder, or those of all parts of an event."""
    if list(verdicts) != [""]:
        if as_json:
            is_ok = all(verdict.ok for verdict in verdicts.values())
            show_json({"ok": is_ok, "parts": verdicts})
            return
        for name, verdict in verdicts.items():
            click.echo(clean(f"{name}:"))
            show_verdict(verdict, with_results=with_results)
    elif as_json:
        show_json(verdicts[""])
    else:
        show_verdict(verdicts[""], with_results=with_results)


def _of_event(
    file: Path, part: str | None, heads: Sequence[str], quiet: bool, *, replays_only: bool
) -> dict[str, AuditVerdict]:
    """Examine the tournaments of a file, by the names of their parts."""
    event = event_for_audit(file)
    plans = [event.plan_named(part)] if part else event.plans
    if heads and len(plans) > 1:
        raise ConfigError("--head: every part has a chain of its own; name the part with --part")
    found = {}
    for plan in plans:
        verdict = (
            _of_replays(plan, quiet)
            if replays_only
            else _of_store(plan.store, plan.replays, plan, heads, quiet)
        )
        flaws = (*event.flaws, *verdict.flaws)
        found[plan.part] = replace(verdict, ok=not flaws, flaws=flaws, luck=origin_of(plan))
    return found


def _of_store(
    address: Address, replays: Path, plan: Plan | None, heads: Sequence[str], quiet: bool
) -> AuditVerdict:
    """Examine a store, the replays of its results, and for a tournament what follows from its file."""
    store = audit_store(address, plan)
    found = evidence(replays, store.played)
    places_of = places(store, heads)
    flaws = [*store.flaws, *lost(places_of)]
    if found and not is_there(address):
        flaws.append(f"{address}: there is no store, but there are replays (--replays-only does without)")
    examined = play_again([partial(audit_replay, one, plan) for one in found], quiet=quiet)
    flaws += [one.flaw for one in examined if one.flaw]
    stray = [(one.path.name, by) for one, by in zip(found, examined, strict=True) if one.played is None]
    # A ladder keeps void matches too, so that every replay should have a result.
    missed = tuple(name for name, by in stray if not by.flaw and not (by.void and plan is not None))
    if missed and not store.played and not flaws:
        there = f"{plural(len(missed), 'replay')} of played matches"
        flaws.append(f"{address}: there is no result, but there are {there}")
    wanted = [] if plan is None else fixtures(store.plan or plan, store.played)
    counting = store.played if plan is None else counted(wanted, store.played)
    return AuditVerdict(
        ok=not flaws,
        results=store.head.results,
        head=store.head.hash,
        running=store.running,
        replays=len(found),
        stray=tuple(name for name, _ in stray),
        missed=missed,
        heads=places_of,
        flaws=tuple(flaws),
        left=0 if plan is None else len(wanted) - len(counting),
        uncounted=len(store.played) - len(counting),
    )


def _of_replays(plan: Plan, quiet: bool) -> AuditVerdict:
    """Examine the replays of a tournament alone."""
    found = evidence(plan.replays, ())
    examined = play_again([partial(audit_replay, one, plan) for one in found], quiet=quiet)
    flaws = tuple(one.flaw for one in examined if one.flaw)
    return AuditVerdict(
        ok=not flaws,
        results=0,
        head=START,
        running=False,
        replays=len(found),
        stray=(),
        missed=(),
        heads={},
        flaws=flaws,
    )
