"""The day of a class as a teacher runs it: every command from the empty folder to the mended bot."""

import base64
import csv
import gzip
import io
import json
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.classroom import programs
from tests.classroom.checks import check_class
from tests.classroom.export import blackboard, export, roster
from tests.classroom.submissions import (
    ANN,
    BROKEN,
    EMOJI,
    EVERYTHING,
    GOOD,
    HOSTILE,
    LATE,
    LOSING,
    ZOE,
    ClassEntry,
    as_file,
    as_zip,
)
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import Ended, Workspace, workspace_in

LIMITED = "first_ms = 2000\nmove_ms = 300\nbank_ms = 600\n[limits]\nmemory_mib = 256\n"
SHORT_CLOCK = f"[clock]\n{LIMITED}"
ONE_GAME = """
game = "gangsters"
options = { target = 6 }
"""
FOUR_GAMES = """
[[games]]
game = "chicago-poker"
preset = "quick"
[[games]]
game = "gangsters"
options = { target = 6 }
[[games]]
game = "vengeance"
options = { max_rounds = 12 }
[[games]]
game = "chicago"
options = { phases = 1, rounds = 2 }
"""
MARKS = {entry.author.name: f"MARK-OF-{entry.author.name.split()[1].upper()}" for entry in LOSING}
"""What each writes to its stderr."""
TAKE_IN = ("entries", "subs", "--into", "day.toml", "--roster", "class.csv")
CURE = "on stdout, where only messages may go. Print to stderr: print(..., file=sys.stderr)"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TZ", "UTC")
    folder = tmp_path / "school"
    folder.mkdir()
    # Not in the folder of the test: the path of a socket there is at most 107 characters long.
    with TemporaryDirectory(prefix="class-") as temporary:
        monkeypatch.setenv("TMPDIR", temporary)
        with workspace_in(folder) as found:
            yield found
        assert not os.listdir(temporary), "nothing is left in the folder of temporary files"
    assert [path.name for path in tmp_path.iterdir()] == ["school"]


class ClassDay:
    """The day of one class with one event file, `day.toml`; each method is a command and what it promises."""

    def __init__(self, workspace: Workspace, entries: Sequence[ClassEntry]) -> None:
        self.workspace = workspace
        self.entries = entries
        self.entered: set[str] = set()
        """The bots that play."""

    def run(self, *words: str, code: int = 0) -> Ended:
        """Run a command that ends with this code, and never with an error of ours."""
        ended = self.workspace.run(*words)
        assert ended.code == code, (words, ended)
        assert "Traceback" not in ended.err, ended.err
        return ended

    def document(self, *words: str, code: int = 0) -> Any:
        """Run a command and return the document that it prints."""
        return json.loads(self.run(*words, code=code).out)

    def path(self, name: str) -> Path:
        """Return a path in the teacher's folder."""
        return self.workspace.folder / name

    # The steps of the day.

    def write_file(self, *keys: str, like: str = "new") -> str:
        """Write an event file with `new`, and put the teacher's own keys into it; return its seed."""
        self.run("tournament", "new", "day.toml", "--like", like)
        seed = re.findall(r'^seed = "(\w+)"', self.path("day.toml").read_text(), re.MULTILINE)[0]
        first = (
            f'name = "Day"\nseed = "{seed}"\nblocks = 1\nseats = 2\nlevel = "class"\nprofile = "classroom"'
        )
        self.path("day.toml").write_text("\n".join([first, *keys]))
        return str(seed)

    def take_in(self, *, code: int = 1) -> None:
        """Take in the class; the reason of each that is not entered is the one its program must have."""
        export(self.entries, self.path("subs"))
        roster(self.entries, self.path("class.csv"))
        document = self.document(*TAKE_IN, "--json", code=code)
        check_class(document, [entry for entry in self.entries if entry not in LATE])
        self._note(document)
        shown = self.run("entries", "list", "day.toml").out
        assert all(one["submission"]["bot"] in shown for one in document["taken"])

    def hand_in_again(self, entry: ClassEntry, *, code: int = 1) -> None:
        """Put one more submission beside the others, and take in what is new."""
        entry.write(self.path("subs") / blackboard(entry))
        document = self.document(*TAKE_IN, "--json", code=code)
        assert [one["submission"]["bot"] for one in document["taken"] if one["is_new"]] == [entry.author.name]
        self._note(document)

    def _note(self, document: dict[str, Any]) -> None:
        taken = [one["submission"] for one in document["taken"]]
        self.entered = {one["bot"] for one in taken if one["state"] == "entered"}

    def play(self) -> None:
        """Try all bots, play, and write report and site; nothing stops the event."""
        assert "All bots start." in self.run("tournament", "check", "day.toml", "--start").out
        self.run("tournament", "run", "day.toml", "--site", "site", "--html", "day.html")
        assert self.document("tournament", "status", "day.toml", "--json")["complete"]
        assert self.document("tournament", "verify", "day.toml", "--json")["ok"]
        for page in (self.path("day.html"), self.path("site") / "index.html"):
            text = page.read_text()
            assert all(bot in text for bot in self.entered)
            authors = re.findall(r'<span class="fine authors">(?:<bdi>)?(.*?)<', text)
            # Ann Lee stands beside Ann Lee-2, the bot of the second student of that name.
            assert {*authors} & self.entered <= {ANN.name}, (
                "a bot that is named for its author names it twice"
            )

    def feedback(self) -> dict[str, Path]:
        """Write the feedback, and return the folder of each bot."""
        self.run("feedback", "day.toml", "--out", "feedback", "--quiet")
        folders = sorted(self.path("feedback").iterdir())
        return {json.loads((one / "feedback.json").read_text())["bot"]: one for one in folders}

    def grades(self) -> list[dict[str, str]]:
        """Return the lines for the gradebook."""
        text = self.run("tournament", "export", "day.toml", "--grades").out
        return list(csv.DictReader(io.StringIO(text)))

    def matches(self, *part: str) -> dict[str, dict[str, str]]:
        """Return the lines of the matches that count, by match and bot."""
        text = self.run("tournament", "export", "day.toml", *part).out
        return {f"{row['match']} {row['bot']}": row for row in csv.DictReader(io.StringIO(text))}


