"""How clicks on a board become an action: the module alone, in a real browser."""

from collections.abc import Iterator
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page

from referee.player.linker import link

ENTRY = """import { Choice, matches } from "./seat_choice.js";
Object.assign(globalThis, { Choice, matches });
"""
ACTIONS = {
    "move a1 a2": ["cell:a1", "cell:a2"],
    "move a2 a1": ["cell:a2", "cell:a1"],
    "move a1 a3": ["cell:a1", "cell:a3"],
    "shoot a3": ["gun:0", "cell:a3"],
    "draw": ["deck:0"],
    "pass": [],
}
"""Actions with their places."""

CLICK = """([actions, spots]) => {
  const choice = new Choice(Object.keys(actions).map(action => [action, ""]), action => actions[action]);
  for (const spot of spots) choice.pick(spot);
  return {
    named: choice.named()?.action ?? null, complete: choice.isComplete(), picked: choice.picked,
    left: choice.remaining().map(each => each.action), lit: [...choice.lit()].sort(),
    elsewhere: choice.elsewhere().map(each => each.action),
  };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    source = (files("tournaments.live") / "web" / "seat_choice.js").read_text("utf-8")
    with browser.new_context() as context:
        found = context.new_page()
        found.add_script_tag(
            content=link("entry.js", {"entry.js": ENTRY, "seat_choice.js": source}.__getitem__)
        )
        yield found


def click(page: Page, *spots: str) -> dict[str, object]:
    """Return what is chosen after these clicks."""
    found = page.evaluate(CLICK, [ACTIONS, list(spots)])
    assert isinstance(found, dict)
    return found


def test_without_a_click_all_places_are_lit_and_nothing_is_named(page: Page) -> None:
    found = click(page)
    assert found["named"] is None
    assert found["lit"] == sorted({spot for spots in ACTIONS.values() for spot in spots})
    assert found["elsewhere"] == ["pass"]


def test_one_click_names_an_action_that_alone_has_the_place(page: Page) -> None:
    found = click(page, "deck:0")
    assert (found["named"], found["complete"]) == ("draw", True)
    found = click(page, "gun:0")
    assert (found["named"], found["complete"]) == ("shoot a3", False)


def test_the_order_of_clicks_separates_a_move_from_the_move_back(page: Page) -> None:
    assert click(page, "cell:a1", "cell:a2")["named"] == "move a1 a2"
    back = click(page, "cell:a2", "cell:a1")
    assert (back["named"], back["complete"]) == ("move a2 a1", True)


def test_a_click_that_does_not_fit_takes_the_place_of_those_before_it(page: Page) -> None:
    found = click(page, "cell:a1", "cell:a2", "cell:a3")
    assert found["picked"] == ["cell:a1", "cell:a3"]
    assert found["named"] == "move a1 a3"
    assert click(page, "deck:0", "gun:0")["picked"] == ["gun:0"]


def test_a_second_click_takes_the_first_back(page: Page) -> None:
    assert click(page, "cell:a1", "cell:a1")["left"] == list(ACTIONS)


def test_words_find_actions_by_text_and_meaning(page: Page) -> None:
    found = page.evaluate(
        "() => ['move A2', 'ANN goes', 'move a3', '']"
        ".map(typed => matches({ action: 'move a1 a2', meaning: 'Ann goes to a2.' }, typed))"
    )
    assert found == [True, True, False, True]
