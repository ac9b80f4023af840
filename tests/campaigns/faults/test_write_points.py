"""Every write of what is kept, failing in every way: nothing acknowledged is lost, nothing is doubled.

The matches are real ones, played once. They are filed as the hub files them: replay, dossier, then a row in
the store. Each write of that is a numbered point; at each point the process is killed, or the disk is full,
or broken. Then the same work is done again with nothing in its way, as after a restart, and must come to what
an unbroken run comes to.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from referee import registry
from referee.chance import deal_key
from referee.errors import RefereeError
from referee.hub.archive import Archive, Filed, Filing, Keep
from referee.hub.pairing import Finished, Pairing
from referee.process.spec import BotSpec
from referee.replay import files, playback
from referee.replay.dossier import read_dossier
from referee.replay.format import ReplayText
from tests.campaigns.faults.figures import Figure
from tests.campaigns.faults.writes import Fault, Point, Watch, spread, supported, watched
from tests.end_to_end.hubs import bad, play, sample
from tournaments.results import played
from tournaments.store.errors import NoResultsError
from tournaments.store.store import Store

CHAIN = re.compile(rb',"chain":"[0-9a-f]{64}"}$')


@pytest.fixture(scope="module")
def filings(tmp_path_factory: pytest.TempPathFactory) -> list[Filing]:
    """Return matches on their way to the disk: played well, and one lost by a fault, which has a dossier."""
    folder = tmp_path_factory.mktemp("played")
    game = registry.game("coins")
    groups = [("first", "random"), ("bad", "first"), ("random", "first"), ("first", "random")]
    pairings = [
        Pairing(f"m{n}", game, bots, deal_key("writes", str(n)), deal=str(n)) for n, bots in enumerate(groups)
    ]
    bots: list[BotSpec] = [sample("first"), sample("random"), bad("exits")]
    found = []
    for one in play(bots, pairings, replays=folder):
        assert one.replay is not None
        dossier = one.replay.with_name(f"{one.result.match}.dossier.json")
        lines = one.replay.read_bytes().splitlines()
        replay = ReplayText([CHAIN.sub(b"}", line) for line in lines], one.play)
        found.append(Filing(one, replay, read_dossier(dossier) if dossier.exists() else None))
    assert [filing.dossier is not None for filing in found] == [False, True, False, False]
    return found


def moved(filing: Filing, folder: Path) -> Filing:
    """Return the same match on its way to another folder."""
    one = filing.finished
    assert one.replay is not None
    return Filing(
        Finished(one.pairing, one.result, one.play, folder / one.replay.name),
        filing.replay,
        filing.dossier,
    )


def file_all(filings: Sequence[Filing], keep: Keep, tell: Callable[[str], None]) -> None:
    """File the first match by itself and the others together, as they come."""
    done = Event()

    def hear(filed: Filed) -> None:
        for finished, error in filed:
            if error is None:
                tell(finished.result.match)
        done.set()

    archive = Archive(compress=False, keep=keep, done=hear)
    for number, filing in enumerate(filings):
        archive.file(filing)
        if number == 0:
            done.wait()
    archive.close()


def file_in_store(folder: Path, filings: Sequence[Filing], tell: Callable[[str], None]) -> None:
    with Store(folder / "results.db") as store:
        there = {one.match for one in store.played()}
        missing = [filing for filing in filings if filing.finished.result.match not in there]
        file_all(missing, lambda ones: store.add([played(one, 1, one.result.match) for one in ones]), tell)


def in_store(folder: Path) -> list[str]:
    try:
        with Store(folder / "results.db", write=False) as store:
            return [one.match for one in store.played()]
    except NoResultsError:
        return []


class Trial:
    """One folder, one fault at one point, and the verdict."""

    def __init__(self, folder: Path, filings: Sequence[Filing]) -> None:
        folder.mkdir()
        self.folder = folder
        self._filings = [moved(filing, folder) for filing in filings]
        self._wanted = [filing.finished.result.match for filing in filings]

    def run(self, watch: Watch) -> set[str]:
        """Write all matches under the watch; return those that were reported as safe."""
        reading, writing = os.pipe()
        try:
            work = lambda: file_in_store(  # noqa: E731 - it is done in another process
                self.folder, self._filings, lambda match: _tell(writing, match)
            )
            watched(work, watch)
            os.close(writing)
            with open(reading) as told:
                return set(told.read().split())
        finally:
            for end in (reading, writing):
                with suppress(OSError):
                    os.close(end)

    def check(self, acknowledged: set[str]) -> None:
        """See that what was acknowledged is there, once, with its replay, and that the rest can follow."""
        kept = in_store(self.folder)
        assert acknowledged <= set(kept)
        self._check_replays(kept)
        acknowledged |= self.run(Watch(self.folder))
        kept = in_store(self.folder)
        assert sorted(kept) == self._wanted, "lost or doubled"
        assert acknowledged <= set(kept)
        self._check_replays(kept)

    def _check_replays(self, matches: Sequence[str]) -> None:
        assert len(matches) == len(set(matches))
        for match in matches:
            playback.verify(files.read(self.folder / f"{match}.jsonl"))


def _tell(pipe: int, match: str) -> None:
    os.write(pipe, f"{match}\n".encode())


@pytest.mark.faults
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("most", [3, pytest.param(100_000, marks=pytest.mark.slow)], ids=["some", "all"])
def test_no_failure_of_any_write_loses_or_doubles_an_acknowledged_match(
    tmp_path: Path, filings: list[Filing], most: int, figure: Figure
) -> None:
    supported()
    whole = Trial(tmp_path / "whole", filings)
    calm = Watch(whole.folder)
    assert whole.run(calm) == {f"m{n}" for n in range(4)}
    reached: dict[Fault, set[Point]] = {}
    trials = 0
    for shift, fault in enumerate(Fault):
        for at in sorted({(at + shift) % len(calm.points) for at in spread(len(calm.points), most)}):
            trial = Trial(tmp_path / f"{fault.name}-{at}", filings)
            watch = Watch(trial.folder, fault, at)
            told = trial.run(watch)
            try:
                trial.check(told)
            except (AssertionError, RefereeError) as error:
                raise AssertionError(f"{fault.name} at {at}, {watch.struck}") from error
            if watch.struck is not None:
                reached.setdefault(fault, set()).add(watch.struck)
            trials += 1
    assert reached.keys() == set(Fault)
    figure(f"{trials} trials at {len(calm.points)} write points in {len(Fault)} ways: 0 lost, 0 doubled")
