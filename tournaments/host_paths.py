"""Takes the paths of this host out of texts that an author reads, such as the traceback of a bot."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import referee


def hider(event: Path | None = None, *folders: str, called: str = "(event)") -> Callable[[str], str]:
    """Return what hides the paths of this host, with the folder of the event and the bot's own folders.

    `called` stands for the folder of the event.
    """
    places = {
        str(Path.home()): "~",
        str(Path(referee.__path__[0]).parent): "(referee)",
        sys.prefix: "(python)",
    }
    if event is not None:
        places[str(event)] = called
    places |= dict.fromkeys(folders, ".")
    # A process reads its working folder without the links that lead to it.
    places = {os.path.realpath(path): shown for path, shown in places.items() if len(path) > 1} | places
    longest_first = sorted((path for path in places if len(path) > 1), key=len, reverse=True)

    def hide(text: str) -> str:
        for path in longest_first:
            text = text.replace(path, places[path])
        return text

    return hide
