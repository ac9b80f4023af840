"""How much memory a bot has: also what the kernel holds for it and no process is seen to have."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from referee.process import memory

PIPES = "kept = [os.pipe() for _ in range(100)]"
WATCHES = """
polls = [select.epoll() for _ in range(100)]
ends = [os.eventfd(0) for _ in range(100)]
for poll in polls:
    for end in ends:
        poll.register(end)
"""
FIFOS = """
folder = tempfile.TemporaryDirectory()
paths = [os.path.join(folder.name, str(number)) for number in range(100)]
for path in paths:
    os.mkfifo(path)
kept = [os.open(path, os.O_RDWR) for path in paths]
"""
WATCHES_OF_COPIES = """
polls = [select.epoll() for _ in range(30)]
ends = [os.eventfd(0) for _ in range(20)]
for number in range(100, 200):
    # A watch belongs to file and number, and stays while the file is open under another number.
    for end in ends:
        os.dup2(end, number)
        for poll in polls:
            poll.register(number)
    os.close(number)
"""
MAPPINGS = """
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
first = libc.mmap(None, ctypes.c_size_t(20_000 << 12), 0, 0x4022, -1, ctypes.c_long(0))
for page in range(0, 20_000, 2):
    libc.mprotect(ctypes.c_void_p(first + (page << 12)), ctypes.c_size_t(4096), 1)
"""


@contextmanager
def process(code: str) -> Iterator[int]:
    """Run a process that holds something until the block ends."""
    script = f"import ctypes, os, select, sys, tempfile\n{code}\nprint('ready', flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        yield child.pid
        child.communicate()


def share_kib(pid: int) -> int:
    """Return what a process has in memory, with its part of what it shares with others."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))


@pytest.mark.parametrize(
    ("code", "least_kib"),
    [
        (PIPES, 100 * 64),
        (FIFOS, 100 * 64),
        (WATCHES, 100 * 100 * 128 // 1_024),
        (WATCHES_OF_COPIES, 30 * 20 * 100 * 128 // 1_024),
        (MAPPINGS, 20_000 // 4),
    ],
    ids=["pipes", "fifos", "watches", "watches of copies", "mappings"],
)
def test_what_the_kernel_holds_for_a_process_counts(code: str, least_kib: int) -> None:
    with process(code) as pid:
        assert memory.exceeds([pid], share_kib(pid) + least_kib // 2)
    with process("") as pid:
        # A little: its own pipes, and the mappings of its libraries.
        assert not memory.exceeds([pid], share_kib(pid) + 2_048)


@pytest.mark.parametrize("code", [WATCHES_OF_COPIES, MAPPINGS], ids=["watches", "mappings"])
def test_what_is_far_too_much_is_not_counted_to_its_end(code: str) -> None:
    # A bot with millions of these would keep its supervisor busy, at the cost of other bots.
    with process(code) as pid:
        before = bytes_read()
        assert memory.exceeds([pid], 1_024)
        assert bytes_read() - before < 300_000


def bytes_read() -> int:
    """Return how many bytes this process has read so far."""
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


def test_a_look_that_takes_long_is_followed_by_a_longer_pause() -> None:
    assert memory.pause_s(0.001) == 0.25
    for took_s in (0.1, 1.0, 10.0):
        # All looks together take a quarter of the time at most.
        assert took_s <= (took_s + memory.pause_s(took_s)) / 4


def test_a_pipe_of_two_processes_counts_once() -> None:
    with process(PIPES + "\nif os.fork() == 0:\n    sys.stdin.read(); os._exit(0)") as pid:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            (child,) = map(int, file.read().split())
        both = [pid, child]
        assert memory.exceeds(both, 100 * 64)
        assert not memory.exceeds(both, 2 * share_kib(pid) + 150 * 64)


def test_a_process_that_has_ended_has_nothing() -> None:
    with process("") as pid:
        pass
    assert not memory.exceeds([pid], 0)


LEADERLESS = """
import threading
hoard = bytearray(b"x") * (64 << 20)
kept = [os.pipe() for _ in range(100)]
def stay():
    while open("/proc/self/status").read().split("State:")[1].split()[0] != "Z":
        pass
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=stay).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
"""


def test_a_process_whose_first_thread_has_ended_has_what_it_had() -> None:
    with process(LEADERLESS) as pid:
        assert memory.exceeds([pid], 64 << 10)
        assert memory.exceeds([pid], (64 << 10) + 100 * 64)
        assert not memory.exceeds([pid], 256 << 10)
