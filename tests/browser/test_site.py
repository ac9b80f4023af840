"""The static site of an event in a real browser, from a disk and from a plain web server."""

import functools
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import findings
from tests.browser.windows import DESK, PHONE, Window
from tests.end_to_end.hubs import ROOT
from tests.unit.tournaments.site.events_in_files import plan_in, play
from tournaments.pairing.schedule import fixtures
from tournaments.site.events import tournament_event
from tournaments.site.writing import write_site
from tournaments.store.store import Store

HOSTILE = '<img src=x onerror="document.title=1">'

TOURNAMENT = f"""
name = "Spring <script>alert(1)</script> cup"
game = "gangsters"
seed = "9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b"
blocks = 2
[[bots]]
name = "random"
sample = "random"
[[bots]]
name = "first"
sample = "first"
[[bots]]
name = '{HOSTILE}'
sample = "random"
[[bots]]
name = "stubborn"
command = ["{sys.executable}", "stubborn.py"]
env = {{ PYTHONPATH = "{ROOT}" }}
"""

STUBBORN = """
from protocol.client import run

asked = 0


def choose(view, legal):
    global asked
    asked += 1
    return "nonsense <b>x</b>" if asked % 40 == 0 else legal[-1]


run(choose, name="stubborn")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of a tournament that the command line has played."""
    folder = tmp_path_factory.mktemp("spring")
    (folder / "spring.toml").write_text(TOURNAMENT)
    (folder / "stubborn.py").write_text(STUBBORN)
    command = [sys.executable, "-m", "referee", "tournament", "run", "spring.toml", "--site", "site"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "The site has 24 replays (24 made now)" in ended.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def withheld(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of a tournament with one match to play."""
    folder = tmp_path_factory.mktemp("open")
    plan = plan_in(folder)
    play(plan, fixtures(plan)[:-1])
    with Store(plan.store, write=False) as store:
        event = tournament_event(plan, store)
    write_site(event, folder / "site")
    return folder / "site"


@pytest.fixture
def window(browser: Browser) -> Iterator[Window]:
    with browser.new_context(viewport={"width": DESK, "height": 900}) as context:
        yield Window(context)


def match_ids(site: Path) -> list[str]:
    return sorted(path.stem for path in (site / "replays").iterdir())


def pages_of(site: Path) -> list[tuple[str, str]]:
    """Return every kind of page, with a hash where it needs one."""
    hashes = {
        "match.html": f"#match={match_ids(site)[0]}",
        "embed/match.html": f"#match={match_ids(site)[0]}&embed=1",
    }
    kinds = ["index", "report", "rounds", "matches", "match", "pair", "faults", "projector", "embed/table"]
    paths = [*(f"{kind}.html" for kind in kinds), "embed/match.html", "bots/stubborn.html"]
    paths.append(f"why/{next((site / 'why').iterdir()).name}")
    return [(path, hashes.get(path, "")) for path in paths]


READY = {
    "matches.html": "#matches tbody tr",
    "pair.html": "#pair .deal",
    "match.html": "#player .board",
    "embed/match.html": "#player .board",
    "projector.html": ".projector-keys button",
}
"""What is there when the script of a page has done its work."""


LONG = {"report.html", "match.html", "embed/match.html", "matches.html"}
"""Pages at which axe looks for seconds: once is enough, and the tests of the player look at the player."""


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_every_page_fits_the_window_has_no_barrier_and_asks_no_other_host(
    browser: Browser, site: Path, tmp_path: Path, width: int, scheme: str
) -> None:
    looked_at = {path for path, _ in pages_of(site)} - (
        LONG if scheme == "dark" else LONG - {"report.html", "matches.html"}
    )
    wide, wrong = [], []
    barriers: dict[str, list[str]] = {}
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    ) as context:
        window = Window(context)
        for path, hash in pages_of(site):
            page = window.open(site / path, hash)
            page.locator(READY.get(path, "main")).first.wait_for()
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wide.append(path)
            # The name of a bot is an image, if it is taken for markup.
            assert page.evaluate("document.images.length") == 0
            wrong += window.wrong
            if path in looked_at and (found := findings(page)):
                barriers[path] = found
            window.wrong.clear()
            page.screenshot(path=tmp_path / f"{path.replace('/', '-')}-{width}-{scheme}.png")
    assert wide == []
    assert barriers == {}
    assert wrong == []
    assert {url.split(":")[0] for url in window.asked} <= {"file", "about", "data", "blob"}


def test_hostile_names_are_text(window: Window, site: Path) -> None:
    page = window.open(site / "matches.html")
    expect(page.locator("#matches tbody bdi", has_text=HOSTILE).first).to_be_visible()


def test_matches_are_filtered_and_the_filters_are_in_the_address(window: Window, site: Path) -> None:
    page = window.open(site / "matches.html")
    status, rows = page.get_by_role("status").last, page.locator("#matches tbody tr")
    expect(status).to_have_text("24 of 24 matches, the newest first.")
    page.locator("[name=bot]").select_option("random")
    expect(status).to_contain_text("12 of 24")
    page.locator("[name=opponent]").select_option("first")
    expect(rows).to_have_count(4)
    page.locator("[name=seat]").select_option("1")
    expect(rows).to_have_count(2)
    assert page.url.endswith("#bot=random&opponent=first&seat=1")
    page.get_by_role("button", name="Clear").click()
    expect(rows).to_have_count(24)
    page.locator("[name=text]").fill("STUBB")
    expect(rows).to_have_count(12)
    shared = window.open(site / "matches.html", "#bot=stubborn&fault=illegal")
    expect(shared.locator("[name=fault]")).to_have_value("illegal")
    count = shared.locator("#matches tbody tr").count()
    assert 0 < count < 12
    assert shared.locator("#matches tbody .fault").count() == count
    assert shared.locator("#matches tbody a", has_text="why").count() == count
    shared.locator("[name=opponent]").select_option("stubborn")
    expect(shared.get_by_text("No match fits these filters.")).to_be_visible()


def test_a_replay_opens_in_the_player_and_the_match_of_the_other_rotation_beside_it(
    window: Window, site: Path
) -> None:
    page = window.open(site / "pair.html", "#a=random&b=first")
    expect(page.locator(".lede")).to_contain_text("random against first")
    expect(page.locator(".deal")).to_have_count(2)
    expect(page.locator(".deal").first.locator(".rotations li")).to_have_count(2)
    page.locator(".deal").first.get_by_text("side by side in the player").click()
    expect(page.locator("#player svg.board[role=img]")).to_have_count(2)
    assert window.wrong == []


def test_a_match_that_is_not_there_is_explained(window: Window, site: Path) -> None:
    page = window.open(site / "match.html", "#match=no-such-match")
    expect(page.locator("#player")).to_contain_text("The replay of this match is not here")


def test_the_table_of_seats_has_all_its_columns_on_a_phone(browser: Browser, site: Path) -> None:
    with browser.new_context(viewport={"width": PHONE, "height": 800}) as context:
        page = Window(context).open(site / "match.html", f"#match={match_ids(site)[0]}&at=end")
        expect(page.locator(".seats thead th").last).to_have_text("Score")
        assert page.evaluate("(box => box.scrollWidth <= box.clientWidth)(document.querySelector('.seats'))")


def test_withheld_matches_have_a_reason_and_no_link(window: Window, withheld: Path) -> None:
    page = window.open(withheld / "matches.html")
    held = page.locator("#matches tbody tr", has_text="withheld")
    expect(held).to_have_count(1)
    match = held.locator(".match-id").text_content()
    assert held.locator("a", has_text="replay").count() == 0
    page = window.open(withheld / "match.html", f"#match={match}")
    expect(page.locator("#player")).to_contain_text("still to be played by other bots")
    expect(window.open(withheld / "index.html").get_by_text("Open now: 1 deal")).to_be_visible()


def test_the_front_page_leads_by_keyboard_alone_to_a_moment_of_a_match(window: Window, site: Path) -> None:
    page = window.open(site / "index.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.evaluate("document.querySelector('main a[href^=\"match.html\"]').focus()")
    page.keyboard.press("Enter")
    page.locator("#player .board").first.wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"[#&]at=2$|[#&]at=2&"))


def test_links_of_the_why_page_lead_to_the_moment_of_the_fault(window: Window, site: Path) -> None:
    why = next((site / "why").iterdir())
    page = window.open(why)
    expect(page.locator("main")).to_contain_text("It sent an action that the rules do not allow")
    page.get_by_role("link", name="This moment in the player").click()
    page.locator("#player .board").first.wait_for()
    assert re.search(r"match\.html#match=.*&as=\d&at=\d+", page.url)
    assert window.wrong == []


def test_tables_are_sorted_by_keyboard(window: Window, site: Path) -> None:
    page = window.open(site / "index.html")
    head = page.locator("table.sortable").first.get_by_role("button", name="Points")
    head.focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Points")


def test_colours_that_were_chosen_are_those_of_the_next_page(window: Window, site: Path) -> None:
    page = window.open(site / "index.html")
    page.get_by_role("button", name="light and dark").click()
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.get_by_role("link", name="Faults", exact=True).click()
    page.wait_for_url("**/faults.html")
    assert page.evaluate(paper) == dark


def test_the_projector_cycles_pauses_and_reveals_the_places_from_the_last(window: Window, site: Path) -> None:
    page = window.open(site / "projector.html", "#every=0.3")
    shown = page.locator(".slide:not([hidden]) h2")
    for title in ("Standings by rating", "Cross table", "Latest results", "Standings by rating"):
        expect(shown).to_have_text(title)
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pause")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("r")
    expect(shown).to_have_text("The places")
    names = page.locator(".reveal-list li:not(.unrevealed) .big-place")
    expect(names).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(names).to_have_text(["4"])
    page.locator("main").click(position={"x": 5, "y": 5})
    expect(names).to_have_text(["4", "3"])
    page.keyboard.press("ArrowLeft")
    expect(names).to_have_count(1)


def test_without_script_results_are_there_and_the_lists_lead_to_tables(browser: Browser, site: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        window = Window(context)
        page = window.open(site / "index.html")
        assert page.locator("table tbody tr").count() > 24
        page = window.open(site / "matches.html")
        assert page.get_by_role("link", name="a CSV table").is_visible()
        page = window.open(site / "projector.html")
        assert page.locator(".slide").first.is_visible()


def test_pages_can_be_printed(window: Window, site: Path) -> None:
    page = window.open(site / "index.html")
    page.emulate_media(media="print")
    assert not page.locator(".site-head nav").is_visible()
    assert page.locator("h1").is_visible()
    assert page.pdf().startswith(b"%PDF")


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files and writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


def test_the_site_works_from_a_plain_web_server(window: Window, site: Path) -> None:
    handler = functools.partial(_Quiet, directory=str(site.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_port}/{quote(site.name)}/"
            page = window.page
            page.goto(address)
            page.get_by_role("link", name="Matches", exact=True).click()
            page.locator("#matches a", has_text="replay").first.click()
            page.locator("#player .board").first.wait_for()
            assert window.wrong == []
            assert all(url.startswith((address, "blob:", "data:")) for url in window.asked)
        finally:
            server.shutdown()
            thread.join(10)
