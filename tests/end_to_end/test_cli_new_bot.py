"""`referee new-bot`: what it writes works, in every language whose tools are here."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import ConfigError
from sample_bots.languages import Language, Sample, languages
from sample_bots.project import Project, kinds, new_project, write
from tests.end_to_end import warm_start
from tests.end_to_end.commands import path_for_imports
from tests.end_to_end.workshop import may_build
from tests.lacking import lacking

BIN = Path(sys.executable).parent

QUICK = ("typescript", "c")
"""Samples to be built whose projects are always tried: one with a kit, one without. The others go the same
way, but their compilers take their time."""


def run(folder: Path, *words: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as a user would who has the referee on the PATH."""
    path = f"{BIN}:{os.environ['PATH']}"
    return subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONPATH": path_for_imports()} | env,
        capture_output=True,
        text=True,
        check=False,
    )


def referee(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    env = os.environ | {"PYTHONPATH": path_for_imports()}
    if not warm_start.is_enough(env):
        return run(folder, sys.executable, "-m", "referee", *words)
    return subprocess.CompletedProcess(words, *warm_start.run(folder, words, env))


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def standing(name: str, told: str) -> list[str]:
    """Return the row of a bot in the table of ratings; a fault would make its last column."""
    rows = [line.split() for line in told.splitlines() if "/" in line]
    [row] = [row for row in rows if row[1] == name]
    return row


def make_short(project: Path) -> None:
    """Let the tournament be over soon."""
    file = project / "tournament.toml"
    text = file.read_text()
    assert "blocks = 10 " in text
    file.write_text(text.replace("blocks = 10 ", "blocks = 1 "))


def test_three_commands_lead_from_nothing_to_a_rated_bot(tmp_path: Path) -> None:
    written = run(tmp_path, "referee", "new-bot", "python", "mybot")
    assert written.returncode == 0, written.stderr
    told = [shlex.split(line) for line in written.stdout.splitlines() if line.startswith("  ")]
    assert told == [["cd", "mybot"], ["make", "rate"]]
    rated = run(tmp_path / "mybot", *told[1])
    assert rated.returncode == 0, rated.stderr
    row = standing("mybot", rated.stdout)
    assert "±" in row
    assert row[-1] == "60", "it has met three samples, twenty times each, without a fault"
    assert (tmp_path / "mybot" / "report.html").is_file()


@pytest.mark.parametrize(
    ("language", "sample"),
    [
        pytest.param(
            language,
            sample,
            id=sample.name,
            marks=[pytest.mark.slow] if sample.build and sample.name not in QUICK else [],
        )
        for language in languages().values()
        for sample in language.bot
    ],
)
@may_build
def test_the_project_of_every_language_builds_and_plays(
    tmp_path: Path, language: Language, sample: Sample
) -> None:
    missing = language.missing(sample)
    if missing:
        lacking(f"a project in {language.language} needs what is missing here: {', '.join(missing)}")
    project = tmp_path / "mine"
    written = referee(tmp_path, "new-bot", sample.name, "mine", "--game", "gangsters")
    assert written.returncode == 0, written.stderr
    assert "lacks" not in written.stderr
    assert {"Makefile", "README.md", "test.sh", "ci.sh", "tournament.toml", "bot/README.md"} <= files_in(
        project
    )
    assert not any("@" in (project / name).read_text() for name in ("Makefile", "test.sh", "tournament.toml"))
    make_short(project)
    rated = run(project, "make", "again")
    assert rated.returncode == 0, rated.stdout + rated.stderr
    assert standing("mine", rated.stdout)[-1] == "6", "it has met three samples, twice each, without a fault"


def test_the_ci_script_of_a_project_tests_and_rates_it(tmp_path: Path) -> None:
    assert referee(tmp_path, "new-bot", "python", "mybot").returncode == 0
    make_short(tmp_path / "mybot")
    # A tenth of the timeout is all that a bot has to exit, and this host may be slow.
    script = tmp_path / "mybot" / "test.sh"
    text = script.read_text()
    assert "referee check -- " in text
    script.write_text(text.replace("referee check -- ", "referee check --timeout 60 -- "))
    done = run(tmp_path / "mybot", "./ci.sh")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "mybot" / "report.html").is_file()


