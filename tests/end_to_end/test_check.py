"""`referee check` on bots that do everything right, and the command itself: filters, reports, exit codes."""

import contextlib
import hashlib
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

import protocol
from protocol.codec import Encoding, encode
from protocol.messages import Act, Hello, Ping, Pong
from referee import registry
from referee.conformance import spec
from referee.conformance.conversation import Conversation, KitTimeouts
from referee.conformance.examinee import Examinee, Stray
from referee.conformance.findings import StepResult
from referee.conformance.launcher import RemoteLauncher
from referee.conformance.runner import Examination, ExaminationPlan
from referee.conformance.scripted_match import ScriptedMatch, crowded
from referee.conformance.steps import STEPS
from referee.conformance.steps.sessions import reconnect
from referee.conformance.transports import PipeTransport
from referee.process.forkserver import Forkserver
from referee.process.spec import Program, Transport, program
from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.hubs import ROOT

NONCONFORMING = str(ROOT / "tests" / "bad_bots" / "nonconforming.py")
PATIENT = KitTimeouts(60.0, 60.0, 30.0)


@pytest.fixture(autouse=True)
def _both_transports_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bots here that speak on one transport only say so at once; of two, one may be slow."""
    monkeypatch.setattr("referee.conformance.runner._OTHER_S", 60.0)


EVENTS_ONLY = """
from protocol.client import Bot, run
class Watcher(Bot):
    seen = 0
    def see(self, events):
        self.seen += len(events)
    def choose(self, view, legal):
        assert self.seen and not view
        return [legal[0]]
run(Watcher, wants=["legal", "WANT"], capacity=3)
"""
"""Wants no view; sends each action as a plan of one."""

VIEW_ONLY = """
import sys, os
if not os.environ.get("REFEREE_ADDRESS"):
    sys.exit("I speak ZeroMQ only: set REFEREE_ADDRESS")
