"""Attacks that take more memory than allowed."""

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import socket
import threading
import time
from collections.abc import Callable

from referee.process.sandbox.attacks.tools import (
    FOREVER_S,
    MEMORY_MIB,
    MOST_MAPPINGS,
    MOST_MEMORY_MIB,
    MOST_TIMERS,
    PROCESSES,
    Attack,
    Decoys,
    call,
    first,
    libc,
    map_memory,
)

_SET_PIPE_SIZE = 1031


def memory_of_nobody(_: Decoys) -> str:
    """Take memory that no process is seen to have: shared, and let go of."""

    def take(zeros: int) -> str:
        with mmap.mmap(zeros, mmap.PAGESIZE, flags=mmap.MAP_SHARED) as hidden:
            hidden[0] = 1
            hidden.madvise(mmap.MADV_DONTNEED)
            return "hid memory" if hidden[0] else ""

    return first(lambda: take(-1), lambda: take(os.open("/dev/zero", os.O_RDWR)))


def memory(_: Decoys) -> str:
    """Take much memory."""
    hoard = [os.urandom(1 << 20) for _ in range(MOST_MEMORY_MIB)]
    time.sleep(FOREVER_S)
    return f"{len(hoard)} MiB"


def memory_of_threads(_: Decoys) -> str:
    """Take much memory in a process whose first thread has ended, so that it seems to have none."""

    def hoard() -> None:
        kept = [os.urandom(1 << 20) for _ in range(MOST_MEMORY_MIB)]
        time.sleep(FOREVER_S)
        os._exit(len(kept) and 0)

    threading.Thread(target=hoard).start()
    end_thread = 60 if os.uname().machine == "x86_64" else 93
    call(end_thread, 0)
    return "goes on"


