"""Removes folders that a build could write to, also closed and deeply nested ones."""

import subprocess
from pathlib import Path


def remove(folder: Path) -> None:
    """Remove a folder, also one with folders that are closed or nested deeply; what cannot be removed stays.

    The tools of the system do not follow links inside, and no depth is too great for them.
    """
    if folder.is_dir() and not folder.is_symlink():
        for words in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            command = [*words, "--", str(folder)]
            subprocess.run(command, stderr=subprocess.DEVNULL, check=False)  # noqa: S603 - a folder of ours
