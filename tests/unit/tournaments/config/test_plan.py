"""The tournament file: what it means, and what is said of a wrong one."""

import os
import re
import sys
from pathlib import Path

import pytest

from referee import registry
from referee.errors import ConfigError, LaunchError
from referee.match.faults import PROFILES
from tests.unit.test_layout import ROOT
from tournaments.config.file_keys import BotEntry, GameEntry, StageEntry, TournamentFile
from tournaments.config.host_share import division_of
from tournaments.config.mistakes import PlanError
from tournaments.config.plan import Plan, check_bots, load
from tournaments.config.terms import ClockChanges, LimitChanges
from tournaments.event_file import event_at

EXAMPLES = sorted((ROOT / "tournaments" / "examples").rglob("*.toml"))

TOP = 'game = "coins"\nseed = "s"\n'
BOTS = '[[bots]]\nname = "a"\nsample = "first"\n[[bots]]\nname = "b"\nsample = "random"\n'


def read(folder: Path, text: str) -> Plan:
    path = folder / "spring.toml"
    path.write_text(text)
    return load(path)


def mistakes(folder: Path, text: str) -> list[str]:
    """Return what is said of a wrong file, without its path."""
    with pytest.raises(PlanError) as caught:
        read(folder, text)
    prefix = f"{folder / 'spring.toml'}:"
    lines = str(caught.value).splitlines()
    assert all(line.startswith(prefix) for line in lines)
    return [line.removeprefix(prefix) for line in lines]


# What a file means.


