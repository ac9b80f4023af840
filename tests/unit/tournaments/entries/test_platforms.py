"""Names as learning platforms export them."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from tournaments.entries.platforms import GradescopeEntry, NamedFile, read_metadata, read_name, stem_of

STAMP = datetime(2026, 11, 18, 10, 22, 33).astimezone(UTC)

FILES = {
    "Ann Lee_12345_assignsubmission_file_bot.zip": NamedFile(
        "Ann Lee", "12345", file="bot.zip", group="Ann Lee_12345"
    ),
    "Ann_Lee_12345_assignsubmission_file_my_bot.py": NamedFile(
        "Ann_Lee", "12345", file="my_bot.py", group="Ann_Lee_12345"
    ),
    "Poker bot_ab123_attempt_2026-11-18-10-22-33_my_bot.zip": NamedFile(
        "ab123", "ab123", STAMP, file="my_bot.zip", group="ab123_2026-11-18-10-22-33"
    ),
    "leeann_12345_67890_bot-2.zip": NamedFile("leeann", "12345", file="bot-2.zip", group="leeann_12345"),
    "leeann_LATE_12345_67890_bot.py": NamedFile(
        "leeann", "12345", is_late=True, file="bot.py", group="leeann_12345"
    ),
    "team-2026-11-18T10-22-33.zip": NamedFile("team", received=STAMP),
    "The Aces_20261118_102233.tar.gz": NamedFile("The Aces", received=STAMP),
    "team-2026-11-18T10-22-33Z.py": NamedFile(
        "team", received=datetime(2026, 11, 18, 10, 22, 33, tzinfo=UTC)
    ),
    "team-2026-11-18.py": NamedFile("team", received=datetime(2026, 11, 18).astimezone(UTC)),
    "alice.tar.xz": NamedFile("alice"),
    "v1.2.py": NamedFile("v1.2"),
    "team-2026-13-45T10-22.zip": NamedFile("team-2026-13-45T10-22"),
    "Łukasz 👩‍💻.zip": NamedFile("Łukasz 👩‍💻"),
}

FOLDERS = {
    "Ann Lee_12345_assignsubmission_file_": NamedFile("Ann Lee", "12345"),
    "Ann Lee_12345_assignsubmission_file": NamedFile("Ann Lee", "12345"),
    "submission_4711": NamedFile("submission_4711", "4711"),
    "leeann_12345_67890_bot": NamedFile("leeann", "12345", file="bot"),
    "v1.2": NamedFile("v1.2"),
}


@pytest.mark.parametrize("name", FILES)
def test_the_name_of_a_file_is_read(name: str) -> None:
    assert read_name(name, is_folder=False) == FILES[name]


@pytest.mark.parametrize("name", FOLDERS)
def test_the_name_of_a_folder_is_read(name: str) -> None:
    assert read_name(name, is_folder=True) == FOLDERS[name]


def test_what_a_platform_wrote_itself_is_a_receipt() -> None:
    assert read_name("Task_ab123_attempt_2026-11-18-10-22-33.txt", is_folder=False).is_receipt
    assert read_name("Ann Lee_1_assignsubmission_onlinetext_", is_folder=True).is_receipt


def test_stems_of_archives_lose_the_whole_ending() -> None:
    assert [stem_of(name) for name in ("a.tar.gz", "a.TGZ", ".zip", "noending")] == [
        "a",
        "a",
        ".zip",
        "noending",
    ]


def test_the_file_of_gradescope_names_all_authors_and_the_newest_time() -> None:
    text = """---
submission_1:
  :submitters:
  - :name: Solo Student
    :sid: '100'
    :email: solo@example.org
  :created_at: 2026-11-18 10:22:33.120 Z
  :history:
  - :created_at: 2026-11-01 08:00:00.000 Z
submission_2:
  :submitters:
  - :name: Pair One
    :email: one@example.org
  - :name: Pair Two
    :sid: 201
"""
    assert read_metadata(text) == {
        "submission_1": GradescopeEntry(
            (("100", "Solo Student"),), datetime(2026, 11, 18, 10, 22, 33, tzinfo=UTC)
        ),
        "submission_2": GradescopeEntry((("one@example.org", "Pair One"), ("201", "Pair Two"))),
    }


@pytest.mark.parametrize(
    "head",
    [
        "Mallory_999_assignsubmission_file_",
        "mallory_999_4711_",
        "Task_999_attempt_2026-11-18-10-22-33_",
    ],
)
@pytest.mark.parametrize(
    "file",
    [
        "Ann Lee_12345_assignsubmission_file_bot.py",
        "Ann Lee_12345_assignsubmission_onlinetext_bot.py",
        "leeann_12345_67890_bot.py",
        "Task_12345_attempt_2026-11-17-10-22-33_bot.zip",
        "Task_12345_attempt_2026-11-17-10-22-33.txt",
    ],
)
def test_what_an_author_calls_a_file_makes_it_no_other_authors(head: str, file: str) -> None:
    read = read_name(head + file, is_folder=False)
    assert (read.id, read.file, read.is_receipt) == ("999", file, False)
    assert read == replace(read_name(f"{head}bot.py", is_folder=False), file=file)


def test_what_a_program_printed_adds_no_author_to_the_file_of_gradescope() -> None:
    printed = """\
submission_1:
  :submitters:
  - :name: Mallory
    :sid: '999'
  :created_at: 2026-11-18 10:22:33.120 Z
  :results:
    output: |-
      - :name: Ann Lee
        :sid: '12345'
"""
    assert read_metadata(printed)["submission_1"].authors == (("999", "Mallory"),)
