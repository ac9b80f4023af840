"""Builds a bot in its folder: in the box of its level, without network, within limits."""

import errno
import os
import re
import select
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import EndCause
from referee.process.sandbox.bubblewrap import BUILD_HOME
from referee.process.sandbox.policy import SYSTEM
from referee.process.spec import Level, Program, ResourceLimits, program
from tournaments.entries.leftovers import remove
from tournaments.entries.recognition import Recipe
from tournaments.entries.submission_error import SubmissionError

MOST_S: Final = 300.0
"""How long a build may take."""
LIMITS: Final = ResourceLimits(memory_mib=4_096, cpu_s=600, processes=256, open_files=4_096, file_mib=512)
MOST_BYTES: Final = 1 << 30
"""What a build may write, with what was there before."""
LEAST_FREE: Final = 1 << 29
"""What a build must leave of the disk: results and replays are written there meanwhile."""
_LOOK_S: Final = 0.5
_NODE_BYTES: Final = 1_024
"""What each file and folder counts at least: empty ones fill a disk too."""

_OFFLINE: Final = {
    "CARGO_NET_OFFLINE": "true",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "npm_config_offline": "true",
    "PIP_NO_INDEX": "1",
}
"""Tools that know that there is no network say what they lack, at once."""

_QUIET: Final = {
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
}
_NOT_FOUND: Final = re.compile(r"^(?:/bin/)?sh: (?:\d+: )?([\w.+-]+): (?:command )?not found$", re.M)
"""What a shell prints of a command that is not there."""
_BUILT: Final = "submit the built program, or a bot without dependencies"
_VENDORED: Final = {
    "cargo": "`cargo vendor`",
    "go": "`go mod vendor`",
    "npm": "the folder node_modules",
    "mvn": "one jar with everything, and a bot.toml",
}
_NETWORK: Final = re.compile(
    r"offline|ENOTCACHED|EAI_AGAIN|ENOTFOUND|GOPROXY|name resolution|resolve host|Network is unreachable"
    r"|Could not transfer artifact|Unknown host|module lookup disabled",
    re.I,
)


class BuildFailedError(SubmissionError):
    """A build that did not end well, with what it printed."""

    def __init__(self, why: str, output: str) -> None:
        super().__init__(why)
        self.output = output


def build(
    recipe: Recipe,
    folder: Path,
    level: Level,
    forkserver: Forkserver,
    heard: Callable[[str], None] = lambda _: None,
) -> str:
    """Build a bot in its folder; return what was printed. `heard` gets it as it comes.

    Raises BuildFailedError, and OSError if this host has too little disk left to begin.
    """
    if shutil.disk_usage(folder).free < LEAST_FREE:
        raise OSError(errno.ENOSPC, f"builds need {LEAST_FREE >> 20:,} MiB of free disk")
    process = BotProcess(
        forkserver,
        _program(recipe, folder, level),
        on_stderr=lambda data: heard(data.decode(errors="replace")),
    )
    try:
        why = _wait(process, folder)
        output = process.stderr.since(0)
    finally:
        process.close()
        remove(folder / BUILD_HOME)
    if why:
        raise BuildFailedError(_explained(why, recipe, level, output), output)
    return output


def _program(recipe: Recipe, folder: Path, level: Level) -> Program:
    is_boxed = level != "trusted"
    if is_boxed:
        (folder / BUILD_HOME).mkdir(exist_ok=True)
    env = _QUIET | (_OFFLINE | _rust() if is_boxed else {})
    shell = program(["/bin/sh", "-c", recipe.build], folder, env, LIMITS, level)
    return replace(shell, bundle=str(folder), builds=True, shown=tuple(_toolboxes()) if is_boxed else ())


def _toolboxes() -> list[str]:
    """Return the folders of compilers that are not part of the system, for the box to show.

    Of a tool in a home folder only the folder of its programs is shown: what else is there is the operator's.
    """
    found = []
    for tool in ("cargo", "rustc", "go", "node", "java", "mvn", "cmake", "zig", "ghc", "dotnet"):
        path = shutil.which(tool)
        if path is None or any(Path(path).is_relative_to(place) for place in SYSTEM):
            continue
        bin = Path(path).parent
        found.append(str(bin if bin.is_relative_to(Path.home()) else bin.parent))
    settings = [path for path in ("/etc/maven",) if os.path.isdir(path)]
    return list(dict.fromkeys([*found, *settings, *_rust().values()]))


def _rust() -> dict[str, str]:
    """Return where Rust's toolchains are, if they are in a home folder."""
    home = Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))
    return {"RUSTUP_HOME": str(home)} if home.is_dir() else {}


def _wait(process: BotProcess, folder: Path) -> str:
    """Wait for the end of a build; return why it failed, or ''."""
    until = time.monotonic() + MOST_S
    broken = ""
    while (end := process.end) is None:
        if select.select([process], [], [], _LOOK_S)[0]:
            process.read()
        if not broken and (broken := _excess(folder, until)):
            process.kill()
    is_good = end.cause is EndCause.EXITED and end.code == 0
    return broken or ("" if is_good else f"the build {end.in_words()}")


def _excess(folder: Path, until: float) -> str:
    """Return which bound a build has broken; '' if none."""
    if time.monotonic() > until:
        return f"the build took longer than {MOST_S:.0f} s"
    if shutil.disk_usage(folder).free < LEAST_FREE:
        # It may write where its folders do not show it: to files without a name, or in closed folders.
        return f"the disk of this host has less than {LEAST_FREE >> 20:,} MiB left, and builds stop there"
    return f"the build wrote more than {MOST_BYTES >> 20:,} MiB" if _size(folder) > MOST_BYTES else ""


def _size(folder: Path) -> int:
    """Return about how many bytes are in a folder."""
    total, places = 0, [str(folder)]
    while places and total <= MOST_BYTES:
        with suppress(OSError), os.scandir(places.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    places.append(entry.path)
                total += entry.stat(follow_symlinks=False).st_blocks * 512 + _NODE_BYTES
    return total


def _explained(why: str, recipe: Recipe, level: Level, output: str) -> str:
    """Return why a build failed, with its last words, and the cure if it wanted the network."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b|\bfatal\b", line, re.I)]
    said = (errors or lines[-1:] or [""])[0]
    text = f"{why} ({recipe.build}): {said}" if said else f"{why} ({recipe.build})"
    if found := _NOT_FOUND.search(output):
        text = (
            f"this host has no {found[1]}, which builds it ({recipe.build}); {_BUILT}, or ask the organiser"
        )
    elif level != "trusted" and _NETWORK.search(output):
        text = f"{why} ({recipe.build}): there is no network in the box; {_cure(recipe.build)}"
    return text


def _cure(line: str) -> str:
    """Return what an author can submit if a build needs the network."""
    vendored = [cure for tool, cure in _VENDORED.items() if tool in line.split()]
    return f"submit the dependencies too ({vendored[0]}), or the built program" if vendored else _BUILT