def test_three_keys_are_enough(tmp_path: Path) -> None:
    plan = read(tmp_path, TOP + BOTS)
    assert (plan.name, plan.game, plan.seed) == ("spring", "coins", "s")
    assert (plan.format, plan.blocks, plan.seats, plan.groups) == ("round-robin", 10, 2, "all")
    assert plan.names == ("a", "b")
    assert plan.profile == PROFILES["strict"]
    assert plan.options == registry.game("coins").resolve({}, 2)
    assert plan.store == tmp_path / "spring.sqlite"
    assert plan.replays == tmp_path / "spring-replays"
    # Both seats of Coins choose at once.
    assert division_of(plan).jobs == max(1, len(os.sched_getaffinity(0)) // 2)


def test_a_number_is_a_seed_too(tmp_path: Path) -> None:
    assert read(tmp_path, 'game = "coins"\nseed = 7\n' + BOTS).seed == "7"


def test_the_clock_changes_the_profile(tmp_path: Path) -> None:
    text = TOP + 'profile = "classroom"\n[clock]\nmove_ms = 70\nhello_ms = 80\n' + BOTS
    profile = read(tmp_path, text).profile
    assert (profile.name, profile.strikes) == ("classroom", 3)
    assert (profile.clock.move_ms, profile.hello_ms) == (70, 80)
    assert profile.clock.bank_ms == PROFILES["classroom"].clock.bank_ms


def test_options_go_before_the_preset(tmp_path: Path) -> None:
    text = 'game = "chicago-poker"\nseed = "s"\npreset = "classic"\n[options]\nedition = "fr"\n' + BOTS
    assert read(tmp_path, text).options["edition"] == "fr"


def test_the_limits_of_a_bot_go_before_those_of_all(tmp_path: Path) -> None:
    text = TOP + "[limits]\nmemory_mib = 5\ncpu_s = 6\n" + BOTS + "[bots.limits]\ncpu_s = 7\n"
    a, b = read(tmp_path, text).bots
    assert (a.limits.memory_mib, a.limits.cpu_s) == (5, 6)
    assert (b.limits.memory_mib, b.limits.cpu_s) == (5, 7)


@pytest.mark.parametrize(("bots", "rounds"), [(2, 1), (4, 2), (5, 3), (16, 4)])
def test_a_swiss_tournament_has_rounds_enough_for_one_winner(tmp_path: Path, bots: int, rounds: int) -> None:
    entries = "".join(f'[[bots]]\nname = "{n}"\nsample = "first"\n' for n in range(bots))
    assert read(tmp_path, TOP + 'format = "swiss"\n' + entries).rounds == rounds


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    (tmp_path / "mine").mkdir()
    text = TOP + 'store = "out/r.db"\nreplays = "out/r"\n' + BOTS + 'folder = "mine"\n'
    plan = read(tmp_path, text)
    assert (plan.store, plan.replays) == (tmp_path / "out" / "r.db", tmp_path / "out" / "r")
    assert plan.bots[1].spec().program.folder == str(tmp_path / "mine")


def test_the_seed_is_not_printed(tmp_path: Path) -> None:
    assert "s3cret" not in repr(read(tmp_path, 'game = "coins"\nseed = "s3cret"\n' + BOTS))


# Bots.


def bot(folder: Path, keys: str) -> list[str]:
    """Return the command of a bot with these keys."""
    plan = read(folder, f'{TOP}{BOTS}[[bots]]\nname = "c"\n{keys}\n')
    return plan.bots[2].spec().program.argv


def test_a_sample_runs_with_our_python(tmp_path: Path) -> None:
    argv = bot(tmp_path, 'sample = "first"')
    assert argv[1:] == ["-m", "sample_bots.python.first"]


@pytest.mark.parametrize("command", ['"bot.py --fast"', '["bot.py", "--fast"]'])
def test_a_python_file_needs_no_interpreter(tmp_path: Path, command: str) -> None:
    (tmp_path / "bot.py").write_text("")
    assert bot(tmp_path, f"command = {command}") == [sys.executable, "bot.py", "--fast"]


def test_the_ending_of_a_python_file_may_have_capitals(tmp_path: Path) -> None:
    (tmp_path / "BOT.PY").write_text("")
    assert bot(tmp_path, 'command = "BOT.PY"') == [sys.executable, "BOT.PY"]


def test_a_command_is_split_as_a_shell_would(tmp_path: Path) -> None:
    assert bot(tmp_path, "command = \"sh -c 'exit 3'\"")[1:] == ["-c", "exit 3"]


def test_environment_and_transport_reach_the_bot(tmp_path: Path) -> None:
    plan = read(tmp_path, TOP + "fresh = true\n" + BOTS + 'transport = "stdio"\nenv = { LEVEL = "3" }\n')
    spec = plan.bots[1].spec()
    assert (spec.name, spec.transport, spec.fresh) == ("b", "stdio", True)
    assert spec.program.env["LEVEL"] == "3"


def test_a_file_can_be_read_where_its_bots_are_not(tmp_path: Path) -> None:
    text = f'{TOP}{BOTS}[[bots]]\nname = "c"\ncommand = "./gone"\n[[bots]]\nname = "d"\ncommand = "sh \'"\n'
    plan = read(tmp_path, text)
    with pytest.raises(LaunchError, match=r"there is no program '\./gone'"):
        plan.bots[2].spec()
    with pytest.raises(PlanError) as caught:
        check_bots(plan)
    assert [line.split(": ")[:3] for line in str(caught.value).splitlines()] == [
        [f"{plan.file}:11", "bots 3, command", "c"],
        [f"{plan.file}:14", "bots 4, command", "d"],
    ]


# Mistakes.


WRONG_KEYS = [
    ("profil = 3", "3: profil: there is no such key here: did you mean profile?"),
    ('blocks = "3"', '3: blocks: is a whole number from 1 to 100000, not "3"'),
    ("blocks = 0", "3: blocks: is a whole number from 1 to 100000, not 0"),
    ("blocks = true", "3: blocks: is a whole number from 1 to 100000, not true"),
    ('format = "robin"', '3: format: cannot be "robin": did you mean round-robin?'),
    ("format = 3", "3: format: is one of round-robin, gauntlet, swiss, knockout, not 3"),
    (
        'accept_gaps = "cpu"',
        '3: accept_gaps: is a list in brackets, and each of it a text in quotes, not "cpu"',
    ),
    ("aliases = 1", "3: aliases: is true or false, not 1"),
    ("\n[clock]\nmove = 3", "5: clock.move: there is no such key here: did you mean move_ms?"),
    ("clock = 3", "3: clock: is a section: [clock] with keys below it, not 3"),
    ("options = 3", "3: options: is a section: [options] with keys below it, not 3"),
    ("[options]\npeek = true", "4: options.peek: is a text in quotes or a whole number, not true"),
    ("[options]\npeak = 3", "4: options.peak: coins has no option 'peak': did you mean peek?"),
    ('[options]\npeek = "x"', "4: options.peek: option peek cannot be 'x': choose one of: no, yes"),
    ('preset = "x"', "3: preset: coins has no preset 'x': choose one of: short"),
    ("seats = 9", "3: seats: coins has 2 to 4 seats, not 9"),
    ("seats = 3", "4: bots: 3 bots play in a match, but there are only 2"),
    (
        "rounds = 9",
        '3: rounds: belongs to format = "swiss", not to round-robin; for more deals, raise blocks',
    ),
    ('hero = "a"', '3: hero: belongs to format = "gauntlet", not to round-robin'),
    ('format = "gauntlet"', " hero: is missing: a gauntlet needs the name of the bot that meets all others"),
    ('format = "swiss"\ngroups = "few"', "4: groups: belongs to round-robin and gauntlet, not to swiss"),
    (
        'format = "swiss"\norder = "points"',
        "4: order: belongs to round-robin and gauntlet: a swiss is ordered by its points, then by Buchholz, "
        "wins and rating",
    ),
    (
        'format = "knockout"\norder = "rating"',
        "4: order: belongs to round-robin and gauntlet: a knockout is ordered by the rounds that bots reach",
    ),
    ('format = "knockout"\npools = 2', '4: pools: belongs to format = "round-robin", not to knockout'),
    (
        "pools = 2",
        "3: pools: 2 bots in 2 pools: some pool has fewer bots than the 2 seats of a match; take 1 at most",
    ),
    ("third_place = true", '3: third_place: belongs to format = "knockout", not to round-robin'),
    ('anchor = "aa"', "3: anchor: no bot is called 'aa': did you mean a?"),
    (
        "jobs = 3\njobs = 4",
        '4: this is no TOML: the same key is set twice (texts need quotes: name = "my bot")',
    ),
]

WRONG_BOTS = [
    (
        "seats = 2",
        "12: bots 3, seats: there is no such key here: it belongs above the first line in [brackets]",
    ),
    ('comand = "x"', "12: bots 3, comand: there is no such key here: did you mean command?"),
    ('command = "x"', '9: bots 3: c needs either sample = "..." or command = "...", and not both'),
    ("command = []", "12: bots 3, command: is a text in quotes, not empty or a list of words, not []"),
    ("env = { A = 3 }", "12: bots 3, env.A: is a text in quotes, not 3"),
    ("[bots.env]\nA = 3", "13: bots 3, env.A: is a text in quotes, not 3"),
    ("limits.memory = 3", "12: bots 3, limits.memory: there is no such key here: did you mean memory_mib?"),
    (
        'authors = "Ann"',
        "12: bots 3, authors: is a list in brackets, and each of it a text of 1 to 200 characters without "
        'spaces at its ends, not "Ann"',
    ),
    ('transport = "tcp"', '12: bots 3, transport: cannot be "tcp": choose one of: auto, stdio, zmq'),
    ('[[bots]]\nname = "a"\nsample = "first"', "13: bots 4, name: two bots are called a: names must differ"),
    ('[[bots]]\nname = "d"', '12: bots 4: d needs either sample = "..." or command = "...", and not both'),
    (
        '[[bots]]\nname = "d"\nsample = "rando"',
        "14: bots 4, sample: there is no sample 'rando': did you mean random?",
    ),
    (
        '[[bots]]\nname = " d"\nsample = "first"',
        '13: bots 4, name: is a text of 1 to 64 characters without spaces at its ends, not " d"',
    ),
]


@pytest.mark.parametrize(("keys", "said"), WRONG_KEYS, ids=[keys for keys, _ in WRONG_KEYS])
def test_a_mistake_is_reported_with_line_key_and_the_valid_values(
    tmp_path: Path, keys: str, said: str
) -> None:
    assert mistakes(tmp_path, f"{TOP}{keys}\n{BOTS}") == [said]


@pytest.mark.parametrize(("keys", "said"), WRONG_BOTS, ids=[keys for keys, _ in WRONG_BOTS])
def test_a_mistake_about_a_bot_names_its_entry(tmp_path: Path, keys: str, said: str) -> None:
    text = f'{TOP}{BOTS}[[bots]]\nname = "c"\nsample = "first"\n{keys}\n'
    assert mistakes(tmp_path, text) == [said]


def test_bots_are_a_list(tmp_path: Path) -> None:
    said = "3: bots: is a list of entries, each below a line of its own like [[bots]], not 3"
    assert mistakes(tmp_path, TOP + "bots = 3\n") == [said]
    assert mistakes(tmp_path, TOP) == [
        " bots: is missing: it is a list of entries, each below a line of its own like [[bots]]"
    ]


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    said = mistakes(tmp_path, 'gane = "coins"\nblocks = "3"\n' + BOTS)
    assert [line.split(": ")[0].strip() for line in said] == ["game", "seed", "1", "2"]
    assert said[1].endswith("seed: is missing: it is a text in quotes or a whole number")


def test_an_unknown_game_is_reported_with_its_line(tmp_path: Path) -> None:
    [said] = mistakes(tmp_path, 'game = "coinz"\nseed = 1\n' + BOTS)
    assert said.startswith("1: game: there is no game 'coinz': did you mean coins")


def test_a_tournament_without_end_is_refused(tmp_path: Path) -> None:
    entries = "".join(f'[[bots]]\nname = "{n}"\nsample = "first"\n' for n in range(60))
    [said] = mistakes(tmp_path, TOP + "seats = 4\n" + entries)
    assert said.endswith('over 1,000,000: take fewer blocks, or groups = "few"')
    assert len(read(tmp_path, TOP + 'seats = 4\ngroups = "few"\n' + entries).bots) == 60


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "[" * 3_000, " this is no tournament file: it holds values nested too deeply"),
        ("x = " + "9" * 5_000, " this is no tournament file: it holds a number of thousands of digits"),
        (f"{TOP}blocks = 0x{'f' * 5_000}\n{BOTS}", "3: blocks: is a number far too large"),
        (
            f"{TOP}hero = [0x{'f' * 5_000}]\n{BOTS}",
            "3: hero: is a text in quotes, not empty, not a number of",
        ),
        (f"{TOP}{BOTS}[options]\nrounds = 0x{'f' * 5_000}", "10: options.rounds: is a number far too large"),
        (f'{TOP}store = "a\\u0000b"\n{BOTS}', r"3: store: cannot be the path 'a\x00b': embedded null byte"),
        (f'{TOP}{BOTS}folder = "\\u0000"', r"9: bots 2, folder: cannot be the path '\x00': embedded null"),
        (f'{TOP}replays = "ring/x"\n{BOTS}', "3: replays: cannot be the path 'ring/x': Symlink loop"),
    ],
    ids=["nesting", "digits", "number", "number in a list", "option", "store", "folder", "circle"],
)
def test_what_no_value_can_be_is_a_mistake_too(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "ring").symlink_to("ring")
    [told] = mistakes(tmp_path, text)
    assert told.startswith(said)


