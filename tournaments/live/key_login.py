"""Authors log in with the key of their bot: a box that only the two keys can make proves it.

The author's program seals a message with its secret key for the daemon's public key (Curve25519, XSalsa20 and
Poly1305, as CURVE does). The message has the time and a nonce: a box is valid for a minute, and once. The
answer is a token of the account, which ends after some hours; it is sealed for the author's key, so a program
that passes the messages on learns nothing.
"""

import base64
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import Struct

from protocol.keys import Pair
from referee.errors import ConfigError
from referee.gate.keystore import KeyStore

if TYPE_CHECKING:
    from nacl.public import Box

Opened = TypeVar("Opened")

VALID_S: Final = 60.0
"""How long a box is valid, and how far the clocks of author and site may differ."""
TOKEN_S: Final = 12 * 3_600
"""How long a token is valid."""
_MOST_NONCES: Final = 10_000


class LoginRequest(Struct, frozen=True):
    """What an author sends: the public key, and the sealed message in base64."""

    key: str
    box: str


class LoginProof(Struct, frozen=True):
    """What the author has sealed."""

    time: float
    nonce: str


class LoginGrant(Struct, frozen=True):
    """What the site seals for the author."""

    bot: str
    token: str


class KeyLogin:
    """Checks boxes by the keys of a daemon."""

    def __init__(self, keys: Path, clock: Callable[[], float] = time.time) -> None:
        self._keys = KeyStore(keys)
        self._clock = clock
        self._seen: dict[str, float] = {}
        """Nonces that were used, and when."""

    def grant(self, request: LoginRequest, token_of: Callable[[str, int], str]) -> str | None:
        """Return a sealed grant for the account that a request proves; None if it proves none.

        `token_of` returns the token of an account that ends at a second.
        """
        try:
            accounts = {key: account for account, key in self._keys.accounts().items()}
            server = self._keys.server()
        except ConfigError:
            return None
        account = accounts.get(request.key)
        if account is None or not self._is_proof(request, server):
            return None
        made = LoginGrant(account, token_of(account, int(self._clock()) + TOKEN_S))
        return _sealed(_box(server, request.key), made)

    def _is_proof(self, request: LoginRequest, server: Pair) -> bool:
        proof = _opened(_box(server, request.key), request.box, LoginProof)
        return proof is not None and self._is_fresh(proof)

    def _is_fresh(self, proof: LoginProof) -> bool:
        now = self._clock()
        self._seen = {nonce: at for nonce, at in self._seen.items() if now - at < 2 * VALID_S}
        if abs(now - proof.time) > VALID_S or len(proof.nonce) > 64:
            return False
        if proof.nonce in self._seen or len(self._seen) >= _MOST_NONCES:
            return False
        self._seen[proof.nonce] = now
        return True


def login_request(pair: Pair, server: str, now: float) -> LoginRequest:
    """Return the request of an author with this pair of keys, for the daemon with this public key."""
    proof = LoginProof(now, secrets.token_hex(16))
    return LoginRequest(pair.public, _sealed(_box(pair, server), proof))


def login_grant(pair: Pair, server: str, box: str) -> LoginGrant | None:
    """Return what the site has sealed for an author; None if the daemon with this key has not sealed it."""
    return _opened(_box(pair, server), box, LoginGrant)


def _sealed(box: "Box", content: Struct) -> str:
    return base64.b64encode(box.encrypt(msgspec.json.encode(content))).decode()


def _opened(box: "Box", text: str, kind: type[Opened]) -> Opened | None:
    from nacl.exceptions import CryptoError

    try:
        return msgspec.json.decode(box.decrypt(base64.b64decode(text, validate=True)), type=kind)
    except (CryptoError, ValueError):
        return None


def _box(ours: Pair, theirs: str) -> "Box":
    # An extra: imported only where it is wanted.
    from nacl.public import Box, PrivateKey, PublicKey
    from zmq.utils import z85

    return Box(PrivateKey(z85.decode(ours.secret)), PublicKey(z85.decode(theirs)))
