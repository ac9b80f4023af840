"""The commands that need no hub, in process."""

import json
import shlex
import shutil
from pathlib import Path

import click
import msgspec
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

import referee
from referee import registry
from referee.cli import COMMANDS, main
from referee.cli.options.games import game_argument, set_option
from referee.match.faults import FaultCode
from referee.replay import files
from referee.replay.dossier import Dossier, Said, SeatDossier, dossier_bytes
from sample_bots.catalog import program_of
from tests.unit.referee.replay.played import ABOUT, SimulatedMatch


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], prog_name="referee")


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """Return the folder of a match in which seat 1 crashed at its first decision."""
    simulated = SimulatedMatch("why", match="m-7", options={"rounds": 2}).ready()
    simulated.answer(0, simulated.pick(0))
    simulated.fail(1, FaultCode.CRASHED)
    about = msgspec.structs.replace(ABOUT, bots=("./ada", "./bo --fast"))
    files.write(tmp_path / "m-7.jsonl", simulated.lines(about))
    said = (Said(3, "to", "ask id=1 legal=show"), Said(9, "from", "act id=1\x1b[2J"))
    seats = (
        SeatDossier("Ada", "./ada"),
        SeatDossier(
            "Bo", "./bo --fast", "exit code 3", "crashed", "exit code 3", "a\nIndexError\n", 99, said
        ),
    )
    dossier = Dossier("m-7", "coins", "m-7.jsonl", seats)
    (tmp_path / "m-7.dossier.json").write_bytes(dossier_bytes(dossier))
    return tmp_path


# The group.


def test_help_lists_the_commands_and_the_exit_codes() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in result.output
    assert "Exit codes:" in result.output
    assert "130  interrupted" in result.output


@pytest.mark.parametrize(
    "words", [*([name] for name in COMMANDS), ["replay", "show"], ["replay", "verify"]], ids=" ".join
)
def test_every_command_has_help_with_examples(words: list[str]) -> None:
    result = run(*words, "--help")
    assert result.exit_code == 0
    if words != ["replay"]:
        assert f"Examples:\n    referee {' '.join(words)}" in result.output


