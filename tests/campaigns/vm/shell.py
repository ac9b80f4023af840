"""What the checks inside the machine share: commands, units, and patience."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

REFEREE = "/opt/referee/bin/referee"
PYTHON = "/opt/referee/bin/python"
DELEGATE = "Delegate=memory pids cpu"

UNITS = Path("/etc/systemd/system")
PATIENCE_S = 900


class WrongError(Exception):
    """Something is not as it should be."""


def run(*words: str, code: int | None = 0) -> str:
    """Run a command and return what it wrote; `code` is how it must end, if that matters."""
    ended = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S, check=False
    )
    if code is not None and ended.returncode != code:
        raise WrongError(f"{' '.join(words)} ended with {ended.returncode}: {ended.stdout}")
    return ended.stdout


def in_unit(*words: str, settings: tuple[str, ...] = (DELEGATE,), code: int | None = 0) -> str:
    """Run a command in a unit of its own, in the folder we are in."""
    options = [word for setting in settings for word in ("--property", setting)]
    return run("systemd-run", "--quiet", "--pipe", "--wait", "--same-dir", *options, "--", *words, code=code)


def drop_in(unit: str, text: str) -> None:
    """Change a unit as `systemctl edit` does."""
    folder = UNITS / f"{unit}.service.d"
    folder.mkdir(exist_ok=True)
    (folder / "override.conf").write_text(f"[Service]\n{text}")
    run("systemctl", "daemon-reload")


def shown(unit: str, *names: str) -> dict[str, str]:
    """Return properties of a unit."""
    words = run("systemctl", "show", unit, f"--property={','.join(names)}")
    return dict(line.split("=", 1) for line in words.splitlines())


def until(what: str, holds: Callable[[], bool]) -> None:
    """Wait for something."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            raise WrongError(f"waited in vain: {what}")
        time.sleep(0.5)


def expect(what: str, *, holds: bool) -> None:
    """Insist on something."""
    if not holds:
        raise WrongError(what)
