"""The disk of the machine: a Debian system in a folder, the referee in it, and an ext4 image of both."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.end_to_end.hubs import ROOT

SUITE = "bookworm"
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "kmod", "procps", "util-linux"),
    *("python3", "python3-venv", "bubblewrap", "linux-image-cloud-amd64"),
)
TEST_TOOLS = ("pytest", "pytest-timeout")
SOURCES = ("benchmarks", "deploy", "protocol", "referee", "sample_bots", "tests", "tournaments")
NOT_SOURCES = ("__pycache__", "node_modules", "target", ".*")

TREE = "srv/referee"
"""Where the machine has this source tree."""

REPORT = "ttyS1"
"""The serial line on which the guest reports."""

_UNIT = f"""
[Unit]
Description=What the referee shows on a whole machine
After=multi-user.target

[Service]
Type=oneshot
WorkingDirectory=/{TREE}
ExecStart=/opt/referee/bin/python -m tests.campaigns.vm.guest {{checks}}
StandardOutput=file:/dev/{REPORT}
StandardError=journal+console
TimeoutStartSec=infinity
ExecStopPost=systemctl poweroff --no-block

[Install]
WantedBy=default.target
"""


def base(folder: Path) -> Path:
    """Return a Debian system without the referee, made now or earlier."""
    made = folder / f"base-{SUITE}"
    if not made.exists():
        growing = folder / "growing"
        shutil.rmtree(growing, ignore_errors=True)
        words = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(growing)]
        _run([*words, *_mirror()])
        growing.rename(made)
    return made


def _mirror() -> list[str]:
    """Return where this host itself gets the packages of the suite; nothing if it gets them nowhere."""
    sources = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)"], capture_output=True, text=True
    )
    known = [line.split() for line in sources.stdout.splitlines()]
    return [site for site, release in known if release == SUITE][:1]


def furnish(system: Path, root: Path, wheels: Path, checks: Sequence[str]) -> None:
    """Make a copy of a system in which the referee is installed, and checks are run at boot."""
    shutil.rmtree(root, ignore_errors=True)
    _run(["cp", "--archive", "--reflink=auto", str(system), str(root)])
    for name in SOURCES:
        ignored = shutil.ignore_patterns(*NOT_SOURCES)
        shutil.copytree(ROOT / name, root / TREE / name, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", root / TREE)
    shutil.copytree(wheels, root / "srv/wheels")
    _run(["chmod", "--recursive", "go+rX", str(root / "srv")])
    inside = ["chroot", str(root), "env", "--ignore-environment", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    _run([*inside, "python3", "-m", "venv", "/opt/referee"])
    install = ["/opt/referee/bin/pip", "install", "--quiet", "--no-index", "--find-links", "/srv/wheels"]
    _run([*inside, *install, "chicago-referee[metrics]", *TEST_TOOLS])
    _run([*inside, "useradd", "--system", "--no-create-home", "referee"])
    for unit in (ROOT / "deploy").glob("*.service"):
        shutil.copy(unit, root / "etc/systemd/system")
    (root / "etc/systemd/system/machine.service").write_text(_UNIT.format(checks=" ".join(checks)))
    _run([*inside, "systemctl", "--quiet", "enable", "machine.service"])
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 1\n")
    (root / "etc/hostname").write_text("machine\n")


def gather_wheels(system: Path, wheels: Path) -> None:
    """Build the referee's wheel, and fetch all it needs for the Python of a system."""
    shutil.rmtree(wheels, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)])
    (built,) = wheels.glob("*.whl")
    version = (system / "usr/bin/python3").readlink().name.removeprefix("python")
    fetch = ["download", "--only-binary=:all:", "--python-version", version, "--dest", str(wheels)]
    _run([*pip, *fetch, f"{built}[metrics]", *TEST_TOOLS])


def make_disk(root: Path, disk: Path, size: str = "3G") -> None:
    """Write a folder to a disk image."""
    disk.unlink(missing_ok=True)
    _run(["mke2fs", "-q", "-t", "ext4", "-d", str(root), str(disk), size])


def _run(words: list[str]) -> None:
    subprocess.run(words, check=True, stdout=sys.stderr, env=os.environ | {"LC_ALL": "C.UTF-8"})
