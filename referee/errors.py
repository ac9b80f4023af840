"""Errors on the referee's side of the wire. A bot's misconduct is a value: see `referee.match.faults`.

::

    RefereeError
    +-- ConfigError             the operator asked for something impossible
    |   +-- UnknownGameError    no game of that id
    |   +-- OptionError         an option the game does not have, or a value it does not take
    |   +-- PresetError         a preset the game does not have
    |   +-- LaunchError         a bot that cannot be started
    |   +-- AddressError        an address that cannot be bound
    +-- IllegalActionError      an action that the rules do not allow here; it changed nothing
    +-- RecordError             a replay that cannot be read or does not reproduce
        +-- FormatVersionError  a file of another version of the referee
"""

from collections.abc import Iterable
from difflib import get_close_matches


class RefereeError(Exception):
    """Any error the referee raises on purpose; the text is meant for the person at the terminal."""


class ConfigError(RefereeError):
    """The operator asked for something impossible; the text says what would be possible."""


class UnknownGameError(ConfigError):
    """No registered game has that id."""


class OptionError(ConfigError):
    """An option the game does not have, or a value it does not take."""

    def __init__(self, text: str, *, option: str = "") -> None:
        super().__init__(text)
        self.option = option
        """The name of the option; empty if the error is not about a single one."""


class PresetError(ConfigError):
    """A preset the game does not have."""


class LaunchError(ConfigError):
    """A bot that cannot be started: the reason and the command line."""


class AddressError(ConfigError):
    """An address that cannot be bound."""


class IllegalActionError(RefereeError):
    """An action the rules do not allow for this seat now. The state is unchanged.

    The reason must follow from what the seat may know: it is sent to the bot.
    """

    def __init__(self, seat: int, action: str, reason: str) -> None:
        super().__init__(f"seat {seat}: {action!r} is not legal: {reason}")
        self.seat = seat
        self.action = action
        self.reason = reason


class RecordError(RefereeError):
    """A replay that cannot be read or does not reproduce."""


class FormatVersionError(RecordError):
    """A file that another version of the referee has written, and this one does not read."""

    def __init__(self, what: str, version: str, form: str) -> None:
        """Name the file, the version of the referee that wrote it, and its format in words."""
        writer = f"referee {version}" if version else "another version of the referee"
        that = f"referee {version}" if version else "that version"
        super().__init__(
            f"{what} written by {writer} ({form}), which this version does not read; read it with {that}"
        )
        self.version = version


def nearest(word: str, valid: Iterable[str]) -> str:
    """Return a hint: the valid words closest to a wrong one, or all of them if none is close.

    >>> nearest("chicago-pokr", ["chicago-poker", "gangsters"])
    'did you mean chicago-poker?'
    """
    words = sorted(valid)
    close = get_close_matches(word, words, n=3, cutoff=0.6)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"choose one of: {', '.join(words)}"
