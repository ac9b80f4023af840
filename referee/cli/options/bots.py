"""The help text of an option that names a bot, and its completion in the shell."""

import click

from tournaments.config.bots import sample_names

HELP = "The name of a sample bot, a .py file, or a command line in quotes; NAME=... gives it a name."


def complete_bot(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the samples whose names begin with this text."""
    return [name for name in sample_names() if name.startswith(incomplete)]
