"""The feed of a hub that plays: what the process of a site is sent, and when."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.chance import deal_key
from referee.hub.capacity import WorkDivision
from referee.hub.feed import Feed, FeedEar
from referee.hub.feed_messages import (
    BotLine,
    HubStatus,
    LiveMoment,
    NotShown,
    PersonCame,
    ToHub,
    ToSite,
    Wishes,
)
from referee.hub.pairing import Pairing
from referee.worker.open_hub import open_hub
from tests.end_to_end.gated_bots import Gate
from tests.end_to_end.hubs import UNHURRIED, poker

WITHIN_S = 30.0


class Watched:
    """A hub with bots that wait for the test, and the site's end of its feed."""

    def __init__(self, folder: Path, workers: int = 1) -> None:
        self.gate = Gate(folder)
        self.hub = open_hub(
            self.gate.bots("ann", "bob"),
            work=WorkDivision(workers, jobs=2),
            replays=folder / "replays",
            profile=UNHURRIED,
        )
        ours, self.site = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 400_000)
        self.site.setblocking(False)
        self.feed = Feed(self.hub, ours, FeedEar(order=lambda *_: None))
        self.messages: list[ToSite] = []

    def submit(self, *matches: tuple[str, str]) -> None:
        """Put matches into the queue: each with the name of its deal."""
        self.hub.submit(
            Pairing(match, poker(), ("ann", "bob"), deal_key("feed", deal), UNHURRIED)
            for match, deal in matches
        )

    def send(self, message: ToHub) -> None:
        self.site.send(msgspec.json.encode(message))

    def read(self) -> None:
        try:
            while data := self.site.recv(400_000):
                self.messages.append(msgspec.json.decode(data, type=ToSite))
        except BlockingIOError:
            pass

    def until(self, found: Callable[[], Any], *, reads: bool = True) -> Any:
        """Let the hub play until something is there."""
        end = time.monotonic() + WITHIN_S
        while not (value := found()):
            assert time.monotonic() < end, self.messages[-3:]
            self.hub.turn(20_000_000)
            if reads:
                self.read()
        return value

    def last(self, kind: type[Any], match: str = "") -> Any:
        """Return the last message of a kind, about a match."""
        fits = [
            one for one in self.messages if isinstance(one, kind) and match in ("", getattr(one, "match", ""))
        ]
        return fits[-1] if fits else None

    def close(self) -> None:
        self.gate.open()
        self.feed.close()
        self.hub.close()
        self.site.close()
        self.gate.close()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    found = Watched(tmp_path)
    yield found
    found.close()


def test_a_watched_match_is_shown_step_by_step_to_its_end(watched: Watched) -> None:
    watched.submit(("m1", "one"))
    watched.send(Wishes(matches=("m1",)))
    first = watched.until(lambda: watched.last(LiveMoment, "m1"))
    assert first.view["you"] is None
    assert first.view == watched.hub.running["m1"].match.state.view(None)
    watched.gate.let(2)
    later = watched.until(lambda: (m := watched.last(LiveMoment)).step > first.step and m)
    assert later.events[-1] == watched.hub.running["m1"].match.events[later.step - 1].public
    watched.gate.open()
    over = watched.until(lambda: (m := watched.last(LiveMoment)).result and m)
    assert [seat["name"] for seat in over.result["seats"]] == ["ann", "bob"]
    assert "took_us" not in str(over.result)
    count = len(watched.messages)
    watched.until(lambda: not watched.hub.running)
    watched.read()
    assert len(watched.messages) == count


def test_no_message_is_sent_that_was_not_asked_for(watched: Watched) -> None:
    watched.submit(("m1", "one"))
    watched.gate.open()
    watched.until(lambda: watched.hub.counts.finished)
    assert watched.messages == []


def test_a_match_whose_deal_another_will_play_is_not_shown(watched: Watched) -> None:
    watched.hub.jobs = 1
    watched.submit(("m1", "same"), ("m2", "same"), ("m3", "own"))
    watched.send(Wishes(status=True, matches=("m1",)))
    refused = watched.until(lambda: watched.last(NotShown, "m1"))
    assert refused.why in ("starting", "unknown", "deal")
    watched.until(lambda: (m := watched.last(NotShown, "m1")).why == "deal" and m)
    status = watched.until(lambda: (s := watched.last(HubStatus)).running and s)
    (line,) = status.running
    assert (line.match, line.shown, line.events) == ("m1", False, 0)

    def is_over() -> bool:
        # When the last match of the deal is over, the end of the first one may be shown.
        assert watched.last(LiveMoment, "m1") is None or watched.hub.counts.ended >= 2
        return watched.hub.counts.finished == 3

    watched.gate.open()
    watched.until(is_over)


