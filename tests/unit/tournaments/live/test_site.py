"""A site that serves a tournament: pages, data, feeds, and what is withheld."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from referee.replay.files import read
from referee.replay.hashchain import START, link
from tests.unit.tournaments.live.sites import (
    RunningSite,
    eventually,
    next_event,
    played_tournament,
    running_site,
    source_of,
    tokens_of,
)
from tests.unit.tournaments.site.events_in_files import play
from tournaments.config.plan import Plan
from tournaments.live.event_reading import replays_in
from tournaments.pairing.schedule import fixtures


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return played_tournament(tmp_path_factory.mktemp("event"), left=1, failing=1)


@pytest.fixture(scope="module")
def site(plan: Plan) -> Iterator[RunningSite]:
    with running_site(source_of(plan)) as found:
        yield found


def test_the_front_page_is_that_of_the_event(site: RunningSite) -> None:
    assert site.ask("/").status == 307
    page = site.ask("/index.html")
    assert page.status == 200
    assert "<h1>Spring</h1>" in page.text
    assert "assets/live.js" in page.text


@pytest.mark.parametrize(
    "path", ["live.html", "watch.html", "author.html", "organiser.html", "matches.html", "projector.html"]
)
def test_every_page_is_served_with_its_scripts_and_styles(site: RunningSite, path: str) -> None:
    page = site.ask(f"/{path}")
    assert page.status == 200
    for part in {word for word in page.text.replace('"', " ").split() if word.startswith("assets/")}:
        assert site.ask(f"/{part}").status == 200, part


def test_a_browser_that_has_a_page_is_not_sent_it_again(site: RunningSite) -> None:
    page = site.ask("/index.html")
    again = site.ask("/index.html", If_None_Match=page.headers["etag"])
    assert (again.status, again.body) == (304, b"")


def test_a_replay_is_made_on_request_and_withheld_while_its_deal_is_open(
    site: RunningSite, plan: Plan
) -> None:
    last = fixtures(plan)[-1]
    shown = {one["match"]: one["replay"] for one in site.ask("/api/v1/matches").json()["matches"]}
    withheld = [match for match, state in shown.items() if state == "withheld"]
    assert withheld == [one.match for one in fixtures(plan) if one.block == last.block][:-1]
    assert b",null," in site.ask(f"/replays/{withheld[0]}.js").body
    other = next(match for match, state in shown.items() if state == "shown")
    assert site.ask(f"/replays/{other}.js").body.startswith(f'refereeFrames("{other}","'.encode())
    assert site.ask(f"/replays/{last.match}.js").status == 404


def test_new_results_are_announced_and_shown(tmp_path: Path) -> None:
    plan = played_tournament(tmp_path, left=2)
    with running_site(source_of(plan)) as site, site.watch() as stream:
        first = next_event(stream, "results")
        play(plan, fixtures(plan)[-2:])
        while next_event(stream, "results")["reading"] <= first["reading"]:
            pass
        assert eventually(lambda: len(site.ask("/api/v1/matches").json()["matches"]) == 12)
        assert "none left" in site.ask("/index.html").text


def test_the_interface_lists_itself_and_every_path_of_it_answers(site: RunningSite, plan: Plan) -> None:
    index = site.ask("/api/v1").json()
    assert index["version"] == 1
    match = fixtures(plan)[0].match
    needs_hub = ("status", "healthz", "metrics")
    for line in index["endpoints"]:
        method, path = line.split()
        if method == "GET" and not path.startswith("events") and not path.endswith(needs_hub):
            path = path.replace("matches/ID", f"matches/{match}").replace("NAME", "ann")
            status = site.ask(f"/{path}").status
            assert status == (401 if "author" in path or "organiser" in path else 200), path


def test_one_match_and_one_bot_have_their_documents(site: RunningSite, plan: Plan) -> None:
    match = fixtures(plan)[0].match
    assert site.ask(f"/api/v1/matches/{match}").json()["match"] == match
    bot = site.ask("/api/v1/bots/ann").json()
    assert bot["name"] == "ann"
    assert all("ann" in one["bots"] for one in bot["matches"])
    assert site.ask("/api/v1/bots/nope").status == site.ask("/api/v1/matches/nope").status == 404


def test_feeds_have_the_results(site: RunningSite) -> None:
    feed = site.ask("/feed.json").json()
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert len(feed["items"]) == 11
    assert feed["items"][0]["url"].startswith(f"{site.url}/match.html#match=")
    atom = ElementTree.fromstring(site.ask("/feed.atom").body)
    entries = atom.findall("{http://www.w3.org/2005/Atom}entry")
    assert [one["title"] for one in feed["items"]] == [
        entry.findtext("{http://www.w3.org/2005/Atom}title") for entry in entries
    ]


def test_a_hub_that_does_not_answer_is_reported_as_stuck(site: RunningSite) -> None:
    answer = site.ask("/healthz")
    assert answer.status == 503
    assert answer.json()["status"] == "stuck"


@pytest.mark.parametrize(
    "path",
    ["/../plan.sqlite", "/%2e%2e/spring.toml", "/replays/..%2fspring.js", "/assets/nope.js", "/why/x.html"],
)
def test_no_path_leads_out_of_the_pages(site: RunningSite, path: str) -> None:
    assert site.ask(path).status == 404


def test_a_page_that_is_not_there_leads_to_the_front_page(site: RunningSite) -> None:
    answer = site.ask("/bots/nope.html")
    assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<p>There is no such page.</p><p><a href="../">' in answer.text


def test_several_events_have_a_list_and_addresses_of_their_own(
    plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from tournaments.live.sources import beside_each_other, sources_at

    other = played_tournament(tmp_path_factory.mktemp("other"))
    events = beside_each_other([*sources_at(plan.file), *sources_at(other.file), *sources_at(plan.replays)])
    with running_site(*events) as site:
        page = site.ask("/").text
        for event in events:
            assert f"e/{event.slug}/index.html" in page
            assert 'href="../../">All events' in site.ask(f"/e/{event.slug}/index.html").text
            assert site.ask(f"/e/{event.slug}/api/v1/event").json()["game"] == "coins"
        assert site.ask("/index.html").text == page
        assert site.ask("/e/nope/index.html").status == 404
        assert len(site.ask("/api/v1/events").json()["events"]) == 3
        assert json.loads(site.ask(f"/e/{events[2].slug}/data/event.json").body)["played"] == 11


def test_of_results_that_cannot_be_read_the_public_learns_no_path_and_the_operator_why(
    tmp_path: Path,
) -> None:
    plan = played_tournament(tmp_path)
    plan.store_file.write_bytes(b"no database " * 1_000)
    source = source_of(plan)
    second = msgspec.structs.replace(source, slug="second")
    with running_site(source, playing=source.slug) as site, running_site(source, second) as several:
        for answer in (
            site.ask("/index.html"),
            site.ask("/api/v1/standings"),
            several.ask("/"),
            several.ask("/api/v1/events"),
        ):
            assert "cannot be read now" in answer.text
            assert str(tmp_path) not in answer.text
            assert plan.store_file.name not in answer.text
        assert eventually(lambda: any(plan.store_file.name in remark for remark in site.remarks()))
        desk = site.ask("/api/v1/organiser", Authorization=f"Bearer {tokens_of(source).organiser()}")
        assert (desk.status, plan.store_file.name in desk.text) == (503, True)


def test_replays_with_the_path_of_another_file_or_an_unknown_fault_are_not_shown(
    plan: Plan, tmp_path: Path
) -> None:
    first = fixtures(plan)[0].match
    honest = (plan.replays / f"{first}.jsonl").read_bytes()
    (tmp_path / "honest.jsonl").write_bytes(honest)
    (tmp_path / "hostile.jsonl").write_bytes(_chained(honest.replace(first.encode(), b"../../elsewhere")))
    unknown = _chained(honest.replace(b'"fault":"crashed"', b'"fault":"bewitched"'))
    (tmp_path / "unknown.jsonl").write_bytes(unknown)
    assert "bewitched" in read(tmp_path / "unknown.jsonl").result.faults
    assert [path.name for path, _ in replays_in(tmp_path)] == ["honest.jsonl"]
    assert read(tmp_path / "hostile.jsonl").result.match == "../../elsewhere"


def _chained(replay: bytes) -> bytes:
    """Return a replay that was changed with the chain that fits it: every reader can make one."""
    lines, before = [], START
    for line in replay.splitlines():
        body = line[: line.rindex(b',"chain"')] + b"}"
        before = link(before, body)
        lines.append(body[:-1] + f',"chain":"{before}"}}\n'.encode())
    return b"".join(lines)
