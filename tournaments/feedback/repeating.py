"""The commands by which an author repeats a match on another host. They hold no seed and no path of ours.

`$BOT` stands for the folder of the bot's sources, `$FEEDBACK` for the folder of the feedback.
"""

import os
import shlex
from pathlib import Path
from typing import Final

from referee.wording import shell_line
from tournaments.config.entrants import Entrant
from tournaments.config.play_words import confinement_words
from tournaments.host_paths import hider

UNKNOWN_COMMAND: Final = ("YOUR-COMMAND",)
"""Stands for the command of a bot that its author starts."""

REPEATING: Final = (
    "In the commands, BOT is the folder of your bot's sources and FEEDBACK is this folder: set both first, "
    "for example BOT=~/mybot FEEDBACK=~/feedback. `referee repeat` starts your bot and repeats the match of "
    "its seat: the same asks, with the same clock. It needs no seed, which stays with the organiser: the "
    "other seats are played by the record. `referee at` asks your bot at one decision alone, with all that "
    "its seat had seen. What your seat did not see is made up, and fits what it saw."
)


def own_command(entrant: Entrant | None) -> tuple[str, ...]:
    """Return the words by which the author starts the bot in the folder of its sources."""
    if entrant is None:
        return UNKNOWN_COMMAND
    if entrant.sample is not None:
        return (entrant.sample,)
    command = entrant.command or ""
    words = shlex.split(command) if isinstance(command, str) else command
    return tuple(_without_host(word, entrant.folder) for word in words)


def _without_host(word: str, folder: Path) -> str:
    """Return a word without paths of this host: within the bot's folder they are relative to it."""
    if not os.path.isabs(word):
        return hider(None, str(folder))(word)
    if Path(word).is_relative_to(folder):
        return os.path.relpath(word, folder)
    return os.path.basename(word)


def repeat_match(file: str, entrant: Entrant | None) -> str:
    """Return the command that repeats the match of a seat file with the bot."""
    return _command("repeat", file, [], entrant)


def ask_again(file: str, decision: int, entrant: Entrant | None) -> str:
    """Return the command that asks the bot again at a decision of a seat file."""
    return _command("at", file, ["--decision", str(decision)], entrant)


def _command(name: str, file: str, words: list[str], entrant: Entrant | None) -> str:
    """Return a command with a seat file, at the level and with the limits of the bot."""
    confinement = confinement_words(entrant.level, entrant.limits) if entrant is not None else []
    rest = shell_line([*words, *confinement, "--", *own_command(entrant)])
    return f'cd "$BOT" && referee {name} "$FEEDBACK"/{shell_line([file])} {rest}'
