"""Where a cluster is: the address of its scheduler, and the files of TLS."""

import ipaddress
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from referee.errors import ConfigError
from referee.game import GameInfo
from referee.hub.capacity import thinking_at_once

if TYPE_CHECKING:
    from ssl import SSLError

    from distributed import Security

MOST_LANES: Final = 512
"""Matches at once on a cluster, if no other number is asked for."""


class ClusterPlace(Struct, frozen=True):
    """The scheduler of a cluster; with `tls://` both sides show a certificate of the same authority."""

    address: str
    ca: str = ""
    cert: str = ""
    key: str = ""

    def flaw(self) -> str:
        """Return what is wrong with the address, or with the files as they go with it; '' if nothing is."""
        scheme, _, rest = self.address.partition("://")
        host, _, port = rest.rpartition(":")
        if scheme not in ("tcp", "tls") or not host or not is_port(port):
            return f"a cluster is at tcp://HOST:PORT or tls://HOST:PORT, not at {self.address!r}"
        given = [bool(file) for file in (self.ca, self.cert, self.key)]
        if scheme == "tls" and not all(given):
            return (
                f"{self.address} needs three files: authority (ca), certificate (cert) and private key (key)"
            )
        if scheme == "tcp" and any(given):
            return f"files for TLS are of no use with {self.address}: write tls:// in its place"
        return ""

    def check(self) -> None:
        """Raise ConfigError for an address that cannot be one, or files that cannot be read."""
        if flaw := self.flaw():
            raise ConfigError(flaw)
        for path in filter(None, (self.ca, self.cert, self.key)):
            try:
                with open(path, "rb"):
                    pass
            except OSError as error:
                raise ConfigError(f"cannot read {path}, a file for TLS: {error.strerror}") from error
        if self.ca:
            self._check_certificate()

    def _check_certificate(self) -> None:
        """Raise ConfigError for files that are there, and cannot be used."""
        # Imported here: few commands need it.
        import ssl

        context = ssl.create_default_context()
        try:
            context.load_verify_locations(self.ca)
        except ssl.SSLError as error:
            raise ConfigError(f"{self.ca} has no certificate of an authority: {_said(error)}") from error
        try:
            context.load_cert_chain(self.cert, self.key)
        except ssl.SSLError as error:
            raise ConfigError(
                f"{self.cert} and {self.key} are not a certificate and its private key: {_said(error)}"
            ) from error

    @property
    def caution(self) -> str:
        """What the operator should know about it; '' if there is nothing."""
        scheme, _, rest = self.address.partition("://")
        host = rest.rpartition(":")[0].strip("[]")
        if scheme == "tls" or host == "localhost":
            return ""
        with suppress(ValueError):
            if ipaddress.ip_address(host).is_loopback:
                return ""
        return (
            f"{self.address} is not encrypted, and all who can reach it can run programs on its hosts: "
            "keep it in a network of its own, or use tls:// (docs/cluster.md)"
        )

    def security(self) -> "Security":
        """Return what Dask needs to know of TLS."""
        from distributed import Security

        files: dict[str, Any] = {"tls_ca_file": self.ca} if self.ca else {}
        for role in ("client", "worker", "scheduler") if self.ca else ():
            files |= {f"tls_{role}_cert": self.cert, f"tls_{role}_key": self.key}
        return Security(require_encryption=bool(self.ca), **files)


def is_port(text: str) -> bool:
    """Return whether a text is a port that can be reached.

    >>> is_port("8786"), is_port("0"), is_port("99999"), is_port("")
    (True, False, False, False)
    """
    return text.isascii() and text.isdecimal() and 0 < int(text) < 1 << 16


def _said(error: "SSLError") -> str:
    return (error.reason or str(error)).replace("_", " ").lower()


class ClusterUse(Struct, frozen=True):
    """How a run uses a cluster."""

    place: ClusterPlace
    processors: int
    """What one match needs of its host."""
    lanes: int = MOST_LANES
    """Matches at once, of all hosts together, at most."""
    kept_here: tuple[Path, ...] = ()
    """Files and folders that no other host gets to see: no bot in a folder with one of them travels."""


def use_of(
    place: ClusterPlace | None, info: GameInfo, seats: int, jobs: int | None, kept_here: Iterable[object] = ()
) -> ClusterUse | None:
    """Return how matches of a game use a cluster, if there is one: each host plays what it can bear.

    Of what is kept here only paths count: what is at the address of a database is in no folder.
    """
    if place is None:
        return None
    paths = tuple(path for path in kept_here if isinstance(path, Path))
    return ClusterUse(place, thinking_at_once(info, seats), jobs or MOST_LANES, paths)
