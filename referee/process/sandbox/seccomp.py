"""The filter on system calls of a bot in a sandbox, as the bytes that bubblewrap loads.

`referee.process.sandbox.policy` lists what it denies, with the reasons. The filter is assembled here,
not by libseccomp, because its rules cannot express "every number above the list" or "every family but
one" (a rule compares a call's number for equality, and an argument once); the Python binding was last
released in January 2021.
"""

import errno
import platform
import struct
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from referee.process.sandbox.policy import (
    ABSENT,
    CACHE_ADVICE,
    COMMAND_KIND,
    COURIERS,
    FAMILY,
    FILTER_OPTIONS,
    HINT_COMMANDS,
    LOCK_COMMANDS,
    LOOKED_AT,
    MAPPING_KIND,
    NAMESPACES,
    NEWEST,
    OWN_FILES,
    PACKETS,
    PIPE_COMMANDS,
    PROGRAM_OPTIONS,
    SHARED_FILES,
    SHARED_NAMELESS,
    SIZE_OPTIONS,
    SOCKET_KIND,
    STREAM,
    TERMINAL_COMMANDS,
    TERMINALS_AND_SOCKETS,
    THREAD,
    UNCOUNTED,
    VOID,
    WATCH_COMMANDS,
    WAYS_OUT,
    Numbers,
)


class Machine(NamedTuple):
    """What differs from processor to processor."""

    audit: int
    """The kernel's name for it in a filter."""
    column: int
    """Its column in the tables of numbers."""


MACHINES: Final[Mapping[str, Machine]] = {
    "x86_64": Machine(0xC000003E, 0),
    "aarch64": Machine(0xC00000B7, 1),
}

# Classic BPF: see the kernel's Documentation/networking/filter and userspace-api/seccomp_filter.
_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000

_NOTHING: Final = 0
"""The error number of a call that reports success although it was not made."""

_Step = tuple[int, int, int, int]
"""Code, steps to skip if the comparison holds, steps to skip if not, value."""


def supported() -> bool:
    """Return whether there is a filter for this processor."""
    return platform.machine() in MACHINES


def build(machine: str | None = None) -> bytes:
    """Return the filter for a processor, by default this one; raises KeyError if there is none for it."""
    kind = MACHINES[machine or platform.machine()]
    return b"".join(struct.pack("=HBBI", *step) for step in _steps(kind))


def _steps(kind: Machine) -> Iterator[_Step]:
    yield _LOAD, 0, 0, _ARCHITECTURE
    # Calls of another word size have other numbers, and no program makes them by mistake.
    yield _EQUAL, 1, 0, kind.audit
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    yield _ABOVE, 0, 1, NEWEST
    yield _refuse(errno.ENOSYS)
    for table in (COURIERS, UNCOUNTED, WAYS_OUT):
        yield from _denied(table, kind, errno.EPERM)
    yield from _denied(ABSENT, kind, errno.ENOSYS)
    yield from _denied(VOID, kind, _NOTHING)
    yield from _by_argument(kind)
    yield _RETURN, 0, 0, _ALLOW


def _by_argument(kind: Machine) -> Iterator[_Step]:
    """Judge the calls that are denied by what they are given."""
    yield from _looked_at("clone", kind, _clone())
    own_files = [(_ANY_BIT, 0, 1, OWN_FILES), _refuse(errno.EINVAL)]
    yield from _looked_at("close_range", kind, own_files, argument=2)
    commands = [
        *_none_of(LOCK_COMMANDS, _NOTHING),
        *_none_of((*WATCH_COMMANDS, *PIPE_COMMANDS), errno.EPERM),
        *_none_of(HINT_COMMANDS, errno.EINVAL),
    ]
    yield from _looked_at("fcntl", kind, commands, argument=1)
    yield from _looked_at("ioctl", kind, _command(), argument=1)
    nameless = [(_AND, 0, 0, MAPPING_KIND), (_EQUAL, 0, 1, SHARED_NAMELESS), _refuse(errno.EPERM)]
    yield from _looked_at("mmap", kind, nameless, argument=3)
    yield from _looked_at("madvise", kind, _none_of(CACHE_ADVICE, errno.EINVAL), argument=2)
    for name in ("preadv2", "pwritev2"):
        # With flags they answer whether a page is in the cache, or leave none there.
        yield from _looked_at(name, kind, [(_EQUAL, 1, 0, 0), _refuse(errno.EOPNOTSUPP)], argument=5)
    yield from _looked_at("prctl", kind, _none_of(FILTER_OPTIONS, errno.EINVAL))
    options = [*_none_of(PROGRAM_OPTIONS, errno.EPERM), *_none_of(SIZE_OPTIONS, _NOTHING)]
    yield from _looked_at("setsockopt", kind, options, argument=2)
    for name in ("socket", "socketpair"):
        yield from _looked_at(name, kind, _local_socket())


def _refuse(number: int) -> _Step:
    return _RETURN, 0, 0, _ERRNO | number


def _denied(table: Numbers, kind: Machine, number: int) -> Iterator[_Step]:
    for numbers in table.values():
        call = numbers[kind.column]
        if call is not None:
            yield _EQUAL, 0, 1, call
            yield _refuse(number)


def _looked_at(name: str, kind: Machine, steps: list[_Step], argument: int = 0) -> Iterator[_Step]:
    """Judge a call by an argument, of which the kernel reads 32 bits; a call that passes is judged on."""
    call = LOOKED_AT[name][kind.column]
    assert call is not None
    yield _EQUAL, 0, len(steps) + 2, call
    yield _LOAD, 0, 0, _ARGUMENTS + 8 * argument
    yield from steps
    yield _LOAD, 0, 0, _NUMBER


def _none_of(values: tuple[int, ...], number: int) -> list[_Step]:
    return [step for value in values for step in ((_EQUAL, 0, 1, value), _refuse(number))]


def _clone() -> list[_Step]:
    return [
        (_ANY_BIT, 0, 1, NAMESPACES),
        _refuse(errno.EPERM),
        (_ANY_BIT, 0, 2, THREAD),
        (_ANY_BIT, 1, 0, SHARED_FILES),
        _refuse(errno.EPERM),
    ]


def _command() -> list[_Step]:
    """Allow commands for terminals and sockets, but for some; others get the answer of a file without any."""
    terminals, sockets = TERMINALS_AND_SOCKETS
    return [
        *_none_of(TERMINAL_COMMANDS, errno.EPERM),
        (_AND, 0, 0, COMMAND_KIND),
        (_EQUAL, 2, 0, terminals),
        (_EQUAL, 1, 0, sockets),
        _refuse(errno.ENOTTY),
    ]


def _local_socket() -> list[_Step]:
    """Allow local sockets of two kinds."""
    return [
        (_EQUAL, 1, 0, FAMILY),
        _refuse(errno.EAFNOSUPPORT),
        (_LOAD, 0, 0, _ARGUMENTS + 8),
        (_AND, 0, 0, SOCKET_KIND),
        (_EQUAL, 2, 0, STREAM),
        (_EQUAL, 1, 0, PACKETS),
        _refuse(errno.EPROTONOSUPPORT),
    ]
