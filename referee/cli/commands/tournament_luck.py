"""`referee tournament commit` and `reveal`: luck that a public source has a part in."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from referee.cli import examples
from referee.cli.options.common import file_argument, json_option
from referee.cli.output.printer import show_facts, show_json
from referee.errors import ConfigError
from referee.wording import clean, plural
from tournaments.config import luck_files
from tournaments.config.luck import BeaconReveal, Commitment, commitment_of, reveal_of
from tournaments.config.plan import Plan
from tournaments.event_file import plans_of
from tournaments.store import terms
from tournaments.store.errors import NoResultsError
from tournaments.store.store import Store


@click.command(
    epilog=examples("referee tournament commit spring.toml", "referee tournament commit spring.toml --json")
)
@file_argument
@json_option
def commit(file: Path, as_json: bool) -> None:
    """Commit to the seed and the plan of the tournament in FILE, before its beacon has a value.

    FILE names a beacon: a public source whose value is not known yet. NAME.commit.json is written beside it,
    to be published. It discloses no seed. From then on game, options, format, deals, clock, bots, the texts
    of their entrants, and the seed can no longer change.

    Exits with 2 if FILE is not what was committed before, or has results of other luck.
    """
    plans = plans_of(file)
    plan = plans[0]
    if plan.luck is not None and not plan.luck.commitment:
        _check_results(plans, commitment_of(plan))
    committed, is_new = luck_files.commit(plan)
    if as_json:
        show_json(committed)
        return
    texts = sum(bool(bot.luck) for bot in committed.plan.bots)
    _show(
        luck_files.commit_path(plan),
        is_new,
        "Publish it, or at least these lines, before the beacon has its value:",
        [
            ("tournament", _described(plan)),
            ("beacon", committed.plan.beacon),
            ("texts", f"of {plural(texts, 'entrant')}"),
            ("commitment", committed.commitment),
            ("seed hash", committed.seed_hash),
            ("plan hash", committed.plan_hash),
        ],
    )
    click.echo("When the value is known:")
    click.echo(clean(f"  referee tournament reveal {shlex.quote(str(file))} --beacon VALUE"))


@click.command(
    epilog=examples(
        "referee tournament reveal spring.toml --beacon '4 8 15 16 23 42'",
        "referee tournament reveal spring.toml --beacon 5f0c2e91 --json",
    )
)
@file_argument
@click.option(
    "--beacon", "value", metavar="VALUE", required=True, help="What the beacon gave, as it prints it."
)
@json_option
def reveal(file: Path, value: str, as_json: bool) -> None:
    """Enter the value of the beacon of the tournament in FILE; then it can be run.

    Blanks and line ends around VALUE are no part of it; all else counts, upper and lower case too.
    NAME.reveal.json is written beside FILE, to be published. It holds VALUE and the fingerprint of the seed
    of all deals.

    Exits with 2 if FILE is not what was committed, if another value was revealed, or if there are results of
    other luck.
    """
    plans = plans_of(file)
    plan = plans[0]
    if plan.luck is not None and plan.luck.beacon is None:
        _check_results(plans, reveal_of(plan, commitment_of(plan), value))
    revealed, is_new = luck_files.reveal(plan, value)
    if as_json:
        show_json(revealed)
        return
    _show(
        luck_files.reveal_path(plan),
        is_new,
        "Publish it, or at least these lines, before the first match:",
        [
            ("tournament", plan.event or plan.name),
            ("commitment", revealed.commitment),
            ("beacon", revealed.beacon),
            ("value", revealed.value),
            ("fingerprint", revealed.fingerprint),
        ],
    )
    click.echo("Then:")
    click.echo(clean(f"  referee tournament run {shlex.quote(str(file))}"))


def _described(plan: Plan) -> str:
    event = plan.luck.event if plan.luck is not None else None
    bots = plural(len(plan.bots), "bot")
    if event is not None:
        return f"{event.name}: {plural(len(event.parts), 'tournament')}, {bots}"
    return f"{plan.name}: {plan.game}, {plan.format}, {bots}"


def _check_results(plans: Sequence[Plan], luck: Commitment | BeaconReveal) -> None:
    """Refuse luck that would be drawn after the first match.

    A file that was lost may be written again, if the results are of the same luck.
    """
    for plan in plans:
        _check_store(plan, luck)


def _check_store(plan: Plan, luck: Commitment | BeaconReveal) -> None:
    try:
        with Store(plan.store, write=False) as store:
            results, noted = store.head().results, store.noted(terms.NOTE)
    except NoResultsError:
        return
    if results and not (noted and terms.has_luck(noted[-1], luck)):
        raise ConfigError(
            f"{plan.store}: has {plural(results, 'result')}, and luck is drawn before the first match; "
            "restore what was published, or name another store in the tournament file"
        )


def _show(path: Path, is_new: bool, publish: str, rows: Sequence[tuple[str, str]]) -> None:
    """Print a document for people, with what to publish of it."""
    click.echo(clean(f"{path.name} is {'written' if is_new else 'there already, and as it must be'}."))
    click.echo(publish)
    click.echo()
    show_facts(rows)
    click.echo()
