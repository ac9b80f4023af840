"""The public gate: a gate process for any number of bots that connect by themselves.

It holds no truth. If a peer makes it end, it is opened again in a moment, and bots come back with their
sessions. With keys, a bot is identified by its key, on every message; its routing id, which it could choose,
identifies nothing.
"""

import contextlib
import socket
import time
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import zmq

from protocol.codec import encode
from protocol.messages import Bye, Hello, Ping, Refuse
from referee.errors import RefereeError
from referee.gate.authenticator import (
    DOMAIN,
    SILENCE_S,
    Authenticator,
    Connection,
    check_strangers,
    connections,
    cut,
    is_near,
)
from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.cooldown import Cooldown
from referee.gate.inbox import Inbox
from referee.gate.keystore import AllowList, KeyStore
from referee.gate.records import Beat, Down, Expelled, Failed, Left, Noted
from referee.gate.router import DRAIN, SocketGate
from referee.match.faults import FaultCode

_PING_NS = 5_000_000_000
"""A bot that is silent for this long is asked whether it is still there."""

_ROUND_NS = 250_000_000
"""How often a gate reports that it works; one with keys also looks at its list and its connections."""

_NOTE_NS = 10_000_000_000
"""The least time between two notes about refused connections."""

_WAITING = 64
"""Messages of one bot that may wait to be read."""

_MOST_UNHEARD = 512
"""Messages before a hello that may be too many: what was on its way when a connection broke is a few."""

_MOST_PARTS = 64
"""More frames of one message than this are no mistake, and keep other bots waiting while they are read."""

_UNHEARD_BYTES = 4 << 20
"""What may have come from a bot since its last whole message: as much as may wait to be read."""

_GONE = "its connection is gone"
_REVOKED = "its key was revoked"
_REPLACED = "a newer connection with the same key has taken its place"


class PublicGate(SocketGate):
    """A gate for all bots that can reach it."""

    rounds_ms = _ROUND_NS // 1_000_000

    def __init__(self, config: GateConfig, channel: Channel[Down]) -> None:
        self._last = 0
        """The number of the last bot that was admitted."""
        self._near = False
        """Whether the message of a new peer that is being taken has come from this host."""
        self._beat_ns = 0
        self._ping_ns = time.monotonic_ns() + _PING_NS
        super().__init__(config, channel)

    def _secure(self, router: "zmq.Socket[bytes]") -> None:
        router.setsockopt(zmq.RCVHWM, _WAITING)
        router.setsockopt(zmq.BACKLOG, 1_024)

    def _admit(self, route: bytes, hello: Hello, now_ns: int) -> Inbox | Refuse:
        if len(self._routes) >= self._config.most:
            return Refuse("full", f"there are already {self._config.most} bots here; try again later")
        self._last += 1
        inbox = Inbox(self._last, now_ns)
        inbox.near = self._near
        return inbox

    def _note_bad_hello(self, code: FaultCode, why: str) -> None:
        """Report nothing: any host may send anything."""

    def _receive_from_new_peer(self) -> bytes:
        frame = self._socket.recv(zmq.NOBLOCK, copy=False)
        self._near = _is_near(frame)
        return frame.bytes

    def look_around(self, now_ns: int) -> None:
        """Report that the gate works, and ping bots that are silent."""
        if now_ns >= self._beat_ns:
            self._beat_ns = now_ns + _ROUND_NS
            self._ups.append(Beat())
        if now_ns < self._ping_ns:
            return
        self._ping_ns = now_ns + _PING_NS
        for bot, route in list(self._routes.items()):
            inbox = self._inboxes[route]
            if now_ns - inbox.heard_ns > _PING_NS and not self._send(route, encode(Ping(), inbox.encoding)):
                self._lose(bot)

    def _lose(self, bot: int) -> None:
        """Forget a bot whose connection is gone; it may come back."""
        self._drop(bot)
        self._ups.append(Left(bot, _GONE, said=False))


class _Guest(NamedTuple):
    """The bot at the other end of a route."""

    key: str
    account: str
    connection: Connection | None


