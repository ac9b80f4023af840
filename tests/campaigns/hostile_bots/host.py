"""Bots that attack their host: processes, memory, files, network, each other. Run as `host.py NAME`.

What an attack reached is written to the log; then the bot plays on normally. The decoys that must
not be reached are the doctor's, and so are most of the attacks.
"""

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from referee.process.sandbox import attacks
from referee.process.sandbox.attacks import tools
from tests.bad_bots import bad

GENERATIONS = 5
"""How often every process of the fork bomb forks: 32 processes, where nothing holds them."""

HOGS, HOG_MIB = 6, 24
SPINNERS, SPIN_S = 2, 3
MORE_SPINNERS, LONG_SPIN_S = 5, 40
WRITERS, MOST_FILES = 4, 1_000_000
LOG_MIB = 24
GUESSES = 20_000


def first(ask: dict[str, Any]) -> str:
    """Choose as an honest bot would."""
    return str(ask["legal"][0])


# More than its share.


def stops() -> None:
    """Stops itself, so that it can neither answer nor go."""
    bad.until_ask()
    os.kill(os.getpid(), signal.SIGSTOP)


def fork_bomb() -> None:
    """Forks, and every child forks."""
    bad.until_ask()
    for _ in range(GENERATIONS):
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                signal.alarm(int(tools.FOREVER_S))
    time.sleep(tools.FOREVER_S)


def six_hogs() -> None:
    """Takes much memory in six processes, each of them within the limit."""
    bad.until_ask()
    for _ in range(HOGS):
        if os.fork() == 0:
            hoard = [os.urandom(1 << 20) for _ in range(HOG_MIB)]
            time.sleep(tools.FOREVER_S)
            os._exit(len(hoard) and 0)
    time.sleep(tools.FOREVER_S)


def fills() -> None:
    """Fills the temporary folder with data, files and a file that is too large."""
    tried("much-data", "many-files", "big-file")


def keeps_writing() -> None:
    """Makes files in its temporary folder, in several processes, until it is ended."""
    for worker in range(WRITERS):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.alarm(int(tools.FOREVER_S))
            for n in range(MOST_FILES):
                folder = os.path.join(os.environ["TMPDIR"], f"{worker}-{n}")
                with contextlib.suppress(OSError):
                    os.makedirs(folder)
                if n > 100:
                    shutil.rmtree(os.path.join(os.environ["TMPDIR"], f"{worker}-{n - 100}"), True)
            os._exit(0)
    bad.until_ask()
    os._exit(3)


def floods_log() -> None:
    """Writes to its log without pause while it plays: to stdout as well, where that is its log."""
    line = b"x" * 65_535 + b"\n"

    def choose(ask: dict[str, Any]) -> str:
        if ask["id"] == 1:
            for _ in range(LOG_MIB * 16):
                os.write(1 if bad.ADDRESS else 2, line)
        return first(ask)

    bad.play(choose, lambda _: None)


def spins_between() -> None:
    """Keeps the processors busy while others decide."""
    spinners = [spinner() for _ in range(SPINNERS)]
    left = list(spinners)

    def choose(ask: dict[str, Any]) -> str:
        # Slowly, so that there is time to spin in.
        while left and ask["id"] == 2:
            _, status = os.waitpid(left.pop(), 0)
            ended = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
            bad.tell("spinner", "" if ended else f"span for {SPIN_S} s of processor time")
        return first(ask)

    bad.play(choose, lambda _: None)


def spins_in_six() -> None:
    """Keeps all processors busy, in six processes, instead of deciding."""
    bad.until_ask()
    for _ in range(MORE_SPINNERS):
        if os.fork() == 0:
            break
    # By processor time: on a busy host any other end may come before the limit does.
    while time.process_time() < LONG_SPIN_S:
        pass
    os._exit(0)


def spinner() -> int:
    """Start a process that spins for a while."""
    pid = os.fork()
    if pid == 0:
        while time.process_time() < SPIN_S:
            pass
        os._exit(0)
    return pid


# What is none of its business.


def tried(*names: str) -> None:
    """Try the doctor's attacks at the first ask, report, and play on."""
    decoys = json.loads(os.environ.pop("ZOO_DECOYS"))

    def choose(ask: dict[str, Any]) -> str:
        for name in names if ask["id"] == 1 else ():
            try:
                bad.tell(name, attacks.ALL[name](decoys))
            except OSError:
                bad.tell(name, "")
        return first(ask)

    bad.play(choose, lambda _: None)


def kills() -> None:
    """Kills and traces its parent and its peers."""
    decoys = json.loads(os.environ["ZOO_DECOYS"])
    got = []
    for who, pid in (("a peer", decoys["pid"]), ("its parent", os.getppid())):
        with contextlib.suppress(OSError):
            # The first process of a PID namespace ignores signals from inside, without an error.
            os.kill(pid, signal.SIGKILL)
            got += [who] if pid != 1 else []
    bad.tell("kill", f"sent a signal to {', '.join(got)}" if got else "")
    tried("signals", "tracing")


def reads() -> None:
    """Reads processes, logs, environments and other bots' files."""
    tried("secret-file", "open-file", "other-processes", "environment", "descriptors", "load")


