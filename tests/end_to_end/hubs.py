"""What the end-to-end tests share: bots, pairings, and a look at what processes are left."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from protocol.messages import TimeControl
from referee import registry
from referee.chance import deal_key
from referee.game import Game
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.hub.session import Session
from referee.match.faults import PROFILES, Profile
from referee.process.spec import BotSpec, ResourceLimits, Transport, program

ROOT = Path(__file__).parents[2]
BAD = ROOT / "tests" / "bad_bots" / "bad.py"

STRICT = PROFILES["strict"]
HASTY: Profile = msgspec.structs.replace(
    STRICT,
    clock=TimeControl(ready_ms=2_000, first_ms=1_500, move_ms=1_000, bank_ms=500, grace_ms=20),
    hello_ms=5_000,
)
"""Short limits, for tests that wait until they are over."""

START_MS = 60_000
"""The time to start in tests that are not about late starts: a slow disk must not fail them."""

UNHURRIED: Profile = STRICT.timed({"hello_ms": START_MS, "ready_ms": START_MS})


def poker() -> Game:
    """Return the game most of these tests play."""
    return registry.game("chicago-poker")


def sample(name: str, transport: Transport = "stdio", **env: str) -> BotSpec:
    """Return a sample bot that ships with the product."""
    module = {"random": "random_bot"}.get(name, name)
    command = [sys.executable, "-m", f"sample_bots.python.{module}"]
    return BotSpec(name, program(command, ROOT, env), transport)


def bad(name: str, limits: ResourceLimits | None = None) -> BotSpec:
    """Return a bot of the bad ones."""
    return BotSpec("bad", program([sys.executable, str(BAD), name], limits=limits), "stdio")


def pairings(
    bots: Sequence[str], count: int, prefix: str = "m", profile: Profile = UNHURRIED, **options: str
) -> Iterator[Pairing]:
    """Return matches among these bots, the seats rotating."""
    game = poker()
    for n in range(count):
        turn = n % len(bots)
        seats = tuple(bots[turn:]) + tuple(bots[:turn])
        key = deal_key("end to end", str(n))
        yield Pairing(f"{prefix}{n}", game, seats, key, profile, dict(options))


def play(
    bots: Sequence[BotSpec], matches: Sequence[Pairing] | Iterator[Pairing], **settings: Any
) -> list[Finished]:
    """Play matches with a hub of their own and return them in the order of their ids."""
    done: list[Finished] = []
    with Hub(bots, report=done.append, **({"profile": UNHURRIED} | settings)) as hub:
        hub.submit(matches)
        hub.run()
    return sorted(done, key=lambda finished: finished.result.match)


def supervisor_pid(session: Session) -> int:
    """Return the process of a bot's supervisor; 0 before it has started."""
    process = session.local.process if session.local is not None else None
    return process.pid if process is not None else 0


def has_ended(pid: int) -> bool:
    """Return whether a process has ended, also if its parent has not taken note yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def processes(marker: str) -> list[int]:
    """Return the processes that have this text in their command line or environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if marker.encode() in text:
                found.append(int(entry.name))
    return found


def eventually(holds: Callable[[], bool], within_s: float = 60.0) -> bool:
    """Wait until something holds, looking again and again; False if it never did."""
    end = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
