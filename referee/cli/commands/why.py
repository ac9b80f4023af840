"""`referee why`: explains why a bot lost a match by a fault, with the evidence."""

from pathlib import Path

import click

from referee.cli import examples
from referee.replay.explanation import explain, read_match


@click.command(
    epilog=examples("referee why m-1", "referee why m-1 --replays demo", "referee why demo/m-1.jsonl")
)
@click.argument("match")
@click.option(
    "--replays",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("replays"),
    show_default=True,
    help="The folder of replays and dossiers.",
)
def why(match: str, folder: Path) -> None:
    """Explain the faults of the bots in a MATCH, with clocks, last messages and stderr.

    MATCH is the id of a match, or the path of its replay or dossier.
    """
    for line in explain(read_match(match, folder)):
        click.echo(line)
