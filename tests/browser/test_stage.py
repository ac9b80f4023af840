"""The stage of a board: what changed is marked, things are explained, and pieces move instead of jumping."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from referee.player.linker import script
from tests.browser.player_pages import DESK, Open, match_of, matches_of, replays_of, wait_for_step, written

GAMES = ("chicago", "chicago-poker", "gangsters", "vengeance")

CHANGED = "[...document.querySelectorAll('.board .changed')].map(thing => thing.dataset.key)"
PLACES = """[...document.querySelectorAll('.board [data-key]')]
    .map(thing => [thing.dataset.key, thing.style.transform])"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("stage")
    return {
        game: written(folder / f"{game}.html", matches_of(replays_of(folder, match_of(game, 1))))
        for game in GAMES
    }


def step_on(page: Page, step: int) -> None:
    page.keyboard.press("ArrowRight")
    wait_for_step(page, step)


@pytest.mark.parametrize("game", GAMES)
def test_what_the_last_step_changed_is_marked_from_both_directions(
    pages: dict[str, Path], open_page: Open, game: str
) -> None:
    page = open_page(pages[game], "#as=everything&at=0")
    assert page.evaluate(CHANGED) == []
    marked = []
    for step in range(1, 7):
        step_on(page, step)
        marked.append(page.evaluate(CHANGED))
    assert any(marked)
    assert marked != marked[:1] * len(marked)
    page.keyboard.press("ArrowLeft")
    wait_for_step(page, 5)
    assert sorted(page.evaluate(CHANGED)) == sorted(marked[4])


def explained(page: Page) -> str:
    page.wait_for_selector(".tip:not([hidden])")
    return page.inner_text(".tip")


@pytest.mark.parametrize("game", GAMES)
def test_hover_explains_a_thing_and_nothing_is_explained_beside_the_board(
    pages: dict[str, Path], open_page: Open, game: str
) -> None:
    page = open_page(pages[game], "#as=0&at=4")
    thing = page.locator(".board [data-tip]").first
    thing.dispatch_event("pointerover")
    assert explained(page) == thing.get_attribute("data-tip")
    page.locator(".stage > .board:not(.mini-map)").dispatch_event("pointerleave")
    page.wait_for_selector(".tip", state="hidden")


def test_a_tap_explains_a_thing(pages: dict[str, Path], open_page: Open) -> None:
    page = open_page(pages["gangsters"], "#as=0&at=4", 390)
    thing = page.locator(".board [data-tip]").first
    thing.tap()
    assert explained(page)


def test_pieces_move_in_under_a_quarter_of_a_second_and_keep_their_element(
    pages: dict[str, Path], browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": DESK, "height": 800}, reduced_motion="no-preference")
    page.goto(f"{pages['chicago'].as_uri()}#as=everything&at=0")
    wait_for_step(page, 0)
    page.evaluate("document.querySelectorAll('.board [data-key]').forEach(thing => { thing.old = true; })")
    before = dict(page.evaluate(PLACES))
    moved: list[str] = []
    for step in range(1, 40):
        step_on(page, step)
        after = dict(page.evaluate(PLACES))
        moved = [key for key in before if key in after and before[key] != after[key]]
        if moved:
            break
    found = page.evaluate(
        """key => { const thing = [...document.querySelectorAll('.board [data-key]')]
            .find(each => each.dataset.key === key);
            const style = getComputedStyle(thing);
            return [thing.old === true, style.transitionProperty, style.transitionDuration]; }""",
        moved[0],
    )
    page.close()
    is_same, properties, durations = found
    assert is_same
    seconds = dict(zip(properties.split(", "), map(seconds_of, durations.split(", ")), strict=True))
    assert 0 < seconds["transform"] < 0.25


def seconds_of(duration: str) -> float:
    return float(duration.removesuffix("s"))


def test_nothing_moves_for_readers_who_ask_for_less_motion(pages: dict[str, Path], open_page: Open) -> None:
    # The pages of this fixture are opened with reduced motion.
    page = open_page(pages["chicago"], "#at=2")
    durations = page.evaluate(
        """[...document.querySelectorAll('.board, .board *')]
            .flatMap(thing => getComputedStyle(thing).transitionDuration.split(', '))"""
    )
    assert set(map(seconds_of, durations)) == {0.0}


def test_each_colour_of_pieces_and_each_seat_has_a_shape_of_its_own(browser: Browser) -> None:
    probe = """
import { pieceShape, seatShape } from "./scene.js";
window.shapes = [
  [..."RBYGPO"].map(letter => pieceShape(letter, 0, 0, 10, {})),
  [0, 1, 2, 3, 4, 5].map(seat => seatShape(seat, 0, 0, 10, {})),
].map(all => all.map(({ tag, attributes: { class: _, ...rest } }) => JSON.stringify([tag, rest])));
"""
    page = browser.new_page()
    page.evaluate(script("shapes.js", {}, {"shapes.js": probe.lstrip()}))
    found = page.evaluate("shapes")
    page.close()
    assert [len(set(shapes)) for shapes in found] == [6, 6]
