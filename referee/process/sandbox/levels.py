"""How far bots are trusted, and what a host lacks for it.

`trusted`: a bot runs as one of our own programs, with limits. `class`: in a sandbox, as far as this host can
confine it. `contest`: in a sandbox with nothing missing, or not at all. What is missing is a gap with a name,
which the operator may accept.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.errors import ConfigError, LaunchError, nearest
from referee.process.sandbox import bubblewrap, cgroup, policy, seccomp
from referee.process.spec import BotSpec, Level

_PROBE_S: Final = 20


class Gap(Struct, frozen=True):
    """Something this host lacks."""

    name: str
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}; {self.mend}"


BUBBLEWRAP: Final = "bubblewrap"
GAPS: Final[Mapping[str, str]] = {
    BUBBLEWRAP: "no box can be made",
    "own-uid": "bots are not users of their own",
    "seccomp": "system calls are not filtered",
    "memory": "the memory of all processes of a bot together is watched, four times a second, not held",
    "cpu": "a bot may use every processor that is free",
}
"""What may be missing, and what that means. Without the first there is no sandbox at all."""

ACCEPTABLE: Final = tuple(name for name in GAPS if name != BUBBLEWRAP)


def gaps(level: Level) -> list[Gap]:
    """Return what this host lacks for a level. It takes as long as a sandbox takes to be made.

    Where the referee has a control group to itself it makes room in it for those of bots.
    """
    if level == "trusted":
        return []
    cgroup.settle()
    found = [_gap(BUBBLEWRAP, mend)] if (mend := _no_box()) else []
    if level == "class":
        return found
    if bubblewrap.own_uid(os.getpid()) is None:
        found.append(
            _gap("own-uid", "run the referee as root, with all users mapped if it is in a container")
        )
    if not seccomp.supported():
        found.append(_gap("seccomp", f"use a machine of {' or '.join(seccomp.MACHINES)}"))
    held = cgroup.usable(cgroup.nest())
    mend = "let it have control groups of version 2 (docs/sandbox.md explains how)"
    return found + [_gap(name, mend) for name in ("memory", "cpu") if name not in held]


def notes(level: Level) -> list[str]:
    """Return what an operator should know of this host besides gaps: a level does not promise it."""
    is_held = "cpu" in cgroup.usable(cgroup.nest()) or cgroup.sessions_share_processors()
    if level == "trusted" or is_held:
        return []
    return [
        "each process of a bot has a share of the processors, so a bot with many busy ones can make its "
        "opponent late; `sysctl kernel.sched_autogroup_enabled=1`, outside of control groups for processors, "
        "or a control group for each bot prevents it (docs/sandbox.md explains how)"
    ]


def check_acceptable(names: Iterable[str]) -> None:
    """Refuse names that are no gaps which an operator can accept."""
    for name in names:
        if name not in ACCEPTABLE:
            hint = (
                "without a box there is only --level trusted"
                if name == BUBBLEWRAP
                else nearest(name, ACCEPTABLE)
            )
            raise ConfigError(f"{name!r} is no gap that can be accepted: {hint}")


def insist(level: Level, accepted: Collection[str] = ()) -> None:
    """Refuse a level that this host cannot keep; gaps that were accepted by name do not count."""
    check_acceptable(accepted)
    found = [gap for gap in gaps(level) if gap.name not in accepted]
    if not found:
        return
    told = "".join(f"\n  {gap}" for gap in found)
    names = [gap.name for gap in found if gap.name in ACCEPTABLE]
    accept = f"\nTo play all the same: {' '.join(f'--accept-gap {name}' for name in names)}" if names else ""
    raise ConfigError(
        f"level {level} cannot be kept on this host:{told}{accept}\nTo see what holds here: referee doctor"
    )


def check_folders(bots: Iterable[BotSpec], secrets: Iterable[Path]) -> None:
    """Refuse bots in sandboxes whose folders would show them what they must not see."""
    for flaw in folder_flaws(bots, secrets).values():
        raise LaunchError(flaw)


def folder_flaws(bots: Iterable[BotSpec], secrets: Iterable[Path]) -> dict[str, str]:
    """Return by name why the folder of a bot in a sandbox would show it what it must not see."""
    confined = [bot for bot in bots if bot.program.level != "trusted"]
    hidden = [path.resolve() for path in secrets]
    found = {}
    for bot in confined:
        folder = Path(bot.program.folder)
        shown = [
            str(path)
            for path in hidden
            if any(path.is_relative_to(Path(seen).resolve()) for seen in bubblewrap.shown(bot.program))
        ]
        if bubblewrap.too_wide(bot.program.folder):
            shown.append("a home folder, all temporary files, or the system")
        shown += [f"bot {other.name}" for other in confined if _shows(bot, other)]
        if shown:
            found[bot.name] = (
                f"bot {bot.name}: at level {bot.program.level} it can read all of its folder {folder}, "
                f"which holds {shown[0]}; give it a folder of its own"
            )
    return found


def _shows(bot: BotSpec, other: BotSpec) -> bool:
    """Return whether a bot's folder shows it another program; our samples have no secrets."""
    folder = Path(bot.program.folder)
    is_sample = folder.is_relative_to(Path(__file__).resolve().parents[3] / "sample_bots")
    is_other = other.program.argv != bot.program.argv
    return is_other and not is_sample and Path(other.program.folder).is_relative_to(folder)


def _gap(name: str, mend: str) -> Gap:
    return Gap(name, GAPS[name], mend)


def _no_box() -> str:
    """Return how to mend that no sandbox can be made, '' if one can."""
    found = bubblewrap.bubblewrap()
    if found is None:
        return "apt install bubblewrap (dnf, pacman and apk call it the same)"
    uid = bubblewrap.own_uid(os.getpid())
    words = [*policy.WALLS, "--ro-bind", "/", "/", "--proc", "/proc"]
    try:
        code, stderr = _run([found, *words, "true"], uid)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it does not run here: {error}"
    if code == 0:
        return ""
    return (
        f"it says {stderr.strip()!r}: it needs version 0.8 or newer and user namespaces "
        "(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
        "kernel.apparmor_restrict_unprivileged_userns; in a container an unmasked /proc)"
    )


def _run(command: list[str], uid: int | None) -> tuple[int, str]:
    """Run a command as this user, and return its exit code and its stderr."""
    with _interrupts_held() as give_out:
        process = subprocess.Popen(  # noqa: S603 - bubblewrap
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
            cwd="/",
            start_new_session=True,  # Ctrl-C is for us
        )
    with process:
        try:
            give_out()
            _, stderr = process.communicate(timeout=_PROBE_S)
        except BaseException:
            # With its child: that waits for bubblewrap, for ever if bubblewrap is killed alone.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, stderr


@contextmanager
def _interrupts_held() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back, because a process whose start it interrupts is not known and would be left.

    The function that is given takes what was held back, and is called after the block.
    """
    if threading.current_thread() is not threading.main_thread():
        # Interrupts reach the main thread alone.
        yield lambda: None
        return
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: held.append(number))

    def give_out() -> None:
        if held and callable(before):
            before(signal.SIGINT, None)

    try:
        yield give_out
    finally:
        signal.signal(signal.SIGINT, before)
