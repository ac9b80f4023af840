"""`referee tournament`: from one file to a table. The subcommands are loaded when they are used."""

from typing import ClassVar, Final

import click

from referee.cli import CommandEntry, LazyGroup, examples

COMMANDS: Final = {
    "new": CommandEntry(
        "referee.cli.commands.tournament_new", "new", "Write a tournament file to start from."
    ),
    "check": CommandEntry(
        "referee.cli.commands.tournament_new", "check", "Explain a tournament file and its mistakes."
    ),
    "run": CommandEntry(
        "referee.cli.commands.tournament_run", "run", "Play what is missing, and print the table."
    ),
    "status": CommandEntry("referee.cli.commands.tournament_show", "status", "Tell how far a tournament is."),
    "standings": CommandEntry(
        "referee.cli.commands.tournament_show", "show_standings", "Print the table as it is now."
    ),
    "verify": CommandEntry(
        "referee.cli.commands.tournament_verify", "verify", "Find any change of results or replays."
    ),
    "export": CommandEntry(
        "referee.cli.commands.tournament_show", "export", "Write matches or table as CSV, JSON, a page."
    ),
}


class TournamentGroup(LazyGroup):
    """The commands about one tournament file."""

    entries: ClassVar = COMMANDS


@click.group(
    cls=TournamentGroup,
    epilog=examples("referee tournament new spring.toml", "referee tournament check spring.toml"),
)
def tournament() -> None:
    """Write, check and play a tournament that one file describes."""