@pytest.mark.parametrize(
    ("words", "hint"),
    [(["paly"], "'paly': did you mean play"), (["tournament", "verfy"], "'verfy': did you mean verify")],
)
def test_an_unknown_command_is_bad_input_with_a_hint(words: list[str], hint: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.output.startswith(f"referee: there is no command {hint}")


def test_the_version_is_printed() -> None:
    assert run("--version").output == f"referee {referee.version()}\n"


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [(KeyboardInterrupt(), 130, "interrupted"), (ZeroDivisionError("oh"), 70, "ZeroDivisionError: oh")],
)
def test_every_exception_becomes_one_line(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(registry, "games", fail)
    result = run("games")
    assert result.exit_code == code
    assert result.stderr.startswith("referee: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_error_of_ours_shows_where_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(registry, "games", fail)
    monkeypatch.setenv("REFEREE_DEBUG", "1")
    assert isinstance(run("games").exception, ZeroDivisionError)


# Games.


def test_games_are_listed_one_a_line_for_a_pipe() -> None:
    rows = [line.split("\t") for line in run("games").output.splitlines()]
    assert [row[0] for row in rows] == registry.ids()
    assert ["coins", "Coins", "2-4", "hand, rounds, peek"] in rows


def test_games_are_listed_as_json() -> None:
    found = {info["id"]: info for info in json.loads(run("games", "--json").output)}
    assert found["coins"]["options"][0]["default"] == 3
    assert json.loads(run("games", "coins", "--json").output) == found["coins"]


def test_one_game_is_shown_with_options_and_presets() -> None:
    output = run("games", "coins").output
    assert "rounds  4        1..6    rounds of a match" in output
    assert "short  rounds=2" in output


def test_a_wrong_game_is_bad_input_with_a_hint() -> None:
    result = run("games", "coin")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "referee: there is no game 'coin': did you mean coins?\n"


def test_rules_are_printed_as_they_are_for_a_pipe() -> None:
    assert run("rules", "coins").output == registry.rules(registry.game("coins"))


# Replays.


def test_a_good_replay_is_verified(crashed: Path) -> None:
    result = run("replay", "verify", crashed / "m-7.jsonl")
    assert result.exit_code == 0
    assert result.output.startswith("OK  ")


def test_one_bad_replay_among_good_ones_is_named(crashed: Path) -> None:
    bad = crashed / "bad.jsonl"
    bad.write_bytes((crashed / "m-7.jsonl").read_bytes().replace(b'"coins"', b'"Coins"', 1))
    result = run("replay", "verify", crashed / "m-7.jsonl", bad, "--json")
    assert result.exit_code == 1
    good, wrong = map(json.loads, result.output.splitlines())
    assert good["ok"]
    assert len(good["play"]) == 64
    assert not wrong["ok"]
    assert "bad.jsonl, line" in wrong["reason"]
    assert run("replay", "verify", bad).output.startswith("not OK  ")


def test_a_missing_replay_is_bad_input(tmp_path: Path) -> None:
    assert run("replay", "verify", tmp_path / "none.jsonl").exit_code == 2


def test_a_broken_replay_is_not_shown(crashed: Path) -> None:
    path = crashed / "m-7.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    result = run("replay", "show", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "cut short" in result.stderr


def test_a_replay_is_shown_to_the_end(crashed: Path) -> None:
    output = run("replay", "show", crashed / "m-7.jsonl").output
    assert output.startswith("Coins, match m-7, 2026-03-04 05:06\noptions: rounds=2; profile test\n")
    assert "! Bo ended its process in mid-match, and lost its match: exit code 3" in output
    assert "Result: forfeit" in output


def test_the_result_shows_the_time_used_beside_the_time_charged_to_the_referee_alone(crashed: Path) -> None:
    def heads(who: str) -> list[str]:
        output = run("replay", "show", crashed / "m-7.jsonl", "--as", who).output
        (line,) = [line for line in output.splitlines() if line.split()[:2] == ["rank", "name"]]
        return line.split()

    assert heads("referee") == [
        "rank",
        "name",
        "score",
        "used",
        "charged",
        "median",
        "answer",
        "slowest",
        "fault",
    ]
    assert heads("public") == heads("Bo") == ["rank", "name", "score", "fault"]


def test_a_replay_is_shown_as_json(crashed: Path) -> None:
    for who in ("referee", "public", "0", "Bo"):
        lines = run("replay", "show", crashed / "m-7.jsonl", "--as", who, "--json").output.splitlines()
        kinds = [json.loads(line)["type"] for line in lines]
        assert (kinds[0], kinds[-1], set(kinds[1:-1])) == ("header", "result", {"moment"})
        for measured in ("charged_ms", "took_us", "median_us", "slowest_us"):
            assert (measured in lines[-1]) == (who == "referee")


# Why.


def test_why_prints_fault_process_messages_and_stderr(crashed: Path) -> None:
    result = run("why", "m-7", "--replays", crashed)
    assert result.exit_code == 0
    for text in (
        "Bo (seat 1) ended its process in mid-match at its decision 1. That lost it the match.",
        "crashed: exit code 3",
        "What to do: look at the end of its stderr, and start it by hand as its command says.",
        "Its clock, the last 1 of 1 decision:",
        "Its command: ./bo --fast",
        "Its process: exit code 3",
        "3 ms -> ask id=1 legal=show",
        "9 ms <- act id=1\\x1b[2J",
        "The end of its stderr (99 bytes before it were not kept):\n    a\n    IndexError",
        "referee play coins --bot Ada=./ada --bot 'Bo=./bo --fast' --seed why --deal 7 --profile test"
        " --clock ready=50 --clock first=30 --clock move=20 --clock bank=40 --clock grace=5 --set rounds=2",
    ):
        assert text in result.output
    assert "Ada (seat 0)" not in result.output
    # It answered nothing, so no answer was the slowest.
    assert "The slowest" not in result.output


@pytest.mark.parametrize("name", ["m-7.jsonl", "m-7.dossier.json"])
def test_why_takes_the_path_of_a_file(crashed: Path, name: str) -> None:
    assert run("why", crashed / name).output == run("why", "m-7", "--replays", crashed).output


def test_why_makes_do_with_the_dossier(crashed: Path) -> None:
    (crashed / "m-7.jsonl").unlink()
    result = run("why", "m-7", "--replays", crashed)
    assert "there is no replay" in result.output
    assert "Bo (seat 1) ended its process in mid-match." in result.output
    assert "What to do: look at the end of its stderr" in result.output


def test_why_says_so_if_no_bot_failed(tmp_path: Path) -> None:
    SimulatedMatch(match="m-8").ready().play_out().save(tmp_path / "m-8.jsonl.gz", compress=True)
    output = run("why", "m-8", "--replays", tmp_path).output
    assert "No bot made a fault in this match." in output
    assert "Result: most coins" in output


@pytest.mark.parametrize(("match", "hint"), [("m-77", "did you mean m-7?"), ("zebra", "it has 1 other file")])
def test_why_names_the_nearest_matches(crashed: Path, match: str, hint: str) -> None:
    result = run("why", match, "--replays", crashed)
    assert result.exit_code == 2
    assert hint in result.stderr


@pytest.fixture
def elsewhere(
    crashed: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Return a working folder in which the crashed match is two folders down."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "replays").mkdir()
    (folder / "spring").mkdir()
    shutil.copytree(crashed, folder / "spring" / "spring-replays")
    monkeypatch.chdir(folder)
    return folder


def test_why_looks_in_the_folders_below(elsewhere: Path) -> None:
    result = run("why", "m-7")
    assert result.exit_code == 0, result.stderr
    assert "The end of its stderr" in result.output


def test_why_does_not_choose_among_folders_with_the_same_match(elsewhere: Path) -> None:
    shutil.copytree(elsewhere / "spring" / "spring-replays", elsewhere / "other")
    result = run("why", "m-7")
    assert result.exit_code == 2
    assert "match m-7 is in several folders: other, spring/spring-replays" in result.stderr
    assert "--replays" in result.stderr
    assert run("why", "m-7", "--replays", "other").exit_code == 0


def test_why_names_the_nearest_match_of_the_folders_below(elsewhere: Path) -> None:
    result = run("why", "m-8")
    assert result.exit_code == 2
    assert "m-7" in result.stderr


def test_why_needs_no_folder_called_replays(elsewhere: Path) -> None:
    (elsewhere / "replays").rmdir()
    assert run("why", "m-7").exit_code == 0
    result = run("why", "zzzzzz")
    assert result.exit_code == 2
    assert "--replays" in result.stderr


def again(output: str) -> list[str]:
    """Return the words of the command to try again."""
    return shlex.split(output.partition("To try again:\n")[2])


def test_why_tries_again_in_the_folder_and_at_the_level_of_the_match(
    crashed: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    mine, other = tmp_path_factory.mktemp("mine"), tmp_path_factory.mktemp("other")
    (other / "ada").touch()
    path = crashed / "m-7.dossier.json"
    dossier = json.loads(path.read_bytes())
    level, limits = "class", {"memory_mib": 64}
    dossier["seats"][0] |= {"folder": str(other), "level": level, "limits": limits}
    dossier["seats"][1] |= {"folder": str(mine), "level": level, "limits": limits}
    path.write_text(json.dumps(dossier))
    words = again(run("why", "m-7", "--replays", crashed).output)
    assert words[:5] == ["cd", str(mine), "&&", "referee", "play"]
    bots = [words[at + 1] for at, word in enumerate(words) if word == "--bot"]
    assert bots == [f"Ada={other}/ada", "Bo=./bo --fast"]
    assert words[words.index("--level") + 1] == "class"
    assert words[words.index("--limit") + 1] == "memory=64"


def test_why_tries_again_with_the_names_of_samples(crashed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(crashed)
    path = crashed / "m-7.dossier.json"
    dossier = json.loads(path.read_bytes())
    for seat, name in zip(dossier["seats"], ("random", "first"), strict=True):
        seat |= {"command": shlex.join(program_of(name).command), "folder": str(crashed), "level": "trusted"}
    path.write_text(json.dumps(dossier))
    words = again(run("why", "m-7", "--replays", crashed).output)
    assert words[:3] == ["referee", "play", "coins"]
    assert [words[at + 1] for at, word in enumerate(words) if word == "--bot"] == ["Ada=random", "Bo=first"]
    assert "--level" not in words


def test_why_names_a_missing_folder(tmp_path: Path) -> None:
    result = run("why", "m-1", "--replays", tmp_path / "none")
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr


# Completion.


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_says_how_to_install_it(shell: str) -> None:
    output = run("completion", shell).output
    assert f"# To install: referee completion {shell} > " in output
    assert "_REFEREE_COMPLETE" in output
    assert output.startswith("#compdef referee\n" if shell == "zsh" else "# To install")


def complete(command: click.Command, words: list[str], incomplete: str) -> list[str]:
    items = ShellComplete(command, {}, "referee", "_REFEREE_COMPLETE").get_completions(words, incomplete)
    return [str(item.value) for item in items]


def test_commands_and_games_complete() -> None:
    assert complete(main, [], "ga") == ["games"]
    assert complete(main, ["rules"], "coi") == ["coins"]


@pytest.fixture
def settings() -> click.Command:
    """Return a command as `referee play` will be one."""

    @click.command()
    @game_argument()
    @set_option()
    def command(game: object, settings: dict[str, str]) -> None:
        click.echo(settings)

    return command


def test_options_and_their_values_complete(settings: click.Command) -> None:
    assert complete(settings, ["coins", "--set"], "") == ["hand=", "rounds=", "peek="]
    assert complete(settings, ["coins", "--set"], "peek=") == ["peek=yes", "peek=no"]
    assert complete(settings, ["coins", "--set"], "hand=") == ["hand=1", "hand=2", "hand=3", "hand=4"]
    assert complete(settings, ["no-such-game", "--set"], "") == []


def test_settings_are_read(settings: click.Command) -> None:
    result = CliRunner().invoke(settings, ["coins", "--set", "hand=2", "--set", "peek=no"])
    assert result.output == "{'hand': '2', 'peek': 'no'}\n"


@pytest.mark.parametrize(
    ("words", "reason"), [(["hand"], "NAME=VALUE, not 'hand'"), (["hand=1", "hand=2"], "set twice")]
)
def test_wrong_settings_are_refused(settings: click.Command, words: list[str], reason: str) -> None:
    result = CliRunner().invoke(settings, ["coins", *(part for word in words for part in ("--set", word))])
    assert reason in str(result.exception)
