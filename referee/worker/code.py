"""The hash of the code that runs: matches of one event are played by equal code, or not at all."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import protocol
import referee

_PACKAGES: Final = (referee, protocol)
"""What plays; the games are in the first."""


@cache
def code_hash() -> str:
    """Return the SHA-256 over the names and contents of all modules that play, as they were first read."""
    found = sha256()
    for package in _PACKAGES:
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*.py")):
            found.update(f"{path.relative_to(folder.parent)}\0".encode())
            found.update(sha256(path.read_bytes()).digest())
    return found.hexdigest()
