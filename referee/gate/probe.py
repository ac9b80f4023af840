"""Try to connect to a door: report whether it admits a key, and if not, why.

`referee join` reports wrong keys before it starts a bot, and a door checks that it refuses unknown keys.
"""

import sys
from typing import Literal

import zmq

from protocol.keys import Pair, secure

Answer = Literal["open", "refused", "other", "silent"]
"""`refused`: it speaks as we do, and does not want us; `other`: it does not understand us."""

_VERDICTS: dict[int, Answer] = {
    zmq.EVENT_HANDSHAKE_SUCCEEDED: "open",
    zmq.EVENT_HANDSHAKE_FAILED_AUTH: "refused",
    zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL: "other",
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL: "other",
    zmq.EVENT_DISCONNECTED: "other",
}


def probe(address: str, pair: Pair | None, server: str | None, timeout_s: float = 5.0) -> Answer:
    """Shake hands at an address, with keys or without, and leave again."""
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
