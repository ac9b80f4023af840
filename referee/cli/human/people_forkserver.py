"""A forkserver that starts no process for a person, but hands its pipes to what speaks for people.

A person has what any bot on stdin and stdout has: two pipes to the hub and a socket to its supervisor. The
hub sees no difference.
"""

import socket
from collections.abc import Callable, Mapping

from referee.process.forkserver import Forkserver
from referee.process.spec import Program

Connect = Callable[[str, tuple[int, int], socket.socket], None]
"""Takes the name of a person, its ends of the pipes, and the supervisor's end of the socket; closes them."""


class PeopleForkserver(Forkserver):
    """Starts bots as the forkserver does, and connects people without a process."""

    def __init__(self, ways: Mapping[str, Connect]) -> None:
        """Start the forkserver; `ways` are what speaks for people, by the word that stands for them."""
        super().__init__()
        self._ways = dict(ways)

    def supervise(
        self, program: Program, stdin: int | None = None, stdout: int | None = None
    ) -> socket.socket:
        """Start a bot, or connect a person, and return the socket to its supervisor."""
        connect = self._ways.get(program.argv[0]) if len(program.argv) == 1 else None
        if connect is None:
            return super().supervise(program, stdin, stdout)
        assert stdin is not None, "a person speaks on pipes"
        assert stdout is not None, "a person speaks on pipes"
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        connect(program.env["NAME"], (stdin, stdout), theirs)
        return ours
