"""The files that a program is made of, as far as its command names them, and their hashes.

The files that the words of the command name count, and those of the same kind beside them. Files are read
with the care of `referee.process.bundle`: the author of a bot decides neither how much is read, nor what
outside its folder.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from referee.errors import LaunchError
from referee.process import bundle
from referee.process.spec import Program

MOST_FILES: Final = 200
"""Of one bot; more are not looked at."""


def file_digests(program: Program) -> dict[str, str]:
    """Return by path the SHA-256 of so many files at most; '' for one of the host that cannot be read."""
    folder = Path(program.folder)
    named = {os.path.normpath(folder / word) for word in program.argv}
    return {
        str(path): _digest(path, folder, is_named=str(path) in named)
        for path in islice(_files(program), MOST_FILES)
    }


def program_digest(program: Program) -> str:
    """Return one hash of a program's own files and of its command; '' if it has no file of its own.

    Neither paths nor the interpreter count: the same bot on another host has the same hash.
    """
    interpreter = os.path.normpath(os.path.join(program.folder, program.argv[0]))
    found = file_digests(program)
    own = {path: digest for path, digest in found.items() if path != interpreter} or found
    words = [
        word for word in program.argv[1:] if os.path.normpath(os.path.join(program.folder, word)) not in found
    ]
    files = sorted((os.path.basename(path), digest) for path, digest in own.items() if digest)
    if not files:
        return ""
    return hashlib.sha256(json.dumps([words, files]).encode()).hexdigest()


def _files(program: Program) -> Iterator[Path]:
    """Return the files a bot is made of, as far as its command names them."""
    folder = Path(program.folder)
    for number, word in enumerate(program.argv):
        if number and program.argv[number - 1] == "-m":
            yield from _of_module(word, program.env.get("PYTHONPATH", ""), folder)
        path = Path(os.path.normpath(folder / word))
        if os.path.isfile(path):
            yield path
            if number and path.suffix:
                yield from (other for other in _beside(path) if other != path)


def _of_module(module: str, search: str, folder: Path) -> Iterator[Path]:
    for place in [folder, *map(Path, filter(None, search.split(":")))]:
        path = place.joinpath(*module.split(".")).with_suffix(".py")
        if os.path.isfile(path):
            yield from _beside(path)
            return


def _beside(path: Path) -> list[Path]:
    """Return everything of the same kind in the folder of a file."""
    found: list[Path] = []
    with os.scandir(path.parent) as entries:
        for number, entry in enumerate(entries):
            if number >= bundle.MOST_ENTRIES:
                raise LaunchError(
                    f"{path.parent}: there are more than {bundle.MOST_ENTRIES:,} files; "
                    "give the bot a folder of its own"
                )
            if entry.name.endswith(path.suffix) and not entry.name.startswith(".") and not entry.is_dir():
                found.append(path.parent / entry.name)
    return sorted(found)


def _digest(path: Path, folder: Path, *, is_named: bool) -> str:
    if is_named or path.is_relative_to(folder):
        return bundle.named_digest(path, folder)
    with suppress(LaunchError):
        return bundle.file_digest(path, path.parent)
    return ""
