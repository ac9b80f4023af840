"""A person plays whole matches in a real browser, by clicking on the board; and by keyboard alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from referee.match.result import Acted
from referee.replay import files, playback
from tests.end_to_end.browser_seats import links_of
from tests.end_to_end.commands import workspace_in

CLICKS = Path(__file__).with_name("seat_clicks.js").read_text()
BY_HAND = 4
"""Decisions that are made by the mouse itself; the others by events, which is quicker."""


class Sort(NamedTuple):
    """A game, and options that make its matches short."""

    game: str
    words: tuple[str, ...] = ()


SORTS = [
    Sort("chicago-poker", ("--set", "goal=short")),
    Sort("gangsters"),
    Sort("vengeance", ("--set", "max_rounds=8")),
    Sort("chicago", ("--set", "phases=1", "--set", "rounds=2")),
]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page that makes the test fail if a script does."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        found = context.new_page()
        found.set_default_timeout(30_000)
        wrong: list[str] = []
        found.on("pageerror", lambda error: wrong.append(str(error)))
        found.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        yield found
        # When the referee has ended, the browser reports each try to reach it.
        assert [text for text in wrong if "net::ERR_" not in text] == []


def click_in_the_middle(page: Page, things: Locator) -> None:
    """Click in the middle of the first of these, also where another thing lies on it."""
    things.first.scroll_into_view_if_needed()
    box = things.first.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def decide_by_mouse(page: Page) -> None:
    """Make one decision with the mouse."""
    seat = page.locator("#seat")
    expect(seat).to_have_attribute("data-phase", "decide", timeout=30_000)
    primary = page.locator(".offer .primary")
    asked = seat.get_attribute("data-ask")
    for _ in range(6):
        if primary.count():
            break
        lit = page.locator(".board .lit:not(.picked):not(.instead)")
        click_in_the_middle(page, lit if lit.count() else page.locator(".offer .chip"))
    primary.click()
    page.wait_for_function(
        "asked => { const { ask, phase } = document.getElementById('seat').dataset;"
        " return ask !== asked || phase !== 'decide'; }",
        arg=asked,
    )


@pytest.mark.parametrize("sort", SORTS, ids=[sort.game for sort in SORTS])
def test_a_person_plays_a_whole_match_by_clicking_on_the_board(
    sort: Sort, page: Page, tmp_path: Path
) -> None:
    with workspace_in(tmp_path) as workspace:
        words = ("--bot", "Ann=browser", "--bot", "first", "--no-open", "--seed", "5", *sort.words)
        command = workspace.start("play", sort.game, *words, listen="out")
        _, links = links_of(command, 1)
        page.goto(links[""])
        for _ in range(BY_HAND):
            decide_by_mouse(page)
        done = page.evaluate(CLICKS, {"seed": 3, "most": 400})
        expect(page.locator(".verdict")).to_contain_text("Ann")
        expect(page.locator(".verdict a")).to_have_attribute(
            "href", f"match.html#match={match_of(page)}&as=0"
        )
        ended = command.end()
        # The page stays readable after the referee has ended.
        expect(page.locator(".notice:visible")).to_contain_text("this page stays as it is", timeout=30_000)
    assert ended.code == 0, ended.err
    assert done["places"] >= done["decisions"] / 2, "most actions have places on the board"
    [path] = (tmp_path / "replays").glob("*.jsonl")
    replay = files.read(path)
    playback.verify(replay)
    assert replay.result.faults == ("", "")
    acted = [entry for entry in replay.entries if isinstance(entry, Acted) and entry.seat == 0]
    assert len(acted) == done["decisions"] + BY_HAND


def match_of(page: Page) -> str:
    return page.locator("#seat").get_attribute("data-match") or ""


def test_a_game_without_a_drawing_is_played_by_keyboard_alone_and_the_next_match_follows(
    page: Page, tmp_path: Path
) -> None:
    with workspace_in(tmp_path) as workspace:
        words = ("coins", "--bot", "Ann=browser", "--bot", "first", "--matches", "2", "--seed", "5")
        command = workspace.start("play", *words, "--no-open", listen="out")
        _, links = links_of(command, 1)
        page.goto(links[""])
        first = play_by_keys(page)
        expect(page.locator(".verdict")).to_be_visible()
        following = page.get_by_role("button", name="Next match")
        following.focus()
        page.keyboard.press("Enter")
        assert play_by_keys(page) != first
        expect(page.locator(".verdict")).to_be_visible()
        assert command.end().code == 0


def play_by_keys(page: Page) -> str:
    """Play a match by typing and the keys of the list, and return its id."""
    seat = page.locator("#seat")
    match = ""
    while True:
        page.wait_for_function(
            "() => ['decide', 'over'].includes(document.getElementById('seat').dataset.phase)"
        )
        match = match or match_of(page)
        if seat.get_attribute("data-phase") == "over":
            return match
        asked = seat.get_attribute("data-ask")
        if not page.locator(".offer .primary").count():
            page.keyboard.press("/")
            expect(page.locator("#filter")).to_be_focused()
            page.keyboard.press("ArrowDown")
            if page.locator("summary:focus").count():
                page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
            expect(page.locator(".offer .primary")).to_be_focused()
        page.locator(".offer .primary").focus()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "asked => { const { ask, phase } = document.getElementById('seat').dataset;"
            " return ask !== asked || phase !== 'decide'; }",
            arg=asked,
        )
