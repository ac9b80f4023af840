"""Windows line ends in scripts: a shell and the first line of a script cannot have them; copies are cured."""

from pathlib import Path
from typing import Final

_SHELLS: Final = (".sh", ".bash")
_NAMED: Final = ("makefile", "gnumakefile", "configure")
_MOST_BYTES: Final = 1 << 20


def cure(folder: Path) -> list[str]:
    """Replace Windows line ends in the scripts of a folder; return the paths of those that had them."""
    cured = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            continue
        data = path.read_bytes()
        if b"\r\n" in data and _is_script(path, data):
            path.write_bytes(data.replace(b"\r\n", b"\n"))
            cured.append(str(path.relative_to(folder)))
    return cured


def _is_script(path: Path, data: bytes) -> bool:
    return (
        path.suffix.lower() in _SHELLS
        or path.name.lower() in _NAMED
        or (data.startswith(b"#!") and b"\0" not in data)
    )
