"""The one client of a supervisor: start a bot, read its stderr, terminate or kill it, see how it ended."""

import contextlib
import socket
from collections.abc import Callable

from referee.process.forkserver import Forkserver
from referee.process.reports import Drained, EndCause, Ended, Order, Started, Wrote, decode_report
from referee.process.spec import Program
from referee.process.stderr_tail import StderrTail

_CHUNK = 1 << 16


class BotProcess:
    """A bot's process. Wait for `fileno`, then call `read`; never blocks.

    `let_go` and `close` end the bot with all its processes, because its supervisor ends with the socket.
    After `let_go` it can still be seen when they are gone.
    """

    def __init__(
        self,
        forkserver: Forkserver,
        program: Program,
        pipes: tuple[int, int] | None = None,
        *,
        stderr: StderrTail | None = None,
        on_stderr: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        """Start the bot; `pipes` are its stdin and stdout, which are closed here.

        Without them it reads nothing, and its stdout goes where its stderr goes. `on_stderr` is called with
        each chunk of it. Raises OSError if the forkserver cannot be reached.
        """
        self.program = program
        self.stderr = stderr or StderrTail()
        self.pid = 0
        """The process of the supervisor, once it has started."""
        self.contained = False
        """Whether the supervisor has a PID namespace of its own."""
        self.end: Ended | None = None
        """How the bot ended; None while one of its processes may be left."""
        self._on_stderr = on_stderr
        self._drains: list[Callable[[], None]] = []
        """What is to be called for each order to drain, in the order of the orders."""
        self._socket = forkserver.supervise(program, *(pipes or ()))

    def fileno(self) -> int:
        """Return the descriptor that is readable when there is a report."""
        return self._socket.fileno()

    def read(self) -> None:
        """Take all reports that have come; `end` is set by the last of them."""
        while self.end is None:
            try:
                data = self._socket.recv(_CHUNK)
            except BlockingIOError:
                return
            except ConnectionResetError:
                # The supervisor ended with an order unread. Its last report is still to come.
                continue
            except OSError:
                data = b""
            match decode_report(data) if data else Ended(EndCause.SUPERVISOR_LOST):
                case Wrote() as wrote:
                    self.stderr.add(wrote.data, wrote.dropped)
                    self._on_stderr(wrote.data)
                case Started() as started:
                    self.pid, self.contained = started.pid, started.contained
                case Drained():
                    self._drains.pop(0)()
                case Ended() as ended:
                    self.end = ended
                    while self._drains:
                        self._drains.pop(0)()

    def drain(self, then: Callable[[], None]) -> None:
        """Call `then` when `stderr` has all that the bot has written so far, or the bot has ended."""
        if self.end is not None:
            then()
            return
        self._drains.append(then)
        self._order(Order.DRAIN)

    def terminate(self) -> None:
        """Send SIGTERM to the bot."""
        self._order(Order.TERMINATE)

    def kill(self) -> None:
        """Send SIGKILL to the bot; its end is reported."""
        self._order(Order.KILL)

    def _order(self, order: Order) -> None:
        with contextlib.suppress(OSError):
            self._socket.send(order.encode())

    def let_go(self) -> None:
        """Let the supervisor end the bot with all its processes; `read` sets `end` when that is done."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Let go of the supervisor, which then ends and takes the bot and all its processes along."""
        self._socket.close()
