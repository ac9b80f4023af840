"""Keys for CURVE, by which a bot of another host and the referee's gate prove who they are.

A key is 40 characters in Z85, ZeroMQ's own notation, which every binding takes. A pair is kept in a file of
two lines, `public = "…"` and `secret = "…"` (TOML), that only its owner may read.
"""

import os
import stat
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import zmq

LENGTH = 40
"""Characters of a key."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_VALUE = {digit: value for value, digit in enumerate(_DIGITS)}


class KeyFileError(ValueError):
    """A file that holds no key, or that others than its owner can reach; the text says what to do."""


class Pair(NamedTuple):
    """A public key, and the secret key that belongs to it."""

    public: str
    secret: str


def is_key(text: str) -> bool:
    """Return whether a text can be a key.

    >>> is_key("rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"), is_key("#" * 40), is_key("alice")
    (True, False, False)
    """
    if len(text) != LENGTH or not all(character in _VALUE for character in text):
        return False
    # Five digits stand for four bytes, but can also stand for more than these hold.
    return all(_number(text[start : start + 5]) < 1 << 32 for start in range(0, LENGTH, 5))


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * len(_DIGITS) + _VALUE[digit]
    return number


def read_private(path: Path) -> str:
    """Return the text of a file that only its owner can reach. Raises KeyFileError for any other."""
    try:
        with path.open(encoding="utf-8") as file:
            about = os.fstat(file.fileno())
            if stat.S_IMODE(about.st_mode) & 0o077:
                mode = stat.S_IMODE(about.st_mode)
                raise KeyFileError(
                    f"{path} has mode {mode:04o}, so that others can reach it: chmod 600 {path}"
                )
            if about.st_uid != os.geteuid():
                raise KeyFileError(f"{path} belongs to another user: make a copy of your own, with mode 600")
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise KeyFileError(f"cannot read the keys in {path}: {why}") from error


def read_pair(path: Path) -> Pair:
    """Return the pair that a file holds. Raises KeyFileError if it holds none, or others can reach it."""
    try:
        said = tomllib.loads(read_private(path))
    except tomllib.TOMLDecodeError as error:
        raise KeyFileError(f"{path} is no key file: {error}") from error
    pair = Pair(str(said.get("public")), str(said.get("secret")))
    if not (is_key(pair.public) and is_key(pair.secret)):
        raise KeyFileError(f'{path} is no key file: it needs lines public = "…" and secret = "…"')
    return pair


def secure(dealer: "zmq.Socket[bytes]", pair: Pair, server: str) -> None:
    """Let a socket that is not connected yet speak CURVE with the one server that has this public key."""
    dealer.curve_serverkey = server.encode()
    dealer.curve_publickey = pair.public.encode()
    dealer.curve_secretkey = pair.secret.encode()
