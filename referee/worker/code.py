"""The hash of the code that runs: matches of one event are played by equal code, or not at all."""

import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import protocol
import referee
from referee import registry

_PACKAGES: Final = (referee, protocol)
"""What plays; the games are in the first."""

_SOURCES: Final = frozenset((".py", ".sh", ".pl", ".js", ".ts", ".go", ".rs", ".java", ".c", ".h", ".cpp"))
"""What the sample bots are written in. They come with the referee, and do not travel."""


@cache
def code_hash() -> str:
    """Return the SHA-256 over the names and contents of all that plays, as it was first read.

    These are the modules of the referee, and the sources of the sample bots.
    """
    files = [path for package in _PACKAGES for path in sorted(Path(package.__path__[0]).rglob("*.py"))]
    return _hash(Path(referee.__path__[0]).parent, [*files, *_samples()])


def _samples() -> Iterator[Path]:
    """Return the sources of the sample bots, and nothing that is built from them."""
    folder = Path(referee.__path__[0]).parent / "sample_bots"
    for pattern in ("*/*", "*/src/*"):
        yield from sorted(path for path in folder.glob(pattern) if path.suffix in _SOURCES)


@cache
def game_hash(game: str) -> str:
    """Return the same of the package of a game that does not come with the referee; '' for one that does.

    Raises RefereeError if the game is not here.
    """
    name = type(registry.game(game)).__module__.partition(".")[0]
    if name == referee.__name__:
        return ""
    found = Path(str(sys.modules[name].__file__))
    files = sorted(found.parent.rglob("*.py")) if found.stem == "__init__" else [found]
    return _hash(found.parent, files)


def _hash(folder: Path, files: list[Path]) -> str:
    found = sha256()
    for path in files:
        found.update(f"{path.relative_to(folder)}\0".encode())
        found.update(sha256(path.read_bytes()).digest())
    return found.hexdigest()
