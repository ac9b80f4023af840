"""What the site asks its hub for, and what it hands on to watchers; the test is the hub."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.hub.feed_messages import (
    BotLine,
    HubEnded,
    HubStatus,
    LiveMoment,
    NotShown,
    RunningLine,
    ToSite,
    Wishes,
)
from tests.unit.tournaments.live.sites import (
    RunningSite,
    eventually,
    next_event,
    played_tournament,
    running_site,
    source_of,
)
from tests.unit.tournaments.live.test_private_api import organiser
from tournaments.live.settings import EventSource
from tournaments.site.notes import add_note
from tournaments.store.store import Store

STATUS = HubStatus(
    running=(),
    playing=0,
    coming=(),
    waiting=3,
    bots=(),
    begun=2,
    finished=2,
    void=0,
    decisions=9,
    paused=False,
    draining=False,
    late_ms=0,
    metrics="referee_bots 2.0\n",
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> EventSource:
    return source_of(played_tournament(tmp_path_factory.mktemp("event")))


@pytest.fixture
def site(source: EventSource) -> Iterator[RunningSite]:
    with running_site(source, playing=source.slug) as found:
        assert found.ask("/index.html").status == 200
        yield found


def send(site: RunningSite, message: ToSite) -> None:
    site.hub.setblocking(True)
    site.hub.send(msgspec.json.encode(message))


def last_wishes(site: RunningSite, known: list[Any]) -> Wishes:
    known += [one for one in site.wished() if isinstance(one, Wishes)]
    return known[-1] if known else Wishes()


def moment(step: int, **more: Any) -> LiveMoment:
    event = {"event": "turn_began", "seat": 0, "turn": step}
    return LiveMoment("m1", "gangsters", ("ann", "bob"), step, {"turn": step}, (event,), **more)


def test_the_hub_is_asked_for_nothing_until_a_watcher_comes_and_for_no_more_when_it_goes(
    site: RunningSite,
) -> None:
    known: list[Any] = []
    assert last_wishes(site, known) == Wishes()
    with site.watch("/events/match/m1"), site.watch():
        assert eventually(lambda: last_wishes(site, known) == Wishes(status=True, matches=("m1",)))
    assert eventually(lambda: last_wishes(site, known) == Wishes())


def test_a_moment_reaches_watchers_in_words_and_those_who_come_later_too(site: RunningSite) -> None:
    with site.watch("/events/match/m1") as first:
        send(site, moment(1))
        shown = next_event(first, "moment")
        assert (shown["step"], shown["names"], len(shown["said"])) == (1, ["ann", "bob"], 1)
        send(site, moment(2))
        assert next_event(first, "moment")["step"] == 2
        with site.watch("/events/match/m1") as second:
            later = next_event(second, "moment")
        assert (later["step"], len(later["said"])) == (2, 2)


def test_why_a_match_is_not_shown_is_said(site: RunningSite) -> None:
    with site.watch("/events/match/m1") as stream:
        send(site, NotShown("m1", "deal"))
        assert "deal is still to be played" in next_event(stream, "hidden")["text"]


def test_the_state_is_asked_for_by_a_request_and_has_no_metrics(site: RunningSite) -> None:
    with site.watch() as stream:
        send(site, STATUS)
        assert next_event(stream, "status")["waiting"] == 3
    answer = site.ask("/api/v1/status").json()["status"]
    assert (answer["waiting"], "metrics" in answer) == (3, False)
    assert "referee_bots 2.0" in site.ask("/metrics").text


def test_while_the_table_is_frozen_no_running_match_is_shown(tmp_path: Path) -> None:
    plan = played_tournament(tmp_path)
    with Store(plan.store) as store:
        add_note(store, "freeze")
    source = source_of(plan)
    with running_site(source, playing=source.slug) as site, site.watch("/events/match/m1") as stream:
        send(site, moment(1))
        assert next_event(stream, "hidden")["why"] == "frozen"
        with site.watch("/events/match/m1") as later:
            send(site, moment(2))
            assert next_event(later, "hidden")["why"] == "frozen"


def test_a_hub_that_has_ended_leaves_a_site_that_says_so(site: RunningSite, source: EventSource) -> None:
    with site.watch() as stream:
        send(site, HubEnded())
        assert next_event(stream, "status") is None
    assert site.ask("/api/v1/status").json()["status"] is None
    assert site.ask("/healthz").json() == {"status": "ok", "playing": False, "watchers": 0}
    assert site.ask("/api/v1/organiser", **organiser(source)).json()["status"] is None


def test_a_page_is_compressed_for_browsers_that_can(site: RunningSite) -> None:
    plain = site.ask("/index.html")
    packed = site.ask("/index.html", Accept_Encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(plain.body) / 2
    assert "content-encoding" not in plain.headers


def test_the_head_of_a_stream_is_no_watcher(site: RunningSite) -> None:
    assert site.ask("/events", "HEAD").status == 200
    assert "referee_site_watchers 0" in _metrics(site)


def _metrics(site: RunningSite) -> str:
    send(site, STATUS)
    return site.ask("/metrics").text


def test_while_the_table_is_frozen_the_state_names_no_bot_that_plays(tmp_path: Path) -> None:
    plan = played_tournament(tmp_path)
    with Store(plan.store) as store:
        add_note(store, "freeze")
    source = source_of(plan)
    final = msgspec.structs.replace(
        STATUS,
        running=(RunningLine("m1", ("ann", "bob"), 3, 7, shown=True),),
        playing=1,
        coming=(("bob", "ann"),),
        bots=(BotLine("ann", 1, 1), BotLine("bob", 1, 1)),
        metrics='referee_bots 2.0\nreferee_faults_total{code="crashed"} 1.0\n',
    )
    with running_site(source, playing=source.slug) as site, site.watch() as stream:
        assert site.ask("/index.html").status == 200
        send(site, final)
        shown = next_event(stream, "status")
        assert (shown["running"], shown["coming"], shown["bots"], shown["playing"]) == ([], [], [], 1)
        assert site.ask("/api/v1/status").json()["status"]["running"] == []
        metrics = site.ask("/metrics").text
        assert ("referee_bots" in metrics, "referee_faults" in metrics) == (True, False)
        # The organiser sees which matches run.
        assert site.ask("/api/v1/organiser", **organiser(source)).json()["status"]["running"]


def test_watchers_of_matches_that_do_not_exist_take_no_place_of_those_that_run(site: RunningSite) -> None:
    known: list[Any] = []
    with ExitStack() as stack:
        for number in range(70):
            stack.enter_context(site.watch(f"/events/match/-{number}"))
        assert eventually(lambda: len(last_wishes(site, known).matches) == 64)
        stack.enter_context(site.watch("/events/match/m1"))
        for match in last_wishes(site, known).matches:
            send(site, NotShown(match, "unknown"))
        assert eventually(lambda: "m1" in last_wishes(site, known).matches)
