"""The page of feedback in a real browser, opened from disk: on a phone, on a desk, at night."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from tests.browser.axe import findings
from tests.browser.windows import DESK, PHONE, Scheme, Window
from tests.unit.tournaments.site.events_in_files import HOSTILE, plan_in, play_all
from tournaments.failed_starts import FailedStart, write_failed_starts
from tournaments.feedback.events import PlayedPart
from tournaments.feedback.writing import write_feedback
from tournaments.pairing.schedule import fixtures
from tournaments.site.events import tournament_event
from tournaments.store.store import Store


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("feedback")
    plan = plan_in(folder, (HOSTILE, "bob"), blocks=3)
    play_all(plan, failing=[one.match for one in fixtures(plan) if one.bots[1] == HOSTILE][:2])
    with Store(plan.store, write=False) as store:
        part = PlayedPart(tournament_event(plan, store), plan)
    (written,) = write_feedback([part], [HOSTILE], folder / "out")
    return written.path / "feedback.html"


@pytest.fixture
def window(browser: Browser) -> Iterator[Window]:
    with browser.new_context(viewport={"width": DESK, "height": 900}) as context:
        yield Window(context)


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_is_wider_than_the_window_or_asked_of_a_host(window: Window, page: Path, width: int) -> None:
    window.open(page, width=width)
    window.page.wait_for_selector(".player .boards")
    assert window.evaluate("document.documentElement.scrollWidth") == width
    assert window.wrong == []
    assert window.asked == [page.as_uri()]


def test_a_board_is_as_large_as_in_the_player_alone(window: Window, page: Path) -> None:
    window.open(page)
    window.page.wait_for_selector(".player .boards")
    # The sheet of the page must not change what the player calls by the same name.
    figure, stage = (
        window.evaluate(f"document.querySelector('{one}').getBoundingClientRect().width")
        for one in (".board-figure", ".board-figure .stage")
    )
    assert stage == pytest.approx(figure, abs=4)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_accessibility_is_broken(window: Window, page: Path, scheme: Scheme) -> None:
    window.open(page, scheme=scheme)
    window.page.wait_for_selector(".player .boards")
    window.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    assert findings(window.page) == []


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (DESK, "light")])
def test_the_page_of_a_bot_that_was_left_out_says_why(
    window: Window, tmp_path: Path, width: int, scheme: Scheme
) -> None:
    played = plan_in(tmp_path, ("ann", "bob"), blocks=1)
    play_all(played)
    plan = plan_in(tmp_path, ("ann", "bob", "zed"), blocks=1, left_out={"zed": "does not start"})
    failed = FailedStart(
        "zed", "crashed", "exited with code 1", stderr=f"{'x' * 300}\n{HOSTILE}", advice="mend it"
    )
    write_failed_starts(plan.replays, [failed])
    with Store(plan.store, write=False) as store:
        store_event = tournament_event(plan, store)
    event = replace(store_event, standings=replace(store_event.standings, left_out=plan.left_out))
    (written,) = write_feedback([PlayedPart(event, plan)], ["zed"], tmp_path / "out")
    shown = window.open(written.path / "feedback.html", width=width, scheme=scheme)
    assert "Left out of the event: does not start." in shown.inner_text("main")
    assert HOSTILE[:-1] in shown.inner_text("pre.log")
    assert findings(shown) == []
    assert window.evaluate("document.documentElement.scrollWidth") == width
    assert window.wrong == []


def test_a_link_leads_to_the_moment_in_the_player(window: Window, page: Path) -> None:
    window.open(page)
    window.page.wait_for_selector(".player .boards")
    link = window.page.locator(".worth a").first
    moment = link.get_attribute("href")
    assert moment is not None
    link.click()
    step = moment.rpartition("at=")[2]
    window.page.wait_for_function(
        f"document.querySelector('.step-number').textContent.startsWith('{step} of')"
    )
    assert window.evaluate("document.getElementById('replays').getBoundingClientRect().top") < 900
    assert window.page.locator(".viewer").count() == 1


def test_keys_scroll_the_page_and_move_the_player_only_inside_of_it(window: Window, page: Path) -> None:
    window.open(page)
    window.page.wait_for_selector(".player .boards")
    before = window.evaluate("document.querySelector('.step-number').textContent")
    window.page.keyboard.press("End")
    assert window.evaluate("document.querySelector('.step-number').textContent") == before
    window.page.locator(".control-play").focus()
    window.page.keyboard.press("End")
    window.page.wait_for_function(f"document.querySelector('.step-number').textContent !== {before!r}")


def test_without_scripts_the_words_are_there(browser: Browser, page: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        shown = context.new_page()
        shown.goto(page.as_uri())
        assert "ended its process in mid-match" in shown.inner_text("main")
        assert "JavaScript, which is switched off" in shown.inner_text("#replays")
