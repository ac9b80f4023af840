"""A small file system of our own, in a private mount namespace: to be filled, or read-only."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.commands import Ended, path_for_imports
from tests.lacking import lacking


class Disk:
    """A disk of so many bytes, as seen by the processes that are started on it."""

    def __init__(self, folder: Path, holder: "subprocess.Popen[bytes]") -> None:
        self.folder = folder
        """Where it is mounted, for those inside."""
        self._holder = holder
        self._copies = 0

    @property
    def outside(self) -> Path:
        """The same folder as this process can reach it."""
        return Path(f"/proc/{self._holder.pid}/root{self.folder}")

    def copy(self) -> Path:
        """Return a new copy of all that is on it; SQLite, for one, cannot open files by `outside`."""
        self._copies += 1
        return Path(shutil.copytree(self.outside, f"{self.folder}-{self._copies}"))

    def run(self, *words: str) -> Ended:
        """Run a command on the disk."""
        enter = ["nsenter", "--mount", "--target", str(self._holder.pid), "--wd=/", "--"]
        env = os.environ | {"HOME": str(self.folder), "PYTHONPATH": path_for_imports()}
        done = subprocess.run([*enter, *words], env=env, capture_output=True, text=True, timeout=300)
        return Ended(done.returncode, done.stdout, done.stderr)

    def must(self, *words: str) -> None:
        """Run a command that cannot fail."""
        ended = self.run(*words)
        assert ended.code == 0, ended

    def resize(self, size: str) -> None:
        """Give it another size."""
        self.must("mount", "-o", f"remount,size={size}", str(self.folder))


@contextmanager
def disk(folder: Path, size: str) -> Iterator[Disk]:
    """Mount a new disk at a folder; it is gone with the last process that sees it."""
    tools: Sequence[str] = ("unshare", "nsenter", "mount")
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        lacking(f"full and read-only disks are not tested: {'no ' + missing[0] if missing else 'not root'}")
    folder.mkdir()
    script = f"mount -t tmpfs -o size={size} tmpfs '{folder}' && echo mounted && exec cat"
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        if holder.stdout.readline() != b"mounted\n":
            lacking("full and read-only disks are not tested: this host lets us mount nothing")
        try:
            yield Disk(folder, holder)
        finally:
            assert holder.stdin is not None
            holder.stdin.close()
