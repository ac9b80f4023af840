"""The site of the commands that play: its process, its links, the organiser's orders, and its end."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.end_to_end.commands import Workspace, path_for_imports, workspace_in
from tests.end_to_end.gated_bots import Gate
from tests.end_to_end.hubs import processes
from tests.end_to_end.ladders import write_plan
from tests.unit.tournaments.live.sites import eventually
from tournaments.site.notes import acts_of
from tournaments.store.store import Store


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as found:
        yield found


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    found = Gate(tmp_path)
    yield found
    found.close()


def ask(address: str, body: Any = None, token: str = "") -> Any:
    """Return the JSON of an answer."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data, headers), timeout=30) as answer:
        return json.load(answer)


def text(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as answer:
        return str(answer.read().decode())


def url_in(line: str) -> str:
    found = re.search(r"http://[\d.:]+", line)
    assert found is not None
    return found[0]


def gated_plan(workspace: Workspace, gate: Gate, **terms: Any) -> None:
    """Write a tournament of two bots that wait for the test."""
    bots = "".join(f'[[bots]]\nname = "{name}"\ncommand = "{gate.command}"\n' for name in ("ann", "bob"))
    write_plan(workspace, (), extra=bots, **terms)


def organiser_token(workspace: Workspace) -> str:
    link = workspace.run("site", "token", "spring.toml", "--organiser").out.strip()
    return link.partition("#")[2]


def test_a_tournament_is_shown_while_it_is_played_and_the_site_stays_on_request(workspace: Workspace) -> None:
    write_plan(workspace)
    command = workspace.start("tournament", "run", "spring.toml", "--web", "0", "--web-stay")
    url = url_in(command.wait_for("the site is at"))
    command.wait_for("the site stays")
    assert eventually(lambda: ask(f"{url}/api/v1/event")["state"]["complete"])
    assert "<h1>spring</h1>" in text(f"{url}/index.html")
    assert ask(f"{url}/api/v1/status")["status"] is None
    assert ask(f"{url}/healthz")["status"] == "ok"
    assert ask(f"{url}/api/v1/organiser", {"act": "freeze"}, organiser_token(workspace))["ok"]
    command.signal()
    assert command.end().code == 0
    with Store(workspace.folder / "spring.db", write=False) as store:
        assert [note.act for _, note in acts_of(store)] == ["freeze"]


def test_the_organiser_pauses_resumes_and_drains_and_every_act_is_on_record(
    workspace: Workspace, gate: Gate
) -> None:
    gated_plan(workspace, gate, blocks=3, jobs=1)
    command = workspace.start("tournament", "run", "spring.toml", "--web", "0", "--log", "run.log")
    url = url_in(command.wait_for("the site is at"))
    token = organiser_token(workspace)
    desk = f"{url}/api/v1/organiser"
    assert eventually(lambda: [one["shown"] for one in _status(url)["running"]] == [False])
    assert ask(desk, {"act": "pause"}, token)["ok"]
    gate.open()
    assert eventually(lambda: (s := _status(url))["playing"] == 0 and s["finished"] == 1)
    assert _status(url)["waiting"] == 5
    assert ask(desk, {"act": "announce", "text": "Lunch until one"}, token)["ok"]
    assert eventually(lambda: "Lunch until one" in text(f"{url}/index.html"))
    assert ask(desk, {"act": "drain"}, token)["ok"]
    ended = command.end()
    assert ended.code == 130
    assert "referee_matches_finished" not in ended.err
    log = (workspace.folder / "run.log").read_text()
    for act in ("pause", "announce: Lunch until one", "drain"):
        assert log.count(f"the organiser: {act}") == 1
        assert f"the organiser: {act}" in ended.err
    assert token not in log + ended.err + ended.out
    with Store(workspace.folder / "spring.db", write=False) as store:
        assert [note.act for _, note in acts_of(store)] == ["pause", "announce", "drain"]
    assert workspace.run("tournament", "verify", "spring.toml").code == 0


def test_a_match_stays_hidden_when_the_run_is_stopped_before_the_other_match_of_its_deal(
    workspace: Workspace, gate: Gate
) -> None:
    gated_plan(workspace, gate, blocks=1, jobs=1)
    command = workspace.start("tournament", "run", "spring.toml", "--web", "0")
    url = url_in(command.wait_for("the site is at"))
    # The hub is asked for its state only afterwards, when its queue is empty.
    gate.let(1)
    assert eventually(lambda: gate.is_used_up)
    assert ask(f"{url}/api/v1/organiser", {"act": "drain"}, organiser_token(workspace))["ok"]
    assert eventually(lambda: (s := _status(url))["draining"] and len(s["running"]) == 1)
    (running,) = _status(url)["running"]
    assert (running["shown"], running["events"]) == (False, 0)
    gate.open()
    assert command.end().code == 130


def _status(url: str) -> dict[str, Any]:
    found = ask(f"{url}/api/v1/status")["status"]
    assert isinstance(found, dict)
    return found


def test_metrics_and_health_are_routes_of_the_site(workspace: Workspace, gate: Gate) -> None:
    gated_plan(workspace, gate)
    command = workspace.start("tournament", "run", "spring.toml", "--web", "0")
    url = url_in(command.wait_for("the site is at"))
    assert eventually(lambda: ask(f"{url}/healthz").get("running", 0) > 0)
    found = text(f"{url}/metrics")
    assert "referee_matches_running" in found
    assert "process_cpu_seconds_total" in found
    assert "referee_site_watchers 0" in found
    gate.open()
    assert command.end().code == 0


def test_the_site_ends_with_a_hub_that_is_killed(workspace: Workspace, gate: Gate) -> None:
    gated_plan(workspace, gate)
    command = workspace.start("tournament", "run", "spring.toml", "--web", "0")
    url = url_in(command.wait_for("the site is at"))
    assert eventually(lambda: ask(f"{url}/healthz")["playing"])
    command.signal(signal.SIGKILL)
    command.end()
    assert eventually(lambda: not processes(str(workspace.folder)))


def test_matches_go_on_when_the_site_is_killed(workspace: Workspace, gate: Gate) -> None:
    gated_plan(workspace, gate)
    command = workspace.start("tournament", "run", "spring.toml", "--web", "0")
    url = url_in(command.wait_for("the site is at"))
    assert eventually(lambda: ask(f"{url}/healthz").get("running", 0) > 0)
    (site,) = [pid for pid in processes(str(workspace.folder)) if b"tournaments.live" in _words(pid)]
    os.kill(site, signal.SIGKILL)
    command.wait_for("the site has ended; matches go on without it")
    gate.open()
    assert command.end().code == 0


def _words(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_busy_port_is_an_error_before_anything_is_played(workspace: Workspace) -> None:
    write_plan(workspace)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = workspace.run("tournament", "run", "spring.toml", "--web", str(port))
    assert ended.code == 2
    assert "name another port, or 0" in ended.err
    assert not (workspace.folder / "spring.db").exists()


def test_a_ladder_is_shown_and_its_site_ends_with_it(workspace: Workspace) -> None:
    command = workspace.start("serve", "coins", "--bind", "0", "--web", "0", listen="out")
    url = url_in(command.wait_for("the site is at"))
    assert ask(f"{url}/api/v1/event")["kind"] == "ladder"
    assert _status(url)["playing"] == 0
    command.signal()
    assert command.end().code == 0


def test_a_run_without_a_store_is_shown(workspace: Workspace) -> None:
    words = ("play", "coins", "--bot", "random", "--bot", "first", "--deals", "2", "--web", "0", "--web-stay")
    command = workspace.start(*words)
    url = url_in(command.wait_for("the site is at"))
    command.wait_for("the site stays")
    assert eventually(lambda: ask(f"{url}/api/v1/event")["played"] == 4)
    match = ask(f"{url}/api/v1/matches")["matches"][0]["match"]
    assert text(f"{url}/replays/{match}.js").startswith("refereeFrames(")
    command.signal()
    ended = command.end()
    # Only a store has a secret of which that command could make a link.
    assert (ended.code, "referee site token" in ended.err) == (0, False)


def test_what_was_played_is_shown_by_the_command_site_and_authors_get_links(workspace: Workspace) -> None:
    write_plan(workspace)
    assert workspace.run("tournament", "run", "spring.toml", "--quiet").code == 0
    command = workspace.start("site", "spring.toml", "replays", "--web", "0")
    url = url_in(command.wait_for("2 events at"))
    assert {one["slug"] for one in ask(f"{url}/api/v1/events")["events"]} == {"spring", "replays"}
    assert workspace.run("site", "announce", "spring.toml", "Well played").code == 0
    assert eventually(lambda: "Well played" in text(f"{url}/e/spring/index.html"))
    command.signal()
    assert command.end().code == 0
    lines = workspace.run("site", "token", "spring.toml", "--url", "http://c.example").out.splitlines()
    assert sorted(line.split("\t")[0] for line in lines) == ["ann", "bob"]
    assert all("http://c.example/author.html#a." in line for line in lines)
    wrong = workspace.run("site", "token", "spring.toml", "anne")
    assert wrong.code == 2
    assert "ann" in wrong.err


def test_the_command_site_refuses_a_store_of_another_version_at_once(workspace: Workspace) -> None:
    shutil.copytree(Path(__file__).parents[1] / "data" / "referee-0.2.0", workspace.folder / "old")
    ended = workspace.run("site", "old/spring.toml", "--web", "0")
    assert ended.code == 1
    assert "read it with referee 0.2.0" in ended.err


def test_an_act_on_an_event_that_is_being_played_names_the_other_way(
    workspace: Workspace, gate: Gate
) -> None:
    gated_plan(workspace, gate)
    command = workspace.start("tournament", "run", "spring.toml", "--web", "0")
    url = url_in(command.wait_for("the site is at"))
    assert eventually(lambda: _status(url)["playing"] > 0)
    refused = workspace.run("site", "freeze", "spring.toml")
    assert refused.code == 2
    assert "use the organiser's page" in refused.err
    gate.open()
    assert command.end().code == 0


def test_an_author_logs_in_with_the_key_of_a_bot(workspace: Workspace) -> None:
    public = workspace.run("key", "new", "ann.key").out.strip()
    server = workspace.run("key", "allow", "ann", public).out.strip()
    command = workspace.start("serve", "coins", "--bind", "0", "--keys", "keys", "--web", "0", listen="out")
    url = url_in(command.wait_for("the site is at"))
    ended = workspace.run("site", "login", url, "--key", "ann.key", "--server-key", server)
    assert ended.code == 0, ended.err
    token = ended.out.strip().removeprefix(f"{url}/author.html#")
    assert ask(f"{url}/api/v1/author", token=token)["bot"] == "ann"
    workspace.run("key", "new", "eve.key")
    refused = workspace.run("site", "login", url, "--key", "eve.key", "--server-key", server)
    assert refused.code == 1
    assert "proves no account" in refused.err
    with pytest.raises(HTTPError, match="401"):
        ask(f"{url}/api/v1/author", token=token[:-1])
    command.signal()
    assert command.end().code == 0


def test_without_its_libraries_the_option_names_the_extra(workspace: Workspace) -> None:
    write_plan(workspace)
    script = "import sys; sys.modules['uvicorn'] = None; from referee.__main__ import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", script, "tournament", "run", "spring.toml", "--web", "0"],
        cwd=workspace.folder,
        env=_environment(workspace),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert "pip install 'chicago-referee[web]'" in ended.stderr


def _environment(workspace: Workspace) -> dict[str, str]:
    return os.environ | {"HOME": str(workspace.folder), "PYTHONPATH": path_for_imports()}
