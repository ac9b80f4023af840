"""Bytecode of the Python kit, for bots that cannot write it themselves."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parents[2]

KIT: Final = (_HERE / "protocol", _HERE / "sample_bots")


def compile_modules(folders: Iterable[Path] = KIT) -> None:
    """Write the bytecode of modules that have none, or an older one, as far as their folders can be written.

    In a sandbox these folders are read-only. Without bytecode a bot would compile the kit at every start, and
    that takes as long as all the rest of its start.
    """
    if sys.dont_write_bytecode:
        return
    # Imported only here: without a sandbox it is not needed.
    import compileall

    for folder in folders:
        compileall.compile_dir(folder, quiet=2)
