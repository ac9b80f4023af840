"""The sandbox a bot runs in at the levels `class` and `contest`: what it sees, and how it gets in.

The arguments of bubblewrap and the filter on system calls are in `policy` beside this module. A bot in its
sandbox sees the system read-only, a copy of its own folder at the path of that folder and its interpreter
read-only, a small /tmp and /dev/shm that end with it, its own processes, no network, and at most one thing of
ours: the socket of its gate.

Where we are root every bot runs as a user id that no other process on the host has. Paths may be closed to
that user (a home folder is), so they are bound where it can reach them before root is given up.
"""

import ctypes
import os
import pwd
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from referee.errors import LaunchError
from referee.process import bundle
from referee.process.bytecode import compile_modules
from referee.process.sandbox import seccomp
from referee.process.sandbox.policy import DEVICES, PASSWD, SEAT, STAGE, SYSTEM, TMP_FILES, TMP_MIB, arguments
from referee.process.spec import Program, ResourceLimits

BUILD_HOME: Final = ".build-home"
"""The home folder of a build, in the folder that is built."""

OWN_PROCESSES: Final = 2
"""bubblewrap outside the sandbox, and its reaper inside: they count where a bot's processes are counted."""

_THREADS: Final = 4
"""Threads of a process on average: a small one has one, a Java machine some twenty and more."""

FIRST_UID: Final = 1_900_000_000
"""User ids from here on, one for each process id; no usual host assigns them."""

_PEOPLE: Final = range(1_000, 60_000)
"""User ids of people on any usual host: a bot may not see their home folders."""

_MOST_LINKS: Final = 40
"""As many symbolic links as the kernel follows."""

_CLONE_NEWNS = 0x00020000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18

_libc = ctypes.CDLL(None, use_errno=True)


def bubblewrap() -> str | None:
    """Return where bubblewrap is, if it is installed."""
    return shutil.which("bwrap")


def own_uid(number: int) -> int | None:
    """Return a user for the bot whose supervisor has this process id, None where we may not choose one."""
    uid = FIRST_UID + number
    return uid if os.geteuid() == 0 and _is_mapped(uid) else None


def _is_mapped(uid: int) -> bool:
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    return any(int(first) <= uid < int(first) + int(count) for first, _, count in map(str.split, lines))


def tasks(limits: ResourceLimits) -> int:
    """Return how many threads a bot may have in all its processes, and its sandbox with it; 0: no limit.

    The kernel counts threads and refuses more. The supervisor counts processes, and ends a bot with too many.
    """
    return _THREADS * limits.processes + OWN_PROCESSES if limits.processes else 0


class SandboxedExec(msgspec.Struct, frozen=True):
    """What is done before root is given up, and what is executed after."""

    argv: list[str]
    env: dict[str, str]


def enter(program: Program, uid: int | None, status: int) -> SandboxedExec:
    """Get ready to be the bot in its sandbox: mounts are made, root is given up; the rest is one exec.

    Call in a process that is about to become the bot, with no threads. `status` is where bubblewrap reports.
    """
    found = bubblewrap()
    if found is None:
        raise LaunchError("bubblewrap is not installed (apt install bubblewrap), so there is no box for it")
    if not program.bundle:
        raise LaunchError(
            f"there is no copy of its folder {program.folder}, and a sandbox shows nothing else"
        )
    links, sources = _runtime(program)
    sources += [*program.shown, program.bundle]
    if program.builds and uid is not None:
        _hand_over(program.bundle, uid)
    address = program.env.get("REFEREE_ADDRESS", "")
    seat = address.removeprefix("ipc://") if address.startswith("ipc://") else None
    if seat is not None:
        _give(seat, uid)
        sources.append(seat)
    staged = _stage(sources, uid)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        _check_readable(staged)
    shown_at = {seat: SEAT, program.bundle: program.folder}
    binds = [(stage, shown_at.get(path, path)) for path, stage in staged.items()]
    writable = program.folder if program.builds else ""
    argv = [found, *arguments(binds, links, _file("passwd", PASSWD), writable)]
    argv += ["--json-status-fd", str(_inherited(status))]
    if seccomp.supported():
        argv += ["--seccomp", str(_file("filter", seccomp.build()))]
    argv += ["--chdir", program.folder, "--", *_counted(program, uid), *program.argv]
    return SandboxedExec(argv, _environment(program, seat is not None))


