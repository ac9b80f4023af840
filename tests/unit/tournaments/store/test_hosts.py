"""On which host a match was played follows from the notes of the runs."""

from pathlib import Path

import msgspec
import pytest

from tests.unit.tournaments.rows import row
from tournaments.store.errors import StoreError
from tournaments.store.hosts import hosts_of
from tournaments.store.provenance import NOTE, HostProvenance, Provenance
from tournaments.store.store import Store


def run(processor: str, cores: int = 2, system: str = "Linux") -> str:
    host = HostProvenance(system, "x86_64", processor, cores, 1.0, 1.0)
    return msgspec.json.encode(Provenance("0", 1, "3", {}, "", (), host)).decode()


def test_matches_belong_to_the_run_after_whose_note_they_came(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        store.note(NOTE, run("Xeon"))
        store.add([row("ab", (1, 2), match="m1"), row("ab", (1, 2), match="m2")])
        store.note(NOTE, run("Ryzen", 8))
        store.note(NOTE, run("Ryzen", 16))
        store.add([row("ab", (1, 2), match="m3")])
        assert hosts_of(store) == {"m1": "Xeon, 2 cores", "m2": "Xeon, 2 cores", "m3": "Ryzen, 16 cores"}


def test_one_host_has_no_names(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        assert hosts_of(store) == {}
        store.note(NOTE, run("Xeon"))
        store.add([row("ab", (1, 2), match="m1")])
        store.note(NOTE, run("Xeon", system="Linux, updated"))
        assert hosts_of(store) == {}


def test_a_note_that_was_changed_is_an_error(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        store.note(NOTE, "{")
        with pytest.raises(StoreError, match="not as it was written"):
            hosts_of(store)
