"""Where a store is: a file (SQLite), or a schema of its own in a PostgreSQL database, by URL.

A URL is that of libpq, `postgresql://user@host/database`, also with SQLAlchemy's prefix `postgresql+psycopg`.
Its parameter `schema` is ours: the schema of the store, by default named after the tournament file. The
password is best left to libpq (PGPASSWORD, PGPASSFILE, a service file). One that is in the URL is never
printed.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from msgspec import Struct

from referee.errors import ConfigError

_SCHEMES: Final = ("postgresql", "postgres", "postgresql+psycopg")
_SECRETS: Final = ("password", "sslpassword")
"""Parameters of libpq that are secrets."""
_NAME: Final = re.compile(r"(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}")
_MASK: Final = "***"
_LONGEST: Final = 63
"""Letters of a name in PostgreSQL; of a longer one the rest is ignored."""


class DatabaseUrl(Struct, frozen=True):
    """The address of a store in a PostgreSQL database; as a text it is without the password."""

    url: str
    """For libpq; it may have a password."""
    schema: str

    def __str__(self) -> str:
        return _with_schema(_masked(urlsplit(self.url)), self.schema)

    def __repr__(self) -> str:
        return str(self)

    @property
    def whole(self) -> str:
        """The address with its password: for a process of ours, never for people."""
        return _with_schema(urlsplit(self.url), self.schema)

    def without_secrets(self, text: str) -> str:
        """Return a message of the server or its library with the password masked, if it quotes it."""
        for secret in _secrets(urlsplit(self.url)):
            text = text.replace(secret, _MASK)
        return text


Address = Path | DatabaseUrl
"""Where a store is."""


def is_url(text: str) -> bool:
    """Return whether a text is meant as the URL of a database."""
    return "://" in text


def database_url(text: str, usual_schema: str = "") -> DatabaseUrl:
    """Return the address that a URL stands for; raises ConfigError, which never quotes a password.

    Without a parameter `schema` the usual one is taken; it must be a name that `schema_name` returns.
    """
    parts = urlsplit(text)
    if parts.scheme not in _SCHEMES:
        raise ConfigError(
            f"a store is a file, or a URL that begins with postgresql://, not {parts.scheme}://"
        )
    if parts.fragment or "@" in parts.path or "@" in parts.query:
        raise ConfigError(
            "the URL of the store is not clear: write % / ? # @ in a password as %25 %2F %3F %23 %40"
        )
    given = parse_qsl(parts.query, keep_blank_values=True)
    schema = next((value for name, value in given if name == "schema"), usual_schema)
    others = [(name, value) for name, value in given if name != "schema"]
    plain = parts._replace(scheme="postgresql", query=urlencode(others))
    shown = _shown(_masked(plain))
    if not schema:
        raise ConfigError(f"{shown}: which store of this database? Add ?schema=NAME")
    if not _NAME.fullmatch(schema):
        raise ConfigError(
            f"{shown}: {schema!r} cannot be the schema of a store: take small letters, digits and _, at most "
            f"{_LONGEST}, not a digit or pg_ first"
        )
    return DatabaseUrl(_shown(plain), schema)


def store_address(text: str, folder: Path, usual_schema: str = "") -> Address:
    """Return the address that a text stands for; a path counts from the folder."""
    return database_url(text, usual_schema) if is_url(text) else folder / text


def whole_text(address: Address) -> str:
    """Return an address for another process of ours, with the password that it may have."""
    return address.whole if isinstance(address, DatabaseUrl) else str(address.resolve())


def of_part(store: str, part: str, stem: str) -> str:
    """Return what the key `store` says for one part of an event: each has a store of its own."""
    if is_url(store):
        with suppress(ConfigError):
            url = database_url(store, schema_name(stem))
            return DatabaseUrl(url.url, schema_name(f"{url.schema}-{part}")).whole
        # The reader of the key reports what is wrong with it.
        return store
    path = PurePath(store)
    return str(path.with_name(f"{path.stem}-{part}{path.suffix}"))


def schema_name(stem: str) -> str:
    """Return the schema of an event whose file has this name.

    >>> schema_name("Spring Cup-2026")
    'spring_cup_2026'
    >>> schema_name("2026")
    'event_2026'
    """
    name = re.sub(r"[^a-z0-9_]", "_", stem.casefold())
    if not _NAME.fullmatch(name[:_LONGEST]):
        name = f"event_{name}"
    if len(name) > _LONGEST:
        # Two long names may differ at their ends alone.
        name = f"{name[: _LONGEST - 9]}_{sha256(stem.encode()).hexdigest()[:8]}"
    return name


def _masked(parts: SplitResult) -> SplitResult:
    user, at, host = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    query = [(key, _MASK if key in _SECRETS else value) for key, value in parse_qsl(parts.query)]
    netloc = f"{name}{colon}{_MASK if colon else ''}{at}{host}"
    return parts._replace(netloc=netloc, query=urlencode(query, safe="*/"))


def _secrets(parts: SplitResult) -> Iterator[str]:
    """Return every spelling of a secret in a URL."""
    found = [value for key, value in parse_qsl(parts.query) if key in _SECRETS]
    found.append(parts.netloc.rpartition("@")[0].partition(":")[2])
    for secret in filter(None, found):
        yield secret
        yield unquote(secret)


def _with_schema(parts: SplitResult, schema: str) -> str:
    query = "&".join(filter(None, [parts.query, f"schema={schema}"]))
    return _shown(parts._replace(query=query))


def _shown(parts: SplitResult) -> str:
    # Not `geturl`: without a host it would drop the two slashes.
    rest = urlunsplit(("", "", parts.path, parts.query, ""))
    return f"{parts.scheme}://{parts.netloc}{rest}"
