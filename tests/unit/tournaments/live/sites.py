"""Sites that really serve, for tests: in a thread of the test's process, from tournaments on disk."""

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from referee.hub.feed_messages import Remark, ToHub
from tests.unit.tournaments.site.events_in_files import play
from tournaments.config.plan import Plan, load
from tournaments.live.server import serve
from tournaments.live.settings import EventSource, SiteLimits, SiteSettings
from tournaments.live.sources import tournament_source
from tournaments.live.tokens import Tokens
from tournaments.pairing.schedule import fixtures

PATIENCE_S = 20.0

IMPATIENT = SiteLimits(rebuild_s=0.05, hub_s=0.2)
"""In most tests the hub never answers."""
PATIENT = SiteLimits(rebuild_s=0.05, hub_s=PATIENCE_S)
"""Where a test answers for the hub: on a busy host a page may have asked long before."""

FILE = """
name = "Spring"
game = "coins"
seed = "s3cret"
blocks = 2
seats = 2
[options]
rounds = 3
peek = "yes"
"""


class Heard(NamedTuple):
    """An answer of the site."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


class RunningSite:
    """A site that serves, and the hub's end of its link."""

    def __init__(self, settings: SiteSettings, port: int, hub: socket.socket) -> None:
        self.settings = settings
        self.port = port
        self.hub = hub

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Heard:
        """Send one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            if data is not None and "Content-Type" not in sent:
                sent["Content-Type"] = "application/json"
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            kept = {name.lower(): value for name, value in answer.getheaders()}
            return Heard(answer.status, kept, answer.read())
        finally:
            connection.close()

    @contextmanager
    def watch(self, path: str = "/events") -> Iterator[http.client.HTTPResponse]:
        """Open a stream of events for a while."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)) as connection:
            connection.request("GET", path)
            with connection.getresponse() as answer:
                yield answer

    def wished(self) -> list[Any]:
        """Return what the hub has been sent so far."""
        found = []
        self.hub.setblocking(False)
        try:
            while data := self.hub.recv(200_000):
                found.append(msgspec.json.decode(data, type=ToHub))
        except BlockingIOError:
            pass
        return found

    def remarks(self) -> list[str]:
        return [one.text for one in self.wished() if isinstance(one, Remark)]


def next_event(stream: http.client.HTTPResponse, kind: str) -> Any:
    """Return the data of the next event of a kind."""
    found = ""
    while True:
        line = stream.readline().decode().rstrip("\n")
        if line.startswith("event: "):
            found = line.removeprefix("event: ")
        elif line.startswith("data: ") and found == kind:
            return json.loads(line.removeprefix("data: "))


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait until something holds. It looks at intervals, because a site limits how often it may be asked."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@contextmanager
def running_site(*events: EventSource, **settings: Any) -> Iterator[RunningSite]:
    """Serve these events; the site ends with the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    given: dict[str, Any] = {"limits": IMPATIENT, "is_local": True} | settings
    made = SiteSettings(**{"events": events, "url": f"http://127.0.0.1:{port}"} | given)
    thread = threading.Thread(target=lambda: asyncio.run(serve(made, listener, theirs)))
    thread.start()
    try:
        yield RunningSite(made, port, ours)
    finally:
        ours.close()
        thread.join(PATIENCE_S)
        theirs.close()
        assert not thread.is_alive()


def tournament_in(folder: Path, bots: tuple[str, ...] = ("ann", "bob", "cem"), **more: Any) -> Plan:
    """Write a tournament file, and return its plan; `more` are further lines of the file."""
    names = "".join(f'\n[[bots]]\nname = {json.dumps(name)}\nsample = "first"\n' for name in bots)
    head = "".join(f"{name} = {json.dumps(value)}\n" for name, value in more.items())
    path = folder / "spring.toml"
    path.write_text(head + FILE + names)
    return load(path)


def played_tournament(folder: Path, *, left: int = 0, failing: int = 0, **settings: Any) -> Plan:
    """Play a tournament but for the last matches; in the first ones of `failing` seat 1 crashes."""
    plan = tournament_in(folder, **settings)
    planned = fixtures(plan)
    play(plan, planned[: len(planned) - left], failing=[one.match for one in planned[:failing]])
    return plan


def tokens_of(source: EventSource) -> Tokens:
    return Tokens(source.secret)


def source_of(plan: Plan) -> EventSource:
    return tournament_source(plan)
