"""The class: authors, what each submits, and what must come of it."""

import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import sample_bots
from tests.classroom import programs

SAMPLES = Path(sample_bots.__path__[0])


class Author(NamedTuple):
    """A student: id, name and team."""

    id: str
    name: str
    team: str = ""


Writer = Callable[[Path], None]
"""Writes a submission to a path without ending, and adds one if it is a file."""


class ClassEntry(NamedTuple):
    """One submission of the class."""

    author: Author
    write: Writer
    fails: str = ""
    """A part of the reason why it is not entered; '' if it is."""
    time: str = "2026-11-18-10-00-00"
    loses: str = ""
    """The fault by which it loses matches though it passed the smoke test; '' if by none."""


# How a submission is written.


def as_file(suffix: str, text: str) -> Writer:
    def write(path: Path) -> None:
        _with(path, suffix).write_bytes(text.encode())

    return write


def as_folder(files: Mapping[str, str]) -> Writer:
    def write(path: Path) -> None:
        for name, text in files.items():
            target = path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())

    return write


def as_zip(files: Mapping[str, str | bytes]) -> Writer:
    def write(path: Path) -> None:
        with zipfile.ZipFile(_with(path, ".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)

    return write


def as_tar(files: Mapping[str, str], *special: tarfile.TarInfo) -> Writer:
    def write(path: Path) -> None:
        with tarfile.open(_with(path, ".tar.gz"), "w:gz") as archive:
            for name, text in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
            for member in special:
                archive.addfile(member)

    return write


def _with(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def link(name: str, leads: str) -> tarfile.TarInfo:
    """Return a symbolic link for an archive."""
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, leads
    return member


def fifo(name: str) -> tarfile.TarInfo:
    """Return a FIFO for an archive."""
    member = tarfile.TarInfo(name)
    member.type = tarfile.FIFOTYPE
    return member


def zip_bomb(path: Path) -> None:
    """Write a zip of a megabyte that has a gigabyte of zeros."""
    with zipfile.ZipFile(_with(path, ".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("main.py", programs.PYTHON)
        for number in range(8):
            with archive.open(f"zeros-{number}", "w") as member:
                for _ in range(64):
                    member.write(bytes(1 << 20))


def sparse_folder(path: Path) -> None:
    """Write a folder with a file of a terabyte that takes no room."""
    as_folder({"main.py": programs.PYTHON})(path)
    with (path / "data.bin").open("wb") as file:
        file.truncate(1 << 40)


def fifo_folder(path: Path) -> None:
    as_folder({"main.py": programs.PYTHON})(path)
    os.mkfifo(path / "pipe")


def _sample(language: str, name: str) -> str:
    return (SAMPLES / language / name).read_text()


ANN = Author("1001", "Ann Lee")
ANN_TOO = Author("1002", "Ann Lee")
ZOE = Author("1003", "Zoë Müller-Łukasz")
EMOJI = Author("1004", "Robo \U0001f469\u200d\U0001f4bb")
TEAM_A = Author("1005", "Ali Demir", "The Aces")
TEAM_B = Author("1006", "Bea Costa", "The Aces")

GOOD = (
    ClassEntry(ANN, as_zip({"bot/main.py": programs.PYTHON, "__MACOSX/bot/._main.py": b"\0\5\26\7"})),
    ClassEntry(ANN_TOO, as_file(".py", programs.PYTHON)),
    ClassEntry(ZOE, as_file(".py", programs.PYTHON)),
    ClassEntry(EMOJI, as_folder({"bot.py": programs.PYTHON})),
    ClassEntry(Author("1007", "Carl Beck"), as_zip({"main.js": programs.JAVASCRIPT})),
    ClassEntry(Author("1008", "Dora Kim"), as_tar({"dora/bot.c": programs.C})),
    ClassEntry(Author("1009", "Emil Roy"), as_folder({"Makefile": programs.MAKEFILE, "bot.c": programs.C})),
    ClassEntry(
        Author("1010", "Fay Ng"),
        as_zip({"bot.sh": _sample("bash", "bot.sh").replace("\n", "\r\n")}),
    ),
    ClassEntry(Author("1011", "Gus Olsen"), as_file(".pl", _sample("perl", "bot.pl"))),
    ClassEntry(TEAM_A, as_folder({"main.py": programs.PYTHON}), time="2026-11-18-09-00-00"),
)
"""Bots that are entered and play."""

WITH_KIT = ClassEntry(Author("1030", "Kim Kit"), as_file(".py", programs.KIT))
"""A good bot with the Python kit, whose libraries must be where a box shows them: beside the interpreter."""

LOSING = (
    ClassEntry(Author("1031", "Leo Loop"), as_file(".py", programs.LATER_LOOP), loses="late"),
    ClassEntry(Author("1032", "Pam Print"), as_file(".py", programs.LATER_PRINT), loses="malformed"),
    ClassEntry(Author("1033", "Cleo Crash"), as_file(".py", programs.LATER_CRASH), loses="crashed"),
    ClassEntry(Author("1034", "Ilse Illegal"), as_file(".py", programs.LATER_ILLEGAL), loses="illegal"),
    ClassEntry(Author("1035", "Mia Memory"), as_file(".py", programs.LATER_MEMORY), loses="memory"),
)
"""Bots that are entered, and lose matches by a fault."""

BROKEN = (
    ClassEntry(TEAM_B, as_file(".py", programs.SYNTAX_ERROR), "SyntaxError", "2026-11-18-09-30-00"),
    ClassEntry(Author("1012", "Hal Loop"), as_file(".py", programs.LOOP_AT_START), "hello"),
    ClassEntry(Author("1013", "Ivy Loop"), as_file(".py", programs.LOOP_IN_A_MOVE), "within"),
    ClassEntry(Author("1014", "Jan Print"), as_file(".py", programs.DEBUG_PRINT), "stderr instead"),
    ClassEntry(Author("1015", "Kai Crash"), as_file(".py", programs.CRASH), "IndexError"),
    ClassEntry(Author("1016", "Lou Illegal"), as_zip({"main.py": programs.ILLEGAL}), "legal actions"),
    ClassEntry(Author("1017", "Max Memory"), as_file(".py", programs.MEMORY_HOG), "limit of memory"),
    ClassEntry(
        Author("1018", "Nina Package"), as_file(".py", programs.MISSING_PACKAGE), "tensorflow_for_poker"
    ),
    ClassEntry(Author("1019", "Otto Quit"), as_file(".py", programs.QUITTER), "exited with code 3"),
    ClassEntry(Author("1020", "Pia Compile"), as_file(".c", programs.C_ERROR), "undeclared"),
    ClassEntry(Author("1021", "Quin Network"), as_zip({"bot.toml": programs.NETWORK_BUILD}), "no network"),
    ClassEntry(Author("1022", "Ray Essay"), as_zip({"essay.pdf": b"%PDF-1.4"}), "no bot.toml"),
)
"""Programs that cannot play."""

HOSTILE = (
    ClassEntry(Author("1023", "Sam Bomb"), zip_bomb, "larger than"),
    ClassEntry(
        Author("1024", "Tim Link"),
        as_tar({"main.py": programs.PYTHON}, link("secret", "/etc/passwd")),
        "a link to",
    ),
    ClassEntry(Author("1025", "Uma Pipe"), as_tar({"main.py": programs.PYTHON}, fifo("pipe")), "a FIFO"),
    ClassEntry(Author("1026", "Vic Pipe"), fifo_folder, "a FIFO"),
    ClassEntry(Author("1027", "Wim Sparse"), sparse_folder, "larger than"),
    ClassEntry(
        Author("1028", "Xen Climb"),
        as_zip({"../../climb.py": programs.PYTHON}),
        "outside of the bot's folder",
    ),
)
"""Archives and folders that attack."""

AGAIN = (
    ClassEntry(Author("1013", "Ivy Loop"), as_file(".py", programs.PYTHON), time="2026-11-18-11-00-00"),
    ClassEntry(ANN, as_file(".py", programs.SYNTAX_ERROR), "SyntaxError", "2026-11-18-11-30-00"),
)
"""A good one after a broken one, and a broken one after a good one."""

LATE = (ClassEntry(Author("1029", "Yan Late"), as_file(".py", programs.PYTHON), time="2026-11-19-08-00-00"),)
"""After the deadline of noon on 18 November 2026."""

EVERYTHING = (*GOOD, *BROKEN, *HOSTILE, *AGAIN, *LATE)
