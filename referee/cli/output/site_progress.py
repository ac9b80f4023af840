"""Writes the site of an event, with a bar for the replays, and prints what was written."""

from pathlib import Path

import click

from referee.cli.output.progress import Progress
from referee.wording import clean, plural
from tournaments.site.model import SiteEvent

_MOST_BROKEN = 5
"""Replays that cannot be shown of which the reason is printed."""


def write_event_site(event: SiteEvent, folder: Path, *, quiet: bool) -> None:
    """Write the site of an event into a folder."""
    from tournaments.site.writing import write_site

    with Progress(0, quiet=quiet) as bar:
        written = write_site(event, folder, expect=bar.expect, done=lambda: bar.done(""))
    if event.notes.frozen_after is not None:
        hidden = plural(event.hidden, "result")
        _say(f"The table is frozen, so the site hides {hidden}; `referee site reveal` shows all again")
    for match, why in list(written.broken.items())[:_MOST_BROKEN]:
        _say(f"match {match} is not shown: {why}")
    if len(written.broken) > _MOST_BROKEN:
        _say(f"{len(written.broken) - _MOST_BROKEN} more matches are not shown")
    if quiet:
        return
    held = f"; {written.withheld} more are withheld until their deals are played" if written.withheld else ""
    _say(f"The site has {plural(written.replays, 'replay')} ({written.made} made now){held}")
    _say(f"Open {folder / 'index.html'} in a browser, or copy the folder to any web server")


def _say(text: str) -> None:
    click.echo(clean(text), err=True)
