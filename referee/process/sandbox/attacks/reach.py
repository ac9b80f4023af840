"""Attacks on what is outside the sandbox: files, processes, sockets and the network."""

import contextlib
import os
import socket
from typing import Any

from referee.process.sandbox.attacks.tools import Attack, Decoys, first, in_child, libc, read

# Files.


def secret_file(decoys: Decoys) -> str:
    """Read a file of the referee that is closed to others."""
    return first(lambda: "read " + read(decoys["secret"]))


def open_file(decoys: Decoys) -> str:
    """Read a file of the host that is open to all."""
    return first(lambda: "read " + read(decoys["open"]))


def write_outside(decoys: Decoys) -> str:
    """Write into a folder of the host that is open to all, or into the system."""

    def into(folder: str) -> str:
        # A file without a name: it is gone when it is closed.
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600))
        return f"wrote into {folder}"

    folders = (decoys["folder"], "/usr", "/etc", "/", "/dev", os.getcwd())
    return first(*[lambda folder=folder: into(folder) for folder in folders])


# Processes.


def other_processes(decoys: Decoys) -> str:
    """See a process that is not its own."""

    def look(pid: str) -> str:
        command = read(f"/proc/{pid}/cmdline")
        return f"process {pid} of the host" if decoys["mark"] in command else ""

    pids = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    return first(*[lambda pid=pid: look(pid) for pid in pids])


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
    return "" if in_child(lambda: int(libc.ptrace(trace_me, 0, 0, 0))) else "ptrace is allowed"


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
    return first(
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

    return first(
        lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, decoys["socket"]),
        lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + decoys["abstract"]),
        vsock,
    )


def authors_folder(decoys: Decoys) -> str:
    """Meet its author at a FIFO or a socket that was put into its own folder."""

    def write() -> str:
        end = os.open(decoys["own_fifo"], os.O_WRONLY | os.O_NONBLOCK)
        try:
            os.write(end, b"hello")
        finally:
            os.close(end)
        return f"wrote into {decoys['own_fifo']}"

    return first(write, lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, decoys["own_socket"]))


REACH: tuple[Attack, ...] = (
    *(secret_file, open_file, write_outside),
    *(other_processes, signals, tracing, environment, descriptors),
    *(network, interfaces, local_sockets, authors_folder),
)
"""In the order of the report."""
