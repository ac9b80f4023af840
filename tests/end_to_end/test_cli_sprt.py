"""Regression tests of bots: `referee sprt`, `referee at` and `referee positions`, with real bots."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.cli import main
from referee.match.result import Acted
from referee.replay import files, playback
from referee.replay.ledger import ledger
from referee.replay.position import recorded
from tests.end_to_end.commands import Workspace, workspace_in
from tests.unit.referee.replay.played import SimulatedMatch

LAST = """
from protocol.client import run
run(lambda view, legal: legal[-1])
"""

ILLEGAL = """
from protocol.client import run
run(lambda view, legal: "bluff")
"""

CRASH = """
import sys
from protocol.client import run
run(lambda view, legal: sys.exit("no idea"))
"""

MEMORY = """
from protocol.client import Bot, run
class Memory(Bot):
    def see(self, events):
        with open("told", "a") as file:
            file.write(" ".join(event["event"] for event in events) + chr(10))
    def choose(self, view, legal):
        return legal[0]
run(Memory)
"""

TARDY = """
import json, os, sys
def send(**message):
    print(json.dumps(message), flush=True)
token = os.environ.get("REFEREE_TOKEN")
send(type="hello", protocol=[1], name="tardy", wants=["legal"], token=token)
ask = None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        send(type="ready", match=message["match"])
    elif message["type"] == "ask":
        ask = message
        print("hm", flush=True)
    elif message["type"] == "bye":
        send(type="act", match=ask["match"], id=ask["id"], action=ask["legal"][0])
        break
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


# Is it better?


def test_a_quiet_test_still_reports_that_a_bot_lost_by_faults(workspace: Workspace) -> None:
    workspace.write("crash.py", CRASH)
    ended = workspace.run("sprt", "crash.py", "first", *SPRT, "--max-blocks", "4", "--quiet")
    assert ended.out.count("\n") == 1
    assert re.search(r"crash lost by faults: \d+ crashed, every match it played", ended.err)
    assert "--replays" in ended.err
    assert "first lost" not in ended.err


SPRT = ("--game", "coins", "--elo1", "60", "--seed", "7")


def test_a_better_bot_exits_with_0_and_the_same_seed_gives_the_same_answer(workspace: Workspace) -> None:
    ended = workspace.run("sprt", "random", "first", *SPRT, "--junit", "out.xml")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("random is better than first: ")
    assert "expected length" in ended.out
    assert "log likelihood ratio" in ended.err
    suite = ET.parse(workspace.folder / "out.xml").getroot()[0]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("1", "0")
    answers = []
    for jobs in ("1", "5"):
        again = workspace.run("sprt", "random", "first", *SPRT, "--jobs", jobs, "--json", "--quiet")
        assert (again.code, again.err) == (0, "")
        document = json.loads(again.out)
        answers.append((document["state"], document["scores"]))
    assert answers[0] == answers[1]
    assert f"{answers[0][0]['blocks']} blocks" in ended.out
    assert not (workspace.folder / "replays").exists()


def test_a_worse_bot_exits_with_10_and_fails_its_case(workspace: Workspace) -> None:
    ended = workspace.run("sprt", "first", "random", *SPRT, "--junit", "out.xml", "--quiet")
    assert ended.code == 10
    assert ended.out.startswith("first is not better than random: ")
    [failure] = ET.parse(workspace.folder / "out.xml").getroot().iter("failure")
    assert failure.attrib["message"] in ended.out


def test_bots_that_play_alike_leave_it_open_and_exit_with_11(workspace: Workspace) -> None:
    ended = workspace.run("sprt", "first", "first", *SPRT, "--max-blocks", "3", "--json")
    assert ended.code == 11
    document = json.loads(ended.out)
    assert (document["new"], document["old"]) == ("first", "first-2")
    assert document["scores"] == {"2/4": 3}
    assert document["state"]["decided"] is None


def test_with_more_seats_the_new_bot_meets_copies_of_the_old_one_in_every_seat(workspace: Workspace) -> None:
    words = ("--game", "coins", "--seats", "3", "--max-blocks", "2", "--seed", "x", "--replays", "kept")
    ended = workspace.run("sprt", "new=random", "old=first", *words, "--json")
    document = json.loads(ended.out)
    assert document["state"]["blocks"] == 2
    replays = [files.read(path) for path in sorted((workspace.folder / "kept").glob("*.jsonl"))]
    assert len(replays) == 6
    for block in (replays[:3], replays[3:]):
        assert {replay.header.names for replay in block} == {
            ("new", "old", "old-2"),
            ("old-2", "new", "old"),
            ("old", "old-2", "new"),
        }
    assert len({replay.key for replay in replays}) == 2
    for replay in replays:
        playback.verify(replay)


