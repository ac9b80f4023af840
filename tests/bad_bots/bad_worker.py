"""Workers that are broken in one way each: `bad_worker.py WAY DESCRIPTOR PARENT`."""

import os
import signal
import socket
import sys

from msgspec.structs import replace

from referee.hub.archive import Filing
from referee.process.parent import die_with_parent
from referee.replay.format import ReplayText
from referee.worker import worker
from referee.worker.orders import MatchBegan, MatchOver, WorkerRecord
from referee.worker.worker import Worker


class Twice(Worker):
    """Sends every result twice."""

    def deliver(self, filing: Filing) -> None:
        super().deliver(filing)
        super().deliver(filing)


class OtherCards(Worker):
    """Plays every match with cards of its own."""

    def deliver(self, filing: Filing) -> None:
        header = filing.replay.bodies[0].replace(b'"commit":"', b'"commit":"0')
        bodies = [header, *filing.replay.bodies[1:]]
        super().deliver(replace(filing, replay=ReplayText(bodies, filing.replay.play)))


class OtherMatch(Worker):
    """Returns the result of another match."""

    def send(self, record: WorkerRecord) -> None:
        if isinstance(record, MatchOver):
            record = replace(record, result=replace(record.result, match="another"))
        super().send(record)


class DiesOfDeal(Worker):
    """Is killed whenever it plays one certain match."""

    def send(self, record: WorkerRecord) -> None:
        super().send(record)
        if isinstance(record, MatchBegan) and record.match == "m3":
            self.flush()
            os.kill(os.getpid(), signal.SIGKILL)


class OtherCode(Worker):
    """Runs other code than its organiser."""


WAYS: dict[str, type[Worker]] = {
    "twice": Twice,
    "other-cards": OtherCards,
    "other-match": OtherMatch,
    "dies-of-deal": DiesOfDeal,
    "other-code": OtherCode,
}

if __name__ == "__main__":
    way, descriptor, parent = sys.argv[1:]
    die_with_parent(int(parent))
    if way == "other-code":
        vars(worker)["code_hash"] = lambda: "another"
    WAYS[way](socket.socket(fileno=int(descriptor))).run()
