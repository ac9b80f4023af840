"""The site's end of the link to its hub: messages in and out, in the site's own event loop."""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec

from referee.hub.feed_messages import (
    MOST_BYTES,
    OrderDone,
    OrganiserAct,
    OrganiserOrder,
    Remark,
    ToHub,
    ToSite,
)

Message = TypeVar("Message")

_MOST_DESCRIPTORS: Final = 3
_ORDER_S: Final = 10.0
"""How long the hub may take to carry out an order."""

_decode = msgspec.json.Decoder(ToSite).decode
_encode = msgspec.json.Encoder().encode


class HubLink:
    """Takes the messages of the hub, and sends it wishes and orders. `ended` is set when the hub has gone."""

    def __init__(self, link: socket.socket) -> None:
        self._socket = link
        self._handlers: dict[type, list[Callable[[Any, Sequence[int]], None]]] = {}
        self._orders: dict[int, asyncio.Future[OrderDone]] = {}
        self._number = 0
        self.ended = asyncio.Event()

    def on(self, kind: type[Message], handler: Callable[[Message, Sequence[int]], None]) -> None:
        """Call a handler with every message of this kind, and with the descriptors that came with it.

        The descriptors are the handler's to close; those of a message without a handler are closed.
        """
        self._handlers.setdefault(kind, []).append(handler)

    def start(self) -> None:
        """Read from now on, in the running event loop."""
        self._socket.setblocking(False)
        self.on(OrderDone, lambda done, _: self._answered(done))
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self._read)

    def close(self) -> None:
        """Read no more."""
        with suppress(RuntimeError, ValueError):
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
        self._socket.close()

    def _read(self) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(
                self._socket, MOST_BYTES, _MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        if not data:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self.ended.set()
            return
        message = _decode(data)
        handlers = self._handlers.get(type(message), ())
        for handler in handlers:
            handler(message, descriptors)
        for descriptor in descriptors if not handlers else ():
            os.close(descriptor)

    def send(self, message: ToHub) -> bool:
        """Send a message; return whether the hub will get it."""
        try:
            self._socket.send(_encode(message))
        except OSError:
            return False
        return True

    def remark(self, text: str, *, warns: bool = False) -> None:
        """Send a sentence for the operator's log."""
        self.send(Remark(text[:1_000], warns))

    async def order(self, act: OrganiserAct, text: str = "", event: str = "") -> OrderDone:
        """Send an order of the organiser, and return the answer of the hub."""
        self._number += 1
        answer: asyncio.Future[OrderDone] = asyncio.get_running_loop().create_future()
        self._orders[self._number] = answer
        try:
            if not self.send(OrganiserOrder(self._number, act, text, event)):
                return OrderDone(self._number, "the hub does not listen now: try again", ok=False)
            async with asyncio.timeout(_ORDER_S):
                return await answer
        except TimeoutError:
            return OrderDone(self._number, f"the hub has not answered within {_ORDER_S:.0f} s", ok=False)
        finally:
            self._orders.pop(self._number, None)

    def _answered(self, done: OrderDone) -> None:
        waiting = self._orders.get(done.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(done)