def test_a_bot_that_crashes_is_not_better_and_its_faults_are_printed(workspace: Workspace) -> None:
    workspace.write("crash.py", CRASH)
    ended = workspace.run("sprt", "crash.py", "first", "--game", "coins", "--elo1", "300", "--seed", "7")
    assert ended.code == 10
    assert "crash lost by faults:" in ended.out
    assert "crashed" in ended.out


def test_a_bot_that_does_not_start_is_a_failure_of_the_test(workspace: Workspace) -> None:
    workspace.write("dies.py", "import sys; sys.exit('no model file')")
    ended = workspace.run("sprt", "dies.py", "first", "--game", "coins")
    assert ended.code == 2
    assert "no model file" in ended.err


def test_an_interrupt_ends_the_test_without_an_answer(workspace: Workspace) -> None:
    running = workspace.start("sprt", "random", "random", "--game", "coins", "--elo1", "0.5")
    running.wait_for("log likelihood ratio")
    running.signal()
    ended = running.end()
    assert ended.code == 130
    assert "It is not known yet whether random is better than random-2" in ended.out


def test_a_verdict_shows_what_it_rests_on(workspace: Workspace) -> None:
    ended = workspace.run("sprt", "random", "first", *SPRT, "--junit", "out.xml")
    shown = {line[2:24].strip(): line[24:] for line in ended.out.splitlines() if line.startswith("  ")}
    assert list(shown) == [
        "log likelihood ratio",
        "score",
        "Elo",
        "normalised Elo",
        "likely to be better",
        "pairs by points",
        "drawn",
        "expected length",
    ]
    assert re.fullmatch(r"\+[\d.]+ \(\+?-?[\d.]+ to \+[\d.]+\), corrected for the end", shown["Elo"])
    points = dict(pair.split(": ") for pair in shown["pairs by points"].split(", "))
    assert list(points) == ["0", "½", "1", "1½", "2"]
    assert f"{sum(map(int, points.values()))} blocks" in ended.out
    assert all(len(line) <= 80 for line in ended.out.splitlines()[1:])
    [case] = ET.parse(workspace.folder / "out.xml").getroot().iter("testcase")
    assert "pairs by points" in (case.findtext("system-out") or "")


def test_a_test_in_normalised_elo_says_so(workspace: Workspace) -> None:
    words = ("sprt", "random", "first", *SPRT, "--nelo", "--elo1", "120")
    ended = workspace.run(*words, "--seats", "3")
    assert ended.code in (0, 10)
    assert "elo1 120 (normalised Elo)" in ended.out
    assert "blocks by score" in ended.out
    document = json.loads(workspace.run(*words, "--json").out)
    assert (document["unit"], document["state"]["unit"]) == ("nElo", "nElo")
    assert document["state"]["nelo_interval"][0] < document["state"]["nelo"]


# How long will it take?


def test_a_plan_says_what_a_test_would_take_and_tests_nothing(workspace: Workspace) -> None:
    words = ("sprt", "random", "first", *SPRT, "--plan", "--pilot", "12", "--precision", "15")
    ended = workspace.run(*words)
    assert ended.code == 0, ended.err
    assert "a pilot of 12 blocks" in ended.out
    assert re.search(r"^  fixed number, ± 15 Elo +\d+ +\d+ +\d+ (s|min|h)$", ended.out, re.MULTILINE)
    assert all(len(line) <= 80 for line in ended.out.splitlines())
    again = json.loads(workspace.run(*words, "--json", "--quiet").out)
    first = again["lines"][0]
    assert f"{first['blocks']} " in ended.out
    assert first["matches"] == 2 * first["blocks"]
    assert again["basis"]["time"]["seconds"] > 0
    assert not list(workspace.folder.glob("*replays*"))


def test_an_interrupt_of_a_pilot_ends_it_without_a_forecast(workspace: Workspace) -> None:
    words = ("--game", "coins", "--plan", "--pilot", "5000")
    running = workspace.start("sprt", "random", "first", *words)
    running.wait_for("a pilot of 5000 blocks is played")
    running.signal()
    ended = running.end()
    assert (ended.code, ended.out) == (130, "")


