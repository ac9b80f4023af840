"""A bot of the timing measurement: `thinker.py SEAT FOLDER WAY`.

Seat 0 plays a high or a low card by lot; seat 2 answers at once and notes when the next message came. All
note the lots, so that none has more to do than others, and when they answered. Who takes how long depends on
the way:

- `hidden`: seat 0 takes longer for a high card; seat 1 always takes longer still;
- `shown`: seat 0 takes longer for a high card; seat 1 answers at once;
- `apart`: seat 0 takes longer by a lot that has nothing to do with its card; seat 1 answers at once;
- `either`: by lot seat 0 or seat 1 takes longer, and the other answers at once;
- `beside`: seat 0 answers at once, and by lot does something later that the referee does not hear of; seat 1
  is as slow as in `hidden`.
"""

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

SEAT, FOLDER, WAY = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
LONG_S, LONGEST_S = 0.006, 0.012


def send(**message: Any) -> None:
    """Write a message."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(kind: str, *values: Any) -> None:
    """Write down a value."""
    with (FOLDER / f"{kind}.jsonl").open("a") as file:
        file.write(json.dumps(values) + "\n")


def lots(message: Any) -> bytes:
    """Return what is drawn for a round: nothing else goes with it, not its number, not the deal."""
    return hashlib.sha256(f"{message['match']} {message['id']}".encode()).digest()


def think(message: Any) -> str:
    """Return what to do, after the time it takes."""
    legal = message["legal"]
    high, other = (lot % 2 for lot in lots(message)[:2])
    slow = high if WAY in ("hidden", "shown") else other
    note(f"high{SEAT}", message["match"], message["id"], high)
    note(f"slow{SEAT}", message["match"], message["id"], slow)
    longest = {"hidden": LONGEST_S, "beside": LONGEST_S, "either": (1 - slow) * LONG_S}.get(WAY, 0.0)
    time.sleep((0.0 if WAY == "beside" else slow * LONG_S, longest, 0.0)[SEAT])
    return str(legal[-1] if high and SEAT == 0 else legal[0])


def main() -> None:
    """Play until `bye`."""
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
            if WAY == "beside" and SEAT == 0 and lots(message)[1] % 2:
                time.sleep(LONG_S)
                note("beside", *answered)
        elif message["type"] in ("bye", "refuse"):
            return


if __name__ == "__main__":
    main()