def test_the_test_of_a_project_finds_a_bot_that_fails(tmp_path: Path) -> None:
    assert referee(tmp_path, "new-bot", "python", "mybot").returncode == 0
    project = tmp_path / "mybot"
    bot = project / "bot" / "bot.py"
    bot.write_text(bot.read_text().replace("return random.choice(legal)", 'return "checkmate"'))
    script = project / "test.sh"
    # Here it is the matches that must find it.
    lines = script.read_text().splitlines(keepends=True)
    script.write_text("".join(line for line in lines if not line.startswith("referee check")))
    done = run(project, "./test.sh")
    assert done.returncode == 1
    assert "a match was lost by a fault" in done.stderr


def test_nothing_is_written_where_something_is(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").write_text("mine")
    refused = referee(tmp_path, "new-bot", "python", "full")
    assert refused.returncode == 2
    assert "full is not empty" in refused.stderr
    assert files_in(tmp_path) == {"full/precious"}
    (tmp_path / "empty").mkdir()
    assert referee(tmp_path, "new-bot", "python", "empty").returncode == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["pyton", "mybot"], "did you mean python?"),
        (["python"], "give a language and a folder"),
        (["python", "my bot"], "a bot cannot be called"),
        (["python", "mybot", "--name", 'a"b'], "a bot cannot be called"),
        (["python", "poker"], "poker is the name of a sample"),
        (["python", "mybot", "--game", "chess"], "there is no game 'chess'"),
    ],
)
def test_bad_input_is_refused_kindly_and_nothing_is_written(
    tmp_path: Path, words: list[str], told: str
) -> None:
    refused = referee(tmp_path, "new-bot", *words)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert not files_in(tmp_path)


def test_what_was_built_of_a_sample_is_not_copied(tmp_path: Path) -> None:
    source = tmp_path / "c"
    (source / "build").mkdir(parents=True)
    (source / "src").mkdir()
    (source / "bot.toml").write_text("for us")
    (source / "src" / "bot.c").write_text("int main;")
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "build" / "bot.s").write_text("made")
    (source / "bot").write_bytes(b"\x7fELF\0")
    sample = Sample("c", "zmq", "{here}/build/bot --fast", "bytes", "make 'a $(b)'")
    language = Language("C", ["cc"], [sample], folder=str(source))
    write(Project(tmp_path / "mine", "mine", "chicago-poker", language, sample))
    assert {name for name in files_in(tmp_path / "mine") if name.startswith("bot/")} == {
        "bot/src/bot.c",
        "bot/run.sh",
    }
    assert os.access(tmp_path / "mine" / "bot" / "run.sh", os.X_OK)
    assert "cd bot && make 'a $$(b)'" in (tmp_path / "mine" / "Makefile").read_text()
    assert 'command = ["bot/build/bot","--fast"]' in (tmp_path / "mine" / "tournament.toml").read_text()


def test_the_kit_is_copied_with_the_sources_that_name_it(tmp_path: Path) -> None:
    source, kit = tmp_path / "samples" / "ts", tmp_path / "kit"
    (kit / "src").mkdir(parents=True)
    (kit / "src" / "bot.js").write_text("kit")
    (kit / "node_modules").mkdir()
    (kit / "node_modules" / "other.js").write_text("made")
    source.mkdir(parents=True)
    (source / "package.json").write_text('{"kit": "file:../../kit"}')
    sample = Sample("ts", "zmq", "node {here}/bot.js", "bytes", "npm install")
    language = Language("TS", ["npm"], [sample], kit="../../kit", folder=str(source))
    write(Project(tmp_path / "mine", "mine", "chicago-poker", language, sample))
    bot = tmp_path / "mine" / "bot"
    assert files_in(bot) == {"package.json", "kit/src/bot.js"}
    assert (bot / "package.json").read_text() == '{"kit": "file:./kit"}'


