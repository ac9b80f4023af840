"""Lets the n-th write to a folder fail, in real processes, by the kernel's own means.

A filter on system calls (seccomp, with a listener) hands every call that changes a file to this process
before it is made. Calls that concern the folder are numbered; one of them can be made to fail, be made by
half, or be the last thing its process ever does. Nothing in the product knows of it, and SQLite's own writes
are numbered like all others.
"""

import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from referee.process.sandbox.seccomp import MACHINES
from tests.lacking import lacking

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_REQUEST = struct.Struct("=QII iI Q 6Q")
_ANSWER = struct.Struct("=QqiI")
_CONTINUE = 1
_LISTEN = 8
_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_CREATE = 0o100

# By name: the number on x86_64 and on aarch64, and which argument is the descriptor or the path.
_BY_DESCRIPTOR = {
    "write": (1, 64),
    "pwrite64": (18, 68),
    "writev": (20, 66),
    "pwritev": (296, 70),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "syncfs": (306, 267),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "fchmod": (91, 52),
}
_BY_PATH = {
    "rename": (82, None, 1),
    "renameat": (264, 38, 3),
    "renameat2": (316, 276, 3),
    "unlink": (87, None, 0),
    "unlinkat": (263, 35, 1),
    "mkdir": (83, None, 0),
    "mkdirat": (258, 34, 1),
    "openat": (257, 56, 1),
}

_libc = ctypes.CDLL(None, use_errno=True)


class Fault(Enum):
    """What happens at the point."""

    CRASH = "killed before it"
    TORN = "killed when half of it is written"
    FULL_ONCE = "ENOSPC"
    FULL = "ENOSPC, there and ever after"
    BROKEN = "EIO"


class Point(NamedTuple):
    """A call that changes the folder."""

    call: str
    path: str


class _Call(NamedTuple):
    id: int
    pid: int
    name: str
    arguments: tuple[int, ...]


def supported() -> None:
    """Skip the test, by name, where there is no such filter."""
    if platform.machine() not in _SECCOMP or not hasattr(os, "pidfd_open"):
        lacking(f"no seccomp listener for {platform.machine()}: write points are not tested")


def install(line: socket.socket) -> None:
    """Put this process, and all that come of it, under the filter; send the listener through a line."""
    column = MACHINES[platform.machine()].column
    steps: list[tuple[int, int, int, int]] = [(_LOAD, 0, 0, 0)]
    for name, numbers in (*_BY_DESCRIPTOR.items(), *_BY_PATH.items()):
        if (number := numbers[column]) is None:
            continue
        if name == "openat":
            # Only if it makes a file: reading is of no interest.
            steps += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, 16 + 8 * 2), (_ANY_BIT, 0, 1, _CREATE)]
            steps += [(_RETURN, 0, 0, _NOTIFY), (_RETURN, 0, 0, _ALLOW)]
        elif name == "write":
            # What goes to stdout and stderr is of no interest either.
            steps += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, 16), (_ABOVE, 0, 1, 2)]
            steps += [(_RETURN, 0, 0, _NOTIFY), (_RETURN, 0, 0, _ALLOW)]
        else:
            steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _NOTIFY)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    _libc.prctl(38, 1, 0, 0, 0)
    listener = _libc.syscall(_SECCOMP[platform.machine()], 1, _LISTEN, program)
    if listener < 0:
        os._exit(99)
    socket.send_fds(line, [b"."], [listener])
    os.close(listener)


