"""Tokens of the organiser and of authors: made from a secret beside the store, so they outlast a restart.

A token is `o.MAC` for the organiser, or `a.NAME.END.MAC` for the author of a bot: NAME in base64, END the
second at which it ends, or 0. The MAC is HMAC-SHA256 with the secret. Without the secret's
file all tokens are void.
"""

import base64
import hmac
import os
import secrets
import time
from pathlib import Path
from typing import Final

from msgspec import Struct

from protocol.keys import KeyFileError, read_private
from referee.errors import ConfigError

_SUFFIX: Final = ".site-secret"
_BYTES: Final = 32
_MAC_BYTES: Final = 24


class Visitor(Struct, frozen=True):
    """Who has sent a token: the organiser, or the author of a bot."""

    bot: str | None
    """The bot; None: the organiser."""

    @property
    def is_organiser(self) -> bool:
        """Whether it is the organiser."""
        return self.bot is None


class Tokens:
    """Makes and checks the tokens of one event."""

    def __init__(self, secret: str) -> None:
        """Use this secret, in hexadecimal digits. Without one no token is valid."""
        self._secret = bytes.fromhex(secret)

    def __repr__(self) -> str:
        return "<Tokens>"

    def organiser(self) -> str:
        """Return the token of the organiser."""
        return f"o.{self._mac('o')}"

    def author(self, bot: str, end: int = 0) -> str:
        """Return a token of the author of a bot, valid until a second of the Unix clock; 0: for ever."""
        head = f"a.{_packed(bot)}.{end}"
        return f"{head}.{self._mac(head)}"

    def visitor(self, token: str, now: float | None = None) -> Visitor | None:
        """Return the visitor of a token; None if it is not valid."""
        head, _, mac = token.rpartition(".")
        # Compared in constant time: how long it takes shows nothing about the right one.
        if not self._secret or not hmac.compare_digest(mac.encode(), self._mac(head).encode()):
            return None
        kind, *rest = head.split(".")
        if kind == "o":
            return Visitor(None)
        name, end = rest
        is_over = int(end) and (time.time() if now is None else now) > int(end)
        return None if is_over else Visitor(_unpacked(name))

    def _mac(self, head: str) -> str:
        return base64.urlsafe_b64encode(
            hmac.digest(self._secret, head.encode(), "sha256")[:_MAC_BYTES]
        ).decode()


def secret_path(store: Path) -> Path:
    """Return where the secret of a store is."""
    return store.with_name(store.name + _SUFFIX)


def secret_of(store: Path, *, make: bool) -> str:
    """Return the secret of a store in hexadecimal digits; make it, or return '', if there is none.

    Raises ConfigError for a file that others can read or that cannot be made.
    """
    path = secret_path(store)
    if not path.exists():
        return _new_secret(path) if make else ""
    try:
        text = read_private(path).strip()
    except KeyFileError as error:
        raise ConfigError(str(error)) from error
    if len(text) != 2 * _BYTES or not all(letter in "0123456789abcdef" for letter in text):
        raise ConfigError(f"{path} is not the secret of a site: remove it, and a new one is made")
    return text


def _new_secret(path: Path) -> str:
    made = secrets.token_hex(_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(file, "w", encoding="ascii") as opened:
            opened.write(made + "\n")
    except OSError as error:
        raise ConfigError(f"cannot keep the secret of the site in {path}: {error.strerror}") from error
    return made


def _packed(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _unpacked(packed: str) -> str:
    return base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
