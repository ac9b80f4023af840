"""The reception of bots on ZeroMQ: who may enter, and what becomes of each message; without sockets."""

import time
from collections.abc import Hashable
from typing import Generic, TypeVar

from protocol.codec import encode, encoding_of
from protocol.errors import ProtocolError
from protocol.messages import Bye, Error, Hello, Message, Refuse
from protocol.untrusted import from_bot
from referee.gate.inbox import REFUSED_HELLO, Inbox
from referee.gate.quoting import quoted
from referee.gate.records import Answered, Deliver, Down, Left, Misbehaved, Rejected, Up
from referee.match.faults import FaultCode

R = TypeVar("R", bound=Hashable)


class Reception(Generic[R]):
    """Lets bots in, gives each an inbox, and makes records of what they send.

    A route is what the gate calls a connection. This one is for the one bot with the token; those that are
    open to more say otherwise in `_admit`.
    """

    def __init__(self, token: str | None) -> None:
        self._token = token
        self._inboxes: dict[R, Inbox] = {}
        self._routes: dict[int, R] = {}
        self._ups: list[Up] = []

    def collect(self) -> list[Up]:
        """Return the records for the hub since the last call."""
        records, self._ups = self._ups, []
        return records

    @property
    def bots(self) -> list[int]:
        """The numbers of the bots that are connected."""
        return [inbox.bot for inbox in self._inboxes.values()]

    def _send(self, route: R, data: bytes) -> bool:
        """Send; return False if the peer is gone or does not read."""
        raise NotImplementedError

    def take(self, route: R, data: bytes, parts: int, now_ns: int) -> None:
        """Take the first frame of a message from a peer, which had this number of frames."""
        inbox = self._inboxes.get(route)
        if parts > 1:
            why = f"a message of {parts} frames instead of one"
            if inbox is None:
                self._send(route, encode(Error("malformed", why), encoding_of(data)))
                self._note_bad_hello(FaultCode.MALFORMED, f"in place of its hello: {why}")
            else:
                self._ups.append(inbox.skip(now_ns) or Misbehaved(inbox.bot, FaultCode.MALFORMED, why))
            return
        inbox = inbox or self._new_inbox(route, data, now_ns)
        if inbox is None:
            return
        taken = inbox.take(data, now_ns)
        # An answer is what comes most, and to see that it is no message to send back takes ten times as long.
        if type(taken) is Answered:
            self._ups.append(taken)
        elif isinstance(taken, Message):
            self._send(route, encode(taken, inbox.encoding))
        elif taken is not None:
            self._ups.append(taken)

    def _new_inbox(self, route: R, data: bytes, now_ns: int) -> Inbox | None:
        """Let a new peer in, if its first message is a hello that may enter."""
        encoding = encoding_of(data)
        try:
            # An empty frame is what a socket sends by itself when it has connected anew (PROBE_ROUTER).
            hello = from_bot(data) if data else None
        except ProtocolError as error:
            self._send(route, encode(Error(error.code, str(error)), encoding))
            shown = quoted(data) if data.isascii() else ""
            self._note_bad_hello(FaultCode(error.code), f"in place of its hello: {error}{shown}")
            return None
        if not isinstance(hello, Hello):
            self._send(route, encode(Error("no-session", "say hello first"), encoding))
            return None
        inbox = self._admit(route, hello, now_ns)
        if isinstance(inbox, Refuse):
            self._send(route, encode(inbox, encoding))
            self._send(route, encode(Bye(inbox.why), encoding))
            self._note_bad_hello(FaultCode.NO_HELLO, inbox.why)
            return None
        self._inboxes[route] = inbox
        self._routes[inbox.bot] = route
        return inbox

    def _note_bad_hello(self, code: FaultCode, why: str) -> None:
        """Report what came in place of a hello, for the case that no better one comes."""
        if not self._routes:
            self._ups.append(Rejected(0, code, why))

    def _admit(self, route: R, hello: Hello, now_ns: int) -> Inbox | Refuse:
        """Return the inbox of a bot that may enter, or the reason why it may not."""
        if hello.token != self._token:
            return Refuse("token", REFUSED_HELLO)
        # The newer connection with the token replaces the older one, whose allowance it takes over.
        return self._drop(0) or Inbox(0, now_ns)

    def _drop(self, bot: int) -> Inbox | None:
        route = self._routes.pop(bot, None)
        return None if route is None else self._inboxes.pop(route)

    def obey(self, record: Down) -> None:
        """Do what the hub asks for."""
        route = self._routes.get(record.bot)
        if route is None:
            return
        if isinstance(record, Deliver):
            self._inboxes[route].leaving(record.match, record.id, time.monotonic_ns())
            if not self._send(route, record.data):
                self._drop(record.bot)
                self._ups.append(Left(record.bot, "its connection is gone", said=False))
        elif record.match:
            self._inboxes[route].forget(record.match)
        else:
            self._drop(record.bot)
