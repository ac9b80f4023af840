"""Attacks that take more files, data or descriptors than allowed."""

import contextlib
import os

from referee.process.sandbox.attacks.tools import (
    MOST_FILE_MIB,
    MOST_OPEN_FILES,
    MOST_TMP_FILES,
    MOST_TMP_MIB,
    Attack,
    Decoys,
)


def big_file(_: Decoys) -> str:
    """Write a file larger than allowed."""
    path = os.path.join(os.environ["TMPDIR"], "big")
    try:
        return f"wrote {MOST_FILE_MIB} MiB" if _fill(path, MOST_FILE_MIB) else ""
    finally:
        os.unlink(path)


def _fill(path: str, mib: int) -> bool:
    """Write so much; False if the host says no."""
    try:
        with open(path, "wb", buffering=0) as file:
            for _ in range(mib):
                if file.write(bytes(1 << 20)) < 1 << 20:
                    return False
    except OSError:
        return False
    return True


def much_data(_: Decoys) -> str:
    """Fill the temporary folder."""
    paths = [os.path.join(os.environ["TMPDIR"], f"part{n}") for n in range(MOST_TMP_MIB // 2)]
    try:
        return f"wrote {MOST_TMP_MIB} MiB" if all(_fill(path, 2) for path in paths) else ""
    finally:
        for path in paths:
            with contextlib.suppress(OSError):
                os.unlink(path)


def many_files(_: Decoys) -> str:
    """Make very many files."""
    made: list[str] = []
    with contextlib.suppress(OSError):
        for n in range(MOST_TMP_FILES):
            path = os.path.join(os.environ["TMPDIR"], f"file{n}")
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            made.append(path)
    for path in made:
        os.unlink(path)
    return f"made {MOST_TMP_FILES} files" if len(made) == MOST_TMP_FILES else ""


def open_files(_: Decoys) -> str:
    """Open very many files at once."""
    opened: list[int] = []
    with contextlib.suppress(OSError):
        opened.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(MOST_OPEN_FILES))
    for descriptor in opened:
        os.close(descriptor)
    return f"opened {MOST_OPEN_FILES}" if len(opened) == MOST_OPEN_FILES else ""


STORAGE: tuple[Attack, ...] = (big_file, much_data, many_files, open_files)
"""In the order of the report."""
