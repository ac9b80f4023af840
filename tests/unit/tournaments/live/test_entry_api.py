"""Entries on the site: an author uploads and is entered; only the organiser decides; nothing is lost."""

import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.hub.feed_messages import OrderDone, OrganiserOrder
from tests.classroom import programs
from tests.unit.tournaments.live.sites import RunningSite, eventually, running_site, source_of, tokens_of
from tournaments.config.entry_record import Invitation, read_record
from tournaments.config.plan import Plan, load
from tournaments.entries.decisions import invite
from tournaments.entries.uploads import file_name, waiting_uploads
from tournaments.live.entry_api import decide
from tournaments.live.live_event import LiveEvent
from tournaments.live.settings import EventSource, SiteLimits

OCTETS = "application/octet-stream"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    file = tmp_path / "spring.toml"
    file.write_text(
        'game = "coins"\nseed = "s3cret"\nseats = 2\nentries = "spring-entries"\n'
        '[[bots]]\nname = "first"\nsample = "first"\n'
    )
    plan = load(file)
    invite([plan], [Invitation("id:7", "Ann", ("Ann Lee",)), Invitation("name:bo", "Bo", ("Bo",))])
    return plan


@pytest.fixture
def source(plan: Plan) -> EventSource:
    return source_of(plan)


@pytest.fixture
def site(source: EventSource) -> Iterator[RunningSite]:
    with running_site(source, limits=SiteLimits(rebuild_s=0.05, hub_s=0.2, upload_bytes=100_000)) as found:
        yield found


def author(source: EventSource, bot: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens_of(source).author(bot)}"}


def organiser(source: EventSource) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens_of(source).organiser()}"}


def upload(site: RunningSite, source: EventSource, bot: str, name: str, text: str, **headers: str) -> Any:
    sent = {"Content_Type": OCTETS} | author(source, bot) | headers
    sent = {key.replace("_", "-"): value for key, value in sent.items()}
    return site.ask(f"/api/v1/entry/{name}", "POST", text.encode(), **sent)


def own(site: RunningSite, source: EventSource, bot: str) -> Any:
    time.sleep(0.1)  # A site limits how often it may be asked.
    return site.ask("/api/v1/entry", **author(source, bot)).json()


def is_judged(site: RunningSite, source: EventSource, bot: str, count: int = 1) -> bool:
    return eventually(lambda: len(own(site, source, bot)["submissions"]) == count)


def test_an_author_uploads_sees_the_test_and_is_entered(
    site: RunningSite, source: EventSource, plan: Plan
) -> None:
    assert own(site, source, "Ann")["submissions"] == []
    assert upload(site, source, "Ann", "mybot.py", programs.PYTHON).status == 202
    assert is_judged(site, source, "Ann")
    (shown,) = own(site, source, "Ann")["submissions"]
    assert (shown["state"], shown["language"], shown["file"]) == ("entered", "Python", "mybot.py")
    assert "passed: whole-match" in shown["log"]
    ann = load(plan.file).bots[-1]
    assert (ann.name, ann.authors, ann.digest) == ("Ann", ("Ann Lee",), shown["digest"])
    assert read_record(plan.entries).submissions[0].owner == "id:7"


def test_a_failure_is_shown_to_its_author_alone(site: RunningSite, source: EventSource) -> None:
    upload(site, source, "Ann", "mybot.py", programs.SYNTAX_ERROR)
    assert is_judged(site, source, "Ann")
    (shown,) = own(site, source, "Ann")["submissions"]
    assert shown["state"] == "failed"
    assert "SyntaxError" in shown["why"]
    assert own(site, source, "Bo")["submissions"] == []
    assert site.ask("/api/v1/entry").status == 401
    assert site.ask("/api/v1/entry", **organiser(source)).status == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer a.QW5u.0.wrong"}, 401),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
def test_an_upload_of_another_kind_is_refused(
    site: RunningSite, source: EventSource, plan: Plan, headers: dict[str, str], status: int
) -> None:
    assert upload(site, source, "Ann", "x.py", programs.PYTHON, **headers).status == status
    assert plan.entries is not None
    assert waiting_uploads(plan.entries) == []


def test_large_and_empty_uploads_are_refused(site: RunningSite, source: EventSource, plan: Plan) -> None:
    large = upload(site, source, "Ann", "x.py", "#" * 100_001)
    assert large.status == 413
    assert "at most 97 KiB" in large.text
    assert upload(site, source, "Ann", "x.py", "").json() == {"error": "the file is empty"}
    assert plan.entries is not None
    assert not list((plan.entries / "uploads").iterdir())


def test_one_submission_of_an_author_is_tried_at_a_time(site: RunningSite, source: EventSource) -> None:
    assert upload(site, source, "Ann", "one.py", programs.LOOP_AT_START).status == 202
    second = upload(site, source, "Ann", "two.py", programs.PYTHON)
    assert second.status == 409
    assert "still being tried" in second.text
    assert upload(site, source, "Bo", "bo.py", programs.PYTHON).status == 202
    assert own(site, source, "Bo")["trial"]["before"] == 1


def test_a_bot_of_the_tournament_file_is_not_replaced(site: RunningSite, source: EventSource) -> None:
    refused = upload(site, source, "first", "x.py", programs.PYTHON)
    assert refused.status == 409
    assert "written in the tournament file" in refused.text


