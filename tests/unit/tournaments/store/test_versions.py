"""Versions of bots: their numbers, when they hold, and what a program is known by."""

from pathlib import Path

import pytest

from tournaments.store.errors import StoreError
from tournaments.store.store import Store
from tournaments.store.versions import NOTE, Identity, VersionNote, Versions, version_note, versions_of

OLD = Identity("bot.py", files={"bot.py": "aa"})
NEW = Identity("bot.py", files={"bot.py": "bb"})


def test_a_program_that_was_there_before_has_its_old_number() -> None:
    versions = Versions([(0, VersionNote("ann", 1, OLD)), (5, VersionNote("ann", 2, NEW))])
    assert versions.number("ann", OLD) == 1
    assert versions.number("ann", NEW) == 2
    assert versions.number("ann", Identity("bot.py", files={"bot.py": "cc"})) == 3
    assert versions.number("bob", OLD) == 1


def test_every_result_belongs_to_the_version_that_was_in_force() -> None:
    notes = [(0, VersionNote("ann", 1)), (0, VersionNote("bob", 1)), (3, VersionNote("ann", 2))]
    versions = Versions([*notes, (7, VersionNote("ann", 1, OLD))])
    assert [versions.of_result(number).get("ann") for number in (1, 3, 4, 7, 8, 99)] == [1, 1, 2, 2, 1, 1]
    assert versions.of_result(4)["bob"] == 1
    assert versions.in_force == {"ann": 1, "bob": 1}
    assert [since for since, _ in versions.of("ann")] == [0, 3, 7]
    assert Versions().of_result(1) == {}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (OLD, NEW, False),
        (OLD, Identity("bot.py", files={"bot.py": "aa", "more.py": "cc"}), True),
        (OLD, Identity("bot.py --fast", files=OLD.files), False),
        # Of a bot in a sandbox all files are known.
        (Identity("b", "11", {"b": "aa"}), Identity("b", "22", {"b": "aa"}), False),
        (Identity("b", "11", {"b": "aa"}), Identity("b", "", {"b": "aa"}), True),
        (Identity("b", "11", {"b": "aa"}), Identity("b", "", {"b": "bb"}), False),
        (Identity(digest="11"), Identity(digest="11"), True),
        (Identity(digest="11"), OLD, False),
        # A submission that does not start is known by nothing, and is no version of one that does.
        (Identity(digest="11"), Identity(), False),
        (Identity(), Identity(), True),
        (Identity(announced="1.0"), Identity(announced="1.1"), False),
    ],
)
def test_programs_are_compared_by_what_is_known_of_both(one: Identity, other: Identity, same: bool) -> None:
    assert one.is_same(other) is other.is_same(one) is same


def test_the_hash_for_people_has_no_path_and_no_command() -> None:
    moved = Identity("other", files={"elsewhere.py": "aa"})
    assert OLD.hash == moved.hash != NEW.hash
    assert len(OLD.hash) == 12
    assert Identity("sample random").hash == ""


def test_notes_are_read_back_from_the_store(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        store.note_all([version_note("ann", 1, OLD), version_note("ann", 2, Identity(announced="v2"))])
        assert versions_of(store).in_force == {"ann": 2}
        assert [note.identity for _, note in versions_of(store).of("ann")] == [OLD, Identity(announced="v2")]
        store.note(NOTE, "not a version")
        with pytest.raises(StoreError, match=r"s\.db: the note of a version is not as it was written"):
            versions_of(store)
