"""Replays: spelled, written, read and verified."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.samples import matches
from benchmarks.sheet import Cell, Sheet, Size
from referee.replay import files, format, playback


def measure(size: Size) -> Sequence[Sheet]:
    """Measure every step in the life of a replay, one core."""
    played = list(matches(size.steps))
    actions = sum(len(match.log) for match in played)
    about = format.About(bots=("bench", "bench"), version="0", started="", seed="benchmarks", deal="0")
    spelled = [format.replay_text(match, about).lines for match in played]
    with TemporaryDirectory(prefix="bench-") as folder:
        paths = [Path(folder) / f"{match.id}.jsonl" for match in played]
        packed = [Path(folder) / f"{match.id}.jsonl.gz" for match in played]
        read: list[format.Replay] = []
        works: list[tuple[str, Callable[[], object]]] = [
            (
                "spell (a hash for every line)",
                lambda: [format.replay_text(match, about).lines for match in played],
            ),
            ("write one by one, on the disk", lambda: _write(paths, spelled, compress=False)),
            ("write sixteen together, as the archive does", lambda: _write_together(paths, spelled)),
            ("write packed", lambda: _write(packed, spelled, compress=True)),
            ("read and check the chain", lambda: read.extend(map(files.read, paths))),
            ("read packed", lambda: [files.read(path) for path in packed]),
            ("verify by the rules", lambda: _verify(read[: len(paths)])),
        ]
        rows: list[tuple[Cell, ...]] = []
        for title, work in works:
            wall_s, cpu_s = _seconds(work, size.repetitions)
            rows.append((title, round(len(played) / wall_s), round(actions / wall_s), cpu_s / actions * 1e6))
        sizes = [sum(path.stat().st_size for path in some) // len(played) for some in (paths, packed)]
    remark = f"{actions // len(played)} actions a match; {sizes[0]:,} bytes a replay, packed {sizes[1]:,}"
    columns = ("step", "replays /s", "actions /s", "CPU µs an action")
    return [Sheet("replays", "Replays of Chicago Poker, two seats", columns, rows, remarks=[remark])]


def _write(paths: Sequence[Path], spelled: Sequence[list[bytes]], *, compress: bool) -> None:
    for path, lines in zip(paths, spelled, strict=True):
        files.write(path, lines, compress=compress)


def _write_together(paths: Sequence[Path], spelled: Sequence[list[bytes]]) -> None:
    written = [(path, files.replay_bytes(lines)) for path, lines in zip(paths, spelled, strict=True)]
    for first in range(0, len(written), 16):
        files.write_together(dict(written[first : first + 16]))


def _verify(replays: Sequence[format.Replay]) -> None:
    for replay in replays:
        playback.verify(replay)


def _seconds(work: Callable[[], object], repetitions: int) -> tuple[float, float]:
    """Return the medians of wall and CPU time."""
    walls: list[float] = []
    cpus: list[float] = []
    for _ in range(repetitions):
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall_s)
        cpus.append(time.process_time() - cpu_s)
    return median(walls), median(cpus)