class Watch:
    """Numbers what a process and its children write into a folder, and lets one point fail."""

    def __init__(self, folder: Path, fault: Fault | None = None, at: int = -1) -> None:
        self.points: list[Point] = []
        self.struck: Point | None = None
        """The point that failed, if it was reached."""
        self._folder = str(folder.resolve())
        self._fault = fault
        self._at = at
        self._column = MACHINES[platform.machine()].column
        tables: dict[str, tuple[int | None, ...]] = {**_BY_DESCRIPTOR, **_BY_PATH}
        self._names = {numbers[self._column]: name for name, numbers in tables.items()}

    def serve(self, listener: int, victim: int) -> None:
        """Answer the kernel until the victim, whom a crash kills, and all its children have ended."""
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while True:
            ready = dict(poll.poll(240_000))
            assert ready, "the process neither ends nor does anything"
            if not ready[listener] & select.POLLIN:
                return
            request = bytearray(_REQUEST.size)
            try:
                fcntl.ioctl(listener, _RECEIVE, request)
            except OSError as error:
                if error.errno == errno.ENOENT:
                    continue  # It was killed meanwhile.
                raise
            call_id, pid, _, number, _, _, *arguments = _REQUEST.unpack(request)
            verdict = self._judge(_Call(call_id, pid, self._names[number], tuple(arguments)), victim)
            answer = _ANSWER.pack(call_id, 0, -verdict, 0 if verdict else _CONTINUE)
            try:
                fcntl.ioctl(listener, _SEND, answer)
            except OSError as error:
                if error.errno != errno.ENOENT:
                    raise

    def _judge(self, call: _Call, victim: int) -> int:
        """Return the number of the error a call is to end with, 0 for none."""
        path = self._path(call)
        if not path.startswith(self._folder + "/") and path != self._folder:
            return 0
        number = len(self.points)
        self.points.append(Point(call.name, os.path.basename(path)))
        if self._fault is None or number < self._at or (number > self._at and self._fault is not Fault.FULL):
            return 0
        self.struck = self.struck or self.points[-1]
        if self._fault in (Fault.CRASH, Fault.TORN):
            if self._fault is Fault.TORN and call.name in ("write", "pwrite64"):
                self._write_half(call)
            os.kill(victim, signal.SIGKILL)
            return errno.EIO
        if self._fault is Fault.BROKEN:
            return errno.EIO
        # A full disk still lets one remove things.
        return 0 if call.name.startswith("unlink") else errno.ENOSPC

    def _path(self, call: _Call) -> str:
        try:
            if call.name in _BY_DESCRIPTOR:
                return os.readlink(f"/proc/{call.pid}/fd/{call.arguments[0]}")
            place = _BY_PATH[call.name][2]
            name = self._text(call.pid, call.arguments[place])
            return os.path.join(os.readlink(f"/proc/{call.pid}/cwd"), name)
        except OSError:
            return ""  # It is gone.

    def _text(self, pid: int, address: int) -> str:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            # Up to the end of the page at most: what lies behind it may not be there.
            return memory.read(min(4_096, 4_096 - address % 4_096) or 4_096).split(b"\0")[0].decode()

    def _write_half(self, call: _Call) -> None:
        descriptor, address, count = call.arguments[:3]
        with open(f"/proc/{call.pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            half = memory.read(count // 2)
        fields = dict(
            line.split(":", 1)
            for line in Path(f"/proc/{call.pid}/fdinfo/{descriptor}").read_text().splitlines()
        )
        opened = os.open(f"/proc/{call.pid}/fd/{descriptor}", os.O_WRONLY)
        appending = int(fields["flags"].strip(), 8) & os.O_APPEND
        if call.name == "pwrite64":
            offset = call.arguments[3]
        else:
            offset = os.fstat(opened).st_size if appending else int(fields["pos"])
        os.pwrite(opened, half, offset)
        os.close(opened)


def watched(work: Callable[[], None], watch: Watch) -> int:
    """Do some work in a forked process under the watch; return how it ended."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            install(theirs)
            work()
            code = 0
        finally:
            os._exit(code)
    theirs.close()
    return _serve(watch, ours, pid)


def _serve(watch: Watch, line: socket.socket, pid: int) -> int:
    with line:
        _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
    if not descriptors:
        os.waitpid(pid, 0)
        lacking("the kernel lets us have no seccomp listener: write points are not tested")
    try:
        watch.serve(descriptors[0], pid)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.close(descriptors[0])
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def spread(count: int, most: int) -> Iterator[int]:
    """Return at most so many numbers below a count, evenly spread."""
    yield from sorted({n * count // most for n in range(most)} if count > most else range(count))
