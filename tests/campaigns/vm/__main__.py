"""`python -m tests.campaigns.vm`: build the machine, boot it, and print its output."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from tests.campaigns.vm.guest import CHECKS
from tests.campaigns.vm.image import base, furnish, gather_wheels, make_disk

TOOLS = {
    "debootstrap": "debootstrap",
    "mke2fs": "e2fsprogs",
    "qemu-system-x86_64": "qemu-system-x86",
    "chroot": "coreutils",
}
"""What is run, and the Debian package that has it."""

NAMES = [check.__name__ for check in CHECKS]
PROCESSORS, MEMORY_MIB = 2, 2_048


def lacks() -> str:
    """Describe what this host lacks; nothing if it has all."""
    missing = [f"{tool} (Debian: {package})" for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        return f"missing: {', '.join(missing)}"
    if platform.machine() != "x86_64":
        return f"missing: a host of x86_64 (this is {platform.machine()})"
    return "" if os.geteuid() == 0 else "missing: root (a system is unpacked with its users)"


def boot(folder: Path, root: Path, accel: str, minutes: int) -> str:
    """Boot the machine and print its output; return the last line."""
    (kernel,) = (root / "boot").glob("vmlinuz-*")
    (initrd,) = (root / "boot").glob("initrd.img-*")
    words = ["timeout", f"{minutes}m", "nice", "-n", "5", "qemu-system-x86_64"]
    words += ["-accel", accel, "-cpu", "max"]
    words += ["-smp", str(PROCESSORS), "-m", str(MEMORY_MIB), "-nic", "none", "-no-reboot"]
    words += ["-display", "none", "-monitor", "none"]
    words += ["-kernel", str(kernel), "-initrd", str(initrd)]
    words += ["-append", "root=/dev/vda rw console=ttyS0 panic=-1 no_timer_check"]
    words += ["-drive", f"file={folder / 'disk'},format=raw,if=virtio,cache=unsafe"]
    words += ["-serial", f"file:{folder / 'console'}", "-serial", "stdio"]
    line = ""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as machine:
        assert machine.stdout is not None
        for line in machine.stdout:
            click.echo(line.rstrip())
    return line


@click.command()
@click.argument("checks", metavar="[CHECK]...", nargs=-1, type=click.Choice(NAMES))
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="Where it is built.")
@click.option("--accel", default="tcg", show_default=True, help="What QEMU runs it with: tcg, kvm.")
@click.option("--minutes", default=60, show_default=True, help="When to give it up.")
def main(checks: tuple[str, ...], folder: Path | None, accel: str, minutes: int) -> None:
    """Show on an emulated machine what needs control groups and systemd: all of it, or the named CHECKs."""
    if missing := lacks():
        click.echo(missing, err=True)
        sys.exit(2)
    folder = (folder or Path(tempfile.gettempdir(), "referee-machine")).resolve()
    folder.mkdir(exist_ok=True)
    click.echo(f"building in {folder}", err=True)
    system, root, wheels = base(folder), folder / "root", folder / "wheels"
    gather_wheels(system, wheels)
    furnish(system, root, wheels, checks)
    make_disk(root, folder / "disk")
    click.echo(f"booting with {accel}; its console is {folder / 'console'}", err=True)
    last = boot(folder, root, accel, minutes).split()
    if len(last) < 3 or last[0] != last[2]:  # "4 of 4 checks are …"
        click.echo(f"not all is as it should be; the console: {folder / 'console'}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
