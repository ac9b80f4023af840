"""The filter on system calls, for every processor it is made for: its verdicts."""

import errno
import re
import struct
from pathlib import Path

import pytest

from referee.process.sandbox import policy, seccomp

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
TABLES = (
    policy.COURIERS,
    policy.UNCOUNTED,
    policy.WAYS_OUT,
    policy.ABSENT,
    policy.VOID,
    policy.LOOKED_AT,
)
HEADERS = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}

machines = pytest.mark.parametrize("machine", seccomp.MACHINES)


def verdict(machine: str, call: int, *arguments: int, audit: int | None = None) -> int:
    """Run the filter as the kernel would, and return what it says."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", call, audit or seccomp.MACHINES[machine].audit, 0, *words)
    steps = list(struct.iter_unpack("=HBBI", seccomp.build(machine)))
    here, register = 0, 0
    while True:
        code, if_so, if_not, value = steps[here]
        here += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            (register,) = struct.unpack_from("=I", data, value)
            continue
        if code == 0x54:
            register &= value
            continue
        is_so = {0x15: register == value, 0x25: register > value, 0x45: bool(register & value)}[code]
        here += if_so if is_so else if_not


def number(machine: str, name: str) -> int:
    (found,) = [table[name][seccomp.MACHINES[machine].column] for table in TABLES if name in table]
    assert found is not None
    return found


@machines
def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    path = Path("/usr/include") / HEADERS[machine]
    if not path.is_file():
        pytest.skip(f"the kernel's headers are not installed: {path}")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text()))
    column = seccomp.MACHINES[machine].column
    listed = {name: numbers[column] for table in TABLES for name, numbers in table.items()}
    checked = {name: call for name, call in listed.items() if call is not None and name in known}
    assert len(checked) > 60
    assert checked == {name: int(known[name]) for name in checked}


@machines
def test_what_is_denied_is_denied_and_the_rest_is_not(machine: str) -> None:
    for table, error in (
        (policy.COURIERS, errno.EPERM),
        (policy.UNCOUNTED, errno.EPERM),
        (policy.WAYS_OUT, errno.EPERM),
        (policy.ABSENT, errno.ENOSYS),
        (policy.VOID, 0),
    ):
        for numbers in table.values():
            call = numbers[seccomp.MACHINES[machine].column]
            assert call is None or verdict(machine, call) == ERRNO | error
    listed = {numbers[seccomp.MACHINES[machine].column] for table in TABLES for numbers in table.values()}
    assert all(verdict(machine, call) == ALLOW for call in range(463) if call not in listed)


@machines
def test_calls_newer_than_the_list_and_of_another_word_size_are_no_calls(machine: str) -> None:
    assert verdict(machine, 463) == ERRNO | errno.ENOSYS
    assert verdict(machine, 0x40000000) == ERRNO | errno.ENOSYS
    assert verdict(machine, 1, audit=0x40000003) == KILL


@machines
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("socket", (1, 1, 0), ALLOW),
        ("socket", (1, 5, 0), ALLOW),
        ("socket", (1, 1 | 0x80800, 0), ALLOW),  # with flags
        ("socket", (1, 2, 0), ERRNO | errno.EPROTONOSUPPORT),  # datagrams
        ("socket", (1, 3, 0), ERRNO | errno.EPROTONOSUPPORT),  # datagrams under another name
        ("socket", (1, 2 | 0x80800, 0), ERRNO | errno.EPROTONOSUPPORT),
        ("socket", (2, 1, 0), ERRNO | errno.EAFNOSUPPORT),  # TCP
        ("socket", (2, 2, 136), ERRNO | errno.EAFNOSUPPORT),  # UDP-Lite
        ("socket", (10, 2, 17), ERRNO | errno.EAFNOSUPPORT),  # UDP
        ("socket", (16, 3, 0), ERRNO | errno.EAFNOSUPPORT),  # netlink
        ("socket", (17, 3, 0), ERRNO | errno.EAFNOSUPPORT),  # packet
        ("socket", (40, 1, 0), ERRNO | errno.EAFNOSUPPORT),  # vsock
        ("socketpair", (1, 1, 0), ALLOW),
        ("socketpair", (30, 1, 0), ERRNO | errno.EAFNOSUPPORT),  # tipc
        ("clone", (0x3D0F00,), ALLOW),  # a thread
        ("clone", (0x3D0B00,), ERRNO | errno.EPERM),  # a thread with open files of its own
        ("close_range", (3, 9, 0), ALLOW),
        ("close_range", (3, 9, 4), ALLOW),  # to be closed when another program is executed
        ("close_range", (3, 9, 2), ERRNO | errno.EINVAL),  # open files of its own for a thread
        ("close_range", (3, 9, 6), ERRNO | errno.EINVAL),
        ("clone", (0x11,), ALLOW),  # a process
        ("clone", (0x11 | 0x10000000,), ERRNO | errno.EPERM),  # a user namespace
        ("clone", (0x11 | 0x00020000,), ERRNO | errno.EPERM),  # a mount namespace
        ("fcntl", (3, 2, 1), ALLOW),
        ("fcntl", (3, 6, 0), ERRNO | 0),
        ("fcntl", (3, 38, 0), ERRNO | 0),
        ("fcntl", (3, 5, 0), ERRNO | errno.EPERM),
        ("fcntl", (3, 1024, 0), ERRNO | errno.EPERM),
        ("fcntl", (3, 1031, 1 << 20), ERRNO | errno.EPERM),
        ("fcntl", (3, 1032, 0), ALLOW),
        ("fcntl", (3, 1035, 0), ERRNO | errno.EINVAL),  # GET_RW_HINT
        ("fcntl", (3, 1036, 0), ERRNO | errno.EINVAL),  # SET_RW_HINT
        ("fcntl", (3, (1 << 32) | 6, 0), ERRNO | 0),  # the kernel reads 32 bits, and so does the filter
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), ERRNO | errno.EPERM),
        ("ioctl", (0, 0x541B), ALLOW),  # how much can be read
        ("ioctl", (0, 0x80045430), ALLOW),  # a terminal's number
        ("ioctl", (0, 0x8905), ALLOW),  # of a socket
        ("ioctl", (0, 0x6612), ERRNO | errno.ENOTTY),  # ext4: read all extents
        ("ioctl", (0, 0x40046629), ERRNO | errno.ENOTTY),  # ext4: whether they are read
        ("ioctl", (0, 0x5877), ERRNO | errno.ENOTTY),  # stop all writing
        ("ioctl", (0, 0x40049409), ERRNO | errno.ENOTTY),  # a clone of a file
        ("madvise", (0, 4096, 4), ALLOW),  # DONTNEED
        ("madvise", (0, 4096, 12), ERRNO | errno.EINVAL),
        ("madvise", (0, 4096, 20), ERRNO | errno.EINVAL),
        ("madvise", (0, 4096, 21), ERRNO | errno.EINVAL),
        ("preadv2", (3, 0, 1, 0, 0, 0), ALLOW),
        ("preadv2", (3, 0, 1, 0, 0, 8), ERRNO | errno.EOPNOTSUPP),  # NOWAIT
        ("preadv2", (3, 0, 1, 0, 0, 0x80), ERRNO | errno.EOPNOTSUPP),  # DONTCACHE
        ("pwritev2", (3, 0, 1, 0, 0, 1), ERRNO | errno.EOPNOTSUPP),
        ("prctl", (15,), ALLOW),  # SET_NAME
        ("prctl", (22, 2), ERRNO | errno.EINVAL),
        ("prctl", (67, 1), ERRNO | errno.EINVAL),
        ("setsockopt", (3, 1, 7), ERRNO | 0),  # SO_SNDBUF
        ("setsockopt", (3, 1, 8), ALLOW),  # SO_RCVBUF
        ("setsockopt", (3, 1, 26), ERRNO | errno.EPERM),
    ],
)
def test_some_calls_are_judged_by_what_they_are_given(
    machine: str, name: str, arguments: tuple[int, ...], expected: int
) -> None:
    assert verdict(machine, number(machine, name), *arguments) == expected


@machines
def test_shared_memory_of_no_file_is_denied_and_all_other_memory_is_not(machine: str) -> None:
    mmap = number(machine, "mmap")
    shared, private, nameless, no_reserve = 0x01, 0x02, 0x20, 0x4000
    for flags in (shared | nameless, shared | nameless | no_reserve):
        assert verdict(machine, mmap, 0, 4096, 3, flags) == ERRNO | errno.EPERM
    for flags in (shared, private, private | nameless, private | nameless | no_reserve):
        assert verdict(machine, mmap, 0, 4096, 3, flags) == ALLOW
