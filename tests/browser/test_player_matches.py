"""A match of each game is stepped to its end, and every position is that of the engine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from referee.player.frames import frames, watcher_named
from referee.replay.format import Replay
from referee.replay.playback import replay_events
from tests.browser.player_pages import Open, match_of, matches_of, replays_of, written
from tests.unit.referee.player.applied import as_loaded

GAMES = ["chicago-poker", "gangsters", "vengeance", "chicago", "coins"]
"""The last one has no drawing, so its board is text."""

WALK = """
name => {
  const player = document.querySelector(".player");
  const button = document.querySelector(`.control-buttons [aria-label^="${name}"]`);
  const seen = [];
  const said = element => {
    if (element.nodeType === 3) return element.data;
    const own = [...element.attributes].filter(({ value }) => value).map(({ name, value }) => `${name}=${value}`).sort();
    return `<${element.tagName} ${own}>${[...element.childNodes].map(said).join("")}`;
  };
  const picture = () => {
    let sum = 0n;
    for (const letter of new TextEncoder().encode(said(document.querySelector(".stage > .board")))) {
      sum = BigInt.asUintN(64, (sum ^ BigInt(letter)) * 0x100000001b3n);
    }
    return String(sum);
  };
  seen.push({ ...player.position, picture: picture() });
  while (!button.disabled) {
    button.click();
    seen.push({ ...player.position, picture: picture() });
  }
  return seen;
}
"""
"""Clicks a button as long as it can be clicked; returns all positions on the way, each with a sum over its picture.

Pictures are equal if their elements have the same attributes, in any order."""


@pytest.fixture(scope="module", params=GAMES)
def replay(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Replay:
    folder = tmp_path_factory.mktemp("matches")
    (found,) = replays_of(folder, match_of(request.param, 1, mischief=True))
    return found


@pytest.fixture(scope="module")
def page_path(replay: Replay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("pages") / "match.html", matches_of([replay]))


def views_by_engine(replay: Replay) -> dict[str, list[Any]]:
    watchers = {viewer: watcher_named(viewer) for viewer in ("public", "everything", "0", "1")}
    views: dict[str, list[Any]] = {viewer: [] for viewer in watchers}
    for step in replay_events(replay):
        for viewer, watcher in watchers.items():
            view = step.state.reveal() if watcher.sees_all else step.state.view(watcher.seat)
            views[viewer].append(as_loaded(view))
    return views


def without_text(view: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in view.items() if name != "text"}


def test_every_position_is_that_of_the_engine_for_each_viewer_forwards_and_back(
    replay: Replay, page_path: Path, open_page: Open
) -> None:
    page = open_page(page_path, "#at=0")
    expected = views_by_engine(replay)
    for viewer, key in (("public", "p"), ("0", "0"), ("1", "1"), ("everything", "e")):
        page.keyboard.press("Home")
        page.keyboard.press(key)
        onwards = page.evaluate(WALK, "One step on")
        assert {each["viewer"] for each in onwards} == {viewer}
        assert onwards[-1]["step"] == len(replay.entries)
        for each in onwards:
            assert without_text(each["view"]) == without_text(expected[viewer][each["step"]])
        back = page.evaluate(WALK, "One step back")
        assert back == onwards[::-1]


def test_steps_of_which_a_viewer_noticed_nothing_are_passed_over(
    replay: Replay, page_path: Path, open_page: Open
) -> None:
    page = open_page(page_path, "#at=0&as=public")
    track = frames(replay, ["public", "everything"])["tracks"]["public"]
    noticed = [at for at, step in enumerate(track) if step or at in (0, len(track) - 1)]
    assert [each["step"] for each in page.evaluate(WALK, "One step on")] == noticed
    assert len(noticed) < len(track)