from protocol.client import run
run(lambda view, legal: legal[-1] if view else None, wants=["legal", "view"], games=["coins"])
"""


@pytest.fixture(scope="module")
def forkserver() -> Iterator[Forkserver]:
    forkserver = Forkserver()
    yield forkserver
    forkserver.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def examined(
    what: Program, forkserver: Forkserver, *games: str, transport: Transport = "auto"
) -> dict[tuple[str, str], str]:
    """Return the finding on each step and transport, after nothing failed and nothing was noted."""
    examination = Examination(ExaminationPlan(games, transport=transport, patience=PATIENT))
    examination.run(what, forkserver)
    assert examination.passed, [v for v in examination.verdicts if v.finding == "failed"]
    assert not [v for v in examination.verdicts if v.finding == "not reached"]
    return {(v.step, v.transport): v.finding for v in examination.verdicts}


def python(*words: str, **env: str) -> Program:
    return program([sys.executable, *words], ROOT, env={"PYTHONPATH": os.environ["PYTHONPATH"], **env})


def sample(name: str, **env: str) -> Program:
    return python("-m", f"sample_bots.python.{name}", **env)


def test_a_sample_passes_everything_in_every_game_over_both_transports(forkserver: Forkserver) -> None:
    found = examined(sample("random_bot"), forkserver)
    for step in STEPS:
        for transport in ("zmq", "stdio"):
            expected = {"passed"} if step.only in ("", transport) else {"not applicable"}
            if step.id in ("events-without-view", "view-without-events", "stream"):
                expected = {"not applicable"}
            if step.id == "plan":
                expected = {"not offered"}
            assert {found[step.id, transport]} == expected, step.id


def test_a_sample_passes_in_json_over_zeromq(forkserver: Forkserver) -> None:
    found = examined(
        sample("first", REFEREE_ENCODING="json"), forkserver, "coins", "gangsters", transport="zmq"
    )
    assert found["one-encoding", "zmq"] == found["reconnect", "zmq"] == "passed"


def test_the_bot_of_the_specification_passes_over_the_one_transport_it_has(
    forkserver: Forkserver, tmp_path: Path
) -> None:
    text = (Path(protocol.__file__).parent / "SPEC.md").read_text()
    script = tmp_path / "minimal.py"
    script.write_text(text.split("## Appendix B.")[1].split("```python\n")[1].split("```")[0])
    found = examined(python(str(script)), forkserver, "coins")
    assert found["hello", "zmq"] == "not offered"
    assert found["goodbye", "stdio"] == found["sigterm", "stdio"] == "passed"
    assert found["capacity", "stdio"] == "not applicable"


def test_the_honest_bot_passes(forkserver: Forkserver) -> None:
    found = examined(python(NONCONFORMING, "Honest"), forkserver, "coins", transport="stdio")
    assert found["whole-match", "stdio"] == "passed"


def test_a_bot_that_is_slow_to_say_hello_passes_over_both_transports(forkserver: Forkserver) -> None:
    examination = Examination(
        ExaminationPlan(("coins",), (2,), ("hello", "token", "ready"), patience=PATIENT)
    )
    examination.run(python(NONCONFORMING, "SlowToStart"), forkserver)
    found = [(verdict.transport, verdict.step, verdict.finding) for verdict in examination.verdicts]
    assert sorted(found) == [
        (transport, step, "passed") for transport in ("stdio", "zmq") for step in ("hello", "ready", "token")
    ]


@pytest.mark.parametrize("want", ["events", "stream"])
def test_events_without_a_view_and_plans(forkserver: Forkserver, tmp_path: Path, want: str) -> None:
    script = tmp_path / "watcher.py"
    script.write_text(EVENTS_ONLY.replace("WANT", want))
    found = examined(python(str(script)), forkserver, "coins", transport="stdio")
    assert found["events-without-view", "stdio"] == found["plan", "stdio"] == "passed"
    assert found["capacity", "stdio"] == "passed"
    assert (found["stream", "stdio"] == "passed") is (want == "stream")


def test_a_view_without_events_over_zeromq_alone(forkserver: Forkserver, tmp_path: Path) -> None:
    script = tmp_path / "viewer.py"
    script.write_text(VIEW_ONLY)
    found = examined(python(str(script)), forkserver)
    assert found["hello", "stdio"] == "not offered"
    assert found["view-without-events", "zmq"] == "passed"


# The command.


def test_findings_are_written_as_json_junit_and_a_certificate(workspace: Workspace) -> None:
    words = ["check", "--timeout", "60", "--game", "coins", "--seats", "2", "--transport", "stdio"]
    words += ["--junit", "check.xml", "--certificate", "certificate.json", "--json", "--"]
    ended = workspace.run(*words, sys.executable, NONCONFORMING, "Honest")
    assert ended.code == 0, ended
    told = json.loads(ended.out)
    kept = json.loads((workspace.folder / "certificate.json").read_text())
    assert told == kept
    assert kept["passed"] is True
    assert kept["whole"] is False
    assert kept["protocol"] == 1
    assert kept["bot"]["name"] == "nonconforming"
    assert kept["command"].endswith("nonconforming.py Honest")
    digests = {file["path"]: file["sha256"] for file in kept["files"]}
    assert set(digests) == {NONCONFORMING}, "the interpreter is not the bot"
    assert kept["interpreter"] == sys.executable
    assert digests[NONCONFORMING] == hashlib.sha256(Path(NONCONFORMING).read_bytes()).hexdigest()
    assert kept["sha256"] == hashlib.sha256("".join(digests.values()).encode()).hexdigest()
    assert {step["step"] for step in kept["steps"]} == {step.id for step in STEPS}
    (suite,) = ET.fromstring((workspace.folder / "check.xml").read_text())
    assert len(suite) == len(kept["steps"])
    assert suite.get("failures") == "0"
    skipped = [step for step in kept["steps"] if step["finding"].startswith("not ")]
    assert suite.get("skipped") == str(len(skipped)) != "0"


def test_a_program_of_its_own_is_hashed_and_the_report_says_how_to_keep_it(workspace: Workspace) -> None:
    workspace.write(
        "bot", f"#!/bin/sh\nexec {shlex.join([sys.executable, NONCONFORMING, 'Honest'])}\n"
    ).chmod(0o755)
    workspace.write("book", "openings")
    words = ["check", "--timeout", "60", "--transport", "stdio", "--step", "hello"]
    told = workspace.run(*words, "--", "./bot", "book").out
    assert told.endswith("To keep this as a certificate: --certificate FILE\n")
    kept = json.loads(workspace.run(*words, "--json", "--", "./bot", "book").out)
    assert [Path(file["path"]).name for file in kept["files"]] == ["bot", "book"]
    assert kept["interpreter"] == ""


def test_a_failure_is_printed_with_the_messages_and_the_paragraph(workspace: Workspace) -> None:
    words = ["check", "--timeout", "60", "--transport", "stdio", "--game", "coins", "--step", "act"]
    ended = workspace.run(*words, "--junit", "check.xml", "--", sys.executable, NONCONFORMING, "Illegal")
    assert ended.code == 1, ended
    assert re.search(r"^failed +stdio +act: expected one of the legal actions", ended.out, re.MULTILINE)
    assert re.search(r'^ +sent +\{"type":"ask","match":"check-1","id":1,', ended.out, re.MULTILINE)
    assert re.search(r'^ +came +.*"play Z99 1"', ended.out, re.MULTILINE)
    assert re.search(r"^ +SPEC 4.3 +`act` answers an `ask`", ended.out, re.MULTILINE)
    assert "nonconforming does not conform to protocol version 1" in ended.out
    assert "ready" not in re.findall(r"^passed +stdio +(\S+):", ended.out, re.MULTILINE), "not asked for"
    (suite,) = ET.fromstring((workspace.folder / "check.xml").read_text())
    (failure,) = suite.iter("failure")
    assert "SPEC.md 4.3" in (failure.text or "")


def test_steps_that_a_bot_without_a_start_does_not_reach_are_one_line_for_each_transport(
    workspace: Workspace,
) -> None:
    words = ["check", "--timeout", "60", "--game", "coins", "--junit", "check.xml", "--certificate", "c.json"]
    ended = workspace.run(*words, "--", sys.executable, NONCONFORMING, "ExitsAtOnce")
    assert ended.code == 1, ended
    steps = json.loads((workspace.folder / "c.json").read_text())["steps"]
    for transport in ("zmq", "stdio"):
        count = sum(v["finding"] == "not reached" and v["transport"] == transport for v in steps)
        told = re.findall(rf"^not reached +{transport} +(.*)$", ended.out, re.MULTILINE)
        assert told == [f"{count} steps, from version on: it needs hello"]
    (suite,) = ET.fromstring((workspace.folder / "check.xml").read_text())
    assert len(suite) == len(steps)


def test_the_line_that_examines_a_failure_again_asks_for_the_same_and_finds_it_again(
    workspace: Workspace,
) -> None:
    asked = ["--game", "coins", "--seats", "2", "--timeout", "60", "--limit", "files=200"]
    bot = ["--", sys.executable, NONCONFORMING, "Flood"]
    ended = workspace.run("check", *asked, "--transport", "stdio", *bot)
    assert ended.code == 1, ended
    (line,) = re.findall(r"^To examine only allowance again: referee (.*)$", ended.out, re.MULTILINE)
    assert shlex.split(line) == ["check", "--transport", "stdio", "--step", "allowance", *asked, *bot]
    again = workspace.run(*shlex.split(line))
    assert again.code == 1, again
    assert re.findall(r"^failed +stdio +([\w-]+)", again.out, re.MULTILINE) == ["allowance"]


def test_a_hello_that_is_none_is_shown_over_both_transports(workspace: Workspace) -> None:
    ended = workspace.run(
        "check", "--timeout", "60", "--step", "hello", "--", sys.executable, NONCONFORMING, "NoName"
    )
    assert ended.code == 1, ended
    assert "$.name: missing" in ended.out


def test_a_bot_that_connects_by_itself_is_examined_at_an_address(workspace: Workspace) -> None:
    address = f"ipc://{workspace.folder}/gate"
    words = ["check", "--timeout", "60", "--game", "coins", "--seats", "2", "--address", address]
    command = workspace.start(*words)
    assert f"REFEREE_ADDRESS={address}" in command.wait_for("waiting for a bot")
    env = os.environ | {"REFEREE_ADDRESS": address}
    with subprocess.Popen([sys.executable, NONCONFORMING, "Honest"], env=env) as bot:
        ended = command.end()
        assert bot.wait(60) == 0
    assert ended.code == 0, ended
    assert re.search(
        r"^not applicable +zmq +sigterm: the kit did not start this bot", ended.out, re.MULTILINE
    )
    assert re.search(r"^passed +zmq +resume:", ended.out, re.MULTILINE)
    assert re.search(r"^passed +zmq +whole-match \(coins, 2 seats\):", ended.out, re.MULTILINE)


def test_a_bot_at_an_address_comes_back_after_a_step_that_failed(workspace: Workspace) -> None:
    address = f"ipc://{workspace.folder}/gate"
    command = workspace.start(
        "check", "--timeout", "60", "--game", "coins", "--seats", "2", "--address", address
    )
    command.wait_for("waiting for a bot")
    env = os.environ | {"REFEREE_ADDRESS": address}
    with subprocess.Popen([sys.executable, NONCONFORMING, "SmallNumbers"], env=env) as bot:
        ended = command.end()
        assert bot.wait(60) == 0
    assert ended.code == 1, ended
    assert "the bot must come anew" in ended.err
    assert re.findall(r"^failed +zmq +([\w-]+)", ended.out, re.MULTILINE) == ["numbers"]
    again = f"referee check --step numbers --game coins --seats 2 --timeout 60 --address {address}"
    assert f"To examine only numbers again: {again}\n" in ended.out
    assert re.search(r"^passed +zmq +whole-match \(coins, 2 seats\):", ended.out, re.MULTILINE)


@pytest.mark.parametrize("steps", [pytest.param((), marks=pytest.mark.slow), ("allowance",)])
def test_a_bot_at_an_address_that_does_not_come_back_has_not_passed(
    tmp_path: Path, steps: tuple[str, ...]
) -> None:
    address = f"ipc://{tmp_path}/gate"
    bots: list[subprocess.Popen[bytes]] = []
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if not bots:
            env = os.environ | {"REFEREE_ADDRESS": address}
            bots.append(
                subprocess.Popen(
                    [sys.executable, NONCONFORMING, "ShortLines"], env=env, stderr=subprocess.PIPE
                )
            )

    examination = Examination(ExaminationPlan(("coins",), (2,), steps, patience=KitTimeouts(1.0, 6.0, 30.0)))
    examination.run_remote(address, tell)
    (bot,) = bots
    bot.communicate(timeout=60)
    found = {verdict.step: verdict.finding for verdict in examination.verdicts}
    assert "failed" not in found.values()
    assert found["allowance"] == "not reached"
    assert not examination.passed
    assert len(told) == 2, "it is waited for in vain once"


def test_a_word_that_is_too_long_for_a_file_and_a_file_that_cannot_be_read_are_no_files_of_the_bot(
    workspace: Workspace,
) -> None:
    words = [
        "check",
        "--timeout",
        "60",
        "--game",
        "coins",
        "--transport",
        "stdio",
        "--step",
        "hello",
        "--json",
    ]
    ended = workspace.run(
        *words, "--", sys.executable, NONCONFORMING, "Honest", "x" * 5_000, "/proc/self/mem"
    )
    assert ended.code == 0, ended
    assert NONCONFORMING in {file["path"] for file in json.loads(ended.out)["files"]}
    assert "/proc/self/mem" not in ended.out.split('"files"')[1]


def test_a_command_may_be_one_word_with_blanks(workspace: Workspace) -> None:
    words = ["check", "--timeout", "60", "--transport", "stdio", "--step", "hello"]
    ended = workspace.run(*words, "--", shlex.join([sys.executable, NONCONFORMING, "Honest"]))
    assert ended.code == 0, ended


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--step", "pnig", "--", "first"], "there is no step 'pnig': did you mean ping?"),
        (["--game", "coin", "--", "first"], "there is no game 'coin': did you mean coins?"),
        (["--game", "coins", "--seats", "9", "--", "first"], "no game has 9 seats: coins 2 to 4"),
        ([], "give either the command of a bot"),
        (["--address", "7900", "--", "first"], "give either the command of a bot"),
        (["--address", "7900", "--transport", "stdio"], "speaks ZeroMQ, not stdio"),
        (["--address", "tcp://nowhere:x"], "is no address"),
        (["--", "frist"], "did you mean first or rust?"),
        (["--", "x" * 5_000], "cannot start"),
        (["--junit", "nowhere/check.xml", "--", "first"], "cannot write nowhere/check.xml"),
        (["--certificate", "nowhere/bot.json", "--", "first"], "cannot write nowhere/bot.json"),
    ],
)
def test_bad_input_starts_nothing(workspace: Workspace, words: list[str], said: str) -> None:
    ended = workspace.run("check", *words)
    assert ended.code == 2
    assert said in ended.err
    assert ended.out == ""


def test_a_game_that_the_bot_does_not_claim_is_bad_input(workspace: Workspace) -> None:
    workspace.write("viewer.py", VIEW_ONLY)
    ended = workspace.run(
        "check", "--timeout", "60", "--transport", "zmq", "--game", "gangsters", "--", "viewer.py"
    )
    assert ended.code == 2, ended
    assert "nothing to play: the bot claims coins; to be examined is gangsters" in ended.err


def test_an_examination_that_is_interrupted_leaves_nothing_behind(workspace: Workspace) -> None:
    words = [
        "check",
        "--timeout",
        "60",
        "--transport",
        "stdio",
        "--",
        sys.executable,
        NONCONFORMING,
        "NeverReady",
    ]
    command = workspace.start(*words, listen="out")
    command.wait_for("early-ping")
    command.signal()
    ended = command.end()
    assert ended.code == 130, ended
    assert ended.err == "referee: interrupted\n"


def test_people_see_colours_and_lines_that_fit(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    words = ["check", "--timeout", "60", "--transport", "stdio", "--game", "coins", "--step", "act", "--"]
    command = [sys.executable, "-m", "referee", *words, sys.executable, NONCONFORMING, "Illegal"]
    env = os.environ | {"TERM": "xterm-256color", "COLUMNS": "60"}
    env["PYTHONPATH"] = f"{ROOT}:{env['PYTHONPATH']}"
    env.pop("NO_COLOR", None)
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, env=env) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # which is how a terminal ends
            while chunk := os.read(ours, 65_536):
                shown += chunk
        assert process.wait(60) == 1
    os.close(ours)
    assert b"\x1b[1;31mfailed" in shown
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown.decode())
    evidence = [line for line in plain.splitlines() if line.startswith("    ")]
    assert evidence
    assert max(map(len, evidence)) <= 60


# The conversation.


def test_what_has_come_counts_however_late_it_is_looked_at() -> None:
    wire = PipeTransport()
    contact = Conversation(wire, None, PATIENT)
    os.write(wire.theirs[1], b'{"type":"pong","n":3}\n')
    assert contact.next(-1.0) == Pong(3)
    assert contact.next(-1.0) is None
    contact.close()
    for end in wire.theirs:
        os.close(end)


@pytest.mark.parametrize(
    ("pings", "ago_s"), [(0, 3_600), (2, 0)], ids=["long ago", "told twice to say hello"]
)
def test_a_bot_that_came_back_has_come_back(tmp_path: Path, pings: int, ago_s: int) -> None:
    gate = f"ipc://{tmp_path}/gate"
    with (
        zmq.Context() as context,
        context.socket(zmq.DEALER) as bot,
        context.socket(zmq.DEALER) as back,
    ):
        bot.connect(gate)
        source = RemoteLauncher(gate, PATIENT, context, lambda _: None)
        hello = Hello([1], "bot", wants=["legal"], session="kit-session-1")
        bot.send(encode(hello, Encoding.JSON))
        contact = source.fresh()
        contact.greet()
        room = Examinee(source, [registry.game("coins")], [2])
        match = ScriptedMatch(contact, "check-lost", registry.game("coins"), 2)
        contact.say(match.start())
        match.readied()
        match.ask()
        act = Act("check-lost", 1, (match.asked.legal or [""])[0])
        back.connect(gate)
        # Of every ping the referee complains, and every complaint is answered.
        for message in [Ping()] * pings + [hello] * max(1, pings) + [act]:
            back.send(encode(message, Encoding.JSON))
        room.stray = Stray(contact, match, act, lost_s=time.monotonic() - ago_s)
        assert reconnect.run is not None
        assert reconnect.run(room, "") is None
        contact.close()


# The steps.


def test_the_list_and_the_document_name_every_step(workspace: Workspace) -> None:
    listed = [tuple(line.split("\t")) for line in workspace.run("check", "--list").out.splitlines()]
    assert listed == [(step.id, step.title, step.paragraph) for step in STEPS]
    document = (ROOT / "docs" / "check.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (\d+\.\d+) \|$", document, re.MULTILINE)
    assert rows == listed


def test_steps_have_names_of_their_own_cite_what_exists_and_need_what_comes_before() -> None:
    before: set[str] = set()
    for step in STEPS:
        assert step.id not in before
        assert step.paragraph in spec.paragraphs()
        assert set(step.needs) <= before
        assert step.title.endswith(".")
        before.add(step.id)


@pytest.mark.parametrize(
    ("game", "longest"), [("chicago", 35), ("chicago-poker", 322), ("gangsters", 182), ("vengeance", 26)]
)
def test_the_long_lists_are_long(game: str, longest: int) -> None:
    found = registry.game(game)
    assert crowded(found, found.info.most_seats).legal == longest


def test_a_paragraph_is_quoted_as_it_stands_in_the_specification() -> None:
    assert spec.quote("6.4").startswith(
        "Each `ask` MUST be answered by one `act` with the same `match` and `id`."
    )
    assert "\n" not in spec.quote("6.4")
    assert spec.quote("10.9").splitlines()[-1].startswith("| `not-now` |")
    text = (Path(protocol.__file__).parent / "SPEC.md").read_text()
    assert list(spec.paragraphs()) == re.findall(r"^\*\*(\d+\.\d+)\*\*", text, re.MULTILINE)


def test_a_verdict_says_all_that_the_report_needs() -> None:
    assert {"step", "title", "transport", "case", "finding", "why", "evidence", "ms"} == {
        *StepResult.__struct_fields__
    }
