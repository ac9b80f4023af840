"""`referee repeat`: real bots go through recorded matches once more."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.commands import Ended, Workspace, workspace_in
from tests.end_to_end.printing_bot import printing_bot
from tests.unit.referee.replay.played import SimulatedMatch

GAMES = ("chicago-poker", "gangsters", "vengeance", "chicago")

NOTING = """
import hashlib, json, os, sys
def send(**message):
    print(json.dumps(message), flush=True)
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
token = os.environ.get("REFEREE_TOKEN")
send(type="hello", protocol=[1], name="noting", capacity=1, token=token)
erred = set()
for line in sys.stdin:
    message = json.loads(line)
    match = message.get("match")
    if match:
        with open(os.path.join(folder, match), "a") as file:
            file.write(line)
    if message["type"] == "start":
        send(type="ready", match=match)
    elif message["type"] == "ask":
        legal, number = message["legal"], message["id"]
        if number == 3 and match not in erred:
            erred.add(match)
            print("let me think", flush=True)
            continue
        luck = hashlib.sha256(json.dumps(message["view"]).encode()).digest()[0]
        action = legal[luck % len(legal)]
        plan = [action, "no such action"] if number == 5 else [action]
        send(type="act", match=match, id=number, actions=plan)
    elif message["type"] == "bye":
        break
"""
"""Notes what it is sent; prints to stdout at its third ask; sends a plan that is not legal at its fifth."""

KIT = "import sys, time\nfrom protocol.client import run\nturns = []\n"
FIRST = KIT + "run(lambda view, legal: legal[0])\n"
LAST = KIT + "run(lambda view, legal: (print('a note', file=sys.stderr), legal[-1])[1])\n"
CRASH = (
    KIT
    + """
def choose(view, legal):
    turns.append(view)
    return legal[0] if len(turns) < 3 else sys.exit("out of ideas")
run(choose)
"""
)
LATE = (
    KIT
    + """
def choose(view, legal):
    turns.append(view)
    if len(turns) == 2:
        time.sleep(2)
    return legal[0]
run(choose)
"""
)
PRINTS = printing_bot("prints", "thinking hard")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with workspace_in(tmp_path_factory.mktemp("repeat")) as found:
        sources = {"noting": NOTING, "first": FIRST, "last": LAST, "crash": CRASH, "late": LATE}
        for name, source in {**sources, "prints": PRINTS}.items():
            found.write(f"{name}.py", source)
        yield found


@pytest.fixture(scope="module")
def short(workspace: Workspace) -> str:
    """Play a match of Coins in which every answer must come within 800 ms."""
    clock = "first=800,move=800,bank=0,grace=0"
    words = ("--set", "rounds=4", "--set", "peek=no", "--clock", clock)
    played = workspace.run("play", "coins", "--bot", "first", "--bot", "random", *words, "--replays", "short")
    assert played.code == 0, played.err
    return str(next((workspace.folder / "short").glob("*-r0.jsonl")).relative_to(workspace.folder))


def messages(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def bare(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without what is measured, and without what opens the luck of the match."""
    return {key: value for key, value in message.items() if key not in ("clock", "commit", "reveal")}


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_is_sent_what_it_was_sent_in_the_match_and_answers_the_same(
    workspace: Workspace, game: str
) -> None:
    noting = f"{sys.executable} noting.py"
    bots = ("--bot", f"noting={noting} then-{game}", "--bot", "random")
    played = workspace.run("play", game, *bots, "--profile", "classroom", "--replays", f"replays-{game}")
    assert played.code == 0, played.err
    for replay in sorted((workspace.folder / f"replays-{game}").glob("*.jsonl")):
        name = replay.name.removesuffix(".jsonl")
        words = ("repeat", str(replay), "--seat", "noting", "--json", "--")
        ended = workspace.run(*words, sys.executable, "noting.py", f"now-{game}")
        assert ended.code == 1, ended.err
        document = json.loads(ended.out)
        assert {one["verdict"] for one in document["decisions"]} <= {"same", "none"}
        assert document["first_difference"] is None
        assert document["faults"][0]["code"] == "malformed"
        assert "“let me think” on stdout" in document["faults"][0]["printed"]
        assert all(fault["again"] for fault in document["faults_of_match"])
        assert len(document["faults_of_match"]) == len(document["faults"])
        then, now = (
            list(map(bare, messages(workspace.folder / f"{when}-{game}" / name))) for when in ("then", "now")
        )
        assert now == then
        assert now[-1]["type"] == "end"


