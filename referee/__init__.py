"""The referee: enforces rules and hidden information of board games among bots it does not trust.

The folders follow the data: `games` on `gamelib`, one `match`, its `replay`, the `gate` and `process` of a
bot, the `hub` with many matches, the `server`, the `conformance` kit, and the `cli` on top. Nothing here
but `cli` imports `tournaments` or `sample_bots`.
"""

from functools import cache


@cache
def version() -> str:
    """Return the version of the referee, also for the header of replays."""
    # Imported only here: it takes a while, and few need it.
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("chicago-referee")
    except PackageNotFoundError:
        return "0 (not installed)"