# What holds after each day.


def check_faults(rows: dict[str, dict[str, str]], entries: Sequence[ClassEntry], games: set[str]) -> None:
    """Compare the faults of all bots with those that their programs must make."""
    expected = {entry.author.name: {entry.loses} for entry in entries if entry.loses}
    seen: dict[str, set[str]] = {}
    for row in rows.values():
        seen.setdefault(row["bot"], set()).update({row["fault"]} - {""})
        assert row["game"] in games
    assert {bot: codes for bot, codes in seen.items() if codes} == expected


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Return all files below a folder, and what is packed in pages."""
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            yield str(path.relative_to(folder)), data
            for packed in re.findall(rb'"([A-Za-z0-9+/]{100,}={0,2})"', data):
                yield f"{path.name}, unpacked", gzip.decompress(base64.b64decode(packed))


def check_feedback(day: ClassDay, folders: dict[str, Path], seed: str) -> None:
    """Search every byte of the feedback of each bot for what is of others."""
    assert set(folders) == day.entered
    ids = {entry.author.name: blackboard(entry) for entry in day.entries}
    for bot, folder in folders.items():
        assert (folder / "feedback.html").stat().st_size > 1_000
        assert (folder / "feedback.txt").read_text().startswith(bot)
        marks = [mark for author, mark in MARKS.items() if author != bot]
        files = [name for author, name in ids.items() if author != bot]
        secrets = [seed, str(day.workspace.folder), "day-entries", *marks, *files]
        for name, data in contents(folder):
            assert not [secret for secret in secrets if secret.encode() in data], (bot, name)


def check_reasons(day: ClassDay, folders: dict[str, Path]) -> None:
    """Check that a student reads what went wrong, and that the same is printed for the teacher."""
    reasons = {
        "Cleo Crash": "IndexError: list index out of range",
        "Ilse Illegal": "win the game",
        "Leo Loop": "late: no answer within 300 ms for the decision",
        "Pam Print": CURE,
    }
    for bot, reason in reasons.items():
        text = " ".join((folders[bot] / "feedback.txt").read_text().split())
        assert reason in text
        assert MARKS[bot] in text
    assert CURE in " ".join(day.run("why", "--bot", "Pam Print", "day.toml").out.split())


def check_folder(day: ClassDay) -> None:
    """Check that all files are where they belong, and that none is a link, a FIFO or huge."""
    known = re.compile(r"day[-.].*|subs|class\.csv|site|feedback|tmp|other-[0-9a-f]{8}")
    assert not [path.name for path in day.workspace.folder.iterdir() if not known.fullmatch(path.name)]
    for path in day.workspace.folder.rglob("*"):
        if not path.is_relative_to(day.path("subs")):
            status = path.lstat()
            assert stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode), path
            assert status.st_size < 64 << 20, path
            assert path.name not in ("climb.py", "secret"), path


def check_mended(day: ClassDay, before: dict[str, dict[str, str]], *part: str) -> None:
    """Check that the matches of the mended bot were played again by its version 2, and all others kept."""
    bot = MENDED.author.name
    after = day.matches(*part)
    concerned = {row["match"] for row in before.values() if row["bot"] == bot}
    kept = {key: row for key, row in before.items() if row["match"] not in concerned}
    assert kept.items() <= after.items()
    own = [row for row in after.values() if row["bot"] == bot]
    assert len(own) == len(concerned)
    assert {(row["version"], row["fault"]) for row in own} == {("2", "")}


MENDED = LOSING[2]._replace(write=as_file(".py", programs.PYTHON), loses="", time="2026-11-18-11-00-00")


@needs_box
def test_a_small_class_plays_one_game_and_mends_a_bot(workspace: Workspace) -> None:
    honest = (
        ClassEntry(EMOJI, as_file(".py", programs.PYTHON)),
        ClassEntry(ZOE, as_zip({"main.js": programs.JAVASCRIPT})),
    )
    day = ClassDay(workspace, (*honest, *LOSING[:4], BROKEN[0]))
    seed = day.write_file(ONE_GAME, SHORT_CLOCK)
    day.take_in()
    assert len(day.entered) == 6
    day.play()
    before = day.matches()
    check_faults(before, day.entries, {"gangsters"})
    folders = day.feedback()
    check_feedback(day, folders, seed)
    check_reasons(day, folders)
    grades = {row["id"]: row for row in day.grades()}
    assert set(grades) == {entry.author.id for entry in day.entries}
    assert "SyntaxError" in grades[BROKEN[0].author.id]["comment"]
    assert "stderr" in grades["1032"]["comment"]

    day.hand_in_again(MENDED)
    day.run("tournament", "run", "day.toml", "--quiet")
    check_mended(day, before)
    assert "crashed" not in (day.feedback()[MENDED.author.name] / "feedback.txt").read_text()
    check_folder(day)


GAMES = ("chicago-poker", "gangsters", "vengeance", "chicago")


@needs_box
@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_a_whole_class_plays_four_games_and_mends_a_bot(workspace: Workspace) -> None:
    day = ClassDay(workspace, (*EVERYTHING, *LOSING))
    seed = day.write_file(
        "deadline = 2026-11-18T12:00:00Z", "pools = 3", SHORT_CLOCK, FOUR_GAMES, like="games"
    )
    day.take_in()
    assert len(day.entered) == len(GOOD) + len(LOSING) + 1
    assert not day.entered & {entry.author.name for entry in (*BROKEN, *HOSTILE, *LATE)} - {"Ivy Loop"}
    day.play()
    standings = day.document("tournament", "standings", "day.toml", "--json")
    assert {line["name"] for line in standings["stages"][0]["combined"]["lines"]} == day.entered
    before = {game: day.matches("--part", game) for game in GAMES}
    for game in GAMES:
        assert {row["bot"] for row in before[game].values()} == day.entered
        seldom = [entry for entry in day.entries if entry.loses != "late"]
        check_faults(before[game], day.entries if game == "gangsters" else seldom, {game})
    folders = day.feedback()
    check_feedback(day, folders, seed)
    check_reasons(day, folders)
    check_grades(day)
    check_folder(day)

    day.hand_in_again(MENDED)
    day.play()
    for game in GAMES:
        check_mended(day, before[game], "--part", game)
    assert "crashed" not in (day.feedback()[MENDED.author.name] / "feedback.txt").read_text()
    check_folder(day)


def check_grades(day: ClassDay) -> None:
    """Check that each student has one line in each game, with the id of the roster."""
    rows = day.grades()
    students = {entry.author.id for entry in day.entries}
    for event in {row["event"] for row in rows}:
        ids = [row["id"] for row in rows if row["event"] == event]
        assert len(ids) == len(set(ids))
        assert set(ids) == students
    comments = {row["id"]: row["comment"] for row in rows}
    for entry in (*BROKEN[1:2], *BROKEN[3:], *HOSTILE):
        assert entry.fails in comments[entry.author.id]


@needs_box
@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_a_whole_class_plays_the_swiss_example_with_its_teacher(workspace: Workspace) -> None:
    day = ClassDay(workspace, (*GOOD, *LOSING, *BROKEN[:1]))
    day.run("tournament", "new", "day.toml", "--like", "class", "--game", "gangsters")
    text = day.path("day.toml").read_text()
    changes = {"# level": "level", "blocks = 8": "blocks = 1", "move_ms = 2000\nbank_ms = 60000": LIMITED}
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    day.path("day.toml").write_text(text)
    day.take_in(code=0)  # the good bot of the team with a broken one plays
    day.play()
    check_faults(day.matches(), day.entries, {"gangsters"})
    line = day.document("tournament", "standings", "day.toml", "--json")["standings"]["table"]
    assert {one["name"] for one in line} == {*day.entered, "teacher", "first", "random", "random too"}
    day.hand_in_again(MENDED, code=0)  # it waits, and the one that played stays
    assert (
        "a swiss takes no bots after its first match" in day.run("entries", "list", "day.toml", "--all").out
    )
    day.feedback()
    check_folder(day)