def network() -> None:
    """Looks for a way out over the network, the loopback and local sockets."""
    tried("network", "interfaces", "local-sockets")


def escapes() -> None:
    """Looks for privileges, namespaces, mounts and parts of the kernel that no bot needs."""
    for name, call in (("setuid", os.setuid), ("setgid", os.setgid)):
        try:
            call(0)
            bad.tell(name, "became root")
        except OSError:
            bad.tell(name, "")
    bad.tell("mount", mounted(os.path.join(os.environ["TMPDIR"], "mnt")))
    tried("privileges", "namespaces", "rare-calls", "write-outside")


def mounted(place: str) -> str:
    """Mount something on a folder of its own, and take it away again."""
    os.mkdir(place)
    if tools.libc.mount(b"none", place.encode(), b"tmpfs", 0, None) != 0:
        return ""
    tools.libc.umount(place.encode())
    return "mounted"


def hoards() -> None:
    """Takes memory that no process is seen to have."""
    tried(
        *("memory-of-nobody", "memory-of-sockets", "memory-of-pages", "memory-of-queues"),
        *("memory-of-programs", "memory-of-timers", "files-of-threads"),
    )


def leaves_marks() -> None:
    """Leaves marks in the kernel for its own next process."""
    tried("ports", "counters", "notes", "cache-probing", "cache-evicting")


def courier() -> None:
    """In seat 0 leaves a letter wherever it can; in seat 1 looks for it there."""
    held: list[Any] = []
    seat = 1
    found: set[str] = set()

    def choose(ask: dict[str, Any]) -> str:
        if seat == 0 and not held:
            held.extend(left_letters(os.environ["ZOO"]))
        elif seat == 1 and ask["id"] > 1:
            found.update(letters(os.environ["ZOO"]))
        return first(ask)

    def note(message: dict[str, Any]) -> None:
        nonlocal seat
        if message["type"] == "start":
            seat = message["seat"]
        elif message["type"] == "end":
            clear_away(held)
            bad.tell(f"letters in seat {seat}", ", ".join(sorted(found)))

    bad.play(choose, note)


def places(mark: str) -> Iterable[str]:
    """Return where letters may lie."""
    return (f"{folder}/{mark}" for folder in ("/dev/shm", "/tmp", "/var/tmp"))


def left_letters(mark: str) -> Iterable[Any]:
    """Leave letters: files, a lock, a name in the abstract, memory of System V."""
    for path in places(mark):
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666))
            yield path
    shared = open(__file__)  # noqa: SIM115 - the lock is held with it
    with contextlib.suppress(OSError):
        fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield shared
    name = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.suppress(OSError):
        name.bind(f"\0{mark}")
        name.listen()
        yield name
    segment = tools.libc.shmget(segment_key(mark), 1, 0o1666)
    if segment >= 0:
        yield segment


def letters(mark: str) -> Iterable[str]:
    """Look for letters."""
    yield from (path for path in places(mark) if os.path.exists(path))
    with open(__file__) as shared, contextlib.suppress(OSError):
        try:
            fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield "a lock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end, contextlib.suppress(OSError):
        end.connect(f"\0{mark}")
        yield "an abstract name"
    if tools.libc.shmget(segment_key(mark), 1, 0) >= 0:
        yield "a segment"


def segment_key(mark: str) -> int:
    """Return the key under which both look for memory."""
    return int.from_bytes(hashlib.sha256(mark.encode()).digest()[:4], "big") >> 2 | 1


def clear_away(held: list[Any]) -> None:
    """Take back what was left."""
    for one in held:
        if isinstance(one, str):
            os.unlink(one)
        elif isinstance(one, int):
            tools.libc.shmctl(one, 0, None)
        else:
            one.close()


def guesses_seeds() -> None:
    """Tries likely seeds until one gives the commitment of the match."""
    found: list[str] = []

    def note(message: dict[str, Any]) -> None:
        if message["type"] == "start":
            found.extend(seeds_of(message["commit"], message["match"]))
            bad.tell("seed", ", ".join(found))

    bad.play(first, note)


def seeds_of(commit: str, match: str) -> Iterable[str]:
    """Return the likely seeds that fit a commitment."""
    now = int(time.time())
    likely = [*map(str, range(GUESSES // 2)), *(str(now - n) for n in range(GUESSES // 8)), "", "seed", match]
    for seed in likely:
        for deal in ("0", "1", match):
            key = hmac.digest(seed.encode(), f"deal:{deal}".encode(), "sha256")
            if hashlib.sha256(b"commit:" + key + match.encode()).hexdigest() == commit:
                yield f"{seed!r}, deal {deal!r}"


BOTS: dict[str, Callable[[], None]] = {
    bot.__name__: bot
    for bot in (
        *(stops, fork_bomb, six_hogs, fills, keeps_writing, floods_log, spins_between, spins_in_six),
        *(kills, reads, network, escapes, hoards, leaves_marks, courier, guesses_seeds),
    )
}

if __name__ == "__main__":
    bad.cap()
    BOTS[sys.argv[1]]()