def test_a_plan_from_assumptions_plays_nothing(workspace: Workspace) -> None:
    workspace.write("dies.py", "import sys; sys.exit('no model file')")
    words = ("sprt", "dies.py", "first", "--game", "coins", "--plan")
    ended = workspace.run(*words, "--assume", "draws=0.5,seconds=2")
    assert (ended.code, ended.err) == (0, "")
    assert "an assumption, no measurement" in ended.out
    # Half of the matches are drawn: the deviation of a pair of lots, by the root of two.
    assert "deviation 0.250" in ended.out
    assert "unknown" in workspace.run(*words, "--assume", "sd=0.2").out
    assert workspace.run(*words).code == 2


def test_a_plan_says_that_a_long_test_would_be_cut_off(workspace: Workspace) -> None:
    words = ("sprt", "first", "random", "--game", "coins", "--plan", "--assume", "sd=0.3")
    cut = "After 20000 blocks a test ends unanswered"
    assert cut in workspace.run(*words, "--elo1", "3").out
    assert cut not in workspace.run(*words).out


def test_tournament_check_forecasts_errors_and_time(workspace: Workspace) -> None:
    workspace.run("tournament", "new", "plan.toml", "--game", "coins")
    before = workspace.run("tournament", "check", "plan.toml", "--precision", "25")
    assert re.search(r"errors +a rating ± \d+ Elo, a difference of two bots ± \d+\n", before.out)
    assert "(assumed: equal bots, every match a lot" in before.out
    assert re.search(r"precision +± 25 Elo takes blocks = \d+: \d+ matches\n", before.out)
    tried = workspace.run("tournament", "check", "plan.toml", "--precision", "25", "--pilot", "8")
    assert "(from a pilot of 8 blocks)" in tried.out
    assert re.search(r"precision +± 25 Elo .* matches, \d+ \w+ here\n", tried.out)
    assert {path.name for path in workspace.folder.iterdir()} >= {"plan.toml"}
    assert not (workspace.folder / "plan.sqlite").exists()
    workspace.run("tournament", "run", "plan.toml", "--quiet")
    after = json.loads(workspace.run("tournament", "check", "plan.toml", "--json").out)
    assert after["forecast"]["basis"]["source"] == "results"
    assert after["forecast"]["seconds"] > 0


# At a recorded decision.


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    return (
        SimulatedMatch("at", match="m-1", options={"rounds": 3})
        .ready()
        .play_out()
        .save(tmp_path / "m-1.jsonl")
    )


def asked(workspace: Workspace, replay: Path, seat: int, decision: int, *command: str) -> dict[str, Any]:
    ended = workspace.run(
        "at", replay.name, "--seat", f"{seat}", "--decision", f"{decision}", "--json", "--", *command
    )
    document: dict[str, Any] = json.loads(ended.out)
    assert ended.code == (0 if document["is_legal"] else 1)
    return document


def test_a_bot_is_asked_again_at_decisions_of_a_replay(workspace: Workspace, replay: Path) -> None:
    workspace.write("last.py", LAST)
    lines = ledger(files.read(replay), 1)
    for line in (lines[0], lines[1], lines[-1]):
        document = asked(workspace, replay, 1, line.decision, "last.py")
        assert document["played"] == line.action
        assert line.action in document["legal"]
        assert document["answer"] == document["legal"][-1]


def test_the_bot_receives_all_that_its_seat_had_seen(workspace: Workspace, replay: Path) -> None:
    workspace.write("memory.py", MEMORY)
    assert asked(workspace, replay, 0, 2, "memory.py")["is_legal"]
    found = recorded(replay, 0, 2)
    told = (workspace.folder / "told").read_text().split()
    assert told == [event.kind for event in found.position.events]
    assert len(told) > 1


@pytest.mark.parametrize("game", ["coins", "chicago-poker"])
def test_the_position_is_the_one_the_seat_was_asked_at(tmp_path: Path, game: str) -> None:
    path = (
        SimulatedMatch("pos", game=game, seats=3, match="m-2").ready().play_out().save(tmp_path / "m-2.jsonl")
    )
    replay = files.read(path)
    for seat in range(3):
        played = [e.action for e in replay.entries if isinstance(e, Acted) and e.seat == seat]
        for line in ledger(replay, seat):
            position = recorded(path, seat, line.decision).position
            assert played[line.decision - 1] in position.state.legal(seat)
            seen = [event.seen_by(seat) for event in position.events]
            assert position.game.follow(seat, seen) == position.state.view(seat)


