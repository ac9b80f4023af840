"""`referee tournament`: the commands about a tournament file. Each is loaded when it is used."""

from typing import ClassVar, Final

import click

from referee.cli import CommandEntry, LazyGroup, examples

COMMANDS: Final = {
    "new": CommandEntry("tournament_new", "new", "Write a tournament file to start from."),
    "check": CommandEntry("tournament_new", "check", "Report mistakes of a file, and what it will play."),
    "commit": CommandEntry(
        "tournament_luck", "commit", "Commit to seed and plan before a beacon has a value."
    ),
    "reveal": CommandEntry("tournament_luck", "reveal", "Enter the value of the beacon."),
    "run": CommandEntry("tournament_run", "run", "Play all missing matches, and print the table."),
    "status": CommandEntry("tournament_show", "status", "Print how far a tournament is."),
    "standings": CommandEntry("tournament_show", "show_standings", "Print the current table."),
    "rounds": CommandEntry("tournament_show", "show_rounds_of", "Print rounds, pairings and their results."),
    "versions": CommandEntry("tournament_versions", "versions", "Print all versions of the bots."),
    "history": CommandEntry(
        "tournament_bot", "show_history", "Print ratings over time, or one bot's matches."
    ),
    "pair": CommandEntry("tournament_bot", "show_pair", "Print two bots against each other."),
    "verify": CommandEntry("tournament_verify", "verify", "Find any change of results or replays."),
    "names": CommandEntry("tournament_export", "names", "Print the pseudonyms of bots."),
    "export": CommandEntry("tournament_export", "export", "Write matches or table as CSV, JSON or HTML."),
}


class TournamentGroup(LazyGroup):
    """The commands about one tournament file."""

    entries: ClassVar = COMMANDS


@click.group(
    cls=TournamentGroup,
    epilog=examples("referee tournament new spring.toml", "referee tournament run spring.toml"),
)
def tournament() -> None:
    """Write, check and play a tournament that one file describes."""