class KeyedGate(PublicGate):
    """A gate for bots whose keys are on the list."""

    def __init__(self, config: GateConfig, channel: Channel[Down]) -> None:
        """Open the gate, and try it without a listed key; raises RefereeError if that lets a peer in."""
        assert config.keys is not None
        folder = KeyStore(Path(config.keys))
        self._server = folder.server()
        self._allowed = AllowList(folder)
        self._guests: dict[bytes, _Guest] = {}
        self._before_hello: dict[str, Inbox] = {}
        """By key: what limits the messages that come before a hello."""
        self._unheard: Counter[str] = Counter()
        """By key: how many of them were too many, since its last hello."""
        self._cooldown = Cooldown()
        self._spoken: set[bytes] = set()
        """Routes from which a whole message has come since the last round."""
        self._counted: dict[Connection, int] = {}
        """How many bytes had come over each connection when it was last heard."""
        self._condemned: list[Connection] = []
        """Doomed from the next round on, and ended in the one after it, so that a bye arrives first."""
        self._doomed: list[Connection] = []
        self._muted: dict[Connection, int] = {}
        """When connections were first seen that have sent nothing yet."""
        self._round_ns = self._note_ns = 0
        self._noted_trouble = ""
        super().__init__(config, channel)
        check_strangers(self._socket.getsockopt_string(zmq.LAST_ENDPOINT), self._server.public)
        self._noted_refused = self.authenticator.refused

    def _secure(self, router: "zmq.Socket[bytes]") -> None:
        super()._secure(router)
        self.authenticator = Authenticator(self._context, self._allowed, self._cooldown)
        self.authenticator.start()
        router.curve_server = True
        router.curve_secretkey = self._server.secret.encode()
        router.setsockopt(zmq.ZAP_DOMAIN, DOMAIN)
        # Without this any key would be let in whenever the authenticator does not answer.
        router.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)

    def close(self) -> None:
        """End the authenticator, and close the socket."""
        self.authenticator.end()
        super().close()

    # Messages.

    def _take_messages(self) -> None:
        receive = self._socket.recv
        with contextlib.suppress(zmq.Again):
            for _ in range(DRAIN):
                route = receive(zmq.NOBLOCK)
                frame = receive(zmq.NOBLOCK, copy=False)
                parts = 1
                while self._socket.getsockopt(zmq.RCVMORE):
                    receive(zmq.NOBLOCK)
                    parts += 1
                if not self._may_speak(route, frame):
                    continue
                if parts > _MOST_PARTS:
                    self._put_out(self._guests[route], f"a message of {parts} frames instead of one")
                else:
                    self.take(route, frame.bytes, parts, time.monotonic_ns())

    def _may_speak(self, route: bytes, frame: zmq.Frame) -> bool:
        """Find the account of a message; return whether it may be looked at."""
        key = _key_of(frame)
        account = self._allowed.account(key)
        if key is None or account is None or self._cooldown.has(key, time.monotonic()):
            return False
        self._spoken.add(route)
        guest = self._guests.get(route)
        if guest is not None and guest.key != key:
            # The owner has gone, and another bot came with its routing id.
            self._part_with(route)
            guest = None
        if guest is not None and route in self._inboxes:
            return True
        now_ns = time.monotonic_ns()
        self._near = _is_near(frame)
        guest = _Guest(key, account, self.authenticator.hear(key, int(frame.get(zmq.SRCFD))))
        self._guests[route] = guest
        if self._before_hello.setdefault(key, Inbox(0, now_ns)).skip(now_ns) is None:
            return True
        self._unheard[key] += 1
        if self._unheard[key] > _MOST_UNHEARD:
            self._put_out(guest, "too many messages before its hello")
        return False

    def _admit(self, route: bytes, hello: Hello, now_ns: int) -> Inbox | Refuse:
        if len(route) != 5 or route[0]:
            # Others could come with the same one and get what is meant for this bot.
            return Refuse("closed", "a bot that sets a routing id is not admitted here: leave it to ZeroMQ")
        guest = self._guests[route]
        for bot, other in list(self._routes.items()):
            if self._guests[other].key == guest.key:
                self._see_off(bot, other, _REPLACED)
        inbox = super()._admit(route, hello, now_ns)
        if isinstance(inbox, Inbox):
            inbox.account = guest.account
            del self._unheard[guest.key]
        return inbox

    # Rounds.

    def look_around(self, now_ns: int) -> None:
        """Also check the keys and the connections; raise RefereeError if the authenticator has ended."""
        super().look_around(now_ns)
        if now_ns < self._round_ns:
            return
        self._round_ns = now_ns + _ROUND_NS
        if not self.authenticator.is_alive():
            # No bot could ever enter again: better be opened anew.
            raise RefereeError("the authenticator of the public gate has ended")
        for doomed in self._doomed:
            cut(doomed)
        self._doomed, self._condemned = self._condemned, []
        there = connections()
        self._allowed.refresh()
        for route, guest in list(self._guests.items()):
            if self._allowed.account(guest.key) != guest.account:
                self._expel(route)
            elif guest.connection not in there:
                self._part_with(route)
        self._end_the_endless(there)
        self._end_the_mute(there, now_ns)
        self._note(now_ns)

    def _expel(self, route: bytes) -> None:
        inbox = self._inboxes.get(route)
        if inbox is not None:
            self._see_off(inbox.bot, route, _REVOKED)
            self._ups.append(Expelled(inbox.bot, _REVOKED))
        else:
            self._condemn(route)
        del self._guests[route]

    def _see_off(self, bot: int, route: bytes, why: str) -> None:
        """Say bye to a bot, and end its connection a moment later."""
        self._send(route, encode(Bye(why), self._inboxes[route].encoding))
        self._drop(bot)
        self._condemn(route)

    def _condemn(self, route: bytes) -> None:
        doomed = self._guests[route].connection
        if doomed is not None:
            self._condemned.append(doomed)

    def _part_with(self, route: bytes) -> None:
        """Forget a route whose connection is gone."""
        del self._guests[route]
        inbox = self._inboxes.get(route)
        if inbox is not None:
            self._lose(inbox.bot)

    def _put_out(self, offender: _Guest, why: str) -> None:
        """End all connections of a key, and keep it out for a while."""
        pause_s = self._cooldown.send(offender.key, time.monotonic())
        self._before_hello.pop(offender.key, None)
        del self._unheard[offender.key]
        for route, guest in list(self._guests.items()):
            if guest.key == offender.key:
                if guest.connection is not None:
                    cut(guest.connection)
                self._part_with(route)
        self._ups.append(Noted(f"{offender.account} is kept out for {pause_s:.0f} s: {why}"))

    def _end_the_endless(self, there: Mapping[Connection, int]) -> None:
        """Put out a bot that sends one message without end, which is never delivered, only kept in memory."""
        guests = {guest.connection: guest for guest in self._guests.values()}
        heard = {self._guests[route].connection for route in self._spoken if route in self._guests}
        self._spoken.clear()
        before, self._counted = self._counted, {}
        for one, came in there.items():
            self._counted[one] = came if one in heard else before.get(one, 0)
            if came - self._counted[one] > _UNHEARD_BYTES:
                cut(one)
                if one in guests and not self._cooldown.has(guests[one].key, time.monotonic()):
                    self._put_out(guests[one], "a message without end")

    def _end_the_mute(self, there: Collection[Connection], now_ns: int) -> None:
        """End connections that say nothing: they count against no key."""
        self._muted = {one: self._muted.get(one, now_ns) for one in self.authenticator.mute(there)}
        for one, since_ns in self._muted.items():
            if now_ns - since_ns > SILENCE_S * 1e9:
                cut(one)

    def _note(self, now_ns: int) -> None:
        """Report to the operator what has changed: the list of keys, refused connections."""
        trouble = self._allowed.trouble
        if trouble != self._noted_trouble:
            self._noted_trouble = trouble
            self._ups.append(Noted(trouble or "the list of keys can be read again"))
        refused = self.authenticator.refused - self._noted_refused
        if refused and now_ns > self._note_ns:
            self._note_ns = now_ns + _NOTE_NS
            self._noted_refused += refused
            what = "a connection was" if refused == 1 else f"{refused} connections were"
            self._ups.append(Noted(f"{what} refused: no such key, too many with one key, or kept out"))


def _is_near(frame: zmq.Frame) -> bool:
    """Return whether a frame has come from this host; libzmq does not know the source of every frame."""
    try:
        return is_near(int(frame.get(zmq.SRCFD)))
    except zmq.ZMQError:
        return False


def _key_of(frame: zmq.Frame) -> str | None:
    """Return the key of the connection by which a message came; None if it has none."""
    try:
        key = frame.get("User-Id")
    except zmq.ZMQError:
        return None
    return key if isinstance(key, str) else None


def run(config: GateConfig, end: socket.socket) -> None:
    """Be a public gate until the hub is gone."""
    channel: Channel[Down] = Channel(end, Down)
    try:
        gate = PublicGate(config, channel) if config.keys is None else KeyedGate(config, channel)
    except (zmq.ZMQError, OSError) as error:
        hint = "is another daemon running there? Choose another --bind"
        channel.send([Failed(f"cannot listen at {config.address}: {error}; {hint}")])
    except RefereeError as error:
        channel.send([Failed(str(error))])
    else:
        gate.run()
