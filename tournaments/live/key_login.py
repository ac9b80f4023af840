"""Authors log in with the key of their bot: a box that only the two keys can make proves it.

The author's program seals a message with its secret key for the daemon's public key (Curve25519, XSalsa20 and
Poly1305, as CURVE does). The message names the site, the time and a nonce: a box is valid for a minute, once,
and at this site. It is answered with a token of the account, which ends after some hours.
"""

import base64
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from protocol.keys import Pair
from referee.errors import ConfigError
from referee.gate.keystore import KeyStore

if TYPE_CHECKING:
    from nacl.public import PrivateKey, PublicKey

VALID_S: Final = 60.0
"""How long a box is valid, and how far the clocks of author and site may differ."""
_TOKEN_S: Final = 12 * 3_600
_MOST_NONCES: Final = 10_000


class LoginRequest(Struct, frozen=True):
    """What an author sends: the public key, and the sealed message in base64."""

    key: str
    box: str


class LoginProof(Struct, frozen=True):
    """What is sealed."""

    site: str
    """Host and port of the site."""
    time: float
    nonce: str


class KeyLogin:
    """Checks boxes by the keys of a daemon."""

    def __init__(self, keys: Path, clock: Callable[[], float] = time.time) -> None:
        self._keys = KeyStore(keys)
        self._clock = clock
        self._seen: dict[str, float] = {}
        """Nonces that were used, and when."""

    def end(self) -> int:
        """Return when a token that is given now ends."""
        return int(self._clock()) + _TOKEN_S

    def account(self, request: LoginRequest, url: str) -> str | None:
        """Return the account that a request proves; None if it proves none."""
        try:
            accounts = {key: account for account, key in self._keys.accounts().items()}
            server = self._keys.server()
        except ConfigError:
            return None
        account = accounts.get(request.key)
        proof = opened(request, server) if account is not None else None
        return account if proof is not None and self._is_fresh(proof, url) else None

    def _is_fresh(self, proof: LoginProof, url: str) -> bool:
        now = self._clock()
        self._seen = {nonce: at for nonce, at in self._seen.items() if now - at < 2 * VALID_S}
        if abs(now - proof.time) > VALID_S or proof.site != urlsplit(url).netloc:
            return False
        if proof.nonce in self._seen or len(proof.nonce) > 64 or len(self._seen) >= _MOST_NONCES:
            return False
        self._seen[proof.nonce] = now
        return True


def sealed(pair: Pair, server: str, proof: LoginProof) -> LoginRequest:
    """Return the request of an author with this pair of keys, for the daemon with this public key."""
    from nacl.public import Box

    box = Box(_secret_key(pair), _public_key(server))
    return LoginRequest(pair.public, base64.b64encode(box.encrypt(msgspec.json.encode(proof))).decode())


def opened(request: LoginRequest, server: Pair) -> LoginProof | None:
    """Return what is sealed in a request; None if the key of the request has not sealed it."""
    from nacl.exceptions import CryptoError
    from nacl.public import Box

    try:
        box = Box(_secret_key(server), _public_key(request.key))
        text = box.decrypt(base64.b64decode(request.box, validate=True))
        return msgspec.json.decode(text, type=LoginProof)
    except (CryptoError, ValueError):
        return None


def _secret_key(pair: Pair) -> "PrivateKey":
    from nacl.public import PrivateKey
    from zmq.utils import z85

    return PrivateKey(z85.decode(pair.secret))


def _public_key(key: str) -> "PublicKey":
    from nacl.public import PublicKey
    from zmq.utils import z85

    return PublicKey(z85.decode(key))
