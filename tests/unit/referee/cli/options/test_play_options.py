"""What `play`, `serve` and `join` make of their options, before anything is started."""

import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.cli.output.printer import show_table
from referee.cli.output.run_report import HEADS, NUMBERS, cells
from referee.errors import ConfigError, LaunchError
from referee.match.faults import PROFILES
from referee.process.spec import Program, ResourceLimits
from referee.registry import game
from sample_bots import languages
from tournaments.config.bots import name_of, read_bots, read_program
from tournaments.config.terms import ClockChanges, options_of, profile_of
from tournaments.rating.tally import Standing


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, so that it shows whether anything was begun."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, prog_name="referee")


TWO = ("--bot", "first", "--bot", "first")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("play", "chicago-pokr", *TWO), "did you mean chicago-poker or chicago?"),
        (("play", "coins", *TWO, "--set", "ronds=2"), "did you mean rounds?"),
        (("play", "coins", *TWO, "--set", "rounds=x"), "option rounds cannot be 'x'"),
        (("play", "coins", *TWO, "--set", "rounds"), "NAME=VALUE"),
        (("play", "coins", *TWO, "--preset", "nonsense"), "no preset 'nonsense'"),
        (("play", "coins", "--bot", "first", "--bot", "randm"), "did you mean random?"),
        (("play", "coins", "--bot", "first", "--bot", "./nothing here"), "there is no program './nothing'"),
        (("play", "coins", "--bot", "first", "--bot", "'open"), "cannot read the command"),
        (("play", "coins", "--bot", "first", "--bot", " "), "not an empty text"),
        (("play", "coins", "--bot", "first", "--bot", "a=true \udcff"), "with '\\udcff': it is not UTF-8"),
        (("play", "coins", "--bot", "first", "--bot", "\udcff=true"), "it is not UTF-8"),
        (("play", "coins", "--bot", "a=first", "--bot", "a=random"), "two bots have the name a"),
        (("play", "coins", "--bot", "first"), "a match of coins needs 2 bots, not 1"),
        (("play", "coins"), "a match of coins needs 2 bots, not 0"),
        (("play", "coins", *TWO, "--seats", "3"), "a match of coins needs 3 bots, not 2"),
        (("play", "coins", *TWO, "--seats", "99"), "seats, not 99"),
        (("play", "coins", *TWO, "--matches", "2", "--deals", "1"), "exclude each other"),
        (("play", "coins", *TWO, "--bot", "random", "--seats", "2", "--deal", "1"), "3 bots do not fit"),
        (("play", "coins", *TWO, "--clock", "mve=3"), "did you mean move?"),
        (("play", "coins", *TWO, "--clock", "move=-3"), "whole number from 0"),
        (("play", "coins", *TWO, "--limit", "memry=3"), "did you mean memory?"),
        (("play", "coins", *TWO, "--limit", "memory"), "whole number from 0"),
        (("play", "coins", *TWO, "--matches", "0"), "--matches"),
        (("play", "coins", *TWO, "--profile", "kind"), "'strict'"),
        (("serve", "chicago-pokr"), "did you mean chicago-poker or chicago?"),
        (("serve", "coins", "--bind", "here"), "write a port, host:port, or tcp://host:port"),
        (("serve", "coins", "--bind", "99999"), "is no address"),
        (("serve", "coins", "--bind", "http://127.0.0.1:80"), "is no address"),
        (("serve", "coins", "--seats", "99"), "seats, not 99"),
        (("serve", "coins", "--set", "ronds=2"), "did you mean rounds?"),
        (("join", "here", "--", "first"), "is no address"),
        (("join", "7878", "--", "frst"), "did you mean first or rust?"),
        (("join", "7878", "--direct", "--name", "x", "--", "first"), "sends its own name"),
        (("join", "7878", "--name", "\x07", "--", "first"), "printable"),
        (("join", "7878"), "COMMAND"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_bad_input_is_reported_and_nothing_is_started(
    words: tuple[str, ...], told: str, folder: Path
) -> None:
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert told in result.output
    assert not list(folder.iterdir())


def test_a_replay_folder_that_cannot_be_made_is_reported(folder: Path) -> None:
    (folder / "file").touch()
    result = run("play", "coins", *TWO, "--replays", "file/replays")
    assert result.exit_code == 2
    assert "cannot make the folder file/replays for replays: Not a directory" in result.output


def test_samples_run_with_this_python_wherever_they_are_called_from() -> None:
    [first] = read_bots(["first"])
    assert first.name == "first"
    assert first.program.argv == [sys.executable, "-m", "sample_bots.python.first"]
    assert (Path(first.program.env["PYTHONPATH"]) / "sample_bots").is_dir()


def test_the_sample_of_a_language_is_started_or_says_how_it_is_built(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [perl] = read_bots(["perl"])
    assert (perl.name, perl.program.argv[1:]) == ("perl", [f"{languages.HERE}/perl/bot.pl"])
    clone = languages.languages()["c"]
    sample = clone.bot[0]
    unbuilt = msgspec.structs.replace(clone, folder=str(folder))
    monkeypatch.setattr(languages, "samples", lambda: {"c": (unbuilt, sample)})
    with pytest.raises(LaunchError) as told:
        read_program("c")
    build = f"cd {folder} && {sample.build}"
    assert str(told.value) == f"the sample c (C) is not built yet; build it with: {build}"


def test_a_bot_named_twice_gets_two_names() -> None:
    bots = read_bots(["random", "random", "first", "random"])
    assert [bot.name for bot in bots] == ["random", "random-2", "first", "random-3"]


def test_a_python_file_runs_with_this_python(folder: Path) -> None:
    (folder / "my bot.py").touch()
    (folder / "other.py").touch()
    mine, other = read_bots(["my bot.py", "other.py --fast"])
    assert (mine.name, mine.program.argv) == ("my-bot", [sys.executable, "my bot.py"])
    assert (other.name, other.program.argv) == ("other", [sys.executable, "other.py", "--fast"])


def test_a_bot_may_be_given_a_name() -> None:
    [bot] = read_bots(["alice=random"], "zmq", ResourceLimits(memory_mib=7), fresh=True)
    assert (bot.name, bot.transport, bot.fresh, bot.program.limits.memory_mib) == ("alice", "zmq", True, 7)


def test_an_equals_sign_inside_a_command_is_no_name() -> None:
    [bot] = read_bots([f"{sys.executable} bot.py --level=3"])
    assert (bot.name, bot.program.argv[1:]) == ("bot", ["bot.py", "--level=3"])


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["/usr/bin/python3", "bots/mybot.py", "--fast"], "mybot"),
        (["/usr/bin/python3", "-m", "pack.clever"], "clever"),
        (["/usr/bin/python3", "-m", "sample_bots.python.random_bot"], "random"),
        (["/usr/bin/node", "--jitless", "b o t.js"], "b-o-t"),
        (["/home/x/bot", "-v"], "bot"),
        (["/home/x/bot-1.5", "3.7"], "bot-1"),
        (["/home/x/" + "b" * 99], "b" * 56),
        (["/home/x/..."], "bot"),
    ],
)
def test_a_bot_without_a_name_is_called_after_its_file(argv: list[str], name: str) -> None:
    assert name_of(Program(argv, "/", {})) == name


