"""`python -m tournaments.live LINK LISTENER`: the process of a site; it is started with two descriptors."""

import asyncio
import socket
import sys

import msgspec

from referee.hub.feed_messages import MOST_BYTES
from tournaments.live.server import serve
from tournaments.live.settings import SiteSettings


def main() -> None:
    """Read the settings from the link, and serve until the link is closed."""
    link, listener = (socket.socket(fileno=int(word)) for word in sys.argv[1:3])
    for end in (link, listener):
        end.set_inheritable(False)
    link.setblocking(True)
    first = link.recv(MOST_BYTES)
    if first:
        asyncio.run(serve(msgspec.json.decode(first, type=SiteSettings), listener, link))


if __name__ == "__main__":
    main()
