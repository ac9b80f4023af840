"""The record of entries: which submission plays, and that no change is lost."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import ConfigError
from tournaments.config.bot_names import fit_name, unfit_name
from tournaments.config.entry_record import (
    RECORD,
    EntryRecord,
    Invitation,
    State,
    Submission,
    change_record,
    read_record,
)
from tournaments.config.mistakes import PlanError
from tournaments.config.plan import load


def submission(number: int, owner: str = "ann", state: State = "entered", **more: Any) -> Submission:
    settings = {"bot": owner, "source": f"{number}", "digest": "d", "received": f"2026-11-{number:02}"} | more
    return Submission(number=number, owner=owner, state=state, **settings)


def record_of(*submissions: Submission, **more: Any) -> EntryRecord:
    record = EntryRecord(**more)
    for one in submissions:
        record = record.with_submission(one)
    return record


def test_the_last_good_submission_of_an_owner_plays_and_all_stay_on_record() -> None:
    record = record_of(submission(1), submission(2, "bob"), submission(3, state="failed"), submission(4))
    assert [one.state for one in record.submissions] == ["replaced", "entered", "failed", "entered"]
    assert [one.number for one in record.entered()] == [4, 2]


def test_the_time_of_submission_counts_and_not_the_order_of_taking_in() -> None:
    record = record_of(submission(1, received="2026-12-24"), submission(2, received="2026-11-01"))
    assert [one.number for one in record.entered()] == [1]


def test_one_that_waits_does_not_replace_one_that_plays() -> None:
    record = record_of(submission(1), submission(2, state="waiting"))
    assert [one.number for one in record.entered()] == [1]
    assert record.standing("ann") == submission(2, state="waiting")


def test_a_bot_that_is_left_out_does_not_play() -> None:
    assert record_of(submission(1), left_out=("ann",)).entered() == []


def test_an_owner_keeps_the_name_of_its_bot() -> None:
    record = record_of(submission(1, "id:7", bot="Ann"), invited=(Invitation("id:8", "Bo", ("Bo B",)),))
    assert [record.bot_of(owner) for owner in ("id:7", "id:8", "id:9")] == ["Ann", "Bo", ""]
    assert record.names() == ["Ann", "Bo"]
    assert record.invitation("Bo") == Invitation("id:8", "Bo", ("Bo B",))


def test_changes_of_several_processes_at_once_are_all_kept(tmp_path: Path) -> None:
    def add(number: int) -> None:
        change_record(
            tmp_path / "entries", lambda record: record.with_submission(submission(number, f"{number}"))
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(1, 30)))
    assert len(read_record(tmp_path / "entries").submissions) == 29


_WRITER = """
import sys
from pathlib import Path
from msgspec.structs import replace
from tournaments.config.entry_record import change_record
print("ready", flush=True)
number = 0
while True:
    number += 1
    change_record(Path(sys.argv[1]), lambda record: replace(record, left_out=("x" * 50_000, str(number))))
"""


def test_a_writer_that_is_killed_leaves_a_whole_record(tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    for _ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(entries)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": "."},
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            while not (entries / RECORD).exists():
                pass
            writer.send_signal(signal.SIGKILL)
        assert len(read_record(entries).left_out) == 2


@pytest.mark.parametrize("data", [b"", b"{", b'{"version": 9}', b'{"submissions": 3}'])
def test_a_record_that_is_none_is_named_and_not_written_over(tmp_path: Path, data: bytes) -> None:
    (tmp_path / RECORD).write_bytes(data)
    for use in (read_record, lambda folder: change_record(folder, lambda record: record)):
        with pytest.raises(ConfigError, match=r"record\.json"):
            use(tmp_path)
    assert (tmp_path / RECORD).read_bytes() == data


FILE = 'game = "coins"\nseed = "s"\nseats = 2\nentries = "e"\nlevel = "class"\n[limits]\nmemory_mib = 99\n'


def event(tmp_path: Path, record: EntryRecord, more: str = "") -> Path:
    file = tmp_path / "spring.toml"
    file.write_text(FILE + more)
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / RECORD).write_bytes(msgspec.json.encode(record))
    return file


def test_a_plan_has_the_bots_of_submissions_with_level_and_limits_of_the_file(tmp_path: Path) -> None:
    one = submission(1, folder="bots/0001-ann", command=("main.py",), authors=("Ann", "Bo"), digest="abc")
    file = event(
        tmp_path,
        record_of(one, submission(2, "out", folder="x"), left_out=("out", "first")),
        """
[[bots]]
name = "first"
sample = "first"
[[bots]]
name = "second"
sample = "first"
""",
    )
    plan = load(file)
    assert plan.names == ("second", "ann")
    ann = plan.bots[1]
    assert (ann.folder, ann.command, ann.authors) == (
        tmp_path / "e/bots/0001-ann",
        ("main.py",),
        ("Ann", "Bo"),
    )
    assert (ann.digest, ann.level, ann.limits.memory_mib) == ("abc", "class", 99)


def test_an_event_whose_bots_are_still_to_come_can_be_read_but_not_played(tmp_path: Path) -> None:
    plan = load(event(tmp_path, EntryRecord()))
    assert plan.bots == ()
    assert plan.level == "class"
    with pytest.raises(PlanError, match=r"2 bots play in a match, but there are only 0: take submissions in"):
        plan.check_entrants()


def test_a_bot_of_the_file_cannot_have_the_name_of_a_submission(tmp_path: Path) -> None:
    file = event(tmp_path, record_of(submission(1)), '[[bots]]\nname = "Ann"\nsample = "first"\n')
    with pytest.raises(PlanError, match="looks like ann"):
        load(file)


@given(text=st.text(max_size=90), taken=st.lists(st.text(max_size=20), max_size=5))
def test_any_text_becomes_a_name_that_a_bot_may_have(text: str, taken: list[str]) -> None:
    name = fit_name(text, taken)
    assert unfit_name(name, taken) == ""
    assert 1 <= len(name) <= 64
    assert name == name.strip()


def test_names_keep_accents_and_lose_what_is_not_printed() -> None:
    joined = "Robo \U0001f469\u200d\U0001f4bb"
    assert fit_name(joined, []) == "Robo \U0001f469\U0001f4bb"
    assert fit_name("Zoë\tMüller-Łukasz\n", []) == "Zoë Müller-Łukasz"
    assert fit_name("\u0430lice", ["alice"]) == "lice"
