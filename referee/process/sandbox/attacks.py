"""Attacks that a bot might try, in short and harmless forms: `referee doctor` runs them inside each level.

This file is executed by itself, inside the sandbox, with only the standard library. Each attack returns what
it reached, or nothing. All of them are capped: where nothing holds them they end by themselves, and leave
nothing behind.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
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
FOREVER_S = 30.0
"""How long an attack that must be ended by others goes on if it is not."""

libc = ctypes.CDLL(None, use_errno=True)


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def _call(number: int, *arguments: Any) -> int:
    return int(libc.syscall(number, *arguments))


def _first(*attempts: Callable[[], str]) -> str:
    """Return what the first successful attempt got."""
    for attempt in attempts:
        with contextlib.suppress(OSError):
            got = attempt()
            if got:
                return got
    return ""


def _in_child(attempt: Callable[[], int]) -> int:
    """Return 0 if a call succeeds in a child, which then ends."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if attempt() == 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# Files.


def secret_file(decoys: Decoys) -> str:
    """Read a file of the referee that is closed to others."""
    return _first(lambda: "read " + _read(decoys["secret"]))


def open_file(decoys: Decoys) -> str:
    """Read a file of the host that is open to all."""
    return _first(lambda: "read " + _read(decoys["open"]))


def write_outside(decoys: Decoys) -> str:
    """Write into a folder of the host that is open to all, or into the system."""

    def into(folder: str) -> str:
        # A file without a name: it is gone when it is closed.
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
        return f"wrote into {folder}"

    folders = (decoys["folder"], "/usr", "/etc", "/", "/dev", os.getcwd())
    return _first(*[lambda folder=folder: into(folder) for folder in folders])


# Processes.


def other_processes(decoys: Decoys) -> str:
    """See a process that is not its own."""

    def look(pid: str) -> str:
        command = _read(f"/proc/{pid}/cmdline")
        return f"process {pid} of the host" if decoys["mark"] in command else ""

    pids = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    return _first(*[lambda pid=pid: look(pid) for pid in pids])


def signals(decoys: Decoys) -> str:
    """Send a signal to a process of the host."""
    with contextlib.suppress(OSError):
        os.kill(decoys["pid"], 0)
        return "a signal was taken"
    return ""


def tracing(decoys: Decoys) -> str:
    """Attach to a process of the host, or to its own child."""
    attach, detach, trace_me = 16, 17, 0
    if libc.ptrace(attach, decoys["pid"], 0, 0) == 0:
        libc.ptrace(detach, decoys["pid"], 0, 0)
        return "attached to a process of the host"
    return "" if _in_child(lambda: int(libc.ptrace(trace_me, 0, 0, 0))) else "ptrace is allowed"


def environment(decoys: Decoys) -> str:
    """Find the operator's secrets in its environment."""
    return f"{decoys['variable']} is there" if decoys["variable"] in os.environ else ""


def descriptors(_: Decoys) -> str:
    """Find open files of the referee."""
    mine = os.open("/", os.O_RDONLY)
    os.close(mine)
    found = [fd for fd in range(3, 256) if fd != mine and _is_open(fd)]
    return f"descriptors {found}" if found else ""


def _is_open(descriptor: int) -> bool:
    with contextlib.suppress(OSError):
        os.fstat(descriptor)
        return True
    return False


# The network.


def _connect(family: int, kind: int, address: Any) -> str:
    with socket.socket(family, kind) as end:
        end.settimeout(2)
        end.connect(address)
        end.send(b"hello")
        # A datagram is refused a moment later, if at all.
        return "" if kind == socket.SOCK_DGRAM and not end.recv(16) else f"reached {address!r}"


def network(decoys: Decoys) -> str:
    """Reach the host over TCP or UDP."""
    local = "127.0.0.1"
    return _first(
        lambda: _connect(socket.AF_INET, socket.SOCK_STREAM, (local, decoys["tcp"])),
        lambda: _connect(socket.AF_INET, socket.SOCK_DGRAM, (local, decoys["udp"])),
    )


def interfaces(_: Decoys) -> str:
    """See interfaces besides its own loopback."""
    names = [name for _, name in socket.if_nameindex() if name != "lo"]
    return f"sees {', '.join(names)}" if names else ""


def local_sockets(decoys: Decoys) -> str:
    """Reach a socket of the host by its path, by an abstract name, or across machines."""

    def vsock() -> str:
        socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
        return "vsock is there"

    return _first(
        lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, decoys["socket"]),
        lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + decoys["abstract"]),
        vsock,
    )


# Couriers: what one bot could leave for another.


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
    key = _call(add, b"user", b"referee-doctor", b"x", ctypes.c_size_t(1), session)
    if key < 0:
        return ""
    _call(control, revoke, key)
    return "left a key"


def load(_: Decoys) -> str:
    """Read how busy the host is."""
    paths = ("/proc/loadavg", "/proc/stat", "/proc/pressure/cpu")
    return _first(*[lambda path=path: f"reads {path}" if _read(path) else "" for path in paths])


# Ways out.


