"""A bot of the timing measurement: `thinker.py SEAT FOLDER SLOWEST_MS`.

Seat 0 thinks longer before a high card and notes what it chose; seat 1 always thinks as long; seat 2 answers
at once and notes when the next message came. All note when they answered.
"""

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

SEAT, FOLDER, SLOWEST_S = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) / 1_000
HIGH_S = 0.006


def send(**message: Any) -> None:
    """Write a message."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(kind: str, *values: Any) -> None:
    """Write down a value."""
    with (FOLDER / f"{kind}.jsonl").open("a") as file:
        file.write(json.dumps(values) + "\n")


def think(message: Any) -> str:
    """Return what to do, after the time it takes."""
    legal = message["legal"]
    # By lot, so that nothing else about a round goes with the choice: not its number, not the deal.
    lot = hashlib.sha256(f"{message['match']} {message['id']}".encode()).digest()[0]
    high = SEAT == 0 and lot % 2 == 1
    action = str(legal[-1] if high else legal[0])
    if SEAT == 0:
        note("choices", message["match"], message["id"], int(high))
        time.sleep(HIGH_S if high else 0)
    elif SEAT == 1:
        time.sleep(SLOWEST_S)
    return action


def main() -> None:
    """Play until told to go."""
    send(type="hello", protocol=[1], name=f"bot{SEAT}", wants=["legal"])
    answered: tuple[str, int] | None = None
    for line in sys.stdin:
        now_ns = time.monotonic_ns()
        message = json.loads(line)
        if message["type"] in ("ask", "end") and answered is not None and SEAT == 2:
            note("heard", *answered, now_ns)
            answered = None
        if message["type"] == "start":
            send(type="ready", match=message["match"])
        elif message["type"] == "ask":
            action = think(message)
            now_ns = time.monotonic_ns()
            send(type="act", match=message["match"], id=message["id"], action=action)
            answered = (message["match"], message["id"])
            note(f"answered{SEAT}", *answered, now_ns)
        elif message["type"] in ("bye", "refuse"):
            return


if __name__ == "__main__":
    main()
