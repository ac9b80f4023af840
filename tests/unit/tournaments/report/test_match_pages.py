"""Pages of matches: what happened, as a file that a browser opens."""

import os
import stat
from pathlib import Path

import pytest

from referee.errors import RefereeError
from referee.replay.files import replay_bytes
from referee.replay.format import About, replay_text
from tests.unit.referee.replay.played import SimulatedMatch
from tests.unit.tournaments.rows import row
from tournaments.report.match_pages import write_match_pages
from tournaments.results import Played


@pytest.fixture
def played(tmp_path: Path) -> list[Played]:
    """Return a match whose replay is in the folder `replays`, and one whose replay is damaged."""
    simulated = SimulatedMatch().ready().play_out()
    (tmp_path / "replays").mkdir()
    text = replay_bytes(replay_text(simulated.match, About()).lines)
    (tmp_path / "replays" / "m-1.jsonl").write_bytes(text)
    (tmp_path / "replays" / "m-2.jsonl").write_bytes(text[:-9])
    return [row("ab", (1, 2), match=match) for match in ("m-1", "m-2", "m-3")]


def test_a_page_shows_the_match_and_leads_back(tmp_path: Path, played: list[Played]) -> None:
    report = tmp_path / "spring.html"
    pages = write_match_pages(played, tmp_path / "replays", report)
    # The replay of m-2 cannot be read, and that of m-3 is not there.
    assert pages == {"m-1": "spring-matches/m-1.html"}
    shown = (tmp_path / pages["m-1"]).read_text()
    assert '<a href="../spring.html">' in shown
    assert "referee replay show replays/m-1.jsonl" in shown
    assert "Result: most coins" in shown
    assert "<script" not in shown
    assert [path.name for path in (tmp_path / "spring-matches").iterdir()] == ["m-1.html"]


def test_a_match_that_is_called_like_a_path_has_no_page(tmp_path: Path, played: list[Played]) -> None:
    hostile = row("ab", (1, 2), match="../../elsewhere", replay="m-1.jsonl")
    assert write_match_pages([hostile], tmp_path / "replays", tmp_path / "a" / "spring.html") == {}
    assert [path.name for path in tmp_path.iterdir()] == ["replays"]


def test_a_page_may_be_read_by_those_who_may_read_the_replay(tmp_path: Path, played: list[Played]) -> None:
    (tmp_path / "replays" / "m-1.jsonl").chmod(0o600)
    (page,) = write_match_pages(played, tmp_path / "replays", tmp_path / "spring.html").values()
    assert stat.S_IMODE((tmp_path / page).stat().st_mode) == 0o600


def test_a_page_is_written_again_only_if_its_replay_is_newer(tmp_path: Path, played: list[Played]) -> None:
    report = tmp_path / "spring.html"
    pages = write_match_pages(played, tmp_path / "replays", report)
    page = tmp_path / pages["m-1"]
    page.write_text("kept")
    assert write_match_pages(played, tmp_path / "replays", report) == pages
    assert page.read_text() == "kept"
    os.utime(page, (1, 1))
    assert write_match_pages(played, tmp_path / "replays", report) == pages
    assert "Result: most coins" in page.read_text()


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path, played: list[Played]) -> None:
    (tmp_path / "spring-matches").write_text("in the way")
    with pytest.raises(RefereeError, match=r"cannot write .*spring-matches"):
        write_match_pages(played, tmp_path / "replays", tmp_path / "spring.html")
