"""The pictures of all games in a real browser: every view is drawn, and every legal action has its place."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest
from hypothesis import Phase, given, settings
from playwright.sync_api import Browser, Page

from referee import registry
from referee.chance import KeyedChance
from referee.game import Event, Game, State
from referee.player.linker import board_source, script, style
from referee.player.page import as_json
from tests.contract.walk import Deal, Picks, deals, fixed_matches, walk
from tests.contract.walk import picks as numbers

GAMES = [id for id, game in registry.games().items() if board_source(game) is not None]
HOSTILE = [
    '<img src=x onerror="alert(1)">',
    "a-name-that-is-as-long-as-names-may-be-" * 2,
    "\u202eevil",
    "",
    "ok",
    "é𝔘",
]

Case = dict[str, Any]


PROBE = Path(__file__).with_name("boards_probe.js").read_text()
GUIDE = Path(__file__).parents[2] / "docs" / "add-a-game.md"


def opened(browser: Browser, code: str, look: str) -> Page:
    # Otherwise things would still be on their way when it is looked where they are.
    page = browser.new_page(reduced_motion="reduce")
    page.set_content(f"<style>{look}</style><div><svg class='board'></svg></div>")
    page.evaluate(code)
    return page


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    games = registry.games()
    code = script("boards_probe.js", games, {"boards_probe.js": PROBE})
    page = opened(browser, code, style(["theme.css", "stage.css"], games.values()))
    yield page
    page.close()


def test_all_four_games_have_a_drawing() -> None:
    assert GAMES == ["chicago", "chicago-poker", "gangsters", "vengeance"]


def cases_of(state: State, events: list[Event], seats: int) -> Iterator[Case]:
    """Return what is drawn at one moment: for every seat, the public and the referee."""
    names = HOSTILE[:seats]
    for seat in (*range(seats), None):
        seen = [event.seen_by(seat) for event in events]
        legal = state.legal(seat) if seat is not None and seat in state.to_act() else []
        yield {"view": state.view(seat), "events": seen, "names": names, "legal": legal}
    everything = [event.seen_by_all() for event in events]
    yield {"view": state.reveal(), "events": everything, "names": names, "legal": []}


def match_of(game: Game, deal: Deal, picks: Picks, most: int = 45) -> list[Case]:
    """Return the cases of a whole match, of a long one only some."""
    found: list[Case] = []
    for run in walk(game, deal, picks):
        step = len(run.taken)
        if step == 0 or picks.looks(step) or not run.state.to_act():
            found += cases_of(run.state, run.events[-1], deal.seats)
    # The first and the last ones are kept: rare positions and ends are what an author has looked at least.
    viewers = deal.seats + 2
    stride = max(1, len(found) // most)
    return [*found[:viewers], *found[viewers::stride], *found[-viewers:]]


def flaws(page: Page, id: str, cases: list[Case], least_tips: int = 5) -> list[str]:
    """Return what is wrong with the pictures of these cases."""
    # As one text: a browser's driver takes far longer for the same values one by one.
    found: list[str] = page.evaluate(
        "([game, cases, least]) => flaws(game, JSON.parse(cases), least)", [id, as_json(cases), least_tips]
    )
    return found


@pytest.mark.parametrize("id", GAMES)
def test_every_number_of_seats_is_drawn_without_flaws(page: Page, id: str) -> None:
    game = registry.game(id)
    count = game.info.most_seats - game.info.least_seats + 1
    for deal, picks in fixed_matches(game, count, whole=False):
        # There are many rare positions to begin from, and each shows at its beginning what is rare about it.
        most = 45 if deal.start is None else 10
        assert flaws(page, id, match_of(game, deal, picks, most)) == []


@pytest.mark.parametrize("id", GAMES)
def test_all_options_are_drawn_without_flaws(page: Page, id: str) -> None:
    game = registry.game(id)

    @settings(max_examples=max(3, settings().max_examples // 20), phases=[Phase.generate], deadline=None)
    @given(deal=deals(game, whole=False), picks=numbers)
    def check(deal: Deal, picks: Picks) -> None:
        assert flaws(page, id, match_of(game, deal, picks, most=20)) == []

    check()


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("id", GAMES)
def test_no_text_leaves_the_picture(page: Page, id: str, narrow: bool) -> None:
    game = registry.game(id)
    count = game.info.most_seats - game.info.least_seats + 1
    for deal, picks in fixed_matches(game, count, whole=True):
        cases = match_of(game, deal, picks)
        shown = [*cases[: deal.seats + 2], *cases[len(cases) // 2 :: 40], cases[-1]]
        call = "([game, cases, narrow]) => JSON.parse(cases).flatMap(each => misplaced(game, each, narrow))"
        assert page.evaluate(call, [id, as_json(shown), narrow]) == []


@pytest.mark.parametrize("id", GAMES)
def test_texts_stand_out_from_their_ground_by_day_and_at_night(page: Page, id: str) -> None:
    game = registry.game(id)
    deal, picks = next(fixed_matches(game, 1, whole=True))
    cases = match_of(game, deal, picks)
    shown = as_json([cases[0], *cases[len(cases) // 3 :: len(cases) // 3 + 1], cases[-1]])
    # Higher than any picture, since only what is in the window is found below a point.
    page.set_viewport_size({"width": 1100, "height": 1400})
    schemes: list[Literal["light", "dark"]] = ["light", "dark"]
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        call = "([game, cases]) => JSON.parse(cases).flatMap(each => faint(game, each))"
        assert page.evaluate(call, [id, shown]) == []


@pytest.mark.parametrize("id", GAMES)
def test_a_legend_explains_every_symbol_in_sentences(page: Page, id: str) -> None:
    state, _ = registry.game(id).new(2, KeyedChance(bytes(32)))
    meanings = page.evaluate("([game, view]) => legendOf(game, view)", [id, state.view(0)])
    assert len(meanings) >= 5
    assert len(set(meanings)) == len(meanings)


def test_the_board_of_the_guide_has_no_flaws(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    texts = {
        name: [text for language, text in blocks if language == name] for name in ("python", "js", "css")
    }
    duels = ModuleType("duels")
    monkeypatch.setitem(sys.modules, "duels", duels)
    *state_and_game, _ = texts["python"]
    exec("\n".join(state_and_game), duels.__dict__)
    modules = {
        "boards_probe.js": PROBE,
        "boards.js": 'import { board } from "./guide.js";\nexport const boards = { duels: board };\n',
        "guide.js": texts["js"][0],
    }
    look = style(["theme.css", "stage.css"], []) + texts["css"][0]
    page = opened(browser, script("boards_probe.js", {}, modules), look)
    for deal, picks in fixed_matches(duels.GAME, 4, whole=True):
        cases = match_of(duels.GAME, deal, picks)
        assert flaws(page, "duels", cases, least_tips=2) == []
        call = "cases => JSON.parse(cases).flatMap(it => [...misplaced('duels', it), ...faint('duels', it)])"
        assert page.evaluate(call, as_json(cases)) == []
    page.close()