def test_what_a_site_left_untried_is_tried_by_the_next(source: EventSource, plan: Plan) -> None:
    with running_site(source) as site:
        upload(site, source, "Ann", "one.py", programs.LOOP_AT_START)
        assert upload(site, source, "Bo", "bo.py", programs.PYTHON).status == 202
    assert plan.entries is not None
    assert len(waiting_uploads(plan.entries)) == 2
    with running_site(source) as site:
        assert is_judged(site, source, "Bo")
        assert own(site, source, "Bo")["submissions"][0]["state"] == "entered"


def test_only_the_organiser_decides_and_the_hub_notes_it(source: EventSource, plan: Plan) -> None:
    with running_site(source, playing=source.slug) as site:
        desk = site.ask("/api/v1/organiser", **organiser(source)).json()
        lines = {one["bot"]: one["state"] for one in desk["entries"]}
        assert lines == {"first": "entered", "Ann": "nothing yet", "Bo": "nothing yet"}
        wanted = {"act": "leave out", "text": "first"}
        assert site.ask("/api/v1/organiser", "POST", wanted, **author(source, "Ann")).status == 403
        assert load(plan.file).names == ("first",)
        with ThreadPoolExecutor(1) as pool:
            sent = pool.submit(site.ask, "/api/v1/organiser", "POST", wanted, **organiser(source))
            ordered: list[OrganiserOrder] = []

            def is_ordered() -> bool:
                ordered.extend(one for one in site.wished() if isinstance(one, OrganiserOrder))
                return bool(ordered)

            assert eventually(is_ordered)
            site.hub.send(msgspec.json.encode(OrderDone(ordered[0].id, "left out")))
            assert sent.result().json()["note"] == "left out"
        assert (ordered[0].act, ordered[0].text) == ("leave out", "first")
        assert load(plan.file).names == ()
        unknown = {"act": "approve", "text": "nobody-here"}
        assert site.ask("/api/v1/organiser", "POST", unknown, **organiser(source)).status == 409


def test_a_decision_needs_no_running_tournament(source: EventSource, plan: Plan) -> None:
    event = LiveEvent(source, 1.0, lambda _: None)
    assert decide(event, "leave out", "first").ok
    assert load(plan.file).names == ()
    assert not decide(event, "leave out", "first").ok
    assert decide(event, "approve", "first").note == "first takes part again"
    assert "did you mean" in decide(event, "approve", "frist").note


def test_names_of_files_are_cleaned() -> None:
    assert file_name("..%2F..%2Fetc%2Fpasswd") == "passwd"
    assert file_name("C:\\bots\\my bot.zip") == "my bot.zip"
    assert file_name("a%0Ab%E2%80%AE.py") == "a_b_.py"
    assert len(file_name("x" * 500 + ".tar.gz")) <= 120
    assert file_name("..") == ""
    assert len(file_name("\U0001f469" * 100 + ".tar.gz").encode()) <= 200
    assert file_name(".about.json") == "about.json"


def test_no_name_of_a_file_replaces_what_is_known_of_an_upload(
    site: RunningSite, source: EventSource, plan: Plan
) -> None:
    for name in ("about.json", ".about.json", "%F0%9F%91%A9" * 100 + ".py"):
        assert upload(site, source, "Bo", name, programs.PYTHON).status == 202
        assert eventually(lambda: own(site, source, "Bo")["trial"] is None)
    assert plan.entries is not None
    assert {folder.name for folder in (plan.entries / "uploads").iterdir()}
    for one in read_record(plan.entries).submissions:
        assert (plan.entries / one.source).read_text() == programs.PYTHON


def test_an_author_sends_one_file_at_a_time(site: RunningSite, source: EventSource, plan: Plan) -> None:
    head = (
        f"POST /api/v1/entry/slow.py HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {OCTETS}\r\n"
        f"Authorization: {author(source, 'Ann')['Authorization']}\r\nContent-Length: 50000\r\n\r\n#"
    )
    assert plan.entries is not None
    uploads = plan.entries / "uploads"
    with socket.create_connection(("127.0.0.1", site.port)) as slow:
        slow.sendall(head.encode())
        assert eventually(lambda: uploads.is_dir() and any(uploads.iterdir()))
        second = upload(site, source, "Ann", "second.py", programs.PYTHON)
        assert (second.status, "still being sent" in second.text) == (409, True)
    assert eventually(lambda: not any(uploads.iterdir()))
    assert upload(site, source, "Ann", "third.py", programs.PYTHON).status == 202


def test_a_link_for_another_spelling_of_a_name_replaces_no_bot(
    site: RunningSite, source: EventSource, plan: Plan
) -> None:
    assert upload(site, source, "BO", "x.py", programs.PYTHON).status == 409
    assert plan.entries is not None
    assert waiting_uploads(plan.entries) == []


def test_what_a_killed_site_left_of_an_upload_is_removed(
    site: RunningSite, source: EventSource, plan: Plan
) -> None:
    assert plan.entries is not None
    left = plan.entries / "uploads" / ".unfinished-x"
    left.mkdir(parents=True)
    (left / "half.py").write_text("#")
    os.utime(left, (1, 1))
    assert upload(site, source, "Ann", "x.py", programs.PYTHON).status == 202
    assert not left.exists()
