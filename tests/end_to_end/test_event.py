"""Events of several tournaments by their commands: stages, games, kills, pseudonyms, a frozen table."""

import base64
import csv
import gzip
import io
import json
import re
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.end_to_end.commands import Workspace, workspace_in
from tournaments.event_file import plans_of
from tournaments.store.store import Store

SEED = "b0b5c1d2e4f6a7981c2d3e4f5a6b7c8d"
CRASHING = "import sys\nfrom protocol.client import run\nrun(lambda view, legal: sys.exit('gone'))\n"
SECRETS = ("zebulon", "yolanda", "xerxes", "annabelle", "quuxley", "wolfgang")
"""Parts of names of bots and authors."""
EVENT = f"""
name = "Cup"
seed = "{SEED}"
blocks = 2
jobs = 2
STOP
[[stages]]
name = "groups"
[[stages]]
name = "final"
format = "knockout"
take = 2
blocks = 1
[[games]]
game = "coins"
[[games]]
game = "coins"
name = "long"
options = {{ rounds = 5 }}
weight = 2
[[bots]]
name = "zebulon"
sample = "first"
authors = ["Annabelle Ash", "Bo Quuxley"]
[[bots]]
name = "yolanda the third"
sample = "random"
[[bots]]
name = "xerxes"
command = ["{sys.executable}", "xerxes.py"]
authors = ["Wolfgang"]
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as found:
        (tmp_path / "xerxes.py").write_text(CRASHING)
        yield found


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play the event under pseudonyms, once for all tests that look at what the public sees of it."""
    folder = tmp_path_factory.mktemp("masked")
    with workspace_in(folder) as found:
        (folder / "xerxes.py").write_text(CRASHING)
        write(found, "pseudonyms = true")
        ended = found.run("tournament", "run", "cup.toml", "--site", "site", "--html", "cup.html")
        assert ended.code == 0, ended.err
        assert "zebulon" in ended.out
    return folder


def write(workspace: Workspace, *keys: str) -> Path:
    path = workspace.folder / "cup.toml"
    path.write_text(EVENT.replace("STOP", "\n".join(keys)))
    return path


