"""`referee tournament new` and `check`, in process."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee import registry
from referee.cli import main
from referee.cli.commands.tournament import COMMANDS
from tournaments.config.new_file import EXAMPLES
from tournaments.config.plan import load
from tournaments.event_file import plans_of


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["tournament", *map(str, words)], prog_name="referee")


def test_the_help_of_the_group_lists_its_commands() -> None:
    told = run("--help").output
    for name in COMMANDS:
        assert f"\n  {name} " in told


@pytest.mark.parametrize("name", ["new", "check"])
def test_every_command_has_help_with_examples(name: str) -> None:
    assert f"Examples:\n    referee tournament {name}" in run(name, "--help").output


@pytest.mark.parametrize("like", EXAMPLES)
def test_a_new_file_is_good_and_has_a_seed_of_its_own(tmp_path: Path, like: str) -> None:
    seeds = set()
    for name in ("one.toml", "two.toml"):
        written = run("new", tmp_path / name, "--like", like)
        assert written.exit_code == 0, written.output
        assert f"referee tournament check {tmp_path / name}" in written.output
        assert run("check", tmp_path / name).exit_code == 0
        seeds.add(plans_of(tmp_path / name)[0].seed)
    assert len(seeds) == (1 if like == "demo" else 2)


def test_a_new_file_can_be_about_another_game(tmp_path: Path) -> None:
    assert run("new", tmp_path / "x.toml", "--game", "coins").exit_code == 0
    assert load(tmp_path / "x.toml").game == "coins"


@pytest.mark.parametrize("like", [like for like in EXAMPLES if like != "games"])
@pytest.mark.parametrize("game", ["gangsters", "coins"])
def test_all_bots_of_an_example_play_the_game_that_is_named(tmp_path: Path, like: str, game: str) -> None:
    assert run("new", tmp_path / "x.toml", "--like", like, "--game", game).exit_code == 0
    samples = registry.game("chicago-poker").info.samples
    assert not {bot.sample for bot in plans_of(tmp_path / "x.toml")[0].bots} & {one.name for one in samples}


def test_the_example_of_several_games_is_written_without_a_game(tmp_path: Path) -> None:
    refused = run("new", tmp_path / "x.toml", "--like", "games", "--game", "gangsters")
    assert refused.exit_code == 2
    assert "--like games has several games: leave out --game" in refused.output
    assert not (tmp_path / "x.toml").exists()


def test_a_new_file_about_no_game_is_not_written(tmp_path: Path) -> None:
    refused = run("new", tmp_path / "x.toml", "--game", "coinz")
    assert refused.exit_code == 2
    assert not (tmp_path / "x.toml").exists()


def test_no_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("mine")
    refused = run("new", tmp_path / "x.toml")
    assert refused.exit_code == 2
    assert "exists already" in refused.output
    assert (tmp_path / "x.toml").read_text() == "mine"


def test_a_file_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    refused = run("new", tmp_path / "gone" / "x.toml")
    assert refused.exit_code == 2
    assert "cannot write" in refused.output


def write(folder: Path, **terms: str) -> Path:
    said = {"name": '"Spring"', "game": '"coins"', "seed": '"b0b5c1d2e4f6a798"'} | terms
    lines = [f"{key} = {value}" for key, value in said.items()]
    lines += [f'[[bots]]\nname = "{name}"\nsample = "first"' for name in ("ann", "bob", "cleo")]
    path = folder / "spring.toml"
    path.write_text("\n".join(lines))
    return path


def test_check_describes_what_will_be_played_and_writes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, blocks="20", options='{ peek = "no" }')
    told = run("check", path)
    assert told.exit_code == 0
    for line in (
        f"{path} is fine.",
        "  tournament  Spring",
        "  game        coins, 2 seats, peek=no",
        "  format      round-robin, 20 deals each, in 2 rotations",
        "  deals       every group has its own",
        "  balance     every two bots meet 40 times; every bot sits in every seat equally often",
        "  profile     strict, the first fault loses the match",
        f"  store       {tmp_path / 'spring.sqlite'}",
    ):
        assert line in told.output.splitlines()
    assert "  matches     120, " in told.output
    assert "note:" not in told.output
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"format": '"gauntlet"', "hero": '"bob"'}, "bob and each other bot meet 20 times;"),
        ({"format": '"gauntlet"', "hero": '"bob"'}, "gauntlet of bob, 10 deals"),
        ({"format": '"swiss"', "rounds": "1"}, "swiss of 1 round, 10 deals"),
        ({"format": '"swiss"'}, "results decide which bots meet"),
        ({"format": '"knockout"'}, "40, and more to break ties"),
        ({"seats": "3", "groups": '"few"', "common_deals": "true"}, "round-robin of few groups, 10 deals"),
        ({"common_deals": "true"}, "the same in every group"),
        ({"profile": '"classroom"'}, "classroom, fault 3 loses the match"),
        ({"blocks": "2"}, "note: a bot plays 4 blocks"),
        ({"blocks": "1", "seats": "3"}, "note: a bot plays 1 block:"),
        ({"seed": "7"}, "note: the seed is short"),
    ],
)
def test_check_describes_the_format(tmp_path: Path, terms: dict[str, str], said: str) -> None:
    assert said in run("check", write(tmp_path, **terms)).output


def test_a_knockout_has_no_precision_to_wish_and_a_pilot_measures_its_time(tmp_path: Path) -> None:
    path = write(tmp_path, format='"knockout"')
    refused = run("check", path, "--precision", "20")
    assert (refused.exit_code, "--precision: the errors of a knockout" in refused.output) == (2, True)
    told = run("check", path, "--pilot", "4").output
    assert "errors      those of a knockout are not foretold" in told
    assert " here, " in told


def test_check_reports_an_uneven_choice_of_groups(tmp_path: Path) -> None:
    path = write(tmp_path, blocks="1", seats="4", groups='"few"')
    with path.open("a") as file:
        file.write("".join(f'\n[[bots]]\nname = "{n}"\nsample = "first"' for n in range(11)))
    assert "every two bots meet 8 to 12 times (not even)" in run("check", path).output


def test_check_can_answer_in_json(tmp_path: Path) -> None:
    told = json.loads(run("check", write(tmp_path), "--json").output)
    assert (told["matches"], told["seats"], told["rounds"]) == (60, 2, None)
    assert told["balance"] == {"even": True, "meetings": [2, 2], "seating": 0}
    assert [bot["name"] for bot in told["bots"]] == ["ann", "bob", "cleo"]
    assert told["seconds"]["quick"] < told["seconds"]["longest"]
    assert "0123456789" not in json.dumps(told)


def test_check_explains_mistakes_with_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path, blocks='"20"', formt='"swiss"')
    told = run("check", path)
    assert told.exit_code == 2
    assert f"{path}:4: blocks: is a whole number" in told.output
    assert f"{path}:5: formt: there is no such key here: did you mean format?" in told.output


def test_check_finds_a_bot_that_cannot_be_started(tmp_path: Path) -> None:
    path = write(tmp_path)
    with path.open("a") as file:
        file.write('\n[[bots]]\nname = "dora"\ncommand = "./gone"\n')
    told = run("check", path)
    assert told.exit_code == 2
    assert f"{path}:15: bots 4, command: dora: cannot start './gone'" in told.output


def test_a_precision_that_cannot_be_is_refused(tmp_path: Path) -> None:
    run("new", tmp_path / "x.toml")
    refused = run("check", tmp_path / "x.toml", "--precision", "-5")
    assert refused.exit_code == 2
    assert "--precision is a number of Elo points above 0" in refused.output