def _environment(program: Program, has_seat: bool) -> dict[str, str]:
    # What a compiler keeps for a while is larger than the box's own /tmp.
    own = f"{program.folder}/{BUILD_HOME}" if program.builds else "/tmp"  # noqa: S108 - the box's own
    env = program.env | {"HOME": own, "TMPDIR": own}
    return env | {"REFEREE_ADDRESS": f"ipc://{SEAT}"} if has_seat else env


def _counted(program: Program, uid: int | None) -> list[str]:
    """Return what goes before the command to bound the number of its processes.

    With a user of its own a limit set before the sandbox is exact. Without, it would count what else our user
    runs; set inside, it counts the sandbox alone.
    """
    prlimit = shutil.which("prlimit")
    if uid is not None or prlimit is None or not program.limits.processes:
        return []
    return [prlimit, f"--nproc={tasks(program.limits)}"]


# What a bot needs of the host to run at all.


def take_in(program: Program, store: Path) -> Program:
    """Return a program of a sandbox with a copy of its folder, which is made in the store.

    Raises LaunchError for a folder that no bot may be shown, or that cannot be copied.
    """
    if too_wide(program.folder):
        raise LaunchError(f"its folder {program.folder} holds far more than a bot may see")
    if _is_ours(program):
        compile_modules()
    taken = bundle.take_in(Path(program.folder), store)
    return msgspec.structs.replace(program, bundle=str(taken.path))


def too_wide(folder: str) -> bool:
    """Return whether a folder holds so much that no bot may be shown it."""
    shown = Path(folder)
    homes = [user.pw_dir for user in pwd.getpwall() if user.pw_uid == 0 or user.pw_uid in _PEOPLE]
    closed = (*homes, os.path.expanduser("~"), tempfile.gettempdir(), "/usr", "/etc")
    return any(Path(path).is_relative_to(shown) for path in closed)


def shown(program: Program) -> list[str]:
    """Return what a bot in its sandbox can read besides the system."""
    return [program.folder, *_runtime(program)[1]]


def _runtime(program: Program) -> tuple[list[tuple[str, str]], list[str]]:
    """Return symbolic links and folders that the command needs besides the system: an interpreter's.

    A link in the bot's own folder is the bot's word, not the operator's: it is followed to the system and to
    our own interpreter, as those of a virtual environment are, and nowhere else. It is read in the bundle, if
    there is one: the author may change the folder.
    """
    links: list[tuple[str, str]] = []
    folders: list[str] = []
    path = program.argv[0]
    for _ in range(_MOST_LINKS):
        if _is_in(path, SYSTEM):
            break
        prefix = _prefix(path)
        is_own = _is_in(path, [program.folder])
        is_shown = is_own or _is_in(path, folders)
        place = _in_bundle(program, path)
        if not os.path.islink(place):
            folders += [] if is_shown else [path if too_wide(prefix) else prefix]
            break
        if not is_shown and os.path.exists(os.path.join(prefix, "pyvenv.cfg")):
            folders.append(prefix)
        elif not is_shown:
            links.append((os.readlink(path), path))
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(place)))
        if is_own and not _is_in(path, (program.folder, sys.prefix, sys.base_prefix)):
            break
    if _is_ours(program):
        # Then it may use the kit and the public rules, installed or not.
        here = Path(__file__).resolve().parents[3]
        folders += [str(here / name) for name in ("protocol", "referee", "sample_bots")]
    return links, list(dict.fromkeys(folders))


