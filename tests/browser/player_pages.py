"""Pages of the player for tests: matches played in process, and what such a page shows."""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Page

from referee.player.page import PageMatch, page_matches, replay_page
from referee.replay import files
from referee.replay.format import Replay
from tests.unit.referee.replay.played import SimulatedMatch

PHONE, DESK = 390, 1280

Open = Callable[..., Page]
"""Opens a page: its path, then what of the address names a moment, and the width of the window."""


SHORT: Mapping[str, dict[str, str | int]] = {
    "chicago": {"phases": 1, "rounds": 1},
    "vengeance": {"max_rounds": 8},
}
"""Options with which bots that choose at random come to an end soon."""


def match_of(game: str, number: int, *, seats: int = 2, mischief: bool = False) -> SimulatedMatch:
    """Play a match; those of one game have one deal, and different actions."""
    simulated = SimulatedMatch(
        "player", game=game, seats=seats, strikes=3, match=f"{game}-{number}", options=SHORT.get(game)
    ).ready()
    simulated.luck = Random(number)
    if mischief:
        first = simulated.owing()[0]
        simulated.answer(first, "no such action")
        simulated.wait()
    return simulated.play_out()


def replays_of(folder: Path, *matches: SimulatedMatch) -> list[Replay]:
    """Write the replays of matches, and read them."""
    return [files.read(each.save(folder / f"{each.match.id}.jsonl")) for each in matches]


def matches_of(replays: list[Replay]) -> list[PageMatch]:
    """Return what a page shows of replays."""
    return list(page_matches((f"replays/{Path(each.path).name}", each) for each in replays))


def written(path: Path, matches: list[PageMatch]) -> Path:
    """Write a page with matches."""
    path.write_text(replay_page(matches), encoding="utf-8")
    return path


def position(page: Page) -> dict[str, Any]:
    """Return the position that the player shows: match, viewer, step, last and view."""
    found = page.evaluate("document.querySelector('.player').position")
    assert isinstance(found, dict)
    return found


def wait_for_step(page: Page, step: int) -> None:
    """Wait until a step is shown."""
    page.wait_for_selector(f".player[data-step='{step}']")


def is_scrolled_sideways(page: Page) -> bool:
    """Return whether the page is wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
