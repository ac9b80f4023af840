"""Writes the submissions of a class as learning platforms export them, and the roster of the class."""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tests.classroom.submissions import ClassEntry

Naming = Callable[[ClassEntry], str]
"""Returns the name of a submission, without the ending of a file."""


def blackboard(entry: ClassEntry) -> str:
    return f"Poker bot_{entry.author.id}_attempt_{entry.time}_bot"


def canvas(entry: ClassEntry) -> str:
    first, *rest = entry.author.name.lower().split()
    name = "".join(one for one in "".join([*rest, first]) if one.isalnum())
    late = "LATE_" if entry.time > "2026-11-18-12" else ""
    return f"{name}_{late}{entry.author.id}_{9_000_000 + int(entry.author.id)}_bot"


def moodle(entry: ClassEntry) -> str:
    return f"{entry.author.name}_{entry.author.id}_assignsubmission_file_"


def plain(entry: ClassEntry) -> str:
    return f"{entry.author.name}-{entry.time}"


PLATFORMS: Final[dict[str, Naming]] = {
    "blackboard": blackboard,
    "canvas": canvas,
    "moodle": moodle,
    "plain": plain,
}


def export(entries: Iterable[ClassEntry], folder: Path, naming: Naming = blackboard) -> Path:
    """Write submissions into a new folder; Moodle puts each into a folder of its author."""
    folder.mkdir(parents=True)
    for entry in entries:
        place = folder / naming(entry)
        if naming is moodle:
            place.mkdir(exist_ok=True)
            place /= "bot"
        entry.write(place)
    if naming is blackboard:
        for entry in entries:
            receipt = folder / f"Poker bot_{entry.author.id}_attempt_{entry.time}.txt"
            receipt.write_text(f"Name: {entry.author.name} ({entry.author.id})\nAssignment: Poker bot\n")
    return folder


def roster(entries: Iterable[ClassEntry], path: Path, *more: tuple[str, str, str]) -> Path:
    """Write the roster of a class, as a spreadsheet of Windows does."""
    authors = dict.fromkeys(entry.author for entry in entries)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow(["Student ID", "Full name", "Group"])
        writer.writerows([*authors, *more])
    return path