def test_an_illegal_answer_and_a_crash_are_reported(workspace: Workspace, replay: Path) -> None:
    workspace.write("illegal.py", ILLEGAL)
    workspace.write("crash.py", CRASH)
    wrong = asked(workspace, replay, 0, 1, "illegal.py")
    assert (wrong["answer"], wrong["fault"]) == ("bluff", "illegal")
    crashed = asked(workspace, replay, 0, 1, "crash.py")
    assert (crashed["answer"], crashed["fault"]) == ("", "crashed")
    shown = workspace.run("at", "m-1.jsonl", "--seat", "Ada", "--decision", "1", "--", "illegal.py")
    assert shown.code == 1
    assert "Answer:    bluff (not legal: " in shown.out
    assert "Played:    " in shown.out


def test_an_answer_after_the_end_of_the_interview_is_ignored(workspace: Workspace, replay: Path) -> None:
    workspace.write("tardy.py", TARDY)
    answered = asked(workspace, replay, 0, 1, "tardy.py")
    assert (answered["answer"], answered["fault"]) == ("", "malformed")


def test_a_decision_that_was_never_answered_can_be_asked_again(workspace: Workspace, tmp_path: Path) -> None:
    simulated = SimulatedMatch("late", match="m-3").ready()
    simulated.answer(0, simulated.pick(0))
    simulated.wait()
    simulated.save(tmp_path / "m-3.jsonl")
    document = asked(workspace, tmp_path / "m-3.jsonl", 1, 1, "first")
    assert (document["played"], document["played_by"]) == ("", "")
    assert document["answer"] == document["legal"][0]


def test_a_bot_that_crashes_at_a_decision_is_reported_with_its_stderr(
    workspace: Workspace, replay: Path
) -> None:
    workspace.write("crash.py", CRASH)
    words = ("at", str(replay), "--seat", "0", "--decision", "1")
    ended = workspace.run(*words, "--", "crash.py")
    assert ended.code == 1
    assert "no idea" in ended.err
    assert json.loads(workspace.run(*words, "--json", "--", "crash.py").out)["stderr"] == "no idea\n"


# A suite of positions.


def suite(replay: Path) -> str:
    first = recorded(replay, 0, 1).position.state.legal(0)
    return f"""
[[positions]]
name = "show the lowest"
replay = "{replay.name}"
seat = 0
decision = 1
allowed = ["{first[0]}"]

[[positions]]
name = "never the highest"
replay = "{replay.name}"
seat = "Ada"
decision = 1
forbidden = ["{first[-1]}"]
"""


def test_a_suite_passes_or_fails_position_by_position(workspace: Workspace, replay: Path) -> None:
    workspace.write("suite.toml", suite(replay))
    workspace.write("last.py", LAST)
    workspace.write("crash.py", CRASH)
    good = workspace.run("positions", "suite.toml", "--", "first")
    assert (good.code, good.err) == (0, "")
    assert good.out.endswith("2 of 2 pass\n")
    bad = workspace.run("positions", "suite.toml", "--junit", "out.xml", "--json", "--", "last.py")
    assert bad.code == 1
    marks = json.loads(bad.out)["positions"]
    assert [mark["passed"] for mark in marks] == [False, False]
    assert marks[1]["why"] == "forbidden"
    assert len(list(ET.parse(workspace.folder / "out.xml").getroot().iter("failure"))) == 2
    broken = workspace.run("positions", "suite.toml", "--", "crash.py")
    assert broken.code == 1
    assert broken.out.count("crashed") == 2
    assert broken.err.count("no idea") == 2
    crashed = workspace.run("positions", "suite.toml", "--junit", "out.xml", "--json", "--", "crash.py")
    assert [mark["stderr"] for mark in json.loads(crashed.out)["positions"]] == ["no idea\n", "no idea\n"]
    [case, _] = ET.parse(workspace.folder / "out.xml").getroot().iter("failure")
    assert "no idea" in (case.text or "")


