"""Submissions found in a folder, with their owners."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import pytest

from referee.errors import ConfigError
from tests.classroom.export import PLATFORMS, export, roster
from tests.classroom.submissions import ANN, ANN_TOO, GOOD, TEAM_A, TEAM_B, as_folder
from tournaments.entries.class_roster import ClassRoster, read_roster
from tournaments.entries.copying import bring, digest_of
from tournaments.entries.line_ends import cure
from tournaments.entries.submission_error import SubmissionError
from tournaments.entries.submissions import find_submissions, invitations


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_platform_gives_one_submission_for_each_author(tmp_path: Path, platform: str) -> None:
    folder = export(GOOD, tmp_path / "subs", PLATFORMS[platform])
    named = [entry.author for entry in GOOD]
    known = read_roster(roster(GOOD, tmp_path / "class.csv"))
    found = find_submissions(folder, known)
    if platform == "plain":
        # Without ids two students of one name cannot be distinguished.
        assert {one.title for one in found.submissions} >= {"Zoë Müller-Łukasz", "The Aces", "Ann Lee"}
        return
    assert sorted(one.id for one in found.submissions) == sorted(author.id for author in named)
    assert len({one.owner for one in found.submissions}) == len(named)
    assert {one.title for one in found.submissions} == {author.team or author.name for author in named}


def test_two_students_of_one_name_are_kept_apart_by_their_ids(tmp_path: Path) -> None:
    folder = export(GOOD[:2], tmp_path / "subs", PLATFORMS["moodle"])
    owners = {one.owner: one.title for one in find_submissions(folder, ClassRoster()).submissions}
    assert owners == {f"id:{ANN.id}": "Ann Lee", f"id:{ANN_TOO.id}": "Ann Lee"}


def test_a_team_has_several_authors_and_one_owner(tmp_path: Path) -> None:
    folder = export([one for one in GOOD if one.author == TEAM_A], tmp_path / "subs")
    path = roster([one for one in GOOD if one.author == TEAM_A], tmp_path / "class.csv", TEAM_B)
    found = find_submissions(folder, read_roster(path))
    (one,) = found.submissions
    assert (one.owner, one.title, one.authors) == ("team:the aces", "The Aces", ("Ali Demir", "Bea Costa"))
    assert found.missing == ()
    assert [(new.bot, new.authors) for new in invitations(read_roster(path))] == [("The Aces", one.authors)]


def test_students_without_a_submission_are_named_and_strangers_too(tmp_path: Path) -> None:
    folder = export(GOOD[:1], tmp_path / "subs")
    path = tmp_path / "class.csv"
    path.write_text("id,name,team\n77,Bo Berg,\n78,Cy,The Aces\n79,Di,the aces\n")
    found = find_submissions(folder, read_roster(path))
    assert found.missing == ("Bo Berg", "The Aces")
    assert found.submissions[0].notes == ("Ann Lee is not in the roster",)


def test_a_name_of_several_students_is_not_called_unknown(tmp_path: Path) -> None:
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs" / "Ann Lee-2026-11-18T10-22.py").write_text("")
    path = tmp_path / "class.csv"
    path.write_text("id,name\n1,Ann Lee\n2,Ann Lee\n")
    [ann] = find_submissions(tmp_path / "subs", read_roster(path)).submissions
    assert ann.notes == ("the roster has 2 students called Ann Lee, and the name of the file has no id",)


@pytest.mark.parametrize("name", ["bot.rar", "Bot.7Z", "bot.py.gz", "bot.tar.zst"])
def test_an_archive_of_a_kind_that_is_not_unpacked_is_named_with_the_cure(tmp_path: Path, name: str) -> None:
    subs, into = tmp_path / "subs", tmp_path / "into"
    (subs / "ann").mkdir(parents=True)
    into.mkdir()
    (subs / "ann" / name).write_bytes(b"Rar!")
    (subs / "ann" / "readme.txt").write_text("my bot")
    [ann] = find_submissions(subs, ClassRoster()).submissions
    with pytest.raises(SubmissionError, match=f"{name}: .* is not unpacked here; submit a zip or a tar"):
        bring(ann, into)


def test_files_of_one_submission_belong_together(tmp_path: Path) -> None:
    folder = tmp_path / "subs"
    folder.mkdir()
    for name in ("leeann_7_1_main.py", "leeann_7_2_cards.py", "bergbo_8_3_bot.py"):
        (folder / name).write_text(name)
    bo, ann = sorted(
        find_submissions(folder, ClassRoster()).submissions, key=lambda one: one.id, reverse=True
    )
    assert ann.names == ("cards.py", "main.py") or ann.names == ("main.py", "cards.py")
    into = tmp_path / "into"
    into.mkdir()
    root = bring(ann, into).root
    assert {path.name for path in root.iterdir()} == {"main.py", "cards.py"}
    assert digest_of(ann) != digest_of(bo)


def test_the_names_of_repositories_lose_the_assignment(tmp_path: Path) -> None:
    for name in ("poker-bot-ann", "poker-bot-bo"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "main.py").write_text("")
    assert [one.title for one in find_submissions(tmp_path, ClassRoster()).submissions] == ["ann", "bo"]


def test_the_time_of_a_file_counts_if_its_name_has_none(tmp_path: Path) -> None:
    path = tmp_path / "alice.py"
    path.write_text("")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    (alice,) = find_submissions(tmp_path, ClassRoster()).submissions
    assert alice.received == datetime.fromtimestamp(1_000_000_000, UTC)
    assert not alice.is_stamped


def test_what_macos_keeps_beside_each_file_is_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "subs"
    as_folder({"ann/bot.zip": "", "ann/._bot.zip": "\0", "._ann": "\0"})(folder)
    with ZipFile(folder / "ann" / "bot.zip", "w") as archive:
        archive.writestr("._strategy.py", "\0")
        archive.writestr("strategy.py", "x")
    found = find_submissions(folder, ClassRoster())
    assert found.ignored == ("._ann",)
    (ann,) = found.submissions
    (tmp_path / "into").mkdir()
    brought = bring(ann, tmp_path / "into")
    assert [path.name for path in brought.root.iterdir()] == ["strategy.py"]
    assert brought.ignored == ("._bot.zip", "._strategy.py")


def test_a_name_is_of_one_author_however_its_accents_are_written(tmp_path: Path) -> None:
    as_folder({"Zo\u00eb-2026-11-18.py": "x", "Zoe\u0308-2026-11-19.py": "y"})(tmp_path / "subs")
    found = find_submissions(tmp_path / "subs", ClassRoster()).submissions
    assert [one.owner for one in found] == ["name:zo\u00eb"] * 2


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        find_submissions(tmp_path / "nothing", ClassRoster())


@contextmanager
def without_rights() -> Iterator[None]:
    """Let files that are closed to all be closed to this process too, also if it is root's."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_closed_folder_is_one_submission_that_cannot_be_read_and_stops_no_other() -> None:
    # Not in the folder of the test, which is closed to other users.
    with TemporaryDirectory(prefix="closed-") as name:
        subs = Path(name)
        subs.chmod(0o755)
        for author in ("ann", "bo"):
            (subs / author).mkdir()
            (subs / author / "main.py").write_text("")
        (subs / "ann").chmod(0)
        with without_rights():
            ann, bo = sorted(find_submissions(subs, ClassRoster()).submissions, key=lambda one: one.title)
            with pytest.raises(SubmissionError, match="ann: it cannot be read: Permission denied"):
                digest_of(ann)
            assert digest_of(bo)
        (subs / "ann").chmod(0o755)


def test_windows_line_ends_are_replaced_in_scripts_alone(tmp_path: Path) -> None:
    files = {"bot.sh": b"echo\r\n", "run": b"#!/usr/bin/env python3\r\nx\r\n", "Makefile": b"a:\r\n\tb\r\n"}
    others = {"data.csv": b"1\r\n", "main.py": b"x = 1\r\n"}
    for name, data in (files | others).items():
        (tmp_path / name).write_bytes(data)
    assert cure(tmp_path) == sorted(files)
    assert all(b"\r" not in (tmp_path / name).read_bytes() for name in files)
    assert all(b"\r\n" in (tmp_path / name).read_bytes() for name in others)
