"""The guard of the site: every rule of security by a request that breaks it."""

import asyncio
import http.client
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.unit.tournaments.live.sites import (
    RunningSite,
    eventually,
    played_tournament,
    running_site,
    source_of,
    tokens_of,
)
from tournaments.live.answers import Content, answer
from tournaments.live.guard import Guard, RateLimit
from tournaments.live.settings import EventSource, SiteLimits
from tournaments.live.watchers import StreamWatcher

HOSTILE = '<img src=x onerror="document.title=1">'

TIGHT = SiteLimits(
    connections=12,
    connections_each=10,
    watchers=3,
    watchers_each=2,
    burst=2_000,
    tries=3,
    header_s=0.3,
    request_s=5.0,
    stall_s=0.3,
    rebuild_s=0.05,
    hub_s=0.2,
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> EventSource:
    return source_of(played_tournament(tmp_path_factory.mktemp("event"), bots=("ann", HOSTILE)))


@pytest.fixture(scope="module")
def site(source: EventSource) -> Iterator[RunningSite]:
    with running_site(source, limits=TIGHT) as found:
        assert found.ask("/index.html").status == 200
        yield found


@pytest.mark.parametrize("path", ["/index.html", "/api/v1", "/assets/site.js", "/nope", "/api/v1/organiser"])
def test_every_answer_has_the_headers_of_security(site: RunningSite, path: str) -> None:
    headers = site.ask(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "set-cookie" not in headers
    assert "server" not in headers


def test_only_pages_that_are_made_for_it_may_be_shown_in_a_frame(site: RunningSite) -> None:
    assert "frame-ancestors *" in site.ask("/embed/table.html").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in site.ask("/embed/../organiser.html").headers["content-security-policy"]


def test_a_hostile_name_is_text_on_every_page(site: RunningSite) -> None:
    for path in ("index.html", "report.html", "faults.html", "live.html", "projector.html", "rounds.html"):
        assert "<img src=x" not in site.ask(f"/{path}").text, path
    names = [bot["name"] for bot in site.ask("/api/v1/event").json()["bots"]]
    assert HOSTILE in names


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_other_methods_are_refused(site: RunningSite, method: str) -> None:
    assert site.ask("/index.html", method).status == 405


def test_a_page_cannot_be_posted_to(site: RunningSite) -> None:
    assert site.ask("/index.html", "POST", {}).status == 405
    assert site.ask("/index.html", "HEAD").body == b""


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", ""])
def test_other_names_for_this_host_are_refused(site: RunningSite, host: str) -> None:
    assert site.ask("/index.html", Host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:80"])
def test_the_names_of_this_host_are_served(site: RunningSite, host: str) -> None:
    assert site.ask("/index.html", Host=host).status == 200


def test_a_site_for_other_hosts_is_served_under_any_name(source: EventSource) -> None:
    with running_site(source, is_local=False) as site:
        assert site.ask("/index.html", Host="contest.example").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_a_page_of_another_site_can_change_nothing(
    site: RunningSite, source: EventSource, headers: dict[str, str]
) -> None:
    token = {"Authorization": f"Bearer {tokens_of(source).organiser()}"}
    answer = site.ask("/api/v1/organiser", "POST", {"act": "freeze"}, **token, **headers)
    assert answer.status == 403
    assert "another site" in answer.json()["error"]


def test_a_page_of_ours_behind_a_proxy_with_another_name_can_send_an_act(
    site: RunningSite, source: EventSource
) -> None:
    token = {"Authorization": f"Bearer {tokens_of(source).organiser()}"}
    sent = {"Origin": "https://games.example", "Sec_Fetch_Site": "same-origin"}
    assert site.ask("/api/v1/organiser", "POST", {"act": "explode"}, **token, **sent).status == 400


def test_a_request_with_two_lengths_is_refused_with_what_follows(site: RunningSite) -> None:
    head = b"Host: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    hidden = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as one, one.makefile("rb") as answer:
        one.sendall(b"POST /api/v1/login HTTP/1.1\r\n" + head + b"0\r\n\r\n" + hidden)
        text = answer.read()
    assert text.startswith(b"HTTP/1.1 400")
    assert text.count(b"HTTP/1.1") == 1


def test_what_is_no_request_is_answered_with_the_headers_of_security(site: RunningSite) -> None:
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as one, one.makefile("rb") as answer:
        one.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        text = answer.read()
    assert text.startswith(b"HTTP/1.1 400")
    assert b"content-security-policy: default-src 'none'" in text.lower()


def test_the_address_at_which_the_site_listens_is_a_name_of_it(source: EventSource) -> None:
    with running_site(source, url="http://127.0.0.2:8000") as site:
        assert site.ask("/index.html", Host="127.0.0.2:8000").status == 200


def test_a_form_cannot_send_an_act(site: RunningSite, source: EventSource) -> None:
    token = {"Authorization": f"Bearer {tokens_of(source).organiser()}", "Content_Type": "text/plain"}
    assert site.ask("/api/v1/organiser", "POST", {"act": "freeze"}, **token).status == 415


def test_requests_have_bounds(site: RunningSite, source: EventSource) -> None:
    token = {"Authorization": f"Bearer {tokens_of(source).organiser()}"}
    assert site.ask("/api/v1/organiser", "POST", b" " * 70_000, **token).status == 413
    assert site.ask("/" + "x" * 3_000).status == 414
    assert site.ask("/index.html", Cookie="x" * 40_000).status == 431


def test_wrong_tokens_are_refused_counted_and_reported(source: EventSource) -> None:
    right = tokens_of(source).organiser()
    with running_site(source, limits=TIGHT) as site:
        assert site.ask("/api/v1/organiser").status == 401
        for _ in range(TIGHT.tries):
            assert site.ask("/api/v1/organiser", Authorization="Bearer o.wrong").status == 401
        assert site.ask("/api/v1/organiser", Authorization="Bearer o.wrong").status == 429
        # A class and its teacher may be behind one address.
        assert site.ask("/api/v1/organiser", Authorization=f"Bearer {right}").status == 200
        remarks = site.remarks()
    assert len(remarks) == TIGHT.tries
    assert "a wrong token was sent from 127.0.0.1" in remarks[0]
    assert "wrong" not in remarks[0].replace("a wrong token", "")


def test_a_visitor_behind_a_proxy_on_this_host_is_counted_by_its_own_address(source: EventSource) -> None:
    limits = SiteLimits(rate=0.001, burst=1, rebuild_s=0.05)
    with running_site(source, limits=limits) as site:
        for visitor in ("203.0.113.1", "203.0.113.2"):
            assert [site.ask("/api/v1", X_Forwarded_For=visitor).status for _ in range(2)] == [200, 429]


def test_a_bearer_of_one_kind_of_token_gets_nothing_of_the_other(
    site: RunningSite, source: EventSource
) -> None:
    tokens = tokens_of(source)
    assert site.ask("/api/v1/organiser", Authorization=f"Bearer {tokens.author('ann')}").status == 403
    assert site.ask("/api/v1/author", Authorization=f"Bearer {tokens.organiser()}").status == 403
    body = {"act": "freeze", "text": ""}
    answer = site.ask("/api/v1/organiser", "POST", body, Authorization=f"Bearer {tokens.author('ann')}")
    assert answer.status == 403


def test_a_token_in_the_address_is_worth_nothing(site: RunningSite, source: EventSource) -> None:
    assert site.ask(f"/api/v1/organiser?token={tokens_of(source).organiser()}").status == 401


def test_there_are_only_so_many_watchers(site: RunningSite) -> None:
    with ExitStack() as stack:
        for _ in range(TIGHT.watchers_each):
            assert stack.enter_context(site.watch()).status == 200
        with site.watch() as refused:
            assert refused.status == 503
            assert refused.getheader("retry-after") == "60"
    assert eventually(lambda: _is_admitted(site))


def _is_admitted(site: RunningSite) -> bool:
    with site.watch() as stream:
        return stream.status == 200


def test_connections_beyond_the_limit_are_refused_and_the_others_go_on(site: RunningSite) -> None:
    with ExitStack() as stack:
        for _ in range(TIGHT.connections_each):
            stack.enter_context(socket.create_connection(("127.0.0.1", site.port)))
        assert eventually(lambda: _first_line(site).startswith(b"HTTP/1.1 503"))
    assert eventually(lambda: _first_line(site).startswith(b"HTTP/1.1 200"))


def _first_line(site: RunningSite) -> bytes:
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as one, one.makefile("rb") as answer:
        one.sendall(b"GET /index.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try:
            return answer.readline()
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize("head", [b"", b"GET /index.html HTTP/1.1\r\nHost: local"])
def test_a_head_that_does_not_come_ends_the_connection(site: RunningSite, head: bytes) -> None:
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as slow:
        slow.sendall(head)
        began = time.monotonic()
        with suppress(ConnectionResetError):
            assert slow.recv(100) == b""
        assert time.monotonic() - began < 5


def test_a_reader_that_does_not_read_is_dropped(site: RunningSite) -> None:
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        slow.settimeout(20)
        slow.connect(("127.0.0.1", site.port))
        # Many large answers are waiting for a reader that reads none of them.
        slow.sendall(b"GET /assets/player.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 40)
        assert eventually(lambda: _is_dropped(slow))
    assert site.ask("/index.html").status == 200


def _is_dropped(slow: socket.socket) -> bool:
    try:
        slow.sendall(b"\r\n")
    except (ConnectionResetError, BrokenPipeError):
        return True
    return False


def test_an_address_that_asks_too_often_has_to_wait(source: EventSource) -> None:
    limits = SiteLimits(rate=0.001, burst=5, rebuild_s=0.05)
    with running_site(source, limits=limits) as site:
        assert [site.ask("/api/v1").status for _ in range(7)] == [200] * 5 + [429] * 2


def test_a_rate_limit_recovers() -> None:
    now = [0.0]
    limit = RateLimit(2.0, 3, lambda: now[0])
    assert [limit.allows("a") for _ in range(4)] == [True] * 3 + [False]
    assert limit.allows("b")
    now[0] = 0.5
    assert limit.allows("a")
    assert not limit.allows("a")


def test_a_rate_limit_remembers_only_so_many_addresses() -> None:
    limit = RateLimit(0.0, 1, lambda: 0.0)
    for number in range(25_000):
        assert limit.allows(str(number))
    assert not limit.allows("24999")
    assert limit.allows("0")


def test_requests_on_one_connection_are_answered_in_turn(site: RunningSite) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    for _ in range(3):
        connection.request("GET", "/api/v1")
        assert connection.getresponse().read()
    connection.close()


async def _heard(app: ASGIApp) -> list[Message]:
    """Return what an application sends to a visitor."""
    heard: list[Message] = []

    async def send(message: Message) -> None:
        heard.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "headers": [],
    }
    await app(scope, receive, send)
    return heard


def test_of_a_large_answer_only_a_piece_waits_for_a_slow_reader() -> None:
    content = Content(os.urandom(1_000_000), "text/plain")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(Request(scope), content)(scope, receive, send)

    start, *pieces = asyncio.run(_heard(app))
    assert start["status"] == 200
    assert b"".join(piece.get("body", b"") for piece in pieces) == content.data
    assert max(len(piece.get("body", b"")) for piece in pieces) <= 65_536
    assert [piece.get("more_body", False) for piece in pieces][-2:] == [True, False]


def test_an_answer_that_has_begun_may_take_long() -> None:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(0.05)
        await send({"type": "http.response.body", "body": b"slow"})

    guard = Guard(app, SiteLimits(request_s=0.01), hosts=None, trouble=lambda _: None)
    assert [message.get("body") for message in asyncio.run(_heard(guard))] == [None, b"slow"]


def test_a_stream_in_which_too_many_messages_wait_keeps_none_of_them() -> None:
    async def kept() -> list[bytes]:
        watcher = StreamWatcher("site")
        for number in range(1_000):
            watcher.put(b"%d" % number)
        return [data async for data in watcher.messages()]

    assert asyncio.run(kept()) == [b"retry: 2000\n\n"]
