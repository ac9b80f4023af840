"""What attacks share: the decoys, the bounds where nothing stops an attack, and calls of the system."""

import contextlib
import ctypes
import os
from collections.abc import Callable
from typing import Any

Decoys = dict[str, Any]
"""What the doctor laid out outside: nothing of it may be seen, felt or reached from inside."""

Attack = Callable[[Decoys], str]

# The limits that the self-test grants, and the bounds of the attacks where nothing stops them.
OPEN_FILES, MOST_OPEN_FILES = 64, 200
FILE_MIB, MOST_FILE_MIB = 4, 8
MOST_TMP_MIB = 40
MOST_TMP_FILES = 6_000
PROCESSES, MOST_PROCESSES = 12, 60
MEMORY_MIB, MOST_MEMORY_MIB = 96, 256
MOST_MAPPINGS = 60_000
MOST_TIMERS = 4_096
FOREVER_S = 30.0
"""How long an attack that must be ended by others goes on if it is not."""

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p


def read(path: str) -> str:
    """Return the text of a file."""
    with open(path) as file:
        return file.read()


def call(number: int, *arguments: Any) -> int:
    """Make a system call by its number."""
    return int(libc.syscall(number, *arguments))


def map_memory(size: int, protection: int, flags: int, descriptor: int = -1) -> ctypes.c_void_p:
    """Map memory, and return where it is."""
    nothing = ctypes.c_long(0)
    place = libc.mmap(None, ctypes.c_size_t(size), protection, flags, descriptor, nothing)
    if place == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return ctypes.c_void_p(place)


def first(*attempts: Callable[[], str]) -> str:
    """Return what the first successful attempt got."""
    for attempt in attempts:
        with contextlib.suppress(OSError):
            got = attempt()
            if got:
                return got
    return ""


def in_child(attempt: Callable[[], int]) -> int:
    """Return 0 if a call succeeds in a child, which then ends."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if attempt() == 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
