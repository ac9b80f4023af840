"""The process of a worker: `python -m referee.worker DESCRIPTOR PARENT`, started by an organiser only."""

import signal
import socket
import sys

from referee.errors import RefereeError
from referee.hub.event_loop import allow_many_files
from referee.process.parent import die_with_parent
from referee.worker.worker import Worker


def main() -> None:
    """Play for the organiser at the other end of the socket, and end with it."""
    descriptor, parent = map(int, sys.argv[1:])
    die_with_parent(parent)
    # The organiser is asked to stop, and then lets go of us. Signals are handled rather than ignored: bots
    # would inherit it that they are ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    allow_many_files()
    try:
        Worker(socket.socket(fileno=descriptor)).run()
    except RefereeError as error:
        sys.exit(f"referee worker: {error}")


if __name__ == "__main__":
    main()
