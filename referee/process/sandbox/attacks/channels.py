"""Attacks by which one bot could leave something for another, or for its own next process."""

import ctypes
import fcntl
import os
import socket

from referee.process.sandbox.attacks.tools import Attack, Decoys, call, first, in_child, libc, read


def locks(decoys: Decoys) -> str:
    """Feel a lock that another holds on a file both can read."""
    with open(decoys["shared"]) as file:
        for attempt in (
            lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
            lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
        ):
            try:
                attempt()
            except BlockingIOError:
                return "feels a lock"
            except OSError:
                continue
    return ""


def watches(decoys: Decoys) -> str:
    """Watch when another opens a file both can read."""
    end = libc.inotify_init1(os.O_CLOEXEC)
    if end < 0:
        return ""
    watch = libc.inotify_add_watch(end, decoys["shared"].encode(), 0x20)
    os.close(end)
    return "watches a file" if watch >= 0 else ""


def shared_memory(decoys: Decoys) -> str:
    """Find memory that another left: System V, or a file in /dev/shm or /tmp."""
    if libc.shmget(decoys["shm_key"], 1, 0) >= 0:
        return "finds a System V segment"
    return next((f"finds {path}" for path in decoys["left"] if os.path.exists(path)), "")


def keys(_: Decoys) -> str:
    """Leave a key in the kernel's keyring of its user."""
    machine = os.uname().machine
    add, control = (248, 250) if machine == "x86_64" else (217, 219)
    session, revoke = -3, 3
    key = call(add, b"user", b"referee-doctor", b"x", ctypes.c_size_t(1), session)
    if key < 0:
        return ""
    call(control, revoke, key)
    return "left a key"


def load(_: Decoys) -> str:
    """Read how busy the host is."""
    paths = ("/proc/loadavg", "/proc/stat", "/proc/pressure/cpu")
    return first(*[lambda path=path: f"reads {path}" if read(path) else "" for path in paths])


def ports(_: Decoys) -> str:
    """Get a port for a connection: the kernel remembers the last one in a table for the whole host."""
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
        return "reads and moves the table of ports" if client.getsockname()[1] else ""


def counters(_: Decoys) -> str:
    """Move a number that the whole host shares: of sessions, terminals, asynchronous events, quotas."""
    moved = [name for name, move in _COUNTERS.items() if in_child(move) == 0]
    return f"moves the number of {', '.join(moved)}" if moved else ""


def _begin_session() -> int:
    before = read("/proc/self/autogroup")
    os.setsid()
    return 1 if read("/proc/self/autogroup") == before else 0


def _open_terminal() -> int:
    try:
        os.openpty()
    except OSError:
        return 1
    return 0


def _set_up_events() -> int:
    return call(206 if os.uname().machine == "x86_64" else 0, 1, ctypes.byref(ctypes.c_ulong()))


def _write_quotas() -> int:
    descriptor = os.open(os.__file__, os.O_RDONLY)
    write_all = 0x800001 << 8
    return call(443, descriptor, write_all, 0, None)


_COUNTERS = {
    "sessions": _begin_session,
    "terminals": _open_terminal,
    "events": _set_up_events,
    "quotas": _write_quotas,
}


def notes(_: Decoys) -> str:
    """Leave a note at a device or file that all bots share: a time, a hint, a state of the file system."""
    get_hint, get_flags = 1035, 0x80086601

    def touch() -> str:
        # To set the time to now needs no more than the right to write to it.
        os.utime(os.devnull)
        return f"sets the time of {os.devnull}"

    def hint() -> str:
        # The owner of a file may leave one; a bot without a user of its own is the owner of its copy.
        with open(os.__file__) as file:
            fcntl.fcntl(file, get_hint, bytes(8))
        return "reads hints for the disk"

    def state() -> str:
        # One of the commands for file systems, of which some set a mark, and others read it.
        with open(os.__file__) as file:
            fcntl.ioctl(file, get_flags, bytes(8))
        return "asks the file system"

    found = [got for way in (touch, hint, state) if (got := first(way))]
    return ", ".join(found)


CHANNELS: tuple[Attack, ...] = (locks, watches, shared_memory, keys, load, ports, counters, notes)
"""In the order of the report."""