def ask(workspace: Workspace, *words: str) -> Any:
    ended = workspace.run(*words, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_one_command_plays_all_parts_and_the_commands_agree_about_the_result(workspace: Workspace) -> None:
    write(workspace)
    before = ask(workspace, "tournament", "status", "cup.toml")
    assert before["leaders"] == []
    assert [part["waits"] for part in before["parts"]] == ["", "", *["after groups: its best 2 go on"] * 2]
    ended = workspace.run("tournament", "run", "cup.toml", "--html", "cup.html", "--log", "log")
    assert ended.code == 0, ended.err
    assert "part 3 of 4: final, coins" in ended.err
    assert "Cup: places" in ended.out
    assert "xerxes" in ended.out.split("Stage final")[0].splitlines()[4]
    found = ask(workspace, "tournament", "standings", "cup.toml")
    places = [one["name"] for one in found["places"]]
    assert [one["stage"] for one in found["places"]] == ["final", "final", "groups"]
    rows = list(csv.DictReader(io.StringIO(workspace.run("tournament", "export", "cup.toml", "--table").out)))
    assert [row["bot"] for row in rows] == [line["name"] for line in found["stages"][1]["combined"]["lines"]]
    assert rows[[row["bot"] for row in rows].index("zebulon")]["authors"] == "Annabelle Ash; Bo Quuxley"
    status = ask(workspace, "tournament", "status", "cup.toml")
    assert status["complete"]
    assert status["leaders"] == places[:1]
    assert f"\nwinner: {places[0]}\n" in workspace.run("tournament", "status", "cup.toml").out
    verified = ask(workspace, "tournament", "verify", "cup.toml")
    assert verified["ok"]
    assert list(verified["parts"]) == ["groups-coins", "groups-long", "final-coins", "final-long"]
    front = (workspace.folder / "cup.html").read_text()
    assert all(name in front for name in places)
    assert 'href="cup-final-long.html"' in front
    report = (workspace.folder / "cup-groups-coins.html").read_text()
    assert "What was played" in report
    assert "Annabelle Ash; Bo Quuxley" in report
    assert re.search(r"Hash of the seed</dt><dd><code>[0-9a-f]{64}", report)
    part = ask(workspace, "tournament", "standings", "cup.toml", "--part", "groups-coins")
    rounds = ask(workspace, "tournament", "rounds", "cup.toml")["parts"]
    assert [one["part"] for one in rounds] == list(verified["parts"])
    one = ask(workspace, "tournament", "rounds", "cup.toml", "--part", "final-long")
    assert (one["name"], one["rounds"]) == (rounds[3]["name"], rounds[3]["rounds"])
    listed = workspace.run("tournament", "rounds", "cup.toml").out
    assert [line for line in listed.splitlines() if line.startswith("Cup: ")] == [
        one["name"] for one in rounds
    ]
    assert part["facts"]["authors"]["xerxes"] == ["Wolfgang"]
    assert "protocol 1" in part["facts"]["hosts"][0]


@pytest.mark.faults
def test_a_run_that_is_killed_between_stages_goes_on_with_the_bots_that_qualified(
    workspace: Workspace,
) -> None:
    path = write(workspace)
    command = workspace.start("tournament", "run", "cup.toml")
    command.wait_for("part 3 of 4")
    command.process.kill()
    command.process.wait()
    command.end()
    groups = plans_of(path)[:2]
    heads = []
    for plan in groups:
        with Store(plan.store, write=False) as store:
            heads.append(store.head())
    ended = workspace.run("tournament", "run", "cup.toml")
    assert ended.code == 0, ended.err
    assert "In the store: " + str(heads[0]) in ended.err
    assert "In the store: " + str(heads[1]) in ended.err
    qualified = [line["name"] for line in ask(workspace, "tournament", "standings", "cup.toml")["places"]][:2]
    assert {bot for plan in plans_of(path)[2:] for bot in plan.names} == set(qualified)
    assert ask(workspace, "tournament", "verify", "cup.toml")["ok"]


BREAKS_IN_THE_FINAL = """\
import glob, runpy, sys
if len(glob.glob("cup-groups-replays/*.jsonl")) == 6:
    sys.exit("broken now")
runpy.run_module("sample_bots.python.gangsters", run_name="__main__")
"""
BREAKING_EVENT = f"""
name = "Cup"
seed = "{SEED}"
game = "gangsters"
options = {{ target = 4 }}
blocks = 1
[[stages]]
name = "groups"
[[stages]]
name = "final"
format = "knockout"
take = 2
[[bots]]
name = "zebulon"
command = ["{sys.executable}", "best.py"]
[[bots]]
name = "yolanda"
sample = "first"
[[bots]]
name = "xerxes"
sample = "random"
"""


def test_terminal_and_report_of_an_event_say_which_bots_were_left_out(workspace: Workspace) -> None:
    workspace.write("best.py", "import sys\nsys.exit('broken')\n")
    workspace.write("cup.toml", BREAKING_EVENT)
    ended = workspace.run("tournament", "run", "cup.toml", "--html", "cup.html")
    assert ended.code == 0, ended.err
    said = "zebulon: does not start: its process ended before its hello"
    assert f"Left out: {said}." in ended.out
    assert f"Left out: {said}." in workspace.run("tournament", "standings", "cup.toml").out
    assert f"groups: left out: {said}\n" in workspace.run("tournament", "status", "cup.toml").out
    assert said.partition(": ")[2] in (workspace.folder / "cup.html").read_text()


def test_a_stage_for_which_too_few_bots_start_is_named_and_all_commands_go_on(workspace: Workspace) -> None:
    workspace.write("best.py", "import sys\nsys.exit('broken')\n")
    event = BREAKING_EVENT.replace('format = "knockout"\ntake = 2', "pools = 2\ntake = 4")
    workspace.write("cup.toml", event + '[[bots]]\nname = "wolfgang"\nsample = "random"\n')
    ended = workspace.run("tournament", "run", "cup.toml", "--site", "site")
    assert ended.code == 1
    said = "stage final can begin when 4 bots have results in groups: only 3 have; mend the bots that do not"
    assert said in ended.err
    assert (workspace.folder / "site" / "index.html").exists()
    status = ask(workspace, "tournament", "status", "cup.toml")
    assert not status["complete"]
    assert status["parts"][1]["waits"] == "when 4 bots have results in groups: only 3 have"
    workspace.write(
        "best.py", "import runpy\nrunpy.run_module('sample_bots.python.first', run_name='__main__')\n"
    )
    ended = workspace.run("tournament", "run", "cup.toml", "--quiet")
    assert ended.code == 0, ended.err
    assert ask(workspace, "tournament", "status", "cup.toml")["complete"]


def test_a_bot_that_breaks_before_the_final_can_be_left_out_so_that_the_next_goes_on(
    workspace: Workspace,
) -> None:
    workspace.write("best.py", BREAKS_IN_THE_FINAL)
    workspace.write("cup.toml", BREAKING_EVENT)
    ended = workspace.run("tournament", "run", "cup.toml")
    assert ended.code == 2
    assert "bot zebulon" in ended.err
    cure = (
        "mend what does not start, or let the next of the stage before go on: "
        "referee entries leave-out cup.toml BOT\n"
    )
    assert ended.err.endswith(cure)
    assert workspace.run("entries", "leave-out", "cup.toml", "zebulon").code == 0
    ended = workspace.run("tournament", "run", "cup.toml")
    assert ended.code == 0, ended.err
    places = ask(workspace, "tournament", "standings", "cup.toml")["places"]
    assert {(one["name"], one["stage"]) for one in places} == {("yolanda", "final"), ("xerxes", "final")}


def test_one_commitment_and_one_value_are_the_luck_of_all_parts(workspace: Workspace) -> None:
    path = write(workspace, 'beacon = "drand round 5000000"')
    assert workspace.run("tournament", "run", "cup.toml").code == 2
    committed = ask(workspace, "tournament", "commit", "cup.toml")
    assert [part["name"] for part in committed["plan"]["parts"]][2:] == ["final-coins", "final-long"]
    ask(workspace, "tournament", "reveal", "cup.toml", "--beacon", "9f3e")
    assert workspace.run("tournament", "run", "cup.toml", "--quiet").code == 0
    assert ask(workspace, "tournament", "verify", "cup.toml")["ok"]
    assert len({plan.seed for plan in plans_of(path)}) == 4
    path.write_text(path.read_text().replace("take = 2", "take = 3"))
    ended = workspace.run("tournament", "verify", "cup.toml")
    assert ended.code == 1
    assert "parts: not as committed in cup.commit.json" in ended.out + ended.err


# What the public must not learn.


PACKED = re.compile(rb'"([A-Za-z0-9+/]{100,}={0,2})"')


def leaks(data: bytes) -> list[str]:
    """Return the secrets in some content: in what is packed, and in all else."""
    # In packed text a few letters may come together by chance.
    readable = [PACKED.sub(b"", data)]
    readable += [gzip.decompress(base64.b64decode(packed)) for packed in PACKED.findall(data)]
    return [name for name in SECRETS if any(name.encode() in text.lower() for text in readable)]


def all_leaks(contents: dict[str, bytes]) -> dict[str, list[str]]:
    """Return by name of a file or address what it discloses."""
    found = {name: leaks(data) for name, data in contents.items()}
    return {name: secrets for name, secrets in found.items() if secrets}


def test_under_pseudonyms_no_file_for_the_public_has_a_name(workspace: Workspace, masked: Path) -> None:
    shutil.copytree(masked, workspace.folder, dirs_exist_ok=True)
    files = [path for path in (workspace.folder / "site").rglob("*") if path.is_file()]
    files += workspace.folder.glob("cup*.html")
    files += [path for folder in workspace.folder.glob("cup*-matches") for path in folder.iterdir()]
    assert len(files) > 100
    assert any(path.parent.name == "why" for path in files)
    assert all_leaks({str(path): path.read_bytes() for path in files}) == {}
    assert not [path for path in files if any(name in path.name for name in SECRETS)]
    for words in (["--table"], ["--json"], ["--part", "groups-coins"], ["--part", "groups-coins", "--pairs"]):
        assert leaks(workspace.run("tournament", "export", "cup.toml", *words).out.encode()) == [], words
    assert leaks(workspace.run("tournament", "export", "cup.toml", "--table", "--organiser").out.encode())
    # Bots see no other names either. A replay has their commands; it is not for the public.
    replays = [path for folder in workspace.folder.glob("*-replays") for path in folder.iterdir()]
    assert not [path for path in replays if {"zebulon", "yolanda"} & set(leaks(path.read_bytes()))]
    listed = ask(workspace, "tournament", "names", "cup.toml")
    assert listed["used"]
    masks = {one["bot"]: one["pseudonym"] for one in listed["bots"]}
    assert masks["zebulon"] in (workspace.folder / "site" / "index.html").read_text()
    # At the end the organiser may disclose them.
    write(workspace)
    assert ask(workspace, "tournament", "verify", "cup.toml")["ok"]
    assert workspace.run("tournament", "export", "cup.toml", "--site", "site").code == 0
    assert "zebulon" in (workspace.folder / "site" / "index.html").read_text()


def test_authors_and_gradebooks_read_what_the_parts_make_together(
    workspace: Workspace, masked: Path, tmp_path: Path
) -> None:
    shutil.copytree(masked, tmp_path / "copy")
    event = str(tmp_path / "copy" / "cup.toml")
    places = {one["name"]: one["place"] for one in ask(workspace, "tournament", "standings", event)["places"]}
    grades = list(csv.DictReader(workspace.run("tournament", "export", event, "--grades").out.splitlines()))
    assert {one["name"]: int(one["rank"]) for one in grades[:3]} == places
    assert [one["event"] for one in grades[2:4]] == ["Cup", "Cup: groups, coins"]
    for bot, place in places.items():
        said = workspace.run("why", "--bot", bot, event).out.splitlines()
        assert said[0] == f"{bot}. In the whole event: place {place} of 3."
    written = workspace.run("feedback", event, "--out", "feedback", "--quiet")
    assert written.code == 0, written.err
    for page in (workspace.folder / "feedback").glob("*/feedback.html"):
        assert "In the whole event: place" in page.read_text()


def fetch(address: str, token: str = "") -> bytes:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, None, headers), timeout=30) as answer:
            return bytes(answer.read())
    except HTTPError as error:
        return error.read()


