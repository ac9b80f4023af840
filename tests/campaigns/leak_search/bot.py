"""A bot that keeps every byte it is sent: in a file, and on its stderr. Some of its answers are illegal.

`bot.py NAME DUMPS REPLAYS`: what is kept goes to DUMPS, and while a match runs it looks into REPLAYS for it.
With REFEREE_ADDRESS it speaks msgpack over ZeroMQ, otherwise JSON on stdin and stdout.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

NAME, DUMPS, REPLAYS = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
CLUMSY = NAME.startswith("clumsy")


class Diary:
    """Everything that was seen: one entry after the other, each with its kind and its length."""

    def __init__(self) -> None:
        self._file = open(DUMPS / f"{NAME}-{os.getpid()}.diary", "ab")  # noqa: SIM115

    def write(self, kind: bytes, data: bytes) -> None:
        """Write an entry, so that it is there even if we are killed."""
        self._file.write(kind + len(data).to_bytes(4, "big") + data)
        self._file.flush()

    def surroundings(self) -> None:
        """Write down what a program can see of where it runs."""
        around = {Path.cwd(), Path(os.environ.get("TMPDIR", "/tmp")).parent, *Path.cwd().parents[:1]}
        names = [str(path) for folder in around for path in _listed(folder)]
        seen = {"env": dict(os.environ), "argv": sys.argv, "names": names}
        self.write(b"S", json.dumps(seen).encode())

    def running(self, match: str) -> None:
        """Write down what is on file about a match that is being played."""
        for path in _listed(REPLAYS):
            if match in path.name:
                with contextlib.suppress(OSError):
                    self.write(b"F", f"{match}\0{path.name}\0".encode() + path.read_bytes())


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _by_pipe() -> tuple[Callable[[Any], None], Iterator[bytes]]:
    def send(message: Any) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    return send, iter(sys.stdin.buffer.readline, b"")


def _by_socket(address: str) -> tuple[Callable[[Any], None], Iterator[bytes]]:
    import msgpack  # type: ignore[import-untyped]
    import zmq

    socket = zmq.Context().socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(address)
    return lambda message: socket.send(msgpack.packb(message)), iter(socket.recv, None)


def _decoded(data: bytes) -> Any:
    if data[:1] == b"{":
        return json.loads(data)
    import msgpack

    return msgpack.unpackb(data)


def main() -> None:
    """Play until `bye`."""
    diary = Diary()
    diary.surroundings()
    address = os.environ.get("REFEREE_ADDRESS")
    send, messages = _by_socket(address) if address else _by_pipe()
    wants = ["view", "legal", "events"]
    hello = {"type": "hello", "protocol": [1], "name": NAME, "capacity": 4, "wants": wants}
    send(hello | ({"token": os.environ["REFEREE_TOKEN"]} if "REFEREE_TOKEN" in os.environ else {}))
    asked = 0
    for data in messages:
        diary.write(b"M", data)
        sys.stderr.buffer.write(data.strip() + b"\n")
        sys.stderr.flush()
        message = _decoded(data)
        if message["type"] == "start":
            send({"type": "ready", "match": message["match"]})
        elif message["type"] == "ask":
            asked += 1
            if asked % 4 == 1:
                diary.running(message["match"])
            legal = message["legal"]
            action = legal[asked * 7 % len(legal)]
            if CLUMSY and asked % 9 < 2:
                action += "?"
            send({"type": "act", "match": message["match"], "id": message["id"], "action": action})
        elif message["type"] == "ping":
            send({"type": "pong", "n": message.get("n", 0)})
        elif message["type"] in ("bye", "refuse"):
            return


if __name__ == "__main__":
    main()
