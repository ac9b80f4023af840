"""`referee play` with a person: at a real terminal, and through a pipe."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from referee import registry
from referee.match.result import Acted
from referee.replay import files, format, playback
from referee.replay.playback import game_of
from referee.wording import clean, plural
from tests.end_to_end.commands import path_for_imports
from tests.end_to_end.terminals import END, INTERRUPT, Terminal, terminal

CLEAR = "\x1b[2J"
WEEK_MS = 604_800_000


def piped(folder: Path, typed: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "referee", "play", *words],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": path_for_imports()},
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )


def replay_in(folder: Path) -> format.Replay:
    [path] = (folder / "replays").glob("*.jsonl")
    replay = files.read(path)
    playback.verify(replay)
    return replay


def play_to_the_end(person: Terminal, answer: str = "1") -> None:
    while person.expect("Your action?", "The match is over") == "Your action?":
        person.type(answer)


def test_a_person_plays_a_whole_match_at_a_terminal_and_sees_how_it_ended(tmp_path: Path) -> None:
    with terminal(
        tmp_path, "play", "chicago-poker", "--bot", "Ann=human", "--bot", "random", "--seed", "5"
    ) as ann:
        ann.expect("Chicago Poker:", "the best poker hand takes it")
        ann.expect("Ann is @0, random is @1")
        ann.expect("Your seat is marked (you).")
        ann.expect("Ann (@0), your decision 1")
        ann.expect("(you)  hand ")
        ann.expect("Ann: Your action?")
        ann.type("hint")
        ann.expect("The sample bot poker would take ")
        ann.expect("Why: ")
        ann.type("rules end")
        ann.expect("The end")
        ann.type("undo")
        ann.expect("There is no undo")
        ann.type("nonsense")
        ann.expect("No action contains 'nonsense'")
        ann.type("999")
        ann.expect("There is no action 999")
        ann.type("/play")
        ann.expect("with 'play'")
        ann.type("draw")
        ann.expect("Ann takes: draw")
        ann.expect("Ann (@0), your decision 2")
        ann.expect("Ann: Your action?")
        ann.type("log")
        ann.expect("- Ann draws ")
        play_to_the_end(ann)
        ann.expect("referee replay show replays/")
        assert ann.end() == 0
    replay = replay_in(tmp_path)
    assert replay.header.bots[0] == "human"
    first = next(entry for entry in replay.entries if entry.seat == 0)
    assert isinstance(first, Acted)
    assert first.action == "draw"
    assert replay.result.faults == ("", "")
    assert "━" not in ann.text, "a bar was drawn beside the prompt"


def test_a_person_has_all_the_time_and_the_replay_says_so(tmp_path: Path) -> None:
    typed = "1\n" * 50
    ended = piped(tmp_path, typed, "coins", "--bot", "human", "--bot", "random", "--clock", "move=900,bank=0")
    assert ended.returncode == 0, ended.stderr
    header = replay_in(tmp_path).header
    assert header.names == ("human", "random")
    assert header.clock_of(0).move_ms == header.clock_of(0).first_ms == WEEK_MS
    assert header.clock_of(1).move_ms == header.clock.move_ms == 900
    assert "You have" not in ended.stdout


def test_a_timed_person_sees_the_time_and_can_be_late(tmp_path: Path) -> None:
    words = (
        "gangsters",  # Who is asked first is alone on the clock.
        "--bot",
        "Ann=human",
        "--bot",
        "first",
        "--timed",
        "--clock",
        "first=700,move=700,bank=0",
    )
    with terminal(tmp_path, "play", *words) as ann:
        ann.expect("You have 0.7 s, and 0 s in the bank.")
        ann.expect("The referee rules: late: no answer within 700 ms")
        ann.expect("The match is over: forfeit")
        assert ann.end() == 0
    replay = replay_in(tmp_path)
    assert replay.result.faults == ("late", "")
    assert isinstance(replay.header.clocks, msgspec.UnsetType)


def test_to_resign_must_be_confirmed_and_ends_all(tmp_path: Path) -> None:
    words = ("coins", "--bot", "Ann=human", "--bot", "first", "--matches", "3")
    with terminal(tmp_path, "play", *words) as ann:
        ann.expect("Your action?")
        ann.type("quit")
        ann.expect("Resign, and lose the match?")
        ann.type("no")
        ann.expect("Your action?")
        ann.type("quit")
        ann.expect("Resign, and lose the match?")
        ann.type("yes")
        ann.expect("Ann resigns. The match is lost.")
        ann.expect("2 of 3 matches were not played")
        ann.expect("Ann (seat 0) resigned: referee why ")
        assert ann.end() == 0
    replay = replay_in(tmp_path)
    assert replay.result.faults == ("disconnected", "")
    assert any("resigned" in getattr(entry, "why", "") for entry in replay.entries)


@pytest.mark.parametrize("typed", ["9" * 5_000, "٣", "rules " + "9" * 5_000])
def test_a_line_that_is_no_number_of_ours_is_answered_and_asked_for_again(tmp_path: Path, typed: str) -> None:
    ended = piped(tmp_path, f"{typed}\nquit\nyes\n", "coins", "--bot", "human", "--bot", "random")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("human: Your action?") == 2


@pytest.mark.parametrize("keys", [INTERRUPT, END], ids=["ctrl-c", "ctrl-d"])
def test_leaving_in_mid_match_is_clean(tmp_path: Path, keys: str) -> None:
    with terminal(tmp_path, "play", "coins", "--bot", "Ann=human", "--bot", "random") as ann:
        ann.expect("Your action?")
        ann.press(keys)
        ann.expect("abandoning the running matches")
        ann.expect("The match was abandoned")
        assert ann.end() == 130


def test_the_end_of_a_pipe_leaves_as_well(tmp_path: Path) -> None:
    ended = piped(tmp_path, "board\n", "coins", "--bot", "human", "--bot", "random")
    assert ended.returncode == 130
    assert ended.stdout.count("Your action?") == 2


def test_lines_may_come_from_a_file_and_the_result_goes_to_stdout_alone(tmp_path: Path) -> None:
    (tmp_path / "typed").write_text("1\n" * 50)
    with (tmp_path / "typed").open() as typed:
        done = subprocess.run(
            [sys.executable, "-m", "referee", "play", "coins", "--bot", "human", "--bot", "random", "--json"],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path_for_imports()},
            stdin=typed,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["matches"]) == 1
    assert "The match is over: most coins." in done.stderr


def test_no_input_at_all_leaves_as_well(tmp_path: Path) -> None:
    words = ["play", "coins", "--bot", "human", "--bot", "random"]
    done = subprocess.run(
        [sys.executable, "-m", "referee", *words],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path_for_imports()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 130


def test_where_one_of_three_resigns_the_others_play_on(tmp_path: Path) -> None:
    bots = ("--bot", "Ann=human", "--bot", "random", "--bot", "first")
    ended = piped(tmp_path, "quit\nyes\n", "coins", *bots)
    assert ended.returncode == 0, ended.stderr
    result = replay_in(tmp_path).result
    assert result.faults == ("disconnected", "", "")
    assert result.ranks[0] == 3
    assert result.reason == "most coins"


def test_two_people_in_a_pipe_are_called_by_name(tmp_path: Path) -> None:
    bots = ("--bot", "Ann=human", "--bot", "Bob=human", "--set", "peek=no", "--set", "rounds=1")
    ended = piped(tmp_path, "\n1\n\n2\n", "coins", *bots)
    assert ended.returncode == 0, ended.stderr
    assert "\x1b" not in ended.stdout
    calls = re.findall(r"^(\w+), it is your turn. Press Enter", ended.stdout, re.MULTILINE)
    assert calls == ["Ann", "Bob"]


def test_a_line_typed_too_early_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import sys\nfrom protocol.client import run\n"
        "def choose(view, legal):\n    open(sys.argv[1]).read()\n    return legal[0]\nrun(choose)\n"
    )
    os.mkfifo(tmp_path / "go")
    words = ("play", "gangsters", "--bot", "slow=slow.py go", "--bot", "Ann=human", "--seed", "1")
    with terminal(tmp_path, *words) as ann:
        ann.expect("An action cannot be undone.")
        ann.type("1")
        ann.expect("Not yet: it is the turn of the others.")
        with (tmp_path / "go").open("w"):
            pass
        ann.expect("Ann (@1), your decision 1")
        ann.expect("Your action?")
        ann.press(INTERRUPT)
        assert ann.end() == 130


STYLE = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize("game", ["chicago-poker", "gangsters", "vengeance", "chicago"])
def test_nothing_is_wider_than_the_terminal(tmp_path: Path, game: str, size: tuple[int, int]) -> None:
    bots = ("--bot", "Ann=human", *("--bot", "random") * (3 if size[0] == 80 else 1))
    with terminal(tmp_path, "play", game, *bots, "--seed", "5", "--jobs", "1", size=size) as ann:
        for typed in ("1", "hint", "log", "all", "help", "board"):
            ann.expect("Your action?")
            ann.type(typed)
        ann.expect("Your action?")
        ann.press(INTERRUPT)
        assert ann.end() == 130
    _, _, shown = STYLE.sub("", ann.text).partition(registry.game(game).info.title)
    lines = shown.partition("abandoning the running matches")[0].splitlines()
    assert max(map(len, lines)) <= size[0], max(lines, key=len)
    assert ("it is shown in parts" in " ".join(lines)) is (game == "chicago" and size[0] == 80)


def test_the_end_is_described_in_words(tmp_path: Path) -> None:
    bots = ("--bot", "Ann=human", "--bot", "random", "--seed", "5")
    ended = piped(tmp_path, "1\n" * 4_000, "chicago-poker", *bots)
    assert ended.returncode == 0, ended.stderr
    end = ended.stdout.partition("The match is over: ")[2]
    result = replay_in(tmp_path).result
    mine, other = (plural(seat.score, "point") for seat in result.seats)
    first, second = (
        ("You win", f"random has {other.split()[0]}") if result.ranks[0] == 1 else ("random wins", "you")
    )
    assert f"{first} with {mine if result.ranks[0] == 1 else other}; {second}" in end
    winner = ("Ann", "random")[result.ranks.index(1)]
    assert re.match(rf"\w[\w ]*\. {winner} wins ", end), end


def test_two_people_see_a_dumb_terminal_pushed_up_and_no_escapes(tmp_path: Path) -> None:
    words = ("coins", "--bot", "Ann=human", "--bot", "Bob=human", "--set", "peek=no", "--set", "rounds=1")
    with terminal(tmp_path, "play", *words, term="dumb") as people:
        for name in ("Ann", "Bob"):
            people.expect("\n" * 30)
            people.expect(f"{name}, it is your turn.")
            people.type("")
            people.expect(f"{name}: Your action?")
            people.type("1")
        people.expect("The match is over")
        assert people.end() == 0
    assert "\x1b" not in people.text


CARD = re.compile(r"\b(?:[RGBYP]\d+|LQ|PR|LM|RV|BR)\b")


def test_nothing_is_printed_that_the_seat_may_not_know(tmp_path: Path) -> None:
    typed = "hint\nlog\n" + "1\n" * 400
    ended = piped(tmp_path, typed, "chicago-poker", "--bot", "Ann=human", "--bot", "poker", "--seed", "11")
    assert ended.returncode == 0, ended.stderr
    shown = re.split(r"^Ann \(@0\), your decision \d+$", ended.stdout, flags=re.MULTILINE)[1:]
    replay = replay_in(tmp_path)
    game = game_of(replay)
    known: set[str] = set()
    secrets = 0
    for step in playback.replay_events(replay):
        for event in step.events:
            known |= set(CARD.findall(str(event.seen_by(0))))
        if 0 not in step.state.to_act() or step.state.outcome() is not None or not shown:
            continue
        view = step.state.view(0)
        known |= set(CARD.findall(str(view))) | set(CARD.findall(" ".join(step.state.legal(0))))
        text = shown.pop(0)
        printed = set(CARD.findall(text.partition("Ann takes:")[0]))
        assert printed <= known, printed - known
        assert clean(game.draw(view).splitlines()[0]) in text
        secrets += bool(set(CARD.findall(str(step.state.view(1).get("hand")))) - known)
    assert not shown
    assert secrets, "there was nothing to be kept secret"


def test_two_people_share_a_terminal_and_neither_sees_the_hand_of_the_other(tmp_path: Path) -> None:
    words = ("coins", "--bot", "Ann=human", "--bot", "Bob=human", "--set", "peek=no", "--set", "rounds=2")
    with terminal(tmp_path, "play", *words) as people:
        for turn, name in enumerate(["Ann", "Bob", "Ann", "Bob"]):
            people.expect(CLEAR)
            people.expect(f"{name}, it is your turn. Press Enter when the others are not looking.")
            before = len(people.text)
            people.type("")
            people.expect(CLEAR)
            people.expect(f"{name} (@{turn % 2}), your decision {1 + turn // 2}")
            assert "hand " not in people.text[before : people.text.index(CLEAR, before)]
            people.expect(f"{name}: Your action?")
            people.type("1")
        people.expect(CLEAR)
        people.expect("The match is over")
        assert people.end() == 0
    # Everything on the screen between two clearings belongs to one person.
    seats = [set(re.findall(r"^you +(\d)", part, re.MULTILINE)) for part in people.text.split(CLEAR)]
    assert max(map(len, seats)) == 1
    assert sum(map(len, seats)) == 4


def test_people_cannot_play_in_a_command_without_a_dialogue(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "referee", "sprt", "human", "random", "--game", "coins"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path_for_imports()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "human" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("game", ["gangsters", "vengeance", "chicago"])
def test_a_person_plays_every_game_at_a_terminal(tmp_path: Path, game: str) -> None:
    with terminal(tmp_path, "play", game, "--bot", "Ann=human", "--bot", "random", "--seed", "5") as ann:
        if game == "gangsters":
            ann.expect("Your action?")
            ann.type("57")
            ann.expect("57 is own 2 c4: Ann places R2 from the own reserve on c4. Type 57 again to take it.")
        play_to_the_end(ann)
        assert ann.end() == 0
    assert replay_in(tmp_path).result.faults == ("", "")
