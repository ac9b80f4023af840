"""The gauge counts a decision when it is taken, however long its match waits for the disk."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.play import BOT, Arena, Gauge, check
from benchmarks.samples import GAME, played
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.process.spec import BotSpec

NAMES = ["bot0", "bot1"]


class SlowDisk:
    """Keeps matches as long as nothing is at the other end of a FIFO."""

    def __init__(self, path: Path) -> None:
        self._path = path
        os.mkfifo(path)

    def keep(self, matches: Sequence[Finished]) -> None:
        """Wait as for a disk that stands still."""
        del matches
        os.close(os.open(self._path, os.O_RDONLY))

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Let the disk work for a while."""
        end = os.open(self._path, os.O_RDWR)
        try:
            yield
        finally:
            os.close(end)


@contextmanager
def arena(folder: Path, disk: SlowDisk, report: Callable[[Finished], None]) -> Iterator[Arena]:
    bots = [BotSpec(name, BOT, "stdio") for name in NAMES]
    hub = Hub(bots, jobs=2, replays=folder / "replays", keep=disk.keep, report=report)
    try:
        hub.preflight([GAME])
        yield Arena(hub, NAMES)
    finally:
        with disk.moving():
            hub.close()


def decisions_of(matches: range) -> int:
    results = [played(number)[0].result for number in matches]
    return sum(result.decisions for result in results if result is not None)


def test_matches_that_wait_for_the_disk_are_counted_and_are_not_counted_again(tmp_path: Path) -> None:
    disk = SlowDisk(tmp_path / "disk")
    reported: list[Finished] = []
    with arena(tmp_path, disk, reported.append) as stage:
        hub, whole = stage.hub, Gauge(stage.hub)
        stage.submit(6)
        counts = [0]
        while hub.queue or hub.running:
            hub.turn()
            counts.append(whole.read().count)
        assert reported == []
        assert counts == sorted(counts)
        assert 0 < counts[len(counts) // 2] < counts[-1] == decisions_of(range(6))
        rest = Gauge(hub)
        with disk.moving():
            hub.run()
        assert len(reported) == 6
        assert rest.read().count == 0
        assert whole.read().count == counts[-1]


def test_a_measurement_is_of_the_matches_that_were_played_in_it(tmp_path: Path) -> None:
    disk = SlowDisk(tmp_path / "disk")
    with arena(tmp_path, disk, check) as stage, disk.moving():
        cost = stage.measure(1, 450)
    # The first match is played before the measurement, one more after it.
    assert cost.count == decisions_of(range(1, 4))
    assert cost.wall_s > 0
