"""The picture of Chicago in the player: the city is large, and the strip beside it can be read."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.player_pages import DESK, PHONE, Open, match_of, matches_of, position, replays_of, written

# Boxes on the screen: of the stage, of the city, and of the panels of the strip with the words in them.
BOXES = """() => {
  const box = element => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom, text: element.textContent };
  };
  const picture = document.querySelector(".stage > svg.board");
  return {
    stage: box(picture), city: box(picture.querySelector(".chicago-ground")),
    panels: [...picture.querySelectorAll(".chicago-panel")].map(box),
    words: [...picture.querySelectorAll("text")].filter(text => text.textContent.trim()).map(box),
  };
}"""


@pytest.fixture(scope="module")
def chicago(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chicago")
    return written(folder / "chicago.html", matches_of(replays_of(folder, match_of("chicago", 3))))


def test_the_city_has_nearly_the_whole_height_of_its_stage(chicago: Path, open_page: Open) -> None:
    for width in (DESK, 1600, 1920):
        boxes = open_page(chicago, "#at=40", width).evaluate(BOXES)
        stage, city = boxes["stage"], boxes["city"]
        assert city["bottom"] - city["top"] > 0.95 * (stage["bottom"] - stage["top"])


def test_the_strip_is_beside_the_city_and_its_words_are_in_panels(chicago: Path, open_page: Open) -> None:
    page = open_page(chicago, "#at=0")
    last = position(page)["last"]
    for step in range(0, last + 1, 4):
        page.goto(f"{chicago.as_uri()}#at={step}")
        page.wait_for_selector(f".player[data-step='{step}']")
        boxes = page.evaluate(BOXES)
        edge = boxes["city"]["right"]
        assert all(panel["left"] > edge for panel in boxes["panels"])
        # Beyond the coordinates at the edge of the city.
        outside = [
            word["text"]
            for word in boxes["words"]
            if word["left"] > min(panel["left"] for panel in boxes["panels"]) - 2
            and not any(is_inside(word, panel) for panel in boxes["panels"])
        ]
        assert outside == [], step


def is_inside(word: dict[str, float], panel: dict[str, float]) -> bool:
    """Return whether a word is in a panel from left to right, and its middle from top to bottom."""
    middle = (word["top"] + word["bottom"]) / 2
    across = panel["left"] <= word["left"] and word["right"] <= panel["right"]
    # Tabs such as "to act" lie on the upper edge of a card.
    return across and panel["top"] - 4 <= middle <= panel["bottom"]


def middle_of_city(page: Page) -> tuple[float, float]:
    """Return where the middle of the city is, in shares of its stage."""
    boxes = page.evaluate(BOXES)
    stage, city = boxes["stage"], boxes["city"]
    across = (city["left"] + city["right"]) / 2 - stage["left"]
    down = (city["top"] + city["bottom"]) / 2 - stage["top"]
    return across / (stage["right"] - stage["left"]), down / (stage["bottom"] - stage["top"])


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_a_closer_look_begins_in_the_middle_of_the_city(chicago: Path, open_page: Open, width: int) -> None:
    page = open_page(chicago, "#at=40", width)
    page.locator("button[aria-label^='Look closer']").click()
    page.locator("button[aria-label^='Look closer']").click()
    assert middle_of_city(page) == pytest.approx((0.5, 0.5), abs=0.02)
    page.locator("button[aria-label^='Show more']").click()
    page.locator("button[aria-label^='Show more']").click()
    assert page.locator("svg.mini-map").is_hidden()
