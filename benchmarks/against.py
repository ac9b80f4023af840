"""The same measurements of another revision, in turns with this one: A B A B, and the ratios of the pairs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec
from msgspec import Struct

from benchmarks.echo import ROOT
from benchmarks.sheet import Cell, Goal, Sheet, Size

Row = dict[str, Cell]

_SETTINGS = ("at once", "seats")
"""Columns that say what a row is about, as those of text do."""

_PROMISED: dict[tuple[str, str], tuple[Literal["at most", "at least"], float]] = {
    ("rules", "µs with view"): ("at most", 0.6),
    ("tournament", "matches /s"): ("at least", 3),
}
"""By sheet and column: the ratio to the other revision that was promised of every row."""


class _Found(Struct):
    """A sheet, as the command prints it for programs."""

    name: str
    title: str
    rows: list[Row]


class _Printed(Struct):
    sheets: list[_Found]


def compare(revision: str, names: Sequence[str], size: Size, words: Sequence[str]) -> list[Sheet]:
    """Measure the parts of these names here and at a revision, in turns; return ratios, here over there."""
    ours: list[list[_Found]] = []
    theirs: list[list[_Found]] = []
    with checked_out(revision) as folder:
        for _ in range(size.repetitions):
            ours.append(_measured(ROOT, names, words))
            theirs.append(_measured(folder, names, words))
    sheets = []
    for number, found in enumerate(ours[0]):
        pairs = [
            (_by_key(here[number]), _by_key(there[number])) for here, there in zip(ours, theirs, strict=True)
        ]
        sheets.append(_ratios(found, pairs, revision))
    return sheets


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """Give a folder with the tree of a revision, and the benchmarks of this one in it."""
    with TemporaryDirectory(prefix="bench-") as parent:
        folder = Path(parent) / "there"
        _git("worktree", "add", "--quiet", "--detach", str(folder), revision)
        try:
            shutil.rmtree(folder / "benchmarks")
            shutil.copytree(ROOT / "benchmarks", folder / "benchmarks")
            yield folder
        finally:
            _git("worktree", "remove", "--force", str(folder))


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True)


def _measured(folder: Path, names: Sequence[str], words: Sequence[str]) -> list[_Found]:
    """Run the benchmarks once, with the code of a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--json", "--repetitions", "1", *words, *names],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        check=True,
        stdout=subprocess.PIPE,
    )
    return msgspec.json.decode(done.stdout, type=_Printed).sheets


def _key(row: Row) -> tuple[Cell, ...]:
    return tuple(cell for column, cell in row.items() if isinstance(cell, str) or column in _SETTINGS)


def _by_key(sheet: _Found) -> dict[tuple[Cell, ...], Row]:
    return {_key(row): row for row in sheet.rows}


def _ratios(sheet: _Found, pairs: Sequence[tuple[dict[tuple[Cell, ...], Row], ...]], revision: str) -> Sheet:
    """Return the medians of the ratios of pairs of turns, of rows that are in both."""
    rows: list[tuple[Cell, ...]] = []
    goals: list[Goal] = []
    for key in map(_key, sheet.rows):
        turns = [(here[key], there[key]) for here, there in pairs if key in here and key in there]
        if not turns:
            continue
        cells: dict[str, Cell] = dict(turns[0][0])
        for column, cell in cells.items():
            if cell in key:
                continue
            ratio = median(_number(here[column]) / _number(there[column]) for here, there in turns)
            cells[column] = float(ratio)
            if promised := _PROMISED.get((sheet.name, column)):
                what = " ".join(map(str, key))
                goals.append(Goal(f"{what}: {column}, over {revision}", ratio, *promised))
        rows.append(tuple(cells.values()))
    title = f"{sheet.title}: here / {revision}, medians of {len(pairs)} pairs"
    return Sheet(sheet.name, title, tuple(sheet.rows[0]), rows, goals)


def _number(cell: Cell) -> float:
    assert not isinstance(cell, str)
    return max(float(cell), 1e-9)
