"""The bracket of a knockout in a real browser: every window, by keyboard, and what the lines join."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import findings
from tests.browser.windows import DESK, PHONE, Window
from tests.unit.tournaments.site.events_in_files import plan_in, play
from tournaments.pairing.schedule import fixtures
from tournaments.results import Played
from tournaments.site.events import tournament_event
from tournaments.site.model import SiteEvent
from tournaments.site.pages import file_paths, render_file
from tournaments.store.store import Store

HOSTILE = '<img src=x onerror="document.title=1">'
NAMES = (HOSTILE, "a-name-that-is-much-too-long-for-a-card-of-a-bracket", *(f"bot{n:02}" for n in range(11)))


def written(folder: Path, bots: tuple[str, ...], seats: int) -> tuple[Path, SiteEvent]:
    """Write the pages of a knockout that is played to its end, without its replays."""
    plan = plan_in(folder, bots, seats=seats, format="knockout", third_place=seats == 2)
    rows: list[Played] = []
    while new := [one for one in fixtures(plan, rows) if one.match not in {row.match for row in rows}]:
        rows += play(plan, new)
    with Store(plan.store, write=False) as store:
        event = tournament_event(plan, store)
    for path in file_paths(event):
        target = folder / "site" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(render_file(event, path))
    return folder / "site", event


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SiteEvent]:
    return written(tmp_path_factory.mktemp("pairs"), NAMES, 2)


@pytest.fixture(scope="module")
def threes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SiteEvent]:
    return written(tmp_path_factory.mktemp("threes"), NAMES[:8], 3)


@pytest.fixture(params=[(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def window(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[Window, int]]:
    width, scheme = request.param
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        yield Window(context), width


@pytest.mark.parametrize("field", ["pairs", "threes"])
def test_the_bracket_fits_the_window_and_has_no_barrier(
    request: pytest.FixtureRequest, window: tuple[Window, int], field: str
) -> None:
    site, event = request.getfixturevalue(field)
    opened, width = window
    page = opened.open(site / "bracket.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert findings(page) == []
    assert page.title() == f"Bracket · {event.name}"
    assert page.locator(".mark", has_text="winner").count() == 1
    winner = page.locator(".tie li", has=page.locator(".mark", has_text="winner")).locator("bdi").inner_text()
    assert winner == event.standings.table[0].name


def middle(page: Page, column: int, slot: int) -> float:
    """Return the height at which the middle of a card is."""
    box = page.locator(".bracket-stage").nth(column).locator(".tie").nth(slot).bounding_box()
    assert box is not None
    return box["y"] + box["height"] / 2


def test_every_card_stands_between_the_cards_that_it_follows_from(
    browser: Browser, pairs: tuple[Path, SiteEvent]
) -> None:
    with browser.new_context(viewport={"width": DESK, "height": 900}) as context:
        page = Window(context).open(pairs[0] / "bracket.html")
        for column, slots in ((1, 4), (2, 2), (3, 1)):
            for slot in range(slots):
                feeders = (middle(page, column - 1, 2 * slot), middle(page, column - 1, 2 * slot + 1))
                assert middle(page, column, slot) == pytest.approx(sum(feeders) / 2, abs=1.5)


def test_a_card_leads_to_its_matches_by_keyboard(browser: Browser, pairs: tuple[Path, SiteEvent]) -> None:
    with browser.new_context(viewport={"width": DESK, "height": 900}) as context:
        page = Window(context).open(pairs[0] / "bracket.html")
        link = page.locator(".bracket-stage").last.get_by_role("link", name="Matches of").first
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/pair.html#*")
        page.locator("#pair .deal").first.wait_for()
