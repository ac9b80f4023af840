"""Peers stand beside us in one table; one that cannot be had is named with its recorded figure."""

import sys
from pathlib import Path

import pytest

from benchmarks.peers.__main__ import REFEREES, RULES, Environment, Peer, Played, compare, play
from benchmarks.peers.players import PLAYERS
from benchmarks.sheet import TINY


def test_every_peer_has_a_player_or_no_registry_has_it() -> None:
    assert {peer.player for peer in (*REFEREES, *RULES)} - {""} == set(PLAYERS)


@pytest.mark.slow
def test_where_no_peer_is_installed_all_are_named_with_why_and_their_recorded_figures() -> None:
    here = Environment(sys.executable, "", ["nothing installs"])
    refereed, steps = compare(TINY, here)
    assert all("this referee" in str(row[0]) for sheet in (refereed, steps) for row in sheet.rows)
    figures = [cell for sheet in (refereed, steps) for row in sheet.rows for cell in row[1:]]
    assert all(not isinstance(figure, str) and figure > 0 for figure in figures)
    for sheet, peers in ((refereed, REFEREES), (steps, RULES)):
        for peer in peers:
            (said,) = (remark for remark in sheet.remarks if f"MEASURED: {peer.title}:" in remark)
            assert peer.recorded in said
    assert any("No module named 'rlcard'" in remark for remark in steps.remarks)
    assert "nothing installs" in steps.remarks


def test_what_a_peer_prints_is_read_after_what_its_libraries_print(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        '#!/bin/sh\necho hello\necho \'{"version": "1", "count": 4, "wall_s": 2, "own_s": 1}\'\n'
    )
    python.chmod(0o700)
    taken = play(Peer("a", "rlcard", 1, ""), Environment(str(python), "", []), 4, 0)
    assert isinstance(taken, Played)
    assert taken.rate == 2
    assert taken.own_us == 250_000
