"""What an operator relies on: logs, metrics, health, and how a referee ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from referee.cli.output.log import EventLog
from tests.end_to_end.commands import SILENT, Command, Workspace, path_for_imports, workspace_in
from tests.end_to_end.ladders import stored, write_plan

WITHOUT = """
import sys
sys.modules["prometheus_client"] = None
from referee.cli import main
main(sys.argv[1:], prog_name="referee")
"""
"""Runs a command where Prometheus' library is not installed."""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def serve(workspace: Workspace, *words: str) -> tuple[Command, str]:
    """Start a daemon and return it with its address."""
    running = workspace.start("serve", "coins", "--bind", "0", *words, listen="out")
    return running, running.wait_for("Listening at").split()[-1]


def logged(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def asked(url: str) -> tuple[int, str]:
    try:
        with urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def measured(url: str) -> dict[str, float]:
    """Return all samples by name and labels."""
    code, text = asked(f"{url}/metrics")
    assert code == 200
    return {
        "".join(
            [sample.name, *(f",{name}={value}" for name, value in sorted(sample.labels.items()))]
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


# Logs.


def test_a_tournament_is_logged_for_machines(workspace: Workspace) -> None:
    write_plan(workspace, blocks=1)
    ended = workspace.run(
        "tournament", "run", "spring.toml", "--log", "log", "--log-format", "json", "--quiet"
    )
    assert (ended.code, ended.err) == (0, "")
    lines = logged(workspace.folder / "log")
    assert [line["event"] for line in lines] == ["tournament", "begin", "round", "match", "match", "end"]
    assert all({"time", "level", "event", "text"} <= line.keys() for line in lines)
    by_match = {line["match"]: line for line in lines if line["event"] == "match"}
    for one in stored(workspace):
        assert by_match[one.match]["ranks"] == list(one.result.ranks)
        assert by_match[one.match]["bots"] == list(one.bots)
    assert [line["results"] for line in lines if "head" in line] == [0, 2]
    assert len(lines[-1]["head"]) == 64


def test_trouble_is_logged_as_an_error(workspace: Workspace) -> None:
    write_plan(workspace, broken="stop", extra='[[bots]]\nname = "broken"\ncommand = "false"')
    assert workspace.run("tournament", "run", "spring.toml", "--log", "log", "--log-format", "json").code == 2
    (trouble,) = [line for line in logged(workspace.folder / "log") if line["level"] == "error"]
    assert trouble["event"] == "trouble"
    assert "bot broken" in trouble["why"]


def test_a_log_can_go_to_stderr(workspace: Workspace) -> None:
    write_plan(workspace, blocks=1)
    ended = workspace.run("tournament", "run", "spring.toml", "--log", "-", "--quiet")
    assert ended.code == 0
    assert sum(" match " in line for line in ended.err.splitlines()) == 2
    assert not (workspace.folder / "-").exists()


def test_a_daemon_is_logged_for_machines(workspace: Workspace) -> None:
    serving, address = serve(workspace, "--matches", "2", "--log", "log", "--log-format", "json")
    for name in ("first", "random"):
        workspace.start("join", address, "--", name)
    assert serving.end().code == 0
    lines = logged(workspace.folder / "log")
    assert [line["event"] for line in lines if line["event"] != "note"] == ["open", "match", "match", "end"]
    assert lines[0]["address"] == address
    assert {name for line in lines if line["event"] == "match" for name in line["names"]} == {
        "first",
        "random",
    }
    assert {"first has come (1 here)", "first has come (2 here)"} & {line["text"] for line in lines}


HOSTILE = 'a\n{"event": "end"}\r\x1b[2J\x9b1m\u202e\u2028"\\ \udcff'
"""Line breaks, quotes, commands to terminals, and a byte of a file name that is no text."""


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_name_breaks_a_line_of_the_log_or_commands_a_terminal(tmp_path: Path, form: str) -> None:
    with EventLog(tmp_path / "log", form) as log:
        log.write("note", f"{HOSTILE} has come", name=HOSTILE)
    line, end = (tmp_path / "log").read_text(encoding="utf-8").split("\n")
    assert end == ""
    assert line.isprintable()
    if form == "json":
        told = json.loads(line)
        assert (told["event"], told["name"], told["text"]) == ("note", HOSTILE, f"{HOSTILE} has come")


def test_a_log_that_cannot_be_opened_is_bad_input(workspace: Workspace) -> None:
    write_plan(workspace)
    for words in (["tournament", "run", "spring.toml"], ["serve", "coins", "--bind", "0"]):
        ended = workspace.run(*words, "--log", "spring.toml/log")
        assert ended.code == 2
        assert "cannot write the log spring.toml/log: Not a directory" in ended.err
    assert stored(workspace) == []


def test_a_log_that_can_no_longer_be_written_is_given_up_and_the_results_are_kept(
    workspace: Workspace,
) -> None:
    write_plan(workspace, blocks=2)
    ended = workspace.run("tournament", "run", "spring.toml", "--log", "/dev/full", "--quiet")
    assert (ended.code, ended.err) == (0, "the log cannot be written and ends: No space left on device\n")
    assert len(stored(workspace)) == 4


def test_a_report_or_an_answer_that_cannot_be_written_is_the_disks_fault_and_no_error_of_ours(
    workspace: Workspace,
) -> None:
    write_plan(workspace, blocks=1)
    ended = workspace.run("tournament", "run", "spring.toml", "--html", "/dev/full", "--quiet")
    assert (ended.code, len(stored(workspace))) == (1, 2)
    assert ended.err == "referee: cannot write /dev/full: No space left on device; the results are safe\n"
    words = [sys.executable, "-m", "referee", "tournament", "standings", "spring.toml"]
    env = os.environ | {"PYTHONPATH": path_for_imports()}
    with open("/dev/full", "w") as full:
        told = subprocess.run(
            words, cwd=workspace.folder, env=env, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (told.returncode, told.stderr) == (
        1,
        "referee: cannot write the output: No space left on device\n",
    )


# Metrics and health.


def test_a_daemon_reports_metrics_and_health(workspace: Workspace) -> None:
    serving, address = serve(workspace, "--metrics", "0")
    url = serving.wait_for("metrics and health are at").split()[-1]
    assert url.startswith("http://127.0.0.1:")
    code, text = asked(f"{url}/healthz")
    assert (code, json.loads(text)["status"]) == (200, "ok")
    before = measured(url)
    assert (before["referee_bots"], before["referee_matches_begun_total"]) == (0, 0)
    for name in ("first", "random"):
        workspace.start("join", address, "--", name)
    serving.wait_for(": 1. ")
    after = measured(url)
    assert after["referee_bots"] == 2
    assert after["referee_matches_finished_total"] >= 1
    assert after["referee_matches_begun_total"] >= after["referee_matches_finished_total"]
    assert after["referee_decisions_total"] > 0
    assert after["referee_decision_seconds_count"] == after["referee_decision_seconds_bucket,le=+Inf"] > 0
    assert after["referee_faults_total,code=late"] == 0
    assert after["process_resident_memory_bytes"] > 2**20
    assert after["process_open_fds"] > 3
    assert asked(f"{url}/")[0] == 404
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0


def test_a_tournament_reports_metrics_and_health_and_drains(workspace: Workspace) -> None:
    fifo = workspace.folder / "asked"
    os.mkfifo(fifo)
    workspace.write("silent.py", SILENT)
    command = json.dumps([sys.executable, "silent.py", str(fifo)])
    kit = json.dumps(path_for_imports())
    bot = f'[[bots]]\nname = "silent"\ncommand = {command}\nenv = {{ PYTHONPATH = {kit} }}'
    write_plan(workspace, ["ann"], extra=bot, jobs=1, blocks=3)
    running = workspace.start("tournament", "run", "spring.toml", "--metrics", "0")
    url = running.wait_for("Metrics and health are at").split()[-1]
    running.wait_for_fifo(fifo)
    now = measured(url)
    assert (now["referee_matches_running"], now["referee_matches_waiting"], now["referee_bots"]) == (1, 5, 2)
    assert json.loads(asked(f"{url}/healthz")[1])["status"] == "ok"
    running.signal(signal.SIGTERM)
    running.wait_for("finishing the match that runs")
    assert json.loads(asked(f"{url}/healthz")[1])["status"] == "draining"
    assert measured(url)["referee_matches_waiting"] == 0
    running.signal(signal.SIGTERM)
    ended = running.end()
    assert ended.code == 130
    assert "to continue: referee tournament run" in ended.err


def test_faults_are_counted_by_their_code(workspace: Workspace) -> None:
    workspace.write(
        "bad.py", "from protocol.client import run\nrun(lambda view, legal: 'nonsense', name='bad')\n"
    )
    serving, address = serve(workspace, "--metrics", "0")
    url = serving.wait_for("metrics and health are at").split()[-1]
    workspace.start("join", address, "--", "first")
    workspace.start("join", address, "--", "bad.py")
    serving.wait_for("forfeit")
    assert measured(url)["referee_faults_total,code=illegal"] >= 1
    serving.signal()
    assert serving.end().code == 0


def test_a_daemon_that_does_not_turn_is_not_well(workspace: Workspace) -> None:
    from referee.cli.output.metrics import Metrics
    from referee.hub.hub import Hub

    ahead_ns = 0
    with Hub() as hub, Metrics("0", clock=lambda: time.monotonic_ns() + ahead_ns) as metrics:
        assert asked(f"{metrics.address}/healthz") == (503, '{"status": "starting"}\n')
        metrics.watch(hub)
        assert asked(f"{metrics.address}/healthz")[0] == 200
        ahead_ns = 60_000_000_000
        code, text = asked(f"{metrics.address}/healthz")
        assert (code, json.loads(text)["status"]) == (503, "stuck")
        end = time.monotonic() + 60
        while asked(f"{metrics.address}/healthz")[0] == 503 and time.monotonic() < end:
            hub.loop.turn()
        assert asked(f"{metrics.address}/healthz")[0] == 200


def test_a_request_that_stops_halfway_does_not_block_others(workspace: Workspace) -> None:
    serving, _ = serve(workspace, "--metrics", "0")
    url = serving.wait_for("metrics and health are at").split()[-1]
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as rude:
        rude.sendall(b"GET /metr")
        assert asked(f"{url}/healthz")[0] == 200
        # The rude one was hung up upon.
        assert rude.recv(100) == b""
    serving.signal()
    assert serving.end().code == 0


def test_a_request_sent_letter_by_letter_does_not_block_others() -> None:
    from referee.cli.output.metrics import Metrics
    from referee.hub.hub import Hub

    with Hub() as hub, Metrics("0") as metrics:
        metrics.watch(hub)
        host, port = metrics.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as slow:
            # A letter whenever nothing has come for a while: no single wait is long.
            slow.settimeout(0.2)
            answers: list[int] = []
            other = Thread(target=lambda: answers.append(asked(f"{metrics.address}/healthz")[0]))
            other.start()
            hung_up, end = False, time.monotonic() + 60
            while not hung_up and time.monotonic() < end:
                try:
                    slow.sendall(b"G")
                    hung_up = slow.recv(1) == b""
                except TimeoutError:
                    continue
                except OSError:
                    hung_up = True
            other.join()
        assert hung_up, "a minute of letters was listened to"
        assert answers == [200]


def test_without_its_library_there_are_no_metrics_and_the_extra_is_named(workspace: Workspace) -> None:
    write_plan(workspace)
    for words in (["tournament", "run", "spring.toml"], ["serve", "coins", "--bind", "0"]):
        ended = subprocess.run(
            [sys.executable, "-c", WITHOUT, *words, "--metrics", "0"],
            cwd=workspace.folder,
            env=os.environ | {"PYTHONPATH": path_for_imports()},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 2
        assert "pip install 'chicago-referee[metrics]'" in ended.stderr
    assert stored(workspace) == []


@pytest.mark.parametrize("address", ["ipc:///tmp/x", "here", "70000"])
def test_a_wrong_address_of_metrics_is_bad_input(workspace: Workspace, address: str) -> None:
    ended = workspace.run("serve", "coins", "--bind", "0", "--metrics", address)
    assert ended.code == 2
    assert repr(address) in ended.err


def test_a_taken_address_of_metrics_is_bad_input(workspace: Workspace) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = workspace.run("serve", "coins", "--bind", "0", "--metrics", port)
    assert ended.code == 2
    assert f"--metrics: cannot listen at {port}: Address already in use" in ended.err


# The end.


def test_a_daemon_says_in_its_log_how_it_ends(workspace: Workspace) -> None:
    fifo = workspace.folder / "fifo"
    os.mkfifo(fifo)
    workspace.write("silent.py", SILENT)
    serving, address = serve(workspace, "--clock", "first=600000", "--log", "log")
    silent = workspace.start("join", address, "--", "silent.py", str(fifo))
    workspace.start("join", address, "--", "first")
    silent.wait_for_fifo(fifo)
    serving.signal(signal.SIGTERM)
    serving.wait_for("stopping: finishing the match that runs, for at most 30 s; Ctrl-C again abandons it")
    serving.signal(signal.SIGTERM)
    serving.wait_for("abandoning the running matches")
    assert serving.end().code == 0
    log = (workspace.folder / "log").read_text()
    for told in (
        "stopping: finishing",
        "abandoning the running matches",
        "void: interrupted by the operator",
        " end: 0 matches in the table",
    ):
        assert told in log, log


def test_a_daemon_with_nothing_to_finish_says_so(workspace: Workspace) -> None:
    serving, _ = serve(workspace)
    serving.signal(signal.SIGTERM)
    ended = serving.end()
    assert ended.code == 0
    assert "* stopping: no match runs" in ended.out