def repeat(workspace: Workspace, *words: str) -> Ended:
    return workspace.run("repeat", *words)


def test_all_answers_are_the_same_and_the_output_fits_eighty_columns(
    workspace: Workspace, short: str
) -> None:
    ended = repeat(workspace, short, "--seat", "first", "--", "first.py")
    assert ended.code == 0, ended.err
    assert "answers, all the same as in the match." in ended.out
    head, _, *lines = ended.out.splitlines()
    assert head.startswith("Coins, match coins-")
    assert lines[0].split()[:2] == ["1", "same"]
    assert max(map(len, lines)) <= 80


def test_after_a_different_answer_the_match_goes_on_as_it_was_played(
    workspace: Workspace, short: str
) -> None:
    ended = repeat(workspace, short, "--seat", "first", "--level", "trusted", "--", "last.py")
    assert ended.code == 0, ended.err
    text = " ".join(ended.out.split())
    assert "1 differs" in text
    assert "After it the asks showed the match as it was played" in text
    assert f"To look at decision 1: referee at {short} --seat first --decision 1 -- last.py" in text
    assert "a note" in ended.err
    document = json.loads(repeat(workspace, short, "--seat", "first", "--json", "--", "last.py").out)
    assert document["first_difference"] == 1
    assert {one["verdict"] for one in document["decisions"]} >= {"differs"}
    same = json.loads(repeat(workspace, short, "--seat", "first", "--json", "--", "first.py").out)
    assert [one["played"] for one in document["decisions"]] == [one["answer"] for one in same["decisions"]]


@pytest.mark.parametrize(
    ("bot", "decision", "said"),
    [
        ("crash", 3, "it ended its process in mid-match (crashed: exited with code 1)"),
        ("late", 2, "it answered after its time was up (late: no answer within 800 ms for the decision"),
        (
            "prints",
            2,
            "the bot printed “thinking hard” on stdout, where only messages may go",
        ),
    ],
)
def test_a_fault_is_reported_with_its_decision_and_the_cure(
    workspace: Workspace, short: str, bot: str, decision: int, said: str
) -> None:
    ended = repeat(workspace, short, "--seat", "first", "--", f"{bot}.py")
    assert ended.code == 1, ended.err
    text = " ".join(ended.out.split())
    assert f"{decision} fault" in text
    assert said in text
    assert "The bot made 1 fault now. What to do: " in text
    assert f"To look at decision {decision}: referee at" in text
    assert ("out of ideas" in ended.err) == (bot == "crash")


def test_a_fault_of_the_match_comes_again_or_does_not(workspace: Workspace) -> None:
    simulated = SimulatedMatch("late", match="m-3", strikes=3, options={"rounds": 4, "peek": "no"}).ready()
    simulated.answer(0, "no such action")
    simulated.play_out().save(workspace.folder / "m-3.jsonl")
    ended = repeat(workspace, "m-3.jsonl", "--seat", "Ada", "--", "first.py")
    assert "The fault of the match, illegal at decision 1, did not come again." in " ".join(ended.out.split())
    workspace.write("illegal.py", KIT + "run(lambda view, legal: 'no such action')\n")
    ended = repeat(workspace, "m-3.jsonl", "--seat", "Ada", "--", "illegal.py")
    assert ended.code == 1
    text = " ".join(ended.out.split())
    assert "1 strike it sent an action that the rules do not allow" in text
    assert "1 fault it sent an action that the rules do not allow" in text
    assert "The fault of the match, illegal at decision 1, came again." in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none.jsonl", "--seat", "0", "--", "first"), "none.jsonl: cannot be read"),
        (("first.py", "--seat", "0", "--", "first"), "this is no replay"),
        (("first.seat.json", "--", "first"), "not the file of a seat"),
        (("{short}", "--", "first"), "which seat is asked? Add --seat: it has 0 ("),
        (("{short}", "--seat", "frst", "--", "first"), "did you mean first?"),
        (("{short}", "--seat", "0", "--", "./nothing"), "cannot start './nothing'"),
        (("{short}", "--seat", "0", "--", "broken.py"), "did not start"),
        (("{short}", "--seat", "0"), "Missing argument 'COMMAND...'"),
    ],
)
def test_what_cannot_be_used_is_refused(
    workspace: Workspace, short: str, words: tuple[str, ...], said: str
) -> None:
    workspace.write("first.seat.json", "{}")
    workspace.write("broken.py", "1 / 0")
    ended = repeat(workspace, *(word.format(short=short) for word in words))
    assert ended.code == 2
    assert said in ended.err
