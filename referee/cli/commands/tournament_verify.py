"""`referee tournament verify`: whether results and replays are as they were written."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from referee.cli import examples
from referee.cli.options.common import json_option, subject_argument
from referee.cli.output.audit import AuditVerdict, check_heads, lost, places, play_again, show_verdict
from referee.cli.output.printer import show_json
from referee.errors import ConfigError
from referee.replay.hashchain import START
from referee.wording import plural
from tournaments.audit.replays import audit_replay, evidence
from tournaments.audit.store_audit import audit_store
from tournaments.config.luck import origin_of
from tournaments.config.plan import Plan, load_for_audit
from tournaments.pairing.schedule import counted, fixtures
from tournaments.store import ladders


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
@click.option("--replays-only", is_flag=True, help="Check only the replays.")
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
@json_option
@click.pass_context
def verify(
    ctx: click.Context, file: Path, heads: tuple[str, ...], replays_only: bool, quiet: bool, as_json: bool
) -> None:
    """Find any change of the results and replays of the tournament in FILE.

    Every result is checked against the chain, the hash of its replay, the replay itself, which is played
    again by the rules, and FILE, which determines the pairings. FILE itself is checked against what was
    committed, if it names a beacon.

    FILE may also be the folder of a ladder (`referee serve`), or its store.

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
        verdict = _of_store(ladder, ladder.parent, None, heads, is_quiet)
    else:
        plan, changed = load_for_audit(file)
        verdict = (
            _of_replays(plan, is_quiet)
            if replays_only
            else _of_store(plan.store, plan.replays, plan, heads, is_quiet)
        )
        flaws = (*changed, *verdict.flaws)
        verdict = replace(verdict, ok=not flaws, flaws=flaws, luck=origin_of(plan))
    if as_json:
        show_json(verdict)
    else:
        show_verdict(verdict, with_results=not replays_only)
    ctx.exit(0 if verdict.ok else 1)


def _of_store(
    path: Path, replays: Path, plan: Plan | None, heads: Sequence[str], quiet: bool
) -> AuditVerdict:
    """Examine a store, the replays of its results, and for a tournament what follows from its file."""
    store = audit_store(path, plan)
    found = evidence(replays, store.played)
    places_of = places(store, heads)
    flaws = [*store.flaws, *lost(places_of)]
    if found and not path.exists():
        flaws.append(f"{path}: there is no store, but there are replays (--replays-only does without)")
    examined = play_again([partial(audit_replay, one, plan) for one in found], quiet=quiet)
    flaws += [one.flaw for one in examined if one.flaw]
    stray = [(one.path.name, by) for one, by in zip(found, examined, strict=True) if one.played is None]
    # A ladder keeps void matches too, so that every replay should have a result.
    missed = tuple(name for name, by in stray if not by.flaw and not (by.void and plan is not None))
    if missed and not store.played and not flaws:
        there = f"{plural(len(missed), 'replay')} of played matches"
        flaws.append(f"{path}: there is no result, but there are {there}")
    wanted = [] if plan is None else fixtures(plan, store.played)
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
