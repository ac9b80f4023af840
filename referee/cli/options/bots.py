"""The help text of an option that names a bot, and its completion in the shell."""

import click

from tournaments.config.bots import sample_names

HELP = "A sample's name, a .py file, or a quoted command line; NAME=... calls it NAME."


def complete_bot(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the samples whose names begin like this."""
    return [name for name in sample_names() if name.startswith(incomplete)]