def test_a_command_may_come_as_words() -> None:
    assert read_program(["first"]).argv[1:] == ["-m", "sample_bots.python.first"]
    with pytest.raises(LaunchError, match="there is no program 'first of all'"):
        read_program(["first of all"])


def test_samples_are_completed() -> None:
    found = CliRunner().invoke(
        main,
        env={
            "_REFEREE_COMPLETE": "bash_complete",
            "COMP_WORDS": "referee play coins --bot ra",
            "COMP_CWORD": "4",
        },
        prog_name="referee",
    )
    assert found.output == "plain,random\n"


def test_the_clock_changes_only_what_is_named() -> None:
    profile = profile_of("strict", ClockChanges(move_ms=7, hello_ms=8))
    assert (profile.clock.move_ms, profile.hello_ms) == (7, 8)
    assert profile.clock.bank_ms == PROFILES["strict"].clock.bank_ms
    assert PROFILES["strict"].clock.move_ms != 7


def test_a_setting_goes_before_the_preset() -> None:
    poker = game("chicago-poker")
    name, preset = next((n, p) for n, p in poker.info.presets.items() if "edition" in p)
    assert options_of(poker, name, {}, 2)["edition"] == preset["edition"]
    choices = next(o.choices for o in poker.info.options if o.name == "edition")
    other = next(c for c in choices if c != preset["edition"])
    assert options_of(poker, name, {"edition": other}, 2)["edition"] == other
    with pytest.raises(ConfigError, match=f"did you mean {name}"):
        options_of(poker, name + "x", {}, 2)


def test_numbers_stand_right_in_their_columns(capsys: pytest.CaptureFixture[str]) -> None:
    standing = Standing("a", 10, 7, 0, 3, 7.5, 75.0, 120, {"late": 2, "cpu": 1}, 1_500, 2_300_000, 400, 9_000)
    other = Standing("long name", 1, 0, 0, 1, 0, 0, 1, {}, 0, 0, 0, 0)
    show_table(HEADS, [cells(standing), cells(other)], numbers=NUMBERS, aligned_in_pipes=True)
    heads, first, second = capsys.readouterr().out.splitlines()
    assert heads.startswith("  bot        matches  wins")
    assert (first[:20], second[:20]) == ("  a               10", "  long name        1")
    assert first.endswith("    120  2 late, 1 cpu")