@pytest.mark.parametrize("content", [b"\xff\xfe", None], ids=["no text", "no file"])
def test_a_file_that_cannot_be_read_is_a_mistake_too(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "spring.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=f"cannot read {path}"):
        load(path)


# Examples and documents.


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_a_good_file(path: Path) -> None:
    check_bots(event_at(path).plans[0])


def test_the_example_that_explains_all_names_all_keys() -> None:
    text = (ROOT / "tournaments" / "examples" / "new.toml").read_text()
    kinds = (TournamentFile, BotEntry, GameEntry, StageEntry)
    for key in (key for kind in kinds for key in kind.__struct_fields__):
        assert f"{key} = " in text or f"[{key}]" in text, key


def test_the_example_that_explains_all_can_be_used_with_what_it_leaves_out(tmp_path: Path) -> None:
    text = (ROOT / "tournaments" / "examples" / "new.toml").read_text()
    for key in ("hero", "rounds", "anchor", "preset", "pools", "third_place"):
        # These belong to other formats, or name bots and presets of their own.
        text = text.replace(f"# {key} = ", f"## {key} = ")
    everything = re.sub(r"^# (?=[a-z_]+ = |\[)", "", text, flags=re.MULTILINE)
    (tmp_path / "bots" / "mine").mkdir(parents=True)
    plan = read(tmp_path, everything)
    assert (plan.groups, plan.common_deals, plan.aliases, plan.fresh, plan.asked_jobs) == (
        "few",
        True,
        True,
        True,
        2,
    )
    assert (plan.options["edition"], plan.profile.clock.move_ms) == ("fr", 500)
    assert plan.names == ("first", "random", "mine")
    assert (plan.bots[2].limits.memory_mib, plan.bots[2].limits.cpu_s) == (512, 60)


def test_the_document_explains_every_key() -> None:
    text = (ROOT / "docs" / "tournament-file.md").read_text()
    tables = (TournamentFile, BotEntry, GameEntry, StageEntry, ClockChanges, LimitChanges)
    for key in (key for table in tables for key in table.__struct_fields__):
        assert f"`{key}`" in text or f"`[{key}]`" in text, key


def test_a_command_and_its_folder_may_be_long(tmp_path: Path) -> None:
    long = "x" * 3_000
    bot = (
        f'[[bots]]\nname = "a"\ncommand = "{sys.executable} {long}"\n[[bots]]\nname = "b"\nsample = "first"\n'
    )
    assert read(tmp_path, TOP + bot).bots[0].command == f"{sys.executable} {long}"
