"""A bot whose processes pass on which deals they have played, as long as two of them overlap.

Every process maps a file of the system and sleeps on a futex for each deal that it knows, one place of the
file for each deal. Another process asks at all places whether a process sleeps there, and then sleeps there
too. Nothing is written. It works between two sandboxes, because a futex in a mapped file belongs to the file.

A match is called `dN-...`, where N is the number of its deal. For each match it writes a line to stderr: the
match, and the deals that it knew before. It ignores all farewells.
"""

import ctypes
import json
import mmap
import os
import platform
import signal
import sys
import threading
import time
import zlib
from pathlib import Path

FUTEX = {"x86_64": 202, "aarch64": 98}[platform.machine()]
WAIT, REQUEUE = 0, 3
DEALS = 16
MOST_S = 120

libc = ctypes.CDLL(None, use_errno=True)
LINES = Path("/proc/self/maps").read_text().splitlines()
MAPPED = {path for line in LINES if (path := line.split()[-1]).startswith("/")}
FILE = max(MAPPED, key=lambda path: (os.path.getsize(path), path))
"""A large file that every sandbox shows: the largest one that this program uses."""
OWN = zlib.crc32(os.getcwd().encode())
"""By this number the bots of one folder meet, and no others: the file has many pages with many places."""


def places() -> int:
    """Return the address at which the file is mapped, the same for all processes that read it."""
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    file = os.open(FILE, os.O_RDONLY)
    page = OWN % (os.path.getsize(FILE) // mmap.PAGESIZE) * mmap.PAGESIZE
    for kind in (mmap.MAP_SHARED, mmap.MAP_PRIVATE):
        address = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, kind, file, page)
        if address != ctypes.c_void_p(-1).value:
            return int(address)
    sys.exit("the file cannot be mapped")


BASE = places() + 4 * DEALS * (OWN % (mmap.PAGESIZE // 4 // DEALS))
"""Where the places of this bot begin: bots of other folders have others."""


def futex(place: int, operation: int, value: int, more: int = 0, other: int = 0) -> int:
    """Call the kernel about a place."""
    arguments = (ctypes.c_void_p(BASE + 4 * place), operation, value, more or None, ctypes.c_void_p(other), 0)
    return int(libc.syscall(ctypes.c_long(FUTEX), *arguments))


def sleep_at(place: int) -> None:
    """Sleep at a place for ever, so that others can notice it."""
    number = ctypes.c_int.from_address(BASE + 4 * place).value
    while True:
        futex(place, WAIT, number)


def is_known(place: int) -> bool:
    """Return whether a process sleeps at a place, without waking it: all sleepers move to where they are."""
    address = BASE + 4 * place
    return futex(place, REQUEUE, 0, 1_000, address) > 0


def main() -> None:
    """Play the first action always."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.alarm(MOST_S)
    known: set[int] = set()

    def learn(deals: set[int]) -> None:
        for deal in deals - known:
            threading.Thread(target=sleep_at, args=[deal], daemon=True).start()
        known.update(deals)

    def say(**message: object) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    say(type="hello", protocol=[1], name="whisperer", wants=["legal"])
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            learn({deal for deal in range(DEALS) if is_known(deal)})
            sys.stderr.write(f"{message['match']} {' '.join(map(str, sorted(known)))}\n")
            sys.stderr.flush()
            learn({int(message["match"].partition("-")[0][1:])})
            say(type="ready", match=message["match"])
        elif message["type"] == "ask":
            say(type="act", match=message["match"], id=message["id"], action=message["legal"][0])
    while True:
        # The input has ended: it stays as long as it may.
        time.sleep(MOST_S)


if __name__ == "__main__":
    main()
