"""Probes a gate: whether a handshake with some keys, or without, succeeds.

So a bot's owner learns at once what is wrong with the keys, and a gate tests that strangers stay out.
"""

import sys
from typing import Literal

import zmq

from protocol.keys import Pair, secure

Answer = Literal["open", "refused", "other", "silent"]
"""`refused`: it took the handshake and refused the key; `other`: it speaks another protocol."""

_VERDICTS: dict[int, Answer] = {
    zmq.EVENT_HANDSHAKE_SUCCEEDED: "open",
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: "refused",
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "other",
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "other",
    zmq.EVENT_DISCONNECTED: "other",
}


def probe(address: str, pair: Pair | None, server: str | None, timeout_s: float = 5.0) -> Answer:
    """Make a handshake at an address, with keys or without, and close the connection."""
    context = zmq.Context()
    dealer = context.socket(zmq.DEALER)
    events = dealer.get_monitor_socket(sum(_VERDICTS))
    try:
        if pair is not None and server is not None:
            secure(dealer, pair, server)
        dealer.connect(address)
        if not events.poll(int(timeout_s * 1_000)):
            return "silent"
        # The number of the event, its value; the address is in a second frame.
        event = int.from_bytes(events.recv_multipart()[0][:2], sys.byteorder)
        return _VERDICTS[event]
    finally:
        dealer.disable_monitor()
        context.destroy(linger=0)