def _is_ours(program: Program) -> bool:
    """Return whether a program is run by our own interpreter."""
    return _prefix(program.argv[0]) == sys.prefix


def _in_bundle(program: Program, path: str) -> str:
    """Return where a path of the bot's own folder is on this host; any other path is where it says."""
    if not program.bundle or not _is_in(path, [program.folder]):
        return path
    return os.path.normpath(os.path.join(program.bundle, os.path.relpath(path, program.folder)))


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _prefix(path: str) -> str:
    """Return the folder an executable is installed in, with its libraries."""
    parent = os.path.dirname(path)
    return os.path.dirname(parent) if os.path.basename(parent) in ("bin", "shims") else parent


# How it is got there.


def _give(seat: str, uid: int | None) -> None:
    """Let the bot, and no other user, connect to the socket of its gate."""
    os.chmod(seat, 0o600)
    if uid is not None:
        os.chown(seat, uid, uid)


def _hand_over(folder: str, uid: int) -> None:
    """Give everything in a folder to a user, who has no process yet; where links lead is not touched."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(os.path.join(place, name), uid, uid, follow_symlinks=False)
    os.chown(folder, uid, uid)


def _stage(sources: list[str], uid: int | None) -> dict[str, str]:
    """Bind sources where every user can reach them, in a mount namespace of this process; return the paths.

    The stage also has the bot's /tmp and /dev/shm: bubblewrap could make them, but not bound the number of
    their files. And it has the devices: what bubblewrap makes read-only is no device any more.
    """
    _call("unshare", _libc.unshare(_CLONE_NEWNS))
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    # Opened before the stage covers what may be below it.
    opened = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in dict.fromkeys(sources)}
    _mount("tmpfs", STAGE, "tmpfs", _MS_NOSUID | _MS_NODEV, "size=64k,mode=0755")
    owner = "" if uid is None else f",uid={uid},gid={uid}"
    for name in ("tmp", "shm"):
        os.mkdir(f"{STAGE}/{name}")
        size = f"size={TMP_MIB}m,nr_inodes={TMP_FILES},mode=0700{owner}"
        _mount("tmpfs", f"{STAGE}/{name}", "tmpfs", _MS_NOSUID | _MS_NODEV, size)
    Path(STAGE, "empty").touch(0o444)
    Path(STAGE, "nothing").mkdir(0o555)
    for name in set(DEVICES.values()):
        _bind_read_only(f"/dev/{name}", f"{STAGE}/{name}")
    staged: dict[str, str] = {}
    for number, (path, descriptor) in enumerate(opened.items()):
        target = f"{STAGE}/{number}"
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            os.mkdir(target)
        else:
            Path(target).touch()
        _mount(f"/proc/self/fd/{descriptor}", target, None, _MS_BIND | _MS_REC)
        staged[path] = target
        os.close(descriptor)
    return staged


def _bind_read_only(source: str, target: str) -> None:
    """Bind a device; it can be written to, but its times cannot be set."""
    Path(target).touch()
    _mount(source, target, None, _MS_BIND)
    # What else the mount forbids must stay forbidden, or a user that is not root may not change it.
    others = os.statvfs(target).f_flag & (_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _mount(None, target, None, _MS_BIND | _MS_REMOUNT | _MS_RDONLY | others)


def _check_readable(staged: dict[str, str]) -> None:
    for path, stage in staged.items():
        wanted = os.R_OK | os.X_OK if os.path.isdir(stage) else os.R_OK
        if not os.access(stage, wanted):
            raise LaunchError(
                f"{path} is closed to other users, and the bot is one here: chmod -R o+rX {path}"
            )


def _file(name: str, content: bytes) -> int:
    """Return a descriptor, for bubblewrap, from which this can be read."""
    descriptor = os.memfd_create(name, 0)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _inherited(descriptor: int) -> int:
    os.set_inheritable(descriptor, True)
    return descriptor


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    _call(f"mount {target}", _libc.mount(*words, flags, data.encode()))


def _call(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
