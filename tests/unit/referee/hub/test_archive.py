"""The archive: every failure to write a replay or a result is reported."""

from collections.abc import Sequence
from pathlib import Path
from threading import Event

import msgspec
import pytest

from referee import registry
from referee.chance import deal_key
from referee.errors import RefereeError
from referee.hub.archive import Archive, Filed, Filing
from referee.hub.pairing import Finished, Pairing, void_result
from referee.replay.dossier import Dossier, SeatDossier
from referee.replay.format import ReplayText


def filing() -> Filing:
    pairing = Pairing("m1", registry.game("coins"), ("ada", "bob"), deal_key("archive", "1"))
    return Filing(Finished(pairing, void_result(pairing, "for a test"), "", None), ReplayText([], ""), None)


def test_a_replay_that_cannot_be_written_is_reported_for_any_reason(tmp_path: Path) -> None:
    heard: list[Filed] = []
    one = filing()
    finished = msgspec.structs.replace(one.finished, replay=tmp_path / "m1.jsonl")
    # No encoding has a spelling for half a character.
    dossier = Dossier("m1", "coins", "m1.jsonl", (SeatDossier("\udcff"),))
    archive = Archive(compress=False, keep=lambda _: None, done=heard.append)
    archive.file(Filing(finished, ReplayText([], ""), dossier))
    archive.close()
    ((_, trouble),) = heard[0]
    assert "results cannot be kept: UnicodeEncodeError" in str(trouble)


@pytest.mark.parametrize("error", [RefereeError("no room"), OSError("no room"), ZeroDivisionError("no room")])
def test_a_result_that_cannot_be_kept_is_reported_for_any_reason(error: Exception) -> None:
    heard: list[Filed] = []

    def keep(matches: Sequence[Finished]) -> None:
        raise error

    archive = Archive(compress=False, keep=keep, done=heard.append)
    archive.file(filing())
    archive.close()
    ((finished, trouble),) = heard[0]
    assert finished.result.match == "m1"
    assert isinstance(trouble, RefereeError)
    assert "no room" in str(trouble)


def test_an_archive_whose_store_stands_still_is_full_after_a_while_and_loses_nothing() -> None:
    heard: list[Filed] = []
    goes_on = Event()

    def keep(matches: Sequence[Finished]) -> None:
        goes_on.wait()

    archive = Archive(compress=False, keep=keep, done=heard.append)
    was_full = [archive.is_full]
    for _ in range(1_000):
        archive.file(filing())
    was_full.append(archive.is_full)
    goes_on.set()
    archive.close()
    assert was_full == [False, True]
    assert not archive.is_full
    assert sum(map(len, heard)) == 1_000
