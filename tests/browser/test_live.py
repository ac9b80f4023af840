"""The pages of a live site in a real browser: they update themselves and show running matches."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from referee.hub.feed_messages import BotLine, HubStatus, LiveMoment, RunningLine, ToSite
from tests.browser.axe import findings
from tests.browser.live_pages import DESK, PHONE, is_wider_than_window, opened
from tests.end_to_end.commands import workspace_in
from tests.end_to_end.gated_bots import Gate
from tests.unit.tournaments.live.sites import (
    PATIENT,
    RunningSite,
    played_tournament,
    running_site,
    source_of,
    tokens_of,
    tournament_in,
)
from tests.unit.tournaments.site.events_in_files import SECRET, play
from tournaments.config.plan import Plan
from tournaments.failed_starts import FailedStart, write_failed_starts
from tournaments.pairing.schedule import fixtures
from tournaments.store.field import FieldNote, field_note
from tournaments.store.store import Store

HOSTILE = "<img src=x onerror=document.title=1>"
expect.set_options(timeout=20_000)
PAGES = ["index.html", "live.html", "watch.html", "author.html", "organiser.html", "projector.html"]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    names = ("ann", "bob", HOSTILE)
    return played_tournament(tmp_path_factory.mktemp("event"), left=2, failing=1, bots=names)


@pytest.fixture(scope="module")
def site(plan: Plan) -> Iterator[RunningSite]:
    with running_site(source_of(plan)) as found:
        yield found


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_phone_and_has_no_serious_flaw(browser: Browser, site: RunningSite, path: str) -> None:
    with opened(browser, f"{site.url}/{path}", PHONE, color_scheme="dark") as page:
        if path != "projector.html":
            page.wait_for_selector(".live-sign[data-state=live]")
        assert not is_wider_than_window(page)
        assert findings(page) == []
        assert page.title() != "1"


def test_a_page_without_script_says_where_the_rest_is(browser: Browser, site: RunningSite) -> None:
    with opened(browser, f"{site.url}/live.html", java_script_enabled=False) as page:
        assert "is shown by a script" in page.inner_text("main")
    with opened(browser, f"{site.url}/index.html", java_script_enabled=False) as page:
        assert "ann" in page.inner_text("[data-live=standings]")


def test_the_front_page_updates_itself_and_keeps_focus_and_place(browser: Browser, tmp_path: Path) -> None:
    plan = played_tournament(tmp_path, left=2)
    with (
        running_site(source_of(plan)) as site,
        opened(browser, f"{site.url}/index.html", PHONE, hurried=True) as page,
    ):
        page.wait_for_selector(".live-sign[data-state=live]")
        page.evaluate("window.same = true; scrollTo(0, 300)")
        page.focus("[data-live=standings] tbody a >> nth=1")
        play(plan, fixtures(plan)[-2:])
        expect(page.locator("[data-live=state]")).to_contain_text("none left")
        assert page.evaluate("window.same")
        assert page.evaluate("document.activeElement.closest('[data-live]')?.dataset.live") == "standings"
        assert page.evaluate("scrollY") > 100


def test_a_site_that_goes_away_is_noticed(browser: Browser, plan: Plan) -> None:
    with running_site(source_of(plan)) as site:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{site.url}/index.html")
        page.wait_for_selector(".live-sign[data-state=live]")
    page.wait_for_selector(".live-sign[data-state=waiting]")
    context.close()


def test_an_author_sees_logs_as_text(browser: Browser, site: RunningSite, plan: Plan) -> None:
    bot = fixtures(plan)[0].bots[1]
    token = tokens_of(site.settings.events[0]).author(bot)
    with opened(browser, f"{site.url}/author.html#{token}") as page:
        page.click("details.dossier summary")
        expect(page.locator("pre.log").first).to_contain_text(SECRET)
        assert "#" not in page.url
        assert findings(page) == []
        page.reload()
        expect(page.locator("details.dossier")).to_have_count(1)
        page.click("text=Sign out")
        expect(page.locator("input[type=password]")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
def test_the_author_of_a_bot_that_was_left_out_reads_why_as_text(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    plan = played_tournament(tmp_path)
    plan = tournament_in(tmp_path, (*plan.names, "zed"))
    with Store(plan.store) as store:
        reason = "does not start: its process ended before its hello"
        store.note(*field_note(FieldNote(("ann", "bob", "cem"), {"zed": reason})))
    said = f'Traceback (most recent call last):\n  File "./bot.py", line 1, in <module>\n{HOSTILE}\n'
    failed = FailedStart(
        "zed", "crashed", "exited with code 1", "exited with code 1", said, "look at its stderr"
    )
    write_failed_starts(plan.replays, [failed])
    source = source_of(plan)
    with running_site(source) as site:
        address = f"{site.url}/author.html#{tokens_of(source).author('zed')}"
        with opened(browser, address, width, color_scheme=scheme) as page:
            expect(page.locator("#author")).to_contain_text(
                "Left out of the event: does not start: its process"
            )
            expect(page.locator("pre.log")).to_contain_text(HOSTILE)
            expect(page.locator("#author")).to_contain_text("What to do: look at its stderr.")
            assert findings(page) == []
            assert not is_wider_than_window(page)
        with opened(browser, f"{site.url}/author.html#{tokens_of(source).author('ann')}") as page:
            expect(page.locator("#author")).to_contain_text("Its matches")
            assert "Traceback" not in page.content()


def test_a_wrong_token_opens_nothing(browser: Browser, site: RunningSite) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.url}/organiser.html#o.wrong")
    expect(page.locator("#organiser")).to_contain_text("not valid")
    assert page.locator("button[data-act]").count() == 0
    context.close()


def test_the_organiser_freezes_announces_and_reveals_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    plan = played_tournament(tmp_path, left=2)
    source = source_of(plan)
    with running_site(source) as site:
        address = f"{site.url}/organiser.html#{tokens_of(source).organiser()}"
        with (
            opened(browser, address) as page,
            opened(browser, f"{site.url}/index.html", hurried=True) as public,
        ):
            page.on("dialog", lambda dialog: dialog.accept())
            press(page, "freeze")
            expect(page.locator(".outcome")).to_contain_text("Done: frozen")
            play(plan, fixtures(plan)[-2:])
            expect(public.locator("[data-live=notices]")).to_contain_text("frozen")
            page.fill("#announcement", f"{HOSTILE} at one")
            page.focus("text=Announce >> nth=-1")
            page.keyboard.press("Enter")
            expect(public.locator("[data-live=notices]")).to_contain_text(f"{HOSTILE} at one")
            assert findings(page) == []
            press(page, "reveal")
            expect(public.locator("[data-live=notices]")).not_to_contain_text("frozen")
            expect(public.locator("[data-live=state]")).to_contain_text("12 matches played")


def press(page: Page, act: str) -> None:
    page.wait_for_selector(f"[data-act={act}]:enabled")
    page.focus(f"[data-act={act}]")
    page.keyboard.press("Enter")


def test_a_running_match_is_watched_to_its_end_and_then_replayed(browser: Browser, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    names = ("ann", "bob")
    bots = [word for name in names for word in ("--bot", f"{name}={gate.command}")]
    with workspace_in(tmp_path) as workspace:
        command = workspace.start("play", "gangsters", *bots, "--no-mirror", "--web", "0", "--web-stay")
        line = command.wait_for("the site is at")
        (url,) = re.findall(r"http://[\d.:]+", line)
        with opened(browser, f"{url}/live.html") as page:
            expect(page.locator("#live tbody tr")).to_have_count(1)
            assert findings(page) == []
            page.click("#live tbody a")
            page.wait_for_selector("#watch[data-step]")
            assert page.locator("#watch svg.board").count() >= 1
            before = page.get_attribute("#watch", "data-step")
            gate.let(1)
            expect(page.locator("#watch")).not_to_have_attribute("data-step", before or "")
            assert page.locator(".said li").count() >= 2
            assert names[0] in page.inner_text(".watch-names")
            assert findings(page) == []
            gate.open()
            expect(page.locator("#watch .state")).to_contain_text("The match is over")
            page.wait_for_selector("#watch[data-replay=shown]")
            page.click("#watch .state a")
            page.wait_for_selector(".player[data-step]")
        command.signal()
        command.end()
    gate.close()


def test_names_and_texts_of_a_running_match_are_text(browser: Browser, plan: Plan) -> None:
    source = source_of(plan)
    with running_site(source, playing=source.slug, limits=PATIENT) as site:
        line = RunningLine("m1", (HOSTILE, "bob"), 3, 5, True)
        status = HubStatus(
            running=(line,),
            playing=1,
            coming=((HOSTILE, "bob"),),
            waiting=1,
            bots=(BotLine(HOSTILE, 1, 1),),
            begun=1,
            finished=0,
            void=0,
            decisions=0,
            paused=True,
            draining=False,
            late_ms=700,
        )
        with opened(browser, f"{site.url}/live.html") as page:
            send(site, status)
            expect(page.locator("#live tbody td >> nth=0")).to_have_text(f"{HOSTILE} · bob")
            expect(page.locator("#live .warn")).to_have_count(2)
            expect(page.locator(".live-sign")).to_have_text("paused")
            assert page.locator("#live img").count() == 0
        result = {"seats": [{"name": HOSTILE, "rank": 1, "score": 3, "fault": HOSTILE}], "void": False}
        view = {"text": HOSTILE, "turn": 1, "to_act": [0]}
        # The match is made up: a page that stays for a while asks in vain for its replay.
        with opened(browser, f"{site.url}/watch.html#match=m1", expected="404 (Not Found)") as page:
            page.wait_for_selector(".live-sign[data-state=paused]")
            for step, end in ((1, None), (2, result)):
                send(site, LiveMoment("m1", "no-such-game", (HOSTILE, "bob"), step, view, (), end))
            expect(page.locator("#watch .state")).to_contain_text(HOSTILE)
            assert page.locator("#watch img").count() == 0
            assert page.title() != "1"


def send(site: RunningSite, message: ToSite) -> None:
    """Send a message as the hub does."""
    site.hub.send(msgspec.json.encode(message))


def test_a_match_that_does_not_run_is_explained(browser: Browser, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    bots = [word for name in ("ann", "bob") for word in ("--bot", f"{name}={gate.command}")]
    with workspace_in(tmp_path) as workspace:
        command = workspace.start("play", "coins", *bots, "--deals", "1", "--jobs", "1", "--web", "0")
        (url,) = re.findall(r"http://[\d.:]+", command.wait_for("the site is at"))
        with opened(browser, f"{url}/live.html") as page:
            expect(page.locator("#live")).to_contain_text("if no other match is still to play its deal")
            match = page.inner_text("#live tbody th")
        with opened(browser, f"{url}/watch.html#match={match}") as page:
            expect(page.locator("#watch")).to_contain_text("its deal is still to be played")
        with opened(browser, f"{url}/watch.html#match=nope") as page:
            expect(page.locator("#watch")).to_contain_text("not being played now")
        gate.open()
        command.end()
    gate.close()
