"""The player in other hosts: the page of a site, which loads matches one by one, and a notebook."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from referee import registry
from referee.player import notebook
from referee.player.linker import script, style
from referee.player.page import PLAYER_STYLES, replay_script
from tests.browser.player_pages import Open, match_of, matches_of, replays_of, wait_for_step

WITHHELD = "The match is not shown until its deal has been played by all."


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a site that has two matches of one deal."""
    folder = tmp_path_factory.mktemp("site")
    games = [registry.game("gangsters")]
    (folder / "player.js").write_text(script("match_page.js", {"gangsters": games[0]}))
    (folder / "player.css").write_text(style(PLAYER_STYLES, games))
    (folder / "replays").mkdir()
    matches = matches_of(replays_of(folder, match_of("gangsters", 5), match_of("gangsters", 1)))
    for match, other in (matches, matches[::-1]):
        text = replay_script(match, {other.match: other.label})
        (folder / "replays" / f"{match.match}.js").write_text(text)
    page = folder / "match.html"
    page.write_text(
        '<!doctype html><html lang="en"><title>Match</title><link rel="stylesheet" href="player.css">'
        f'<main><div id="player">{WITHHELD}</div></main><script src="player.js" defer></script></html>'
    )
    return page


def test_a_match_is_loaded_as_a_script_and_another_only_when_it_is_wanted(
    site: Path, open_page: Open
) -> None:
    page = open_page(site, "#match=gangsters-5&at=4")
    wait_for_step(page, 4)
    assert page.locator("head script").count() == 1
    page.locator(".compare select").select_option("gangsters-1")
    page.wait_for_selector(".is-comparing")
    assert page.locator("head script").count() == 2
    assert page.locator(".stage").count() == 2


def test_a_match_that_is_not_there_is_explained_in_the_words_of_the_site(site: Path, open_page: Open) -> None:
    page = open_page(site, "#match=gone", ready=".player.is-failed", expected="ERR_FILE_NOT_FOUND")
    expect(page.get_by_role("alert")).to_have_text(WITHHELD)


def test_an_address_leads_to_no_other_folder(site: Path, open_page: Open) -> None:
    page = open_page(site, "#match=../secret", ready=".player.is-failed")
    expect(page.get_by_role("alert")).to_contain_text("../secret is no id of a match")


def test_a_match_that_is_withheld_says_why(site: Path, open_page: Open) -> None:
    (site.parent / "replays" / "held.js").write_text(f'refereeFrames("held", null, {{"why": "{WITHHELD}"}});')
    page = open_page(site, "#match=held", ready=".player.is-failed")
    expect(page.get_by_role("alert")).to_have_text(WITHHELD)


def test_without_a_match_in_the_address_the_page_says_what_is_missing(site: Path, open_page: Open) -> None:
    page = open_page(site, ready=".player.is-failed")
    expect(page.get_by_role("alert")).to_contain_text("names no match")


def test_a_notebook_shows_a_match_and_a_position_in_frames(tmp_path: Path, open_page: Open) -> None:
    path = match_of("gangsters", 5).save(tmp_path / "m.jsonl")
    shown = notebook.replay(path, viewer="1", at=7)
    drawn = notebook.position(path, 0, 2)
    cells = tmp_path / "cells.html"
    cells.write_text(f"<!doctype html>{shown._repr_html_()}{drawn._repr_html_()}", encoding="utf-8")
    page = open_page(cells, ready="iframe")
    player = page.frame_locator("iframe").first
    expect(player.locator(".player[data-step='7'][data-viewer='1']")).to_be_visible()
    # A frame whose content was handed over has no address to share.
    expect(player.locator(".share")).to_be_hidden()
    player.locator("[aria-label^='One step on']").click()
    expect(player.locator(".player[data-step='8']")).to_be_visible()
    page.locator("iframe").nth(1).scroll_into_view_if_needed()
    board = page.frame_locator("iframe").nth(1).locator(".stage.fits > .board")
    expect(board).to_be_visible()
    size = board.bounding_box()
    assert size
    assert size["height"] <= drawn.height