def test_the_last_match_of_a_deal_is_shown(watched: Watched) -> None:
    watched.submit(("m1", "same"))
    watched.gate.open()
    watched.until(lambda: watched.hub.counts.finished == 1)
    watched.submit(("m2", "same"))
    watched.send(Wishes(matches=("m2",)))
    assert watched.until(lambda: watched.last(LiveMoment, "m2"))


def test_where_names_are_hidden_the_state_does_not_show_which_bots_play(watched: Watched) -> None:
    watched.hub.roster.add(watched.gate.bots("cem"))
    hidden = Pairing(
        "m1", poker(), ("ann", "bob"), deal_key("feed", "one"), UNHURRIED, names=("seat-0", "seat-1")
    )
    watched.hub.submit([hidden])
    watched.send(Wishes(status=True))
    status = watched.until(lambda: (s := watched.last(HubStatus)) and s.running and s)
    assert status.running[0].names == ("seat-0", "seat-1")
    assert status.bots == (BotLine("ann", 0, 0), BotLine("bob", 0, 0), BotLine("cem", 0, 0))
    assert all(one.bots == status.bots for one in watched.messages if isinstance(one, HubStatus))


def test_a_match_that_does_not_run_is_unknown(watched: Watched) -> None:
    watched.send(Wishes(matches=("m9",)))
    assert watched.until(lambda: watched.last(NotShown, "m9")).why == "unknown"


def fill(watched: Watched) -> None:
    """Fill the link: what is sent now is lost."""
    filler = msgspec.json.encode(NotShown("x" * 50_000, "deal"))
    try:
        while True:
            watched.feed._link.send(filler, socket.MSG_DONTWAIT)  # noqa: SLF001 - as a busy hub would
    except BlockingIOError:
        pass


def test_the_seat_of_a_person_is_not_lost_when_the_site_is_behind(watched: Watched) -> None:
    fill(watched)
    with ThreadPoolExecutor(1) as pool, socket.socket() as given:
        handed = pool.submit(watched.feed.hand_over, PersonCame("ann"), [given.fileno()])
        assert wait([handed], timeout=0.05).not_done
        watched.site.setblocking(True)
        while not (received := socket.recv_fds(watched.site, 400_000, 3))[1]:
            pass
        os.close(received[1][0])
        assert handed.result()
    watched.site.setblocking(False)


def test_a_site_that_does_not_read_loses_messages_and_delays_nothing(watched: Watched) -> None:
    watched.submit(("m1", "one"))
    watched.send(Wishes(status=True, matches=("m1",)))
    watched.until(lambda: watched.last(LiveMoment, "m1"))
    fill(watched)
    watched.gate.open()
    watched.until(lambda: watched.hub.counts.finished == 1, reads=False)
    over = watched.until(lambda: (m := watched.last(LiveMoment, "m1")) and m.result and m)
    assert over.events[-1]["event"] == "ended"


def test_a_site_that_sends_nonsense_is_left_and_the_matches_go_on(watched: Watched) -> None:
    watched.site.send(b'{"type":"order","act":"explode"}')
    watched.submit(("m1", "one"))
    watched.gate.open()
    watched.until(lambda: watched.hub.counts.finished == 1, reads=False)
    assert watched.site.recv(100) == b""


def test_a_paused_hub_begins_no_match_and_goes_on_afterwards(watched: Watched) -> None:
    watched.hub.paused = True
    watched.gate.open()
    watched.submit(("m1", "one"))
    watched.send(Wishes(status=True))
    status = watched.until(lambda: watched.last(HubStatus))
    assert (status.paused, status.waiting, status.running) == (True, 1, ())
    assert watched.hub.counts.begun == 0
    watched.hub.paused = False
    watched.until(lambda: watched.hub.counts.finished == 1)


def test_matches_of_workers_are_shown_as_those_of_one_hub(tmp_path: Path) -> None:
    watched = Watched(tmp_path, workers=2)
    try:
        watched.submit(("m1", "one"), ("m2", "two"), ("m3", "two"))
        watched.send(Wishes(status=True, matches=("m1", "m2")))
        first = watched.until(lambda: watched.last(LiveMoment, "m1"))
        assert first.view["you"] is None
        # The deal of the second match comes again in the third.
        watched.until(lambda: (m := watched.last(NotShown, "m2")) and m.why == "deal")
        status = watched.until(lambda: (m := watched.last(HubStatus)) and m.playing and m)
        assert {line.match for line in status.running} <= {"m1", "m2", "m3"}
        watched.gate.open()
        over = watched.until(lambda: (m := watched.last(LiveMoment, "m1")).result and m)
        assert [seat["name"] for seat in over.result["seats"]] == ["ann", "bob"]
        assert over.step > first.step
        assert over.events
    finally:
        watched.close()
