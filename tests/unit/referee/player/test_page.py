"""Pages that are one file: nothing of a replay becomes markup, and the policy allows what is in them."""

import base64
import gzip
import re
import stat
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from referee import registry
from referee.errors import RecordError, RefereeError
from referee.player.page import (
    PageMatch,
    digest,
    page_matches,
    position_page,
    replay_page,
    replay_script,
    write_page,
)
from referee.replay import files
from referee.replay.format import Replay
from tests.unit.referee.replay.played import SimulatedMatch

HOSTILE = "</script><img src=x onerror=alert(1)>'\"\u2028"


class Elements(HTMLParser):
    """Collects the tags of a page, and the texts of its styles and scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.policy = ""
        self.texts: dict[str, list[str]] = {}
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        is_data = given.get("type") == "application/json"
        self._inside = "data" if is_data else tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._inside, []).append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""


@pytest.fixture
def replay(tmp_path: Path) -> Replay:
    return files.read(SimulatedMatch("page").ready().play_out().save(tmp_path / "m-1.jsonl"))


def renamed(replay: Replay, name: str) -> Replay:
    header = msgspec.structs.replace(replay.header, names=(name, "b"))
    seats = tuple(
        msgspec.structs.replace(seat, name=given)
        for seat, given in zip(replay.result.seats, (name, "b"), strict=True)
    )
    return msgspec.structs.replace(
        replay, header=header, result=msgspec.structs.replace(replay.result, seats=seats)
    )


def test_the_policy_allows_the_style_and_the_script_of_the_page_and_nothing_else(replay: Replay) -> None:
    page = Elements(replay_page(list(page_matches([("m-1.jsonl", replay)]))))
    (sheet,), (code,) = page.texts["style"], page.texts["script"]
    assert f"style-src '{digest(sheet)}'" in page.policy
    assert f"script-src '{digest(code)}'" in page.policy
    assert page.policy.startswith("default-src 'none';")
    assert "unsafe" not in page.policy


def test_a_hostile_name_and_file_are_text(replay: Replay) -> None:
    hostile = renamed(replay, HOSTILE)
    plain = Elements(replay_page(list(page_matches([("m-1.jsonl", replay)]))))
    found = Elements(replay_page(list(page_matches([(HOSTILE, hostile)]))))
    assert found.tags == plain.tags
    assert "img" not in found.tags
    position = Elements(
        position_page(registry.game("coins"), {"text": HOSTILE, "coins": [], "seats": 2}, [HOSTILE, "b"])
    )
    assert "img" not in position.tags


def test_matches_of_one_deal_have_one_number_and_labels_differ(tmp_path: Path) -> None:
    made = [("a", "m-1"), ("a", "m-2"), ("b", "m-3")]
    replays = [
        files.read(SimulatedMatch(seed, match=match).ready().play_out().save(tmp_path / f"{match}.jsonl"))
        for seed, match in made
    ]
    matches = list(page_matches([(replay.path, replay) for replay in replays]))
    assert [match.deal for match in matches] == [0, 0, 1]
    assert len({match.label for match in matches}) == 3
    with pytest.raises(RecordError, match="m-1 twice"):
        list(page_matches([("x", replays[0]), ("y", replays[0])]))


def test_a_page_for_some_viewers_has_their_tracks_alone(replay: Replay) -> None:
    (match,) = page_matches([("m-1.jsonl", replay)], lambda _: ["public", "1"])
    document = msgspec.json.decode(gzip.decompress(base64.b64decode(match.packed)))
    assert document["tracks"].keys() == {"public", "1"}


def test_the_script_of_a_match_calls_with_its_id_its_frames_and_the_others_of_its_deal() -> None:
    match = PageMatch(match=HOSTILE, game="coins", label="a, b", packed="H4sI", file="replays/m-1.jsonl")
    text = replay_script(match, {"m-2": HOSTILE})
    assert "<" not in text
    assert "\u2028" not in text
    found = re.fullmatch(r"refereeFrames\((.*)\);\n", text)
    assert found
    id, packed, about = msgspec.json.decode(f"[{found[1]}]")
    assert (id, packed) == (HOSTILE, "H4sI")
    assert about == {"file": "replays/m-1.jsonl", "others": [{"match": "m-2", "label": HOSTILE}]}


def test_a_page_is_written_whole_for_all_readers_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "new" / "page.html"
    write_page(path, "<old>")
    write_page(path, "<new>")
    assert path.read_text() == "<new>"
    assert [each.name for each in path.parent.iterdir()] == ["page.html"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    with pytest.raises(RefereeError, match="cannot write"):
        write_page(path / "below.html", "<x>")
