"""What a bot in a sandbox may not do: the whole policy, to be reviewed in one place.

bubblewrap protects exactly as far as its arguments say, and here they all are. The filter on system calls is
a list of what is denied; everything a runtime needs stays allowed. What is on it is there for one of three
reasons: it would let a bot leave something for another bot or for its own next process (locks, watches on
shared files, keys, ports, the cache of files), it takes memory that no limit of ours counts, or it is a part
of the kernel that a bot has no use for and that has often been a way out. Calls newer than the list are
answered as an older kernel would.

The modules `bubblewrap` and `seccomp` beside this one apply it. A change here needs an attack in `attacks`
that shows it.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

# The arguments of bubblewrap.

SEAT: Final = "/run/seat"
"""Where the bot finds the socket of its gate."""

TMP_MIB: Final = 16
TMP_FILES: Final = 4_096
"""What /tmp and /dev/shm hold, each."""

_INSIDE_ID: Final = "1000"
"""What every bot is called inside."""

WALLS: Final = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--uid", _INSIDE_ID, "--gid", _INSIDE_ID, "--hostname", "box"),
)
"""The arguments of bubblewrap for every sandbox."""

PASSWD: Final = f"bot:x:{_INSIDE_ID}:{_INSIDE_ID}:bot:/tmp:/bin/false\n".encode()
"""All users there are inside."""

STAGE: Final = "/tmp"  # noqa: S108 - a mount of our own, in a mount namespace of our own

DEVICES: Final = {
    **{name: name for name in ("full", "null", "random", "tty", "urandom")},
    # Reads as zeros too, but cannot be mapped: shared memory made of /dev/zero is seen in no process.
    "zero": "full",
}
"""What is in /dev, and which device of the host it is. All sandboxes share them, so they are read-only: that
forbids to set their times, and to write to a device is still allowed."""

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS: Final = (
    "ld.so.cache",
    "alternatives",
    "localtime",
    "nsswitch.conf",
    "hosts",
    "java*",
    "mono",
    "perl",
)
"""What runtimes need of /etc, and nothing that names users, hosts or keys."""

_TELLTALES: Final = (
    *("stat", "loadavg", "uptime", "vmstat", "schedstat", "diskstats", "interrupts", "softirqs", "zoneinfo"),
    *(
        "buddyinfo",
        "locks",
        "keys",
        "key-users",
        "timer_list",
        "slabinfo",
        "pagetypeinfo",
        "swaps",
        "cgroups",
    ),
    *(f"sys/fs/{name}" for name in ("file-nr", "inode-nr", "inode-state", "dentry-state", "aio-nr")),
    "sys/fs/quota",
    *("pressure", "fs", "irq", "bus", "acpi", "driver", "scsi"),
)
"""Of /proc: what shows how busy the host is, and so how deep another bot thinks; and what no bot needs."""


def arguments(
    binds: list[tuple[str, str]], links: list[tuple[str, str]], passwd: int, writable: str = ""
) -> list[str]:
    """Return bubblewrap's arguments, given what to bind (from where, to where) and which links to make.

    `passwd` is a descriptor from which PASSWD can be read. What is bound to the path `writable` may be
    written to: the folder of a build.
    """
    words = [
        *WALLS,
        *_system(passwd),
        *("--proc", "/proc", *_masked_proc()),
        *("--dev", "/dev", *_devices()),
        # No terminals: what waits in one is counted nowhere, and all sandboxes share their number.
        *("--ro-bind", f"{STAGE}/nothing", "/dev/pts"),
        *("--bind", f"{STAGE}/shm", "/dev/shm"),  # noqa: S108 - the box's own
        *("--bind", f"{STAGE}/tmp", "/tmp"),  # noqa: S108 - the box's own
    ]
    for target, path in links:
        words += ["--symlink", target, path]
    for stage, path in binds:
        words += ["--bind" if path == writable else "--ro-bind", stage, path]
    # Folders that bubblewrap makes by itself are writable, and as large as memory: allow none.
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/"]


def _system(passwd: int) -> Iterator[str]:
    for path in SYSTEM:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for pattern in _SETTINGS:
        for found in sorted(Path("/etc").glob(pattern)):
            yield from ("--ro-bind", str(found), str(found))
    yield from ("--ro-bind-data", str(passwd), "/etc/passwd")


def _devices() -> Iterator[str]:
    for name, real in DEVICES.items():
        yield from ("--dev-bind", f"{STAGE}/{real}", f"/dev/{name}")


def _masked_proc() -> Iterator[str]:
    for path in (f"/proc/{name}" for name in _TELLTALES):
        if os.path.exists(path):
            yield from ("--ro-bind", f"{STAGE}/{'nothing' if os.path.isdir(path) else 'empty'}", path)


# What the filter denies.

NEWEST: Final = 462
"""The newest system call this list was made with: mseal, of Linux 6.10. Numbers of new calls are the same
everywhere."""

# By name: the number on x86_64 and on aarch64; None where there is no such call.
Numbers = Mapping[str, tuple[int | None, int | None]]

COURIERS: Final[Numbers] = {
    # With watches on files that all bots can read, one bot learns what another does.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    # Keys belong to a user, in every sandbox.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Acts on all disks of the host at once, which another bot can measure.
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
    # Rules and programs in the kernel, each of them small, without a bound on their number.
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
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
    "quotactl_fd": (443, 443),
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
    # Runtimes try these calls and can work without them: the filter answers that there is no such call.
    "clone3": (435, 435),  # its flags are out of a filter's sight; clone's are not
    "memfd_create": (319, 279),  # uncounted as well
    "io_uring_setup": (425, 425),  # a second way to make every call of this list
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # A page of a file in a pipe or socket is kept whole, and counted by the bytes that were sent of it.
    "splice": (275, 76),
    "tee": (276, 77),
    "sendfile": (40, 71),
    "seccomp": (317, 277),  # programs in the kernel, for each thread of its own
    # All processes of the host share one number of these events.
    "io_setup": (206, 0),
    # They answer which pages of a file were read lately, by any process.
    "mincore": (27, 232),
    "cachestat": (451, 451),
}

VOID: Final[Numbers] = {
    # With a lock on a file that all bots can read, one bot learns what another does. Runtimes lock files of
    # their own and fail if they cannot, so the call reports success and locks nothing.
    "flock": (73, 32),
    # Advice about the cache of files, which all processes share: with it a process puts a file into the cache
    # or out of it, and the next process finds it there or not. Advice may always be ignored.
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "sync_file_range": (277, 84),
    # Sessions are numbered for the whole host, and every session has a share of the processors of its own.
    "setsid": (112, 157),
}

LOOKED_AT: Final[Numbers] = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "mmap": (9, 222),
    "madvise": (28, 233),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "prctl": (157, 167),
    "setsockopt": (54, 208),
    "close_range": (436, 436),
}
"""Calls that are denied by what they are given."""

FAMILY: Final = 1
"""unix, the only family. Others know a network that is not there, and they remember: which port a connection
over the loopback gets next is written in one table for the whole host, which outlives every process."""
STREAM, PACKETS = 1, 5
SOCKET_KIND: Final = 0xF
"""The kinds of sockets, without the flags. Datagrams wait at their receiver after their sender is gone, and
more of them than a socket's limit."""
NAMESPACES: Final = 0x7E020000
"""The flags of clone that make a namespace."""
THREAD, SHARED_FILES = 0x10000, 0x400
"""Of clone: a thread whose open files are its own is shown nowhere with these."""
OWN_FILES: Final = 2
"""Of close_range: makes the calling thread such a one."""
LOCK_COMMANDS: Final = (6, 7, 37, 38)
"""Of fcntl: locks of both kinds; void as well."""
WATCH_COMMANDS: Final = (5, 36, 1024, 1026)
"""Of fcntl: to ask for locks of others, leases, notifications of a directory."""
PIPE_COMMANDS: Final = (1031,)
"""Of fcntl: a larger pipe, F_SETPIPE_SZ. `referee.process.memory` counts every pipe as it is made."""
HINT_COMMANDS: Final = (1035, 1036, 1037, 1038)
"""Of fcntl: hints for the disk. A hint stays at the file, and the next process can read it."""
TERMINAL_COMMANDS: Final = (0x5412, 0x541C)
"""Of ioctl: TIOCSTI and TIOCLINUX write to the input of a terminal."""
COMMAND_KIND: Final = 0xFF00
TERMINALS_AND_SOCKETS: Final = (0x5400, 0x8900)
"""The kinds of commands of ioctl that are left. Others are for file systems and devices: some of them set a
mark at a file that all bots can read, and others read it."""

MAPPING_KIND: Final = 0x2F
SHARED_NAMELESS: Final = 0x21
"""Of mmap: memory of no file that is shared, MAP_SHARED with MAP_ANONYMOUS. It stays when a process lets go
of its pages, and then no process is seen to have it: uncounted as well."""

CACHE_ADVICE: Final = (12, 20, 21)
"""Of madvise: MERGEABLE, so that equal pages of all processes are one; COLD and PAGEOUT, out of the cache."""
FILTER_OPTIONS: Final = (22, 67)
"""Of prctl: SET_SECCOMP, and SET_MEMORY_MERGE, which makes all memory mergeable."""
PROGRAM_OPTIONS: Final = (26, 50, 51, 52)
"""Of setsockopt: programs in the kernel for a socket."""
SIZE_OPTIONS: Final = (7,)
"""Of setsockopt: how much may wait, SO_SNDBUF. The host may allow very much. It is advice, so it is void, and
`referee.process.memory` counts every socket as it is made."""