def test_a_position_may_be_a_deal_and_actions_in_json_lines(workspace: Workspace) -> None:
    deal = {"game": "coins", "seed": "x", "options": {"rounds": 2}}
    opening = json.loads(
        workspace.run(
            "play",
            "coins",
            "--bot",
            "first",
            "--bot",
            "first",
            "--seed",
            "x",
            "--deal",
            "1",
            "--set",
            "rounds=2",
            "--json",
        ).out
    )
    replay = files.read(workspace.folder / opening["matches"][0]["replay"])
    acted = [entry for entry in replay.entries if isinstance(entry, Acted)]
    lines = [
        deal
        | {
            "actions": [entry.action for entry in acted[:n]],
            "seat": acted[n].seat,
            "allowed": [acted[n].action],
        }
        for n in range(len(acted))
    ]
    workspace.write("suite.jsonl", "\n".join(map(json.dumps, lines)))
    ended = workspace.run("positions", "suite.jsonl", "--", "first")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith(f"{len(acted)} of {len(acted)} pass\n")


COINS = '[[positions]]\ngame = "coins"\nseed = "x"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no positions"),
        ("[[positions]\n", "not TOML"),
        ("[positions]\nseat = 1", "[[positions]]"),
        ('name = "x"\n', "name: begin each position"),
        (COINS, "line 1, position 1: allowed: name the answers"),
        (COINS + 'alowed = ["pass"]', "alowed: there is no such key: did you mean allowed?"),
        (COINS + 'allowed = ["pass"]', "allowed: 'pass' is not legal at this position"),
        (COINS + 'allowed = "pass"', "allowed: Expected `array`"),
        (COINS + 'actions = ["show 99"]\nallowed = ["x"]', "action 1, of seat 0: 'show 99' is not legal"),
        (COINS + 'seat = 7\nallowed = ["x"]', "seat 7 is not to act here, but seat 0 and seat 1"),
        (COINS + 'seat = "Ada"\nallowed = ["x"]', "seat: without a replay a seat is a number"),
        (COINS + 'replay = "x"\nallowed = ["x"]', "either replay"),
        ('[[positions]]\ngame = "coin"\nseed = "x"\nallowed = ["x"]', "did you mean coins?"),
        ('[[positions]]\ngame = "coins"\nallowed = ["x"]', "seed: "),
        (
            '\n[[positions]]\nreplay = "no.jsonl"\nseat = 0\ndecision = 1',
            "line 2, position 1: no.jsonl: cannot be read",
        ),
        ('[[positions]]\nreplay = "no.jsonl"', "decision: a position of a replay needs"),
    ],
)
def test_a_mistake_in_a_suite_is_reported_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("suite.toml").write_text(text)
    result = CliRunner().invoke(main, ["positions", "suite.toml", "--", "first"], prog_name="referee")
    assert result.exit_code == 2
    assert "suite.toml" in result.output
    assert said in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seat", "2", "--decision", "1"], "has no seat or bot '2'"),
        (["--seat", "1", "--decision", "99"], "so there is no 99"),
    ],
)
def test_a_decision_that_does_not_exist_is_reported(replay: Path, words: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["at", str(replay), *words, "--", "first"], prog_name="referee")
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["first", "first", "--game", "coin"], "did you mean coins?"),
        (["first", "frst", "--game", "coins"], "did you mean first or rust?"),
        (["first", "first", "--game", "coins", "--elo0", "10"], "elo0 must be below elo1"),
        (["first", "first", "--game", "coins", "--alpha", "2"], "alpha is a probability"),
        (["first", "first", "--game", "coins", "--seats", "9"], "seats, not 9"),
        (["first", "first"], "--game"),
        (["first", "first", "--game", "coins", "--power", "0.9"], "--power belongs to --plan: add --plan"),
        (["first", "first", "--game", "coins", "--plan", "--power", "1"], "--power is a probability"),
        (["first", "first", "--game", "coins", "--plan", "--precision", "0"], "--precision is a number"),
        (["first", "first", "--game", "coins", "--plan", "--junit", "x.xml"], "no verdict for --junit: use"),
        (["first", "first", "--game", "coins", "--plan", "--max-blocks", "9"], "--max-blocks belongs to a"),
        (["first", "first", "--game", "coins", "--plan", "--assume", "draw=1"], "did you mean draws?"),
        (["first", "first", "--game", "coins", "--plan", "--assume", "draws=2"], "draws is a number from 0"),
        (["first", "first", "--game", "coins", "--plan", "--assume", "seconds=2"], "either draws or sd"),
        (
            ["first", "first", "--game", "coins", "--plan", "--assume", "sd=0.2", "--pilot", "9"],
            "leave out either --assume or --pilot",
        ),
    ],
)
def test_a_test_that_cannot_begin_is_reported(words: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["sprt", *words], prog_name="referee")
    assert result.exit_code == 2
    assert said in result.output