def privileges(_: Decoys) -> str:
    """Have or get any capability."""
    status = dict(line.split(":\t", 1) for line in _read("/proc/self/status").splitlines() if ":\t" in line)
    held = [name for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb") if int(status[name], 16)]
    if held:
        return f"holds {', '.join(held)}"
    return "" if status["NoNewPrivs"] == "1" else "may get new privileges"


def namespaces(_: Decoys) -> str:
    """Make a namespace of its own, where it would be root."""
    kinds = {"user": 0x10000000, "mount": 0x00020000, "network": 0x40000000}
    made = [kind for kind, flag in kinds.items() if _in_child(partial(libc.unshare, flag)) == 0]
    return f"makes namespaces: {', '.join(made)}" if made else ""


def rare_calls(_: Decoys) -> str:
    """Use parts of the kernel that no bot needs: io_uring, bpf, userfaultfd, vmsplice, performance events."""
    x86 = os.uname().machine == "x86_64"
    numbers = {
        "io_uring": 425,
        "bpf": 321 if x86 else 280,
        "userfaultfd": 323 if x86 else 282,
        "vmsplice": 278 if x86 else 75,
        "perf_event_open": 298 if x86 else 241,
    }
    found = []
    for name, number in numbers.items():
        # Arguments that cannot succeed: only the refusal itself says EPERM or ENOSYS.
        if _call(number, -1, 0, -1, -1, -1) >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            found.append(name)
    return f"may call {', '.join(found)}" if found else ""


# More than its share.


def big_file(_: Decoys) -> str:
    """Write a file larger than allowed."""
    path = os.path.join(os.environ["TMPDIR"], "big")
    try:
        return f"wrote {MOST_FILE_MIB} MiB" if _fill(path, MOST_FILE_MIB) else ""
    finally:
        os.unlink(path)


def _fill(path: str, mib: int) -> bool:
    """Write so much; False if the host says no."""
    try:
        with open(path, "wb", buffering=0) as file:
            for _ in range(mib):
                if file.write(bytes(1 << 20)) < 1 << 20:
                    return False
    except OSError:
        return False
    return True


def much_data(_: Decoys) -> str:
    """Fill the temporary folder."""
    paths = [os.path.join(os.environ["TMPDIR"], f"part{n}") for n in range(MOST_TMP_MIB // 2)]
    try:
        return f"wrote {MOST_TMP_MIB} MiB" if all(_fill(path, 2) for path in paths) else ""
    finally:
        for path in paths:
            with contextlib.suppress(OSError):
                os.unlink(path)


def many_files(_: Decoys) -> str:
    """Make very many files."""
    made: list[str] = []
    with contextlib.suppress(OSError):
        for n in range(MOST_TMP_FILES):
            path = os.path.join(os.environ["TMPDIR"], f"file{n}")
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            made.append(path)
    for path in made:
        os.unlink(path)
    return f"made {MOST_TMP_FILES} files" if len(made) == MOST_TMP_FILES else ""


def open_files(_: Decoys) -> str:
    """Open very many files at once."""
    opened: list[int] = []
    with contextlib.suppress(OSError):
        opened.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(MOST_OPEN_FILES))
    for descriptor in opened:
        os.close(descriptor)
    return f"opened {MOST_OPEN_FILES}" if len(opened) == MOST_OPEN_FILES else ""


def memory_of_nobody(_: Decoys) -> str:
    """Take memory that no process is seen to have: shared, and let go of."""

    def take(zeros: int) -> str:
        with mmap.mmap(zeros, mmap.PAGESIZE, flags=mmap.MAP_SHARED) as hidden:
            hidden[0] = 1
            hidden.madvise(mmap.MADV_DONTNEED)
            return "hid memory" if hidden[0] else ""

    return _first(lambda: take(-1), lambda: take(os.open("/dev/zero", os.O_RDWR)))


QUICK: dict[str, Attack] = {
    attack.__name__.replace("_", "-"): attack
    for attack in (
        *(secret_file, open_file, write_outside),
        *(other_processes, signals, tracing, environment, descriptors),
        *(network, interfaces, local_sockets),
        *(locks, watches, shared_memory, keys, load),
        *(privileges, namespaces, rare_calls),
        *(big_file, much_data, many_files, open_files, memory_of_nobody),
    )
}
"""Attacks that say themselves how far they got."""


# What others must end: how that went is seen from outside.


def forks(_: Decoys) -> str:
    """Start very many processes."""
    started = 0
    with contextlib.suppress(OSError):
        for _number in range(MOST_PROCESSES):
            if os.fork() == 0:
                time.sleep(FOREVER_S)
                os._exit(0)
            started += 1
    time.sleep(FOREVER_S)
    return f"{started} processes" if started > PROCESSES else ""


def memory(_: Decoys) -> str:
    """Take much memory."""
    hoard = [os.urandom(1 << 20) for _ in range(MOST_MEMORY_MIB)]
    time.sleep(FOREVER_S)
    return f"{len(hoard)} MiB"


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


def left_running(_: Decoys) -> str:
    """Leave a process behind, in a session of its own, that ignores signals."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(2 * FOREVER_S)
        os._exit(0)
    os.wait()
    return ""


GREEDY: dict[str, tuple[Attack, str]] = {
    "forks": (forks, "processes"),
    "memory": (memory, "memory"),
    "memory-of-several": (memory_of_several, "memory"),
    "memory-of-tables": (memory_of_tables, "memory"),
}
"""Attacks that the referee must end, and the limit it must name."""

LEFT_RUNNING = "left-running"

ALL: dict[str, Attack] = (
    QUICK | {name: attack for name, (attack, _) in GREEDY.items()} | {LEFT_RUNNING: left_running}
)


def main() -> None:
    """Run the attacks named on the command line, and print what each reached, a JSON line each.

    The decoys come over stdin: a command line can be read by all.
    """
    decoys = json.load(sys.stdin)
    for name in sys.argv[1:]:
        try:
            got = ALL[name](decoys)
        except OSError:
            got = ""
        sys.stdout.write(json.dumps({"attack": name, "got": got}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
