"""A bot on this host that speaks ZeroMQ, and connects to a daemon elsewhere by itself."""

import socket
import time

import msgspec
import zmq

from referee.process.forkserver import Forkserver
from referee.process.reports import Ended
from referee.process.spec import Program
from referee.server.backoff import Backoff
from referee.server.playing_process import TURN_MS, Credentials, Note, PlayingProcess


class Direct:
    """Starts a bot that speaks ZeroMQ, and connects to the daemon by itself."""

    def __init__(
        self,
        address: str,
        program: Program,
        note: Note,
        credentials: Credentials | None = None,
        *,
        rejoins: bool = True,
    ) -> None:
        """Start the bot; if it `rejoins`, it is started again after no daemon listened for a while."""
        self._forkserver = Forkserver()
        self._address = address
        self._note = note
        self._rejoins = rejoins
        self._backoff = Backoff()
        self._asked = 0
        given = {"REFEREE_ADDRESS": address}
        if credentials is not None:
            given |= {
                "REFEREE_KEY": str(credentials.path.resolve()),
                "REFEREE_SERVER_KEY": credentials.server,
            }
        self._program = msgspec.structs.replace(program, env=program.env | given)
        self._process = PlayingProcess(self._forkserver, self._program, note)

    @property
    def end(self) -> Ended | None:
        """How the bot ended; None while it runs."""
        return self._process.bot.end

    def run(self) -> bool:
        """Wait for the bot's end; return whether it came in good order."""
        while not self._ends_in_order():
            if not self._rejoins or is_reachable(self._address):
                # A daemon is there: the bot has ended for a reason of its own, or was refused.
                return False
            if not self._finds_daemon():
                return True
            self._process.bot.close()
            self._process = PlayingProcess(self._forkserver, self._program, self._note)
        return True

    def _ends_in_order(self) -> bool:
        """Wait until the bot has ended; return whether it did so in good order."""
        poller = zmq.Poller()
        poller.register(self._process.bot, zmq.POLLIN)
        while (end := self.end) is None:
            self._process.asked = self._asked
            if poller.poll(TURN_MS):
                self._process.read()
            self._process.see_out()
        return bool(self._asked) or end.is_success

    def _finds_daemon(self) -> bool:
        """Wait until a daemon listens again; return False if we are asked to leave before that."""
        self._note(f"no daemon listens at {self._address} any more; the bot is started again when one does")
        due = time.monotonic() + self._backoff.next_s()
        while not self._asked:
            time.sleep(TURN_MS / 1_000)
            if time.monotonic() < due:
                continue
            if is_reachable(self._address):
                self._backoff.reset()
                return True
            due = time.monotonic() + self._backoff.next_s()
        return False

    def stop(self) -> None:
        """Ask the bot to leave; asked again, make it."""
        self._asked += 1

    def close(self) -> None:
        """End everything that was started."""
        self._process.bot.close()
        self._forkserver.close()


def is_reachable(address: str, timeout_s: float = 3.0) -> bool:
    """Return whether a TCP address accepts connections; True for other addresses, which cannot be tried."""
    if not address.startswith("tcp://"):
        return True
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout_s).close()
    except (OSError, ValueError):
        return False
    return True
