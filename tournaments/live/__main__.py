"""`python -m tournaments.live LINK LISTENER`: the process of a site; it is started with two descriptors."""

import asyncio
import os
import socket
import sys

import msgspec

from referee.hub.feed_messages import MOST_BYTES
from tournaments.live.server import serve
from tournaments.live.settings import SiteSettings

_YIELDS = 10
"""How much the process yields to others (`nice`)."""


def main() -> None:
    """Read the settings from the link, and serve until the link is closed."""
    # Bots and the hub come first: a page may wait, a clock does not.
    os.nice(_YIELDS)
    link, listener = (socket.socket(fileno=int(word)) for word in sys.argv[1:3])
    for end in (link, listener):
        end.set_inheritable(False)
    link.setblocking(True)
    first = link.recv(MOST_BYTES)
    if first:
        asyncio.run(serve(msgspec.json.decode(first, type=SiteSettings), listener, link))


if __name__ == "__main__":
    main()
