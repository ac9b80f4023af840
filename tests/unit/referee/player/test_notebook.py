"""Notebooks show matches and positions as pictures."""

from html import unescape
from pathlib import Path

import pytest
from IPython.core.formatters import DisplayFormatter

from referee import registry
from referee.chance import KeyedChance
from referee.errors import ConfigError
from referee.player import notebook
from referee.replay import files
from referee.replay.position import recorded
from tests.unit.referee.replay.played import SimulatedMatch


class Shell:
    """What a notebook hands to an extension, as far as it is used."""

    def __init__(self) -> None:
        self.display_formatter = DisplayFormatter()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return SimulatedMatch("notebook", game="chicago-poker").ready().play_out().save(tmp_path / "m-1.jsonl")


def test_a_match_is_a_page_in_a_frame_that_cannot_reach_the_notebook(path: Path) -> None:
    shown = notebook.replay(path, viewer="1", at=3)
    frame = shown._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts"' in frame
    assert '{"as":"1","at":3}' in unescape(frame)
    assert "<script" not in frame
    assert repr(shown).startswith("m-1: Ada")


def test_a_point_of_view_that_the_match_does_not_have_is_refused(path: Path) -> None:
    for viewers in ({"viewer": "9"}, {"viewers": ["zed"]}, {"viewer": "0", "viewers": ["public"]}):
        with pytest.raises(ConfigError, match="choose one of"):
            notebook.replay(path, **viewers)


def test_a_position_is_shown_as_its_seat_saw_it(path: Path) -> None:
    shown = notebook.position(path, 1, 2)
    state = recorded(path, 1, 2).position.state
    assert repr(shown) == registry.game("chicago-poker").draw(state.view(1))
    with pytest.raises(ConfigError, match="there is no 999"):
        notebook.position(path, 1, 999)


def test_a_view_alone_is_shown_with_numbers_for_names() -> None:
    game = registry.game("gangsters")
    state, _ = game.new(2, KeyedChance(bytes(32)), game.resolve({}, 2))
    page = notebook.view("gangsters", state.view(None)).page
    assert '"names":["seat 0","seat 1"]' in page


def test_with_the_extension_replays_and_positions_show_themselves(path: Path) -> None:
    shell = Shell()
    notebook.load_ipython_extension(shell)
    found = recorded(path, 0, 1)
    for value in (files.read(path), found, found.position):
        shown = shell.display_formatter.formatters["text/html"](value)
        assert shown.startswith("<iframe")