def test_the_readme_of_a_project_in_typescript_names_the_kit_where_it_is(tmp_path: Path) -> None:
    language = languages()["typescript"]
    write(Project(tmp_path / "mine", "mine", "chicago-poker", language, language.bot[0]))
    readme = (tmp_path / "mine" / "bot" / "README.md").read_text()
    assert "`./kit`" in readme
    assert "protocol/javascript" not in readme


@pytest.mark.parametrize("is_there", [False, True])
def test_what_could_not_be_written_to_its_end_is_taken_away(tmp_path: Path, is_there: bool) -> None:
    source, kit, mine = tmp_path / "samples" / "ts", tmp_path / "kit", tmp_path / "mine"
    kit.mkdir()
    (kit / "kit.js").write_text("kit")
    source.mkdir(parents=True)
    (source / "kit").write_text("in the way of the kit's folder")
    sample = Sample("ts", "zmq", "node {here}/bot.js", "bytes")
    broken = Language("TS", [], [sample], kit="../../kit", folder=str(source))
    if is_there:
        mine.mkdir()
    for _ in range(2):
        with pytest.raises(ConfigError, match="cannot write a project into"):
            write(Project(mine, "mine", "chicago-poker", broken, sample))
    assert mine.exists() is is_there
    assert not is_there or not any(mine.iterdir())


def test_the_list_names_languages_and_what_they_need(tmp_path: Path) -> None:
    listed = referee(tmp_path, "new-bot", "--list")
    assert listed.returncode == 0
    rows = {line.split("\t")[0]: line.split("\t") for line in listed.stdout.splitlines()}
    assert set(languages()) <= set(rows)
    assert rows["python"][1] == "Python"
    assert "mvn" in rows["java"][3]
    assert "libzmq" in rows["c"][3]
    assert "libzmq" not in rows["c-lines"][3], "it speaks on stdout, and needs no library"
    assert "go>=1.21" in rows["go"][3]


HOLE = re.compile(
    r"\w  +\w| [,.:;](\s|$)|\b(and|or|needs|need|with)[.:;,]|(?<!`)``(?!`)|\(\)|@[A-Z]+@", re.MULTILINE
)
"""What a sentence looks like in which a placeholder was filled with nothing."""


@pytest.mark.parametrize("name", sorted(kinds()))
def test_no_text_of_a_project_has_a_hole(tmp_path: Path, name: str) -> None:
    write(new_project(name, tmp_path / "mine", "gangsters", None))
    for file in ("README.md", ".github/workflows/referee.yml"):
        for line in (tmp_path / "mine" / file).read_text().splitlines():
            sentence = line.partition("#")[2] if file.endswith("yml") else line
            if not sentence.startswith(("make ", "|")):
                assert not HOLE.search(sentence), line


def test_the_list_of_languages_says_what_each_needs(tmp_path: Path) -> None:
    listed = referee(tmp_path, "new-bot", "--list")
    rows = [line.split("\t") for line in listed.stdout.splitlines()]
    assert len(rows) == len(kinds())
    assert all(len(row) == 4 and all(row) for row in rows), rows


def test_the_test_of_a_project_prints_only_paths_that_are_there_afterwards(tmp_path: Path) -> None:
    assert referee(tmp_path, "new-bot", "python", "mybot").returncode == 0
    project = tmp_path / "mybot"
    bot = project / "bot" / "bot.py"
    bot.write_text(bot.read_text().replace("return random.choice(legal)", 'exit("not today")'))
    script = project / "test.sh"
    script.write_text(script.read_text().replace("referee check -- ", "true "))
    done = run(project, "./test.sh")
    assert done.returncode == 1
    assert "Lost by a fault" in done.stdout
    [command, *_] = re.findall(r"referee why \S+(?: --replays \S+)?", done.stdout)
    explained = run(project, *shlex.split(command))
    assert explained.returncode == 0, explained.stderr
    assert "not today" in explained.stdout
    [shown] = re.findall(r"referee replay show \S+", done.stdout)
    assert run(project, *shlex.split(shown)).returncode == 0
    assert "/test-replays/" in (project / ".gitignore").read_text()
