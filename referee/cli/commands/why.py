"""`referee why`: explains why a bot lost a match by a fault, with the evidence."""

from pathlib import Path

import click

from referee.cli import examples
from referee.cli.output.play_again import play_again
from referee.replay.explanation import explain, read_match


@click.command(
    epilog=examples("referee why m-1", "referee why m-1 --replays demo", "referee why demo/m-1.jsonl")
)
@click.argument("match")
@click.option(
    "--replays",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of replays and dossiers; default: the working folder and those below it.",
)
def why(match: str, folder: Path | None) -> None:
    """Explain the faults of the bots in a MATCH, with clocks, last messages and stderr.

    MATCH is the id of a match, or the path of its replay or dossier.
    """
    found = read_match(match, folder)
    for line in explain(found):
        click.echo(line)
    if command := play_again(found):
        click.echo("\nTo try again:")
        click.echo(f"  {command}")