def test_under_pseudonyms_no_page_of_the_live_site_has_a_name(workspace: Workspace, masked: Path) -> None:
    shutil.copytree(masked, workspace.folder, dirs_exist_ok=True)
    link = workspace.run("site", "token", "cup.toml", "xerxes").out.split("#")[-1].strip()
    command = workspace.start("site", "cup.toml", "--web", "127.0.0.1:0")
    said = command.wait_for("until Ctrl-C")
    found = re.search(r"http://[\d.:]+", said)
    assert found is not None
    url = found[0]
    seen: dict[str, bytes] = {}
    wanted = ["/", "/data/event.json", "/data/combined.csv", "/api/v1/events", "/metrics", "/healthz"]
    for part in ("groups-coins", "final-long"):
        wanted += [f"/e/{part}/{path}" for path in ("feed.json", "feed.atom", "live.html", "author.html")]
        wanted += [f"/e/{part}/api/v1/{path}" for path in ("event", "standings", "matches", "status")]
        wanted += [f"/e/{part}/api/v1/bots/zebulon", f"/e/{part}/index.html"]
    while wanted:
        path = wanted.pop()
        if path in seen or len(seen) > 400:
            continue
        seen[path] = fetch(url + path)
        folder = path.rpartition("/")[0]
        if path.endswith((".html", "/")):
            links = re.findall(r'href="([^"#:]+)', seen[path].decode())
            wanted += [_resolved(folder, link) for link in links]
        if path.endswith("/matches"):
            matches = [one["match"] for one in json.loads(seen[path])["matches"]]
            wanted += [f"{path.partition('/api')[0]}/replays/{match}.js" for match in matches]
    assert sum(path.endswith(".js") and "replays" in path for path in seen) > 10
    assert all_leaks(seen) == {}
    own = json.loads(fetch(f"{url}/e/groups-coins/api/v1/author", link))
    assert own["known"]
    assert own["bot"] not in ("xerxes", "")
    dossier = next(one["match"] for one in own["matches"] if one["dossier"])
    logs = fetch(f"{url}/e/groups-coins/api/v1/author/{dossier}", link)
    assert b"gone" in logs
    assert leaks(logs) == []
    command.process.terminate()
    command.end()


