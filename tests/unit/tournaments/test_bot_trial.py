"""What a bot is known by, and stores of a version that noted no versions."""

import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.unit.tournaments.plans import plan, played
from tournaments.bot_trial import look_at
from tournaments.config.entrants import Entrant
from tournaments.config.plan import Plan
from tournaments.field_choice import choose_versions
from tournaments.pairing.schedule import fixtures
from tournaments.store import provenance
from tournaments.store.store import Store
from tournaments.store.versions import Identity


def entrant(folder: Path, command: str = "bot.py", **settings: Any) -> Entrant:
    return Entrant("ann", folder, command=command, **settings)


def of(*bots: Entrant) -> Plan:
    return replace(plan(), bots=bots)


def known(*bots: Entrant) -> Identity:
    found = look_at(of(*bots))
    assert not found.failures
    return found.able["ann"].identity


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "bot.py").write_text("import book")
    (home / "book.py").write_text("openings = []")
    return home


def test_a_bot_is_the_same_wherever_it_and_its_interpreter_are(folder: Path, tmp_path: Path) -> None:
    before = known(entrant(folder))
    assert before == Identity("bot.py", files={name: before.files[name] for name in ("bot.py", "book.py")})
    shutil.copytree(folder, tmp_path / "moved")
    assert known(entrant(tmp_path / "moved")) == before
    by_path = known(entrant(folder, f"{sys.executable} bot.py"))
    assert by_path.files == before.files


def test_a_bot_changes_with_its_files_and_its_command_and_not_with_files_of_other_bots(folder: Path) -> None:
    before = known(entrant(folder))
    (folder / "yours.py").write_text("another bot")
    yours = Entrant("bob", folder, command="yours.py")
    assert known(entrant(folder), yours) == before
    (folder / "diary.txt").write_text("no program")
    assert known(entrant(folder), yours).is_same(before)
    assert not known(entrant(folder, "bot.py --fast"), yours).is_same(before)
    (folder / "book.py").write_text("openings = [1]")
    assert not known(entrant(folder), yours).is_same(before)


def test_a_file_that_two_bots_share_belongs_to_both(folder: Path) -> None:
    fast = Entrant("bob", folder, command="bot.py --fast")
    before = known(entrant(folder), fast)
    (folder / "bot.py").write_text("import book  # better")
    assert not known(entrant(folder), fast).is_same(before)


def test_a_bot_of_a_sandbox_is_known_by_all_its_files_but_not_by_what_python_compiled(folder: Path) -> None:
    before = known(entrant(folder, level="class"))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "book.cpython-311.pyc").write_bytes(b"compiled")
    assert known(entrant(folder, level="class")).is_same(before)
    assert known(entrant(folder)).is_same(before), "the same files at another level"
    (folder / "model.bin").write_bytes(b"weights")
    assert not known(entrant(folder, level="class")).is_same(before)


def test_a_submission_is_known_by_its_hash_and_a_sample_by_its_name(folder: Path) -> None:
    assert known(entrant(folder, digest="ab" * 32)) == Identity(digest="ab" * 32)
    assert known(Entrant("ann", folder, sample="random")) == Identity("sample random")


@pytest.mark.parametrize("has_changed", [False, True])
def test_the_program_of_a_store_without_versions_is_the_first(folder: Path, has_changed: bool) -> None:
    bots = of(entrant(folder), Entrant("bob", folder, sample="random"))
    look = look_at(bots)
    run = provenance.lock(bots.file, [one.program for one in look.able.values()])
    with Store(folder.parent / "s.db") as store:
        store.note(provenance.NOTE, msgspec.json.encode(run).decode())
        store.add([played(fixtures(bots)[0])])
        if has_changed:
            (folder / "bot.py").write_text("import book  # better")
        choice = choose_versions(bots, store, look_at(bots).able)
        store.note_all(choice.notes)
        assert choice.changed == ({"ann": 2} if has_changed else {})
        # The next run finds all as it is.
        again = choose_versions(bots, store, look_at(bots).able)
        assert (again.changed, again.notes) == ({}, [])
