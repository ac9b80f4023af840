"""A bot of the timing measurement: `thinker.py SEAT FOLDER SLOWEST_MS`.

Seat 0 thinks longer before a high card and notes what it chose; seat 1 always thinks as long; seat 2 answers
at once and notes how long after its answer the next message came.
"""

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
    action = str(legal[message["id"] % len(legal)])
    if SEAT == 0:
        high = int(action.split()[1]) > 12
        note("choices", message["match"], message["id"], int(high))
        time.sleep(HIGH_S if high else 0)
    elif SEAT == 1:
        time.sleep(SLOWEST_S)
    return action


def main() -> None:
    """Play until told to go."""
    send(type="hello", protocol=[1], name=f"bot{SEAT}", wants=["legal"])
    answered: tuple[str, int, int] | None = None
    for line in sys.stdin:
        now_ns = time.monotonic_ns()
        message = json.loads(line)
        if message["type"] in ("ask", "end") and answered is not None and SEAT == 2:
            match, ask, at_ns = answered
            note("waits", match, ask, now_ns - at_ns)
            answered = None
        if message["type"] == "start":
            send(type="ready", match=message["match"])
        elif message["type"] == "ask":
            action = think(message)
            send(type="act", match=message["match"], id=message["id"], action=action)
            answered = (message["match"], message["id"], time.monotonic_ns())
        elif message["type"] in ("bye", "refuse"):
            return


if __name__ == "__main__":
    main()
