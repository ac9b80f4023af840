"""Matches and positions as pictures in a notebook (Jupyter): `replay`, `position` and `view`.

What they return shows itself when it is the last value of a cell. `%load_ext referee.player.notebook` makes
replays and recorded positions do the same without a call.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from referee import registry
from referee.errors import ConfigError, nearest
from referee.game import Game, View
from referee.player.frames import viewer_names
from referee.player.page import page_matches, position_page, replay_page
from referee.replay.files import read
from referee.replay.format import Replay
from referee.replay.narration import distinct
from referee.replay.position import AskPosition, Recorded, recorded

REPLAY_HEIGHT: Final = 760
POSITION_HEIGHT: Final = 560
"""In pixels; the width is that of the notebook."""


class NotebookPage:
    """A page of ours that a notebook shows in a frame. The page cannot reach the notebook."""

    def __init__(self, page: str, height: int, text: str) -> None:
        """Make it of a page; the text is shown where there are no frames, such as in a terminal."""
        self.page = page
        self.height = height
        self._text = text

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.page)}" sandbox="allow-scripts" allow="fullscreen" loading="lazy" '
            f'width="100%" height="{self.height}" frameborder="0"></iframe>'
        )

    def __repr__(self) -> str:
        return self._text


def replay(
    source: str | Path | Replay,
    *,
    viewer: str | None = None,
    at: int | None = None,
    viewers: Sequence[str] = (),
    height: int = REPLAY_HEIGHT,
) -> NotebookPage:
    """Return the player with a match: `viewer` and `at` are the moment it opens at.

    `viewers` are the points of view that can be chosen (`public`, `everything`, seats); none: all. Raises
    RecordError for a replay that cannot be read or does not verify, ConfigError for another point of view.
    """
    found = source if isinstance(source, Replay) else read(Path(source))
    _check_viewers(viewers, viewer_names(len(found.header.names)))
    _check_viewers([] if viewer is None else [viewer], viewers or viewer_names(len(found.header.names)))
    (match,) = page_matches([(Path(found.path).name, found)], lambda _: viewers)
    moment = {"as": viewer, "at": at}
    page = replay_page([match], {name: value for name, value in moment.items() if value is not None})
    return NotebookPage(page, height, f"{match.match}: {match.label}")


def position(
    path: str | Path, seat: int | str, decision: int, *, height: int = POSITION_HEIGHT
) -> NotebookPage:
    """Return the position in which a seat, given by number or name, had this decision, as that seat saw it.

    Raises RecordError for a replay that does not verify, ConfigError for a seat or decision it does not have.
    """
    return _recorded_page(recorded(Path(path), seat, decision), height=height)


def view(
    game: str | Game, view: View, names: Sequence[str] = (), *, height: int = POSITION_HEIGHT
) -> NotebookPage:
    """Return the picture of a view: what a bot is sent, or what `State.view` returns."""
    found = registry.game(game) if isinstance(game, str) else game
    seats = view.get("seats", len(names))
    shown = list(names) or [f"seat {seat}" for seat in range(seats if isinstance(seats, int) else 0)]
    return NotebookPage(position_page(found, view, shown, fits=True), height, found.draw(view))


def load_ipython_extension(shell: Any) -> None:
    """Let replays and recorded positions show themselves in this notebook."""
    html = shell.display_formatter.formatters["text/html"]
    html.for_type(Replay, lambda value: replay(value)._repr_html_())
    html.for_type(Recorded, lambda value: _recorded_page(value)._repr_html_())
    html.for_type(AskPosition, lambda value: _position_page(value)._repr_html_())


def _check_viewers(asked: Sequence[str], known: Sequence[str]) -> None:
    for viewer in asked:
        if viewer not in known:
            raise ConfigError(f"no point of view {viewer!r}: {nearest(viewer, known)}")


def _recorded_page(found: Recorded, height: int = POSITION_HEIGHT) -> NotebookPage:
    position = found.position
    return view(position.game, position.state.view(position.seat), distinct(position.names), height=height)


def _position_page(found: AskPosition) -> NotebookPage:
    return view(found.game, found.state.view(found.seat), found.names)