def _resolved(folder: str, link: str) -> str:
    parts = folder.split("/")
    for step in link.split("/"):
        if step == "..":
            parts.pop()
        elif step != ".":
            parts.append(step)
    return "/".join(parts)


def test_a_frozen_table_of_the_last_stage_stays_until_it_is_revealed(workspace: Workspace) -> None:
    path = write(workspace, "freeze = 0.5")
    assert workspace.run("tournament", "run", "cup.toml", "--site", "site", "--quiet").code == 0
    groups, _, final, _ = plans_of(path)
    assert (groups.freeze, final.freeze) == (None, 0.5)

    def shown() -> list[int]:
        parts = ("groups-coins", "final-coins")
        return [
            json.loads((workspace.folder / "site" / part / "data" / "event.json").read_text())["hidden"]
            for part in parts
        ]

    assert shown() == [0, 1]
    assert "is frozen: 1 later result" in (workspace.folder / "site" / "index.html").read_text()
    table = ["tournament", "export", "cup.toml", "--part", "final-coins"]
    assert len(workspace.run(*table).out.splitlines()) < len(
        workspace.run(*table, "--organiser").out.splitlines()
    )
    assert ask(workspace, "tournament", "status", "cup.toml")["complete"]
    assert workspace.run("site", "reveal", "cup.toml").code == 0
    assert workspace.run("tournament", "export", "cup.toml", "--site", "site").code == 0
    assert shown() == [0, 0]
