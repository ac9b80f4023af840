"""The folder of keys of a daemon: its own pair, and the list of accounts that may enter.

Every file is readable by its owner alone (mode 0600) or it is refused. The list maps an account, which is the
bot's name in all results, to the one public key that proves it. A running daemon notices when it changes.
"""

import contextlib
import fcntl
import os
import re
import threading
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import zmq

from protocol.keys import KeyFileError, Pair, is_key, read_pair, read_private
from referee import names
from referee.errors import ConfigError, nearest

SERVER = "server.key"
ALLOWED = "allowed.toml"

_ACCOUNT = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_PLAIN = re.compile(rb"[0-9A-Za-z@%+/.:][0-9A-Za-z@%+/.:=-]*")
"""What a shell takes as it is, and no command takes for an option."""

_SERVER_HEAD = "# The key pair of the daemon. Keep it secret: it identifies the daemon.\n"
_BOT_HEAD = "# The key pair of a bot. Keep it secret: it lets any program play as the bot.\n"
_ALLOWED_HEAD = "# Bots that may enter: account and key. `referee key` changes it while the daemon runs.\n"


def new_pair() -> Pair:
    """Return a new pair; its public key can be given to a command without quotes."""
    while True:
        public, secret = zmq.curve_keypair()
        if _PLAIN.fullmatch(public):
            return Pair(public.decode(), secret.decode())


def new_bot_key(path: Path) -> Pair:
    """Make the pair of a bot and keep it in a new file."""
    pair = new_pair()
    _write_pair(path, pair, _BOT_HEAD)
    return pair


def bot_key(path: Path) -> Pair:
    """Return the pair of a bot."""
    try:
        return read_pair(path)
    except KeyFileError as error:
        raise ConfigError(str(error)) from error


def check_key(text: str) -> str:
    """Return a public key that was typed, if it is one."""
    if not is_key(text):
        raise ConfigError(
            f"{text!r} is no public key: it has 40 characters, and `referee key new` prints one"
        )
    return text


class KeyStore:
    """The keys of a daemon. Anything wrong with them raises ConfigError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server = folder / SERVER
        self._list = folder / ALLOWED

    def server(self) -> Pair:
        """Return the daemon's own pair."""
        if not self._server.exists():
            raise ConfigError(
                f"there are no keys in {self.folder}: "
                f"`referee key allow NAME PUBLICKEY --keys {self.folder}` makes the first"
            )
        return bot_key(self._server)

    def accounts(self) -> dict[str, str]:
        """Return what may enter: public keys by account, in the order of the accounts."""
        if not self._list.exists():
            return {}
        try:
            said = tomllib.loads(read_private(self._list))
        except KeyFileError as error:
            raise ConfigError(str(error)) from error
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{self._list}: {error}") from error
        for account, key in said.items():
            if not (_ACCOUNT.fullmatch(account) and isinstance(key, str) and is_key(key)):
                raise ConfigError(f"{self._list}: {account!r} is no account with its public key")
        if len(set(said.values())) < len(said):
            raise ConfigError(f"{self._list}: two accounts have the same key")
        return dict(sorted(said.items()))

    def version(self) -> tuple[int, int, int] | None:
        """Return what changes whenever the list does; None if there is no list."""
        try:
            about = self._list.stat()
        except OSError:
            return None
        return about.st_mtime_ns, about.st_ino, about.st_size

    def allow(self, account: str, key: str) -> None:
        """Allow a key; make the daemon's own pair if there is none yet."""
        if not _ACCOUNT.fullmatch(account):
            raise ConfigError(f"{account!r} cannot be an account: use up to 32 of a-z, 0-9 and -")
        check_key(key)
        with self._locked():
            if not self._server.exists():
                _write_pair(self._server, new_pair(), _SERVER_HEAD)
            accounts = self.accounts()
            if accounts.get(account, key) != key:
                raise ConfigError(f"{account} has another key; `referee key revoke {account}` takes it away")
            if alike := names.look_alike(account, accounts):
                raise ConfigError(f"the account {account} looks like {alike}, which is taken: choose another")
            for other, known in accounts.items():
                if known == key and other != account:
                    raise ConfigError(f"this key is already that of {other}")
            self._write(accounts | {account: key})

    def revoke(self, account: str) -> None:
        """Remove an account; a running daemon also ends its connection."""
        with self._locked():
            accounts = self.accounts()
            if account not in accounts:
                hint = nearest(account, accounts) if accounts else "the list is empty"
                raise ConfigError(f"{account!r} is not on the list in {self.folder}: {hint}")
            del accounts[account]
            self._write(accounts)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from changing the folder meanwhile; make it if it is not there."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise ConfigError(f"cannot keep keys in {self.folder}: {error.strerror}") from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _write(self, accounts: Mapping[str, str]) -> None:
        lines = [f'{account} = "{key}"\n' for account, key in sorted(accounts.items())]
        unfinished = self._list.with_suffix(".tmp")
        unfinished.unlink(missing_ok=True)
        _write_private(unfinished, _ALLOWED_HEAD + "".join(lines))
        unfinished.replace(self._list)


def _write_pair(path: Path, pair: Pair, head: str) -> None:
    _write_private(path, f'{head}public = "{pair.public}"\nsecret = "{pair.secret}"\n')


def _write_private(path: Path, text: str) -> None:
    """Write a new file that only its owner can read from its first moment."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
    except FileExistsError as error:
        raise ConfigError(f"{path} is already there: keys are never overwritten") from error
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error


class AllowList:
    """The list as a running daemon knows it: accounts by public key, read again when the file changes."""

    def __init__(self, folder: KeyStore) -> None:
        self._folder = folder
        self._version: tuple[int, int, int] | None = folder.version()
        self._names = _by_key(folder.accounts())
        self._reading = threading.Lock()
        self.trouble = ""
        """What is wrong with the list now: then no new bot may enter, and those inside may stay."""

    def account(self, key: str | None) -> str | None:
        """Return the account of a key, or None if it has none."""
        return self._names.get(key) if key is not None else None

    def may_enter(self, key: str) -> bool:
        """Return whether the owner of a key may enter now."""
        self.refresh()
        return not self.trouble and key in self._names

    def refresh(self) -> None:
        """Read the list again if it has changed; any thread may ask."""
        with self._reading:
            version = self._folder.version()
            # What was wrong may be repaired without a change of the list: its mode, for one.
            if version == self._version and not self.trouble:
                return
            # Stored first: if the list changes while it is read, it is read again.
            self._version = version
            try:
                self._names = _by_key(self._folder.accounts())
            except ConfigError as error:
                self.trouble = f"no new bot is admitted: {error}"
            else:
                self.trouble = ""


def _by_key(accounts: Mapping[str, str]) -> dict[str, str]:
    return {key: account for account, key in accounts.items()}
