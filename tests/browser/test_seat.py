"""The page of a seat and the lobby in a real browser: hints, reload, tabs, names, clock, widths, barriers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from tests.browser.axe import findings
from tests.end_to_end.browser_seats import links_of
from tests.end_to_end.commands import workspace_in

HOSTILE = "<b onclick=alert(1)>Zoe</b>"
PHONE, DESKTOP = 390, 1280


def open_page(browser: Browser, link: str, width: int = DESKTOP, scheme: str = "light") -> Page:
    """Open a page in a context of its own, and note errors and requests."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(link)
    return page


@pytest.fixture(scope="module")
def lobby_and_links(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """Start a match of two people; it is abandoned at the end."""
    with workspace_in(tmp_path_factory.mktemp("seats")) as workspace:
        words = ("gangsters", "--bot", "Ann=browser", "--bot", "Bob=browser", "--no-open", "--seed", "5")
        command = workspace.start("play", *words, listen="out")
        yield links_of(command, 2)
        command.signal()
        command.end()


@pytest.fixture
def ann(browser: Browser, lobby_and_links: tuple[str, dict[str, str]]) -> Iterator[Page]:
    """Open the page of the seat that decides now."""
    pages = [open_page(browser, link) for link in lobby_and_links[1].values()]
    for page in pages:
        expect(page.locator("#seat[data-phase=decide], #seat[data-phase=others]")).to_be_attached()
    deciding = [page for page in pages if page.locator("#seat").get_attribute("data-phase") == "decide"]
    assert len(deciding) == 1
    yield deciding[0]
    for page in pages:
        page.context.close()


def noting(urls: list[str]) -> Callable[[Request], None]:
    return lambda request: urls.append(request.url)


def choose(page: Page, number: int = 0) -> str:
    """Choose an action from the list, and return its text."""
    page.keyboard.press("Escape")
    closed = page.locator("details.action-group:not([open]) > summary")
    while closed.count():
        closed.first.click()
    button = page.locator("button.action").nth(number)
    action = button.locator("code").inner_text()
    button.click()
    return action


def test_a_hint_is_shown_on_request_and_can_be_chosen(ann: Page) -> None:
    ann.get_by_role("button", name="Show what a sample bot would do").click()
    expect(ann.locator(".hint")).to_contain_text("The sample bot gangsters would take")
    expect(ann.locator(".hint")).to_contain_text("Why: ")
    ann.get_by_role("button", name="Choose this").click()
    chosen = ann.locator(".offer .primary code").inner_text()
    assert chosen in ann.locator(".hint code").inner_text()
    assert ann.locator(".board .picked").count() >= 1


def test_clicks_narrow_the_list_and_escape_clears_them(ann: Page) -> None:
    everything = ann.locator("#action-count").inner_text()
    lit = ann.locator(".board .lit").count()
    assert lit > 20
    ann.locator("[data-spot^='common:'].lit").first.click()
    expect(ann.locator("#action-count")).to_contain_text(" of ")
    assert ann.locator(".board .picked").count() == 1
    other = ann.locator("[data-spot^='common:'].lit.instead").first
    spot = other.get_attribute("data-spot")
    other.click()
    expect(ann.locator(".board .picked")).to_have_attribute("data-spot", spot or "")
    ann.keyboard.press("Escape")
    expect(ann.locator("#action-count")).to_have_text(everything)
    assert ann.locator(".board .picked").count() == 0
    ann.locator("#filter").fill("common e4")
    expect(ann.locator("#action-count")).to_contain_text(" of ")
    assert all("e4" in text for text in ann.locator("button.action code").all_inner_texts())


def test_a_page_that_is_loaded_again_goes_on_and_two_tabs_never_move_twice(ann: Page) -> None:
    context: BrowserContext = ann.context
    asked = ann.locator("#seat").get_attribute("data-ask") or ""
    board = ann.locator("svg.board:not(.mini-map)").first.text_content()
    ann.reload()
    expect(ann.locator("#seat")).to_have_attribute("data-ask", asked)
    assert ann.locator("svg.board:not(.mini-map)").first.text_content() == board
    twin = context.new_page()
    twin.goto(ann.url)
    expect(twin.locator("#seat")).to_have_attribute("data-ask", asked)
    action = choose(ann)
    assert choose(twin, 1) != action
    ann.locator(".offer .primary").click()
    expect(twin.locator("#seat")).not_to_have_attribute("data-ask", asked)
    expect(twin.locator(".news").first).to_be_visible()
    assert twin.locator(".offer .primary").count() == 0


def test_actions_are_taken_at_once_where_the_person_wants_no_question(ann: Page) -> None:
    asked = ann.locator("#seat").get_attribute("data-ask") or ""
    ann.get_by_label("Ask me before an action is taken").uncheck()
    choose(ann)
    expect(ann.locator("#seat")).not_to_have_attribute("data-ask", asked)


def test_rules_legend_and_everything_that_happened_are_at_hand(ann: Page) -> None:
    ann.get_by_text("What the pictures mean").click()
    expect(ann.locator(".legend-list dd").nth(2)).to_be_visible()
    with ann.context.expect_page() as opened:
        ann.get_by_role("link", name="Rules").click()
    rules = opened.value
    expect(rules.locator("h1")).to_contain_text("Gangsters")
    assert findings(rules) == []


def test_a_page_has_no_barrier_fits_every_width_and_asks_no_other_host(
    browser: Browser, lobby_and_links: tuple[str, dict[str, str]]
) -> None:
    lobby, links = lobby_and_links
    for link, width, scheme in (
        (lobby, PHONE, "dark"),
        (links["Ann"], DESKTOP, "light"),
        (links["Bob"], PHONE, "dark"),
    ):
        page = open_page(browser, "about:blank", width, scheme)
        asked: list[str] = []
        page.on("request", noting(asked))
        page.goto(link)
        expect(page.locator(".seats-free li, .board [data-spot]").first).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert findings(page) == []
        here = urlsplit(link).netloc
        assert {urlsplit(url).netloc for url in asked if not url.startswith("data:")} == {here}
        assert not any(urlsplit(link).fragment in url for url in asked[1:]), "a secret is in an address"
        page.context.close()


def test_people_take_seats_in_the_lobby_and_a_hostile_name_is_only_text(
    browser: Browser, tmp_path: Path
) -> None:
    with workspace_in(tmp_path) as workspace:
        words = ("gangsters", "--bot", "browser", "--bot", "browser", "--no-open", "--seed", "5")
        command = workspace.start("play", *words, listen="out")
        lobby, _ = links_of(command, 2)
        pages = [open_page(browser, lobby, PHONE), open_page(browser, lobby)]
        for page, name in zip(pages, (HOSTILE, "Max"), strict=True):
            page.get_by_label("Your name, as the others see it").fill(name)
            page.get_by_role("button", name="Take a seat").click()
            expect(page.locator(".seat-list")).to_be_visible()
        for page in pages:
            page.on("dialog", lambda dialog: pytest.fail(f"a name opened a dialog: {dialog.message}"))
            expect(page.locator(".seat-list")).to_contain_text(HOSTILE)
            assert page.locator("main b").count() == 0
        first = next(page for page in pages if page.locator("#seat[data-phase=decide]").count())
        choose(first)
        first.locator(".offer .primary").click()
        second = next(page for page in pages if page is not first)
        expect(second.locator("#seat")).to_have_attribute("data-phase", "decide")
        expect(second.locator(".news").first).to_contain_text(HOSTILE)
        again = open_page(browser, lobby)
        expect(again.locator("main")).to_contain_text("All seats are taken")
        pages[1].goto(lobby)
        pages[1].get_by_role("link", name="go to your seat").click()
        expect(pages[1].locator("#seat[data-phase=decide], #seat[data-phase=others]")).to_be_attached()
        for page in (*pages, again):
            page.context.close()
        command.signal()
        assert command.end().code == 130


def test_a_person_that_plays_by_the_clock_begins_when_ready_and_loses_by_time(
    browser: Browser, tmp_path: Path
) -> None:
    with workspace_in(tmp_path) as workspace:
        words = ("gangsters", "--bot", "Ann=browser", "--bot", "first", "--no-open", "--timed", "--seed", "5")
        command = workspace.start(
            "play", *words, "--clock", "first=2500,move=2500,bank=500", "--web-stay", listen="out"
        )
        _, links = links_of(command, 1)
        page = open_page(browser, links[""])
        page.get_by_role("button", name="I am ready").click()
        expect(page.get_by_role("timer")).to_contain_text("for this decision")
        expect(page.get_by_role("timer")).to_contain_text("in the bank")
        expect(page.locator(".verdict")).to_contain_text("late")
        expect(page.locator(".verdict")).to_contain_text("First wins")
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Look at the replay").click()
        replay = opened.value
        expect(replay.locator(".board [data-key]").first).to_be_visible()
        page.context.close()
        command.signal()
        # 130 if the command had not come to the end of its report when the page had.
        assert command.end().code in (0, 130)


def test_a_link_without_its_secret_or_with_a_wrong_one_is_explained(
    browser: Browser, lobby_and_links: tuple[str, dict[str, str]]
) -> None:
    link = lobby_and_links[1]["Ann"].partition("#")[0]
    bare = open_page(browser, link)
    expect(bare.locator(".notice")).to_contain_text("Use the whole link")
    wrong = open_page(browser, f"{link}#wrong")
    expect(wrong.locator(".notice")).to_contain_text("This link is not valid")
    assert wrong.locator(".board").count() == 0
    for page in (bare, wrong):
        page.context.close()
