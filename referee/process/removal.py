"""Removes folders into which a bot can write, however it has filled them."""

import os
import secrets
from contextlib import suppress
from itertools import count
from pathlib import Path


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as that is possible; no link is followed.

    Call it when no process is left that writes there; another may be removing the same. A bot can make
    folders in folders so deep that neither a recursive function nor a path gets to their end. So the folders
    inside of others are moved up to the top, again and again, until none is left.
    """
    if folder.is_symlink():
        return
    # No name in the folder begins like that: a bot cannot guess it.
    prefix = f".{secrets.token_hex(8)}-"
    names = (f"{prefix}{number}" for number in count())
    while inner := _empty(folder):
        moved = removed = 0
        for path in inner:
            for deeper in _empty(path):
                with suppress(OSError):
                    with suppress(FileNotFoundError):
                        # To move a folder is to write into it.
                        deeper.chmod(0o700)
                        deeper.rename(folder / next(names))
                    moved += 1
            with suppress(OSError):
                with suppress(FileNotFoundError):
                    path.rmdir()
                removed += 1
        if not moved and not removed:
            return
    with suppress(OSError):
        folder.rmdir()


def _empty(folder: Path) -> list[Path]:
    """Remove everything in a folder but folders, and return those."""
    inner: list[Path] = []
    with suppress(OSError):
        folder.chmod(0o700)
        with os.scandir(folder) as entries:
            for entry in list(entries):
                if entry.is_dir(follow_symlinks=False):
                    inner.append(Path(entry))
                    continue
                with suppress(OSError):
                    os.unlink(entry)
    return inner
