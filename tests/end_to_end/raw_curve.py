"""CURVE by hand (RFC 26), for what libzmq's own sockets would never send: a message that does not end."""

import os
import socket

from nacl.bindings import crypto_box, crypto_box_keypair, crypto_box_open
from zmq.utils import z85

from protocol.keys import Pair

_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"CURVE".ljust(20, b"\0") + bytes(32)
_METADATA = b"\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"


class RawCurve:
    """An enrolled bot that has finished its handshake and may now send any bytes."""

    def __init__(self, address: tuple[str, int], pair: Pair, server: str) -> None:
        public, secret, theirs = (z85.decode(key) for key in (pair.public, pair.secret, server))
        short_public, self._secret = crypto_box_keypair()
        self._count = 1
        self.socket = socket.create_connection(address, 30)
        self.socket.sendall(_GREETING)
        self._read(64)
        box = crypto_box(bytes(64), b"CurveZMQHELLO---" + self._short(), theirs, self._secret)
        self._command(b"\x05HELLO\x01\x00" + bytes(72) + short_public + self._short() + box)
        welcome = self._frame().removeprefix(b"\x07WELCOME")
        opened = crypto_box_open(welcome[16:], b"WELCOME-" + welcome[:16], theirs, self._secret)
        self._theirs, cookie = opened[:32], opened[32:]
        nonce = os.urandom(16)
        vouch = nonce + crypto_box(short_public + theirs, b"VOUCH---" + nonce, self._theirs, secret)
        self._count += 1
        inner = public + vouch + _METADATA
        box = crypto_box(inner, b"CurveZMQINITIATE" + self._short(), self._theirs, self._secret)
        self._command(b"\x08INITIATE" + cookie + self._short() + box)
        assert self._frame().startswith(b"\x05READY")

    def say(self, *payloads: bytes, more: bool) -> None:
        """Send frames, each of which is a message, or says that another frame of it follows."""
        self.socket.sendall(b"".join(self._message(payload, more) for payload in payloads))

    def _message(self, payload: bytes, more: bool) -> bytes:
        self._count += 1
        nonce = b"CurveZMQMESSAGEC" + self._short()
        box = crypto_box(bytes([more]) + payload, nonce, self._theirs, self._secret)
        body = b"\x07MESSAGE" + self._short() + box
        return b"\x02" + len(body).to_bytes(8, "big") + body

    def _short(self) -> bytes:
        return self._count.to_bytes(8, "big")

    def _command(self, body: bytes) -> None:
        head = b"\x04" + bytes([len(body)]) if len(body) < 256 else b"\x06" + len(body).to_bytes(8, "big")
        self.socket.sendall(head + body)

    def _frame(self) -> bytes:
        flags = self._read(1)[0]
        length = int.from_bytes(self._read(8 if flags & 2 else 1), "big")
        return self._read(length)

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            chunk = self.socket.recv(count - len(data))
            assert chunk, "the gate has hung up"
            data += chunk
        return data
