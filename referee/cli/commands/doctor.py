"""`referee doctor`: runs attacks on this host at each level of trust, and prints which ones were held."""

import click

from referee.cli import examples
from referee.cli.options.common import json_option
from referee.cli.options.terms import accept_gap_option, level_option
from referee.cli.output.printer import show_json, show_table
from referee.process.sandbox.attacks import ALL
from referee.process.sandbox.levels import check_acceptable
from referee.process.sandbox.selftest import Diagnosis, examine
from referee.process.spec import LEVELS, Level
from referee.wording import clean


@click.command(
    epilog=examples(
        "referee doctor",
        "referee doctor --level class",
        "referee doctor --level contest --accept-gap memory --accept-gap cpu --json",
    )
)
@level_option()
@accept_gap_option()
@json_option
@click.pass_context
def doctor(ctx: click.Context, /, level: Level | None, accept_gap: tuple[str, ...], as_json: bool) -> None:
    """Attack this host from inside the sandbox of each level, or of one level, and report what holds.

    The attacks are harmless: they try to reach decoys, are bounded, and clean up. They take some seconds for
    each level. Run it as the user that will run the referee: root can confine bots better.

    Exits with 0 if level contest (or the level you name) holds on this host, and with 1 if not.
    """
    check_acceptable(accept_gap)
    found = [examine(one) for one in (LEVELS if level is None else (level,))]
    holds = found[-1].holds(accept_gap)
    if as_json:
        show_json(_document(found, accept_gap, holds))
    else:
        _show(found, accept_gap)
    ctx.exit(0 if holds else 1)


def _document(found: list[Diagnosis], accepted: tuple[str, ...], holds: bool) -> dict[str, object]:
    levels = {
        one.level: {
            "holds": one.holds(accepted),
            "gaps": one.gaps,
            "attacks": one.findings,
            "notes": one.notes,
        }
        for one in found
    }
    return {"holds": holds, "accepted": accepted, "levels": levels}


def _show(found: list[Diagnosis], accepted: tuple[str, ...]) -> None:
    heads = ["attack", *(one.level for one in found), "what it tries"]
    verdicts = [{finding.attack: finding for finding in one.findings} for one in found]
    rows = []
    for name, attack in ALL.items():
        cells = [("held" if of[name].held else "BROKE") if name in of else "-" for of in verdicts]
        rows.append([name, *cells, (attack.__doc__ or "").rstrip(".")])
    show_table(heads, rows, aligned_in_pipes=True)
    for one in found:
        click.echo()
        click.echo(f"level {one.level}: {_verdict(one, accepted)}")
        for gap in one.gaps:
            click.echo(clean(f"  {'accepted' if gap.name in accepted else 'missing'} {gap}"))
        for finding in one.findings:
            if not finding.held and one.level != "trusted":
                click.echo(clean(f"  {finding.attack} broke through: {finding.how}"))
        for text in one.notes:
            click.echo(f"  note: {text}")


def _verdict(one: Diagnosis, accepted: tuple[str, ...]) -> str:
    if not one.findings:
        return "no sandbox can be made on this host"
    if not one.holds(accepted):
        return "does NOT hold"
    return "holds, for bots you trust" if one.level == "trusted" else "holds"
