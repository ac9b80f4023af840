"""What needs a token: an author's own logs, never another's; the desk of the organiser."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from referee.gate.keystore import KeyStore, new_pair
from referee.hub.feed_messages import LiveMoment, OrderDone, OrganiserOrder
from referee.replay.dossier import DOSSIER_SUFFIX, Dossier, Said, SeatDossier, dossier_bytes
from tests.unit.tournaments.live.sites import (
    RunningSite,
    eventually,
    next_event,
    played_tournament,
    running_site,
    source_of,
    tokens_of,
    tournament_in,
)
from tests.unit.tournaments.site.events_in_files import play
from tournaments.config.plan import Plan
from tournaments.failed_starts import FailedStart, write_failed_starts
from tournaments.live.key_login import login_grant, login_request
from tournaments.live.settings import EventSource, SiteLimits
from tournaments.pairing.schedule import fixtures
from tournaments.site.notes import acts_of, public_notes
from tournaments.store.field import FieldNote, field_note
from tournaments.store.store import Store


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    plan = played_tournament(tmp_path_factory.mktemp("event"), left=1, failing=1)
    failed = fixtures(plan)[0]
    said = (Said(1, "from", "act"),)
    seats = tuple(
        SeatDossier(bot, stderr=log_of(bot), command=f"run {bot}", messages=said) for bot in failed.bots
    )
    dossier = Dossier(failed.match, "coins", f"{failed.match}.jsonl", seats)
    (plan.replays / f"{failed.match}{DOSSIER_SUFFIX}").write_bytes(dossier_bytes(dossier))
    return plan


def log_of(bot: str) -> str:
    return f"<script>the log of {bot}</script>"


@pytest.fixture(scope="module")
def source(plan: Plan) -> EventSource:
    return source_of(plan)


@pytest.fixture(scope="module")
def site(source: EventSource) -> Iterator[RunningSite]:
    with running_site(source) as found:
        yield found


def author(source: EventSource, bot: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens_of(source).author(bot)}"}


def organiser(source: EventSource) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens_of(source).organiser()}"}


def test_an_author_reads_the_logs_of_the_own_bot(site: RunningSite, source: EventSource, plan: Plan) -> None:
    failed = fixtures(plan)[0]
    guilty = failed.bots[1]
    rows = site.ask("/api/v1/author", **author(source, guilty)).json()["matches"]
    assert [row["match"] for row in rows if row["dossier"]] == [failed.match]
    (own,) = site.ask(f"/api/v1/author/{failed.match}", **author(source, guilty)).json()["seats"]
    assert own["seat"] == 1
    assert own["stderr"] == log_of(guilty)
    assert own["messages"]


def test_an_author_reads_nothing_of_other_bots(site: RunningSite, source: EventSource, plan: Plan) -> None:
    failed = fixtures(plan)[0]
    other, third = failed.bots[0], next(bot for bot in plan.names if bot not in failed.bots)
    answer = site.ask(f"/api/v1/author/{failed.match}", **author(source, other))
    assert [seat["stderr"] for seat in answer.json()["seats"]] == [log_of(other)]
    assert failed.bots[1] not in answer.text
    assert site.ask(f"/api/v1/author/{failed.match}", **author(source, third)).status == 404
    assert all(
        third in row["bots"] for row in site.ask("/api/v1/author", **author(source, third)).json()["matches"]
    )


def test_no_public_page_has_the_logs_of_a_bot(site: RunningSite, plan: Plan) -> None:
    failed = fixtures(plan)[0].match
    paths = [f"why/{failed}.html", "faults.html", "index.html", "data/matches.json", f"replays/{failed}.js"]
    for path in paths:
        answer = site.ask(f"/{path}")
        assert answer.status == 200
        assert "the log of" not in answer.text
        assert "run ann" not in answer.text


def test_the_author_of_a_bot_that_was_left_out_reads_why_and_no_other_author_does(tmp_path: Path) -> None:
    plan = played_tournament(tmp_path)
    plan = tournament_in(tmp_path, (*plan.names, "zed"))
    reason = "does not start: its process ended before its hello"
    with Store(plan.store) as store:
        store.note(*field_note(FieldNote(("ann", "bob", "cem"), {"zed": reason})))
    failed = FailedStart("zed", "crashed", "exited with code 1", stderr=log_of("zed"), advice="mend it")
    write_failed_starts(plan.replays, [failed])
    source = source_of(plan)
    with running_site(source) as site:
        own = site.ask("/api/v1/author", **author(source, "zed")).json()
        assert (own["left_out"], own["matches"]) == (reason, [])
        assert own["start"] == msgspec.to_builtins(failed)
        other = site.ask("/api/v1/author", **author(source, "ann"))
        assert (other.json()["left_out"], other.json()["start"]) == ("", None)
        public = ["index.html", "faults.html", "bots/ann.html", "data/standings.json", "author.html"]
        for answer in (other, *(site.ask(f"/{path}") for path in public)):
            assert answer.status == 200
            assert "the log of" not in answer.text


def test_logs_of_an_open_deal_are_withheld_from_authors_too(tmp_path: Path) -> None:
    plan = played_tournament(tmp_path, left=11, failing=1)
    failed = fixtures(plan)[0]
    source = source_of(plan)
    with running_site(source) as site:
        answer = site.ask(f"/api/v1/author/{failed.match}", **author(source, failed.bots[1]))
    assert answer.status == 403
    assert "deal" in answer.json()["error"]


def test_a_key_opens_the_logs_of_its_account(tmp_path: Path) -> None:
    plan = played_tournament(tmp_path, failing=1)
    source = source_of(plan)
    pair = new_pair()
    keys = KeyStore(tmp_path / "keys")
    keys.allow("bob", pair.public)
    server = keys.server().public
    with running_site(source, keys=str(keys.folder)) as site:
        request = msgspec.to_builtins(login_request(pair, server, time.time()))
        box = site.ask("/api/v1/login", "POST", request).json()["box"]
        grant = login_grant(pair, server, box)
        assert grant is not None
        rows = site.ask("/api/v1/author", Authorization=f"Bearer {grant.token}").json()
        assert rows["bot"] == "bob"
        assert site.ask("/api/v1/login", "POST", request).status == 401
        assert any("proves no account" in remark for remark in site.remarks())
        # One who tries many keys does not keep the others behind the same address out.
        tries = [site.ask("/api/v1/login", "POST", request).status for _ in range(12)]
        assert tries[-1] == 429
        again = msgspec.to_builtins(login_request(pair, server, time.time()))
        assert site.ask("/api/v1/login", "POST", again).status == 200


def test_a_site_without_keys_has_no_login(site: RunningSite) -> None:
    assert site.ask("/api/v1/login", "POST", {"key": "k", "box": "b"}).status == 404


def test_the_organiser_freezes_and_reveals_where_nothing_is_played(tmp_path: Path) -> None:
    plan = played_tournament(tmp_path, left=4)
    source = source_of(plan)
    with running_site(source) as site:

        def shown() -> int:
            return len(site.ask("/api/v1/matches").json()["matches"])

        def act(name: str, text: str = "") -> None:
            answer = site.ask("/api/v1/organiser", "POST", {"act": name, "text": text}, **organiser(source))
            assert (answer.status, answer.json()["ok"]) == (200, True), answer.text

        act("freeze")
        play(plan, fixtures(plan)[-4:-2])
        last = fixtures(plan)[-3].match
        assert eventually(lambda: _true_count(site, source) == 10)
        assert shown() == 8
        assert site.ask(f"/replays/{last}.js").status == 404
        assert "frozen" in site.ask("/index.html").text
        act("announce", "<b>Lunch</b>")
        assert eventually(lambda: "&lt;b&gt;Lunch" in site.ask("/index.html").text)
        act("reveal")
        assert eventually(lambda: shown() == 10)
        desk = site.ask("/api/v1/organiser", **organiser(source)).json()
    assert [one["act"] for one in desk["acts"]] == ["freeze", "announce", "reveal"]
    with Store(plan.store, write=False) as store:
        assert [(results, note.act) for results, note in acts_of(store)] == [
            (8, "freeze"),
            (10, "announce"),
            (10, "reveal"),
        ]
        assert public_notes(store).announcement == "<b>Lunch</b>"


def _true_count(site: RunningSite, source: EventSource) -> int:
    desk = site.ask("/api/v1/organiser", **organiser(source)).json()
    return int(sum(line["matches"] for line in desk["table"])) // 2


def test_what_cannot_be_done_is_refused_in_words(site: RunningSite, source: EventSource) -> None:
    answer = site.ask("/api/v1/organiser", "POST", {"act": "pause"}, **organiser(source))
    assert answer.status == 409
    assert "nothing is being played" in answer.json()["note"]
    assert site.ask("/api/v1/organiser", "POST", {"act": "explode"}, **organiser(source)).status == 400
    long = {"act": "announce", "text": "x" * 501}
    assert site.ask("/api/v1/organiser", "POST", long, **organiser(source)).status == 409


def test_the_desk_has_a_link_for_every_author(site: RunningSite, source: EventSource, plan: Plan) -> None:
    desk = site.ask("/api/v1/organiser", **organiser(source)).json()
    assert {one["bot"]: one["token"] for one in desk["authors"]} == {
        bot: tokens_of(source).author(bot) for bot in plan.names
    }
    assert json.dumps(source.secret) not in json.dumps(desk)


def test_a_frozen_table_hides_running_matches_before_it_is_read_again(tmp_path: Path) -> None:
    source = source_of(played_tournament(tmp_path))
    # The results are read once, and then not for a long time.
    limits = SiteLimits(rebuild_s=600, hub_s=0.2)
    with running_site(source, limits=limits, playing=source.slug) as site:
        assert site.ask("/index.html").status == 200
        with ThreadPoolExecutor(1) as pool, site.watch("/events/match/m1") as stream:
            sent = pool.submit(site.ask, "/api/v1/organiser", "POST", {"act": "freeze"}, **organiser(source))
            assert eventually(lambda: any(isinstance(one, OrganiserOrder) for one in site.wished()))
            site.hub.send(msgspec.json.encode(OrderDone(1, "frozen")))
            assert sent.result().status == 200
            site.hub.send(msgspec.json.encode(LiveMoment("m1", "coins", ("ann", "bob"), 1, {"turn": 1})))
            assert next_event(stream, "hidden")["why"] == "frozen"
