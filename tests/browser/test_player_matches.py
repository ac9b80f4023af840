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
  const said = element => {
    if (element.nodeType === 3) return element.data;
    const set = [...element.attributes].filter(({ value }) => value);
    const own = set.map(({ name, value }) => `${name}=${value}`).sort();
    return `<${element.tagName} ${own}>${[...element.childNodes].map(said).join("")}`;
  };
  window.pictures ??= {};
  const [positions, differing] = [[], []];
  for (;;) {
    const { step, viewer } = player.position;
    positions.push(player.position);
    if (step % 7 === 0) {
      const picture = said(document.querySelector(".stage > .board"));
      if ((window.pictures[[viewer, step]] ??= picture) !== picture) differing.push(step);
    }
    if (button.disabled) return { positions, differing };
    button.click();
  }
}
"""
"""Clicks a button as long as it can be clicked; returns all positions on the way, and the steps whose picture
is not as it was when they were shown before: some element has other attributes."""


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
    tracks = frames(replay)["tracks"]
    for viewer, key in (("public", "p"), ("0", "0"), ("1", "1"), ("everything", "e")):
        page.keyboard.press("Home")
        page.keyboard.press(key)
        onwards = page.evaluate(WALK, "One step on")["positions"]
        assert {each["viewer"] for each in onwards} == {viewer}
        for each in onwards:
            assert without_text(each["view"]) == without_text(expected[viewer][each["step"]])
        # Steps of which the viewer noticed nothing are passed over.
        last = len(replay.entries)
        noticed = [at for at, step in enumerate(tracks[viewer]) if step or at in (0, last)]
        assert [each["step"] for each in onwards] == noticed
        back = page.evaluate(WALK, "One step back")
        assert back["positions"] == onwards[::-1]
        assert not back["differing"]
