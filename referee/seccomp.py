"""The filter on system calls of a bot in a box, as the bytes that bubblewrap loads.

It is a list of what is denied; everything a runtime needs stays allowed. What is on it is there for one of
three reasons: it would let two bots talk past the referee (locks, watches on shared files, keys, sockets that
no network namespace holds), it takes memory that no limit of ours counts, or it is a part of the kernel that
a bot has no use for and that has often been a way out. Calls newer than this list are answered as an older
kernel would.
"""

import errno
import platform
import struct
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_NEWEST: Final = 462
"""The newest system call this list was made with: mseal, of Linux 6.10. Numbers of new calls are the same
everywhere."""


class Machine(NamedTuple):
    """What differs from processor to processor."""

    audit: int
    """How the kernel calls it in a filter."""
    column: int
    """Its place in the tables of numbers."""


MACHINES: Final[Mapping[str, Machine]] = {
    "x86_64": Machine(0xC000003E, 0),
    "aarch64": Machine(0xC00000B7, 1),
}

# By name: the number on x86_64 and on aarch64; None where there is no such call.
Numbers = Mapping[str, tuple[int | None, int | None]]

COURIERS: Final[Numbers] = {
    # Watches on files that all bots can read tell one what the other does.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    # Keys belong to a user, whatever box he is in.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # All of the host's disks at once: a way to be felt.
    "sync": (162, 81),
    "syncfs": (306, 267),
}

UNCOUNTED: Final[Numbers] = {
    # Memory that belongs to no process, so that watching processes does not find it.
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),  # pages in a pipe, of which the process may let go
}

WAYS_OUT: Final[Numbers] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
}

ABSENT: Final[Numbers] = {
    # Runtimes try these and do without: they are told that there is no such call.
    "clone3": (435, 435),  # its flags are out of a filter's sight; clone's are not
    "memfd_create": (319, 279),  # uncounted as well
    "io_uring_setup": (425, 425),  # a second way to make every call of this list
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}

VOID: Final[Numbers] = {
    # A lock on a file that all bots can read tells one what the other does. Runtimes lock files of their own
    # and complain aloud if they cannot, so they are told that they have, and nothing is locked.
    "flock": (73, 32),
}

LOOKED_AT: Final[Numbers] = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "mmap": (9, 222),
}
"""Calls that are denied by what they are given."""

_FAMILIES: Final = (1, 2, 10)
"""unix, inet, inet6: they end at the network namespace. vsock, for one, does not."""
_NETLINK: Final = 16
_NAMESPACES: Final = 0x7E020000
"""The flags of clone that make a namespace."""
_LOCK_COMMANDS: Final = (6, 7, 37, 38)
"""Of fcntl: locks of both kinds; void as well."""
_WATCH_COMMANDS: Final = (5, 36, 1024, 1026)
"""Of fcntl: to ask for locks of others, leases, notifications of a directory."""
_TERMINAL_COMMANDS: Final = (0x5412, 0x541C)
"""Of ioctl: TIOCSTI and TIOCLINUX put words into a terminal's mouth."""

_MAPPING_KIND: Final = 0x2F
_SHARED_NAMELESS: Final = 0x21
"""Of mmap: memory of no file that is shared, MAP_SHARED with MAP_ANONYMOUS. It stays when a process lets go
of its pages, and then no process is seen to have it: uncounted as well."""

# Classic BPF: see the kernel's Documentation/networking/filter and userspace-api/seccomp_filter.
_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000

_NOTHING: Final = 0
"""The error number of a call that says it was done, and was not."""

_Step = tuple[int, int, int, int]
"""Code, steps to skip if it is so, steps to skip if not, value."""


def supported() -> bool:
    """Say whether there is a filter for this processor."""
    return platform.machine() in MACHINES


def build(machine: str | None = None) -> bytes:
    """Return the filter for a processor, by default this one; raises KeyError for one it was not made for."""
    kind = MACHINES[machine or platform.machine()]
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(kind))


def _steps(kind: Machine) -> Iterator[_Step]:
    yield _LOAD, 0, 0, _ARCHITECTURE
    # The calls of another word size have other numbers: nobody makes them by mistake.
    yield _EQUAL, 1, 0, kind.audit
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    yield _ABOVE, 0, 1, _NEWEST
    yield _refuse(errno.ENOSYS)
    for table in (COURIERS, UNCOUNTED, WAYS_OUT):
        yield from _denied(table, kind, errno.EPERM)
    yield from _denied(ABSENT, kind, errno.ENOSYS)
    yield from _denied(VOID, kind, _NOTHING)
    yield from _looked_at("clone", kind, [(_ANY_BIT, 0, 1, _NAMESPACES), _refuse(errno.EPERM)])
    locks = [*_none_of(_LOCK_COMMANDS, _NOTHING), *_none_of(_WATCH_COMMANDS, errno.EPERM)]
    yield from _looked_at("fcntl", kind, locks, argument=1)
    yield from _looked_at("ioctl", kind, _none_of(_TERMINAL_COMMANDS, errno.EPERM), argument=1)
    nameless = [(_AND, 0, 0, _MAPPING_KIND), (_EQUAL, 0, 1, _SHARED_NAMELESS), _refuse(errno.EPERM)]
    yield from _looked_at("mmap", kind, nameless, argument=3)
    for name in ("socket", "socketpair"):
        yield from _looked_at(name, kind, _family())
    yield _RETURN, 0, 0, _ALLOW


def _refuse(number: int) -> _Step:
    return _RETURN, 0, 0, _ERRNO | number


def _denied(table: Numbers, kind: Machine, number: int) -> Iterator[_Step]:
    for numbers in table.values():
        call = numbers[kind.column]
        if call is not None:
            yield _EQUAL, 0, 1, call
            yield _refuse(number)


def _looked_at(name: str, kind: Machine, steps: list[_Step], argument: int = 0) -> Iterator[_Step]:
    """Judge a call by its argument (the kernel reads 32 bits of these); what passes is judged on."""
    call = LOOKED_AT[name][kind.column]
    assert call is not None
    yield _EQUAL, 0, len(steps) + 2, call
    yield _LOAD, 0, 0, _ARGUMENTS + 8 * argument
    yield from steps
    yield _LOAD, 0, 0, _NUMBER


def _none_of(values: tuple[int, ...], number: int) -> list[_Step]:
    return [step for value in values for step in ((_EQUAL, 0, 1, value), _refuse(number))]


def _family() -> list[_Step]:
    """Allow the families, and of netlink only what lists interfaces."""
    netlink: list[_Step] = [
        (_EQUAL, 0, 2, _NETLINK),
        (_LOAD, 0, 0, _ARGUMENTS + 16),
        (_EQUAL, 1, 0, 0),
        _refuse(errno.EAFNOSUPPORT),
    ]
    known: list[_Step] = [
        (_EQUAL, len(netlink) + len(_FAMILIES) - 1 - n, 0, family) for n, family in enumerate(_FAMILIES)
    ]
    return known + netlink
