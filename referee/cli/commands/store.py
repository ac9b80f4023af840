"""`referee store`: copies the results of an event from a file to a database, and back."""

from pathlib import Path

import click

from referee.cli import examples
from referee.cli.options.common import json_option
from referee.cli.output.printer import show_json
from referee.errors import ConfigError
from referee.wording import clean, plural
from tournaments.config.store_address import Address, DatabaseUrl, database_url, is_url, schema_name
from tournaments.event_file import event_at
from tournaments.store import ladders
from tournaments.store.copying import copy_store


@click.group(
    epilog=examples(
        "referee store copy spring.sqlite postgresql://referee@db.example.org/events",
        "referee store copy spring.toml backup.sqlite",
    )
)
def store() -> None:
    """Copy the results of an event from a file of SQLite to a PostgreSQL database, or back."""


@store.command(
    epilog=examples(
        "referee store copy spring.sqlite postgresql://referee@db.example.org/events",
        "referee store copy 'postgresql:///events?schema=spring' spring.sqlite",
        "referee store copy spring.toml backup.sqlite",
    )
)
@click.argument("source", metavar="FROM", type=click.Path())
@click.argument("target", metavar="TO", type=click.Path())
@json_option
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy a store: every result and every note, with the chain of their hashes.

    FROM and TO are each a file, a URL (postgresql://USER@HOST/DATABASE?schema=NAME), or a tournament file,
    which stands for its store. FROM may also be the folder of a ladder. Without a schema that of the other
    store is taken, or the name of its file. Replays are not copied: they are files.

    The chain is followed before and after. FROM may be in use: the copy has what was committed until then. TO
    must be new. Prints the head of the chain; both stores have the same.
    """
    origin = _address(source, _usual_schema(target))
    place = _address(target, origin.schema if isinstance(origin, DatabaseUrl) else schema_name(origin.stem))
    copied = copy_store(origin, place)
    if as_json:
        show_json({"from": str(origin), "to": str(place), "notes": copied.notes, "chain": copied.head})
        return
    counts = f"{plural(copied.head.results, 'result')} and {plural(copied.notes, 'note')}"
    click.echo(clean(f"copied {counts} from {origin} to {place}"))
    click.echo(f"head {copied.head.hash}")


def _usual_schema(text: str) -> str:
    return "" if is_url(text) else schema_name(Path(text).stem)


def _address(text: str, usual_schema: str) -> Address:
    """Return the store that an argument names."""
    if is_url(text):
        return database_url(text, usual_schema)
    path = Path(text)
    if path.suffix != ".toml":
        return ladders.find(path) or path
    plans = event_at(path).plans
    if len(plans) > 1:
        names = ", ".join(str(plan.store) for plan in plans)
        raise ConfigError(f"{path}: an event of several tournaments: name one of its stores: {names}")
    return plans[0].store