def memory_of_several(_: Decoys) -> str:
    """Take much memory in several processes, each of them within the limit."""
    for _number in range(3):
        if os.fork() == 0:
            hoard = [os.urandom(1 << 20) for _ in range(MEMORY_MIB * 2 // 3)]
            time.sleep(FOREVER_S)
            os._exit(len(hoard) and 0)
    time.sleep(FOREVER_S)
    return f"3 times {MEMORY_MIB * 2 // 3} MiB"


def memory_of_tables(_: Decoys) -> str:
    """Read a little of very much memory, so that the kernel needs tables for it and the bot has none."""
    step, table = 2 << 20, 4 << 10
    size = (MOST_MEMORY_MIB << 20) // table * step
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    with mmap.mmap(-1, size, flags=flags, prot=mmap.PROT_READ) as much:
        much.madvise(mmap.MADV_NOHUGEPAGE)
        for place in range(0, size, step):
            much[place]
        time.sleep(FOREVER_S)
    return f"{MOST_MEMORY_MIB} MiB of tables"


def memory_of_sockets(_: Decoys) -> str:
    """Make sockets whose queues no limit counts: of the network, of netlink, and for datagrams."""
    kinds = {
        "TCP": (socket.AF_INET, socket.SOCK_STREAM, 0),
        "UDP": (socket.AF_INET6, socket.SOCK_DGRAM, 0),
        "UDP-Lite": (socket.AF_INET, socket.SOCK_DGRAM, 136),
        "netlink": (socket.AF_NETLINK, socket.SOCK_RAW, 0),
        "local datagrams": (socket.AF_UNIX, socket.SOCK_DGRAM, 0),
    }
    found = []
    for name, kind in kinds.items():
        with contextlib.suppress(OSError):
            socket.socket(*kind).close()
            found.append(name)
    return f"makes sockets: {', '.join(found)}" if found else ""


def memory_of_pages(_: Decoys) -> str:
    """Keep whole pages of a file in a pipe or socket, and pay for a byte of each."""

    def splice(file: int, end: socket.socket) -> int:
        return os.splice(file, end.fileno(), 1)

    def sendfile(file: int, end: socket.socket) -> int:
        return os.sendfile(end.fileno(), file, 0, 1)

    ours, theirs = socket.socketpair()
    found = []
    with ours, theirs, open(os.__file__, "rb") as file:
        for name, way in (("splice", splice), ("sendfile", sendfile)):
            try:
                way(file.fileno(), ours)
                found.append(name)
            except OSError as error:
                # One of the two must be a pipe, says the kernel to a call that is allowed.
                found += [name] if error.errno == errno.EINVAL else []
    return f"keeps pages by {', '.join(found)}" if found else ""


def memory_of_queues(_: Decoys) -> str:
    """Enlarge a pipe or a local socket, so that more waits in it than is counted."""

    def pipe() -> str:
        ends = os.pipe()
        try:
            return f"has a pipe of {fcntl.fcntl(ends[1], _SET_PIPE_SIZE, 1 << 20)} bytes"
        finally:
            for end in ends:
                os.close(end)

    def local_socket() -> str:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            before = ours.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
            now = ours.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        return f"has a socket of {now} bytes" if now > before else ""

    found = [got for way in (pipe, local_socket) if (got := first(way))]
    return ", ".join(found)


def memory_of_programs(_: Decoys) -> str:
    """Load programs and rules into the kernel: filters of calls and sockets, rules of Landlock."""
    x86 = os.uname().machine == "x86_64"
    nothing = ctypes.c_void_p(0)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        # Arguments that cannot succeed: the kernel says EFAULT or EINVAL, the filter something else.
        attempts = {
            "seccomp": lambda: call(317 if x86 else 277, 1, 0, nothing),
            "prctl": lambda: libc.prctl(22, 2, nothing, 0, 0),
            "landlock": lambda: call(444, nothing, 1, 0),
            "a socket's filter": lambda: libc.setsockopt(ours.fileno(), 1, 26, nothing, 16),
        }
        found = [name for name, attempt in attempts.items() if _is_let_in(attempt)]
    return f"loads {', '.join(found)}" if found else ""


def _is_let_in(attempt: Callable[[], int]) -> bool:
    return attempt() >= 0 or ctypes.get_errno() == errno.EFAULT


def memory_of_timers(_: Decoys) -> str:
    """Make very many timers."""
    create, delete = (222, 226) if os.uname().machine == "x86_64" else (107, 111)
    made = []
    for _number in range(MOST_TIMERS):
        timer = ctypes.c_int()
        if call(create, 1, None, ctypes.byref(timer)) != 0:
            break
        made.append(timer)
    for timer in made:
        call(delete, timer)
    return f"made {MOST_TIMERS} timers" if len(made) == MOST_TIMERS else ""


def files_of_threads(_: Decoys) -> str:
    """Start a thread that has open files of its own, which no look at its process finds."""
    # Alone the flag is invalid, says the kernel, and makes nothing.
    is_thread = 0x10000
    call(56 if os.uname().machine == "x86_64" else 220, is_thread, 0, 0, 0, 0)
    if ctypes.get_errno() == errno.EINVAL:
        return "may start one"
    # It closes nothing, but the files of the thread that calls it are then its own.
    close_range, none, own = 436, 1 << 30, 2
    return "may become one" if call(close_range, none, none, own) == 0 else ""


def memory_of_mappings(_: Decoys) -> str:
    """Divide memory into very many parts, in several processes, so that the kernel needs a note for each."""
    for _number in range(PROCESSES - 3):
        if os.fork() == 0:
            break
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    first_page = map_memory(MOST_MAPPINGS * mmap.PAGESIZE, 0, flags).value or 0
    for page in range(0, MOST_MAPPINGS, 2):
        place = ctypes.c_void_p(first_page + page * mmap.PAGESIZE)
        libc.mprotect(place, ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ)
    time.sleep(FOREVER_S)
    return f"{MOST_MAPPINGS} mappings in each of {PROCESSES - 2} processes"


HIDDEN_MEMORY: tuple[Attack, ...] = (
    *(memory_of_nobody, memory_of_sockets, memory_of_pages, memory_of_queues, memory_of_programs),
    *(memory_of_timers, files_of_threads),
)
"""Attacks that the kernel must refuse, in the order of the report."""

GREEDY_MEMORY: tuple[Attack, ...] = (
    memory,
    memory_of_threads,
    memory_of_several,
    memory_of_tables,
    memory_of_mappings,
)
"""Attacks that the referee must end."""
