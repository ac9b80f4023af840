"""Completion of the names of an event's bots."""

from collections.abc import Iterable
from pathlib import Path

import click

from referee.errors import RefereeError


def complete_event_bot(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the bots of the tournament file on the command line that begin so."""
    # Imported here: most words are completed without an event.
    from tournaments.event_file import plans_of

    named: object = ctx.params.get("file") or ctx.params.get("words") or ()
    words: Iterable[object] = named if isinstance(named, tuple | list) else [named]
    try:
        plans = [plan for word in words for plan in plans_of(Path(str(word)))]
    except (RefereeError, OSError):
        return []
    names = dict.fromkeys(name for plan in plans for name in plan.names)
    return [name for name in names if name.startswith(incomplete)]
