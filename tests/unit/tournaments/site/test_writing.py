"""A site in a folder: whole, made again only where it must be, and nothing of others is touched."""

import os
from pathlib import Path

import pytest

from referee.errors import ConfigError
from tests.unit.tournaments.rows import row
from tests.unit.tournaments.site.events_in_files import plan_in, play, play_all
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import fixtures
from tournaments.site.events import rows_event, tournament_event
from tournaments.site.folders import MARKER, check_folder
from tournaments.site.pages import file_paths
from tournaments.site.writing import WrittenSite, write_site
from tournaments.store.store import Store


def written(plan: Plan, folder: Path) -> WrittenSite:
    with Store(plan.store, write=False) as store:
        event = tournament_event(plan, store)
    return write_site(event, folder)


def test_a_site_has_every_file_and_no_half_written_one(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    rows = play_all(plan)
    with Store(plan.store, write=False) as store:
        event = tournament_event(plan, store)
    site = tmp_path / "a" / "site"
    steps: list[int] = []
    found = write_site(event, site, expect=steps.append, done=lambda: steps.append(-1))
    assert steps == [6, *[-1] * 6]
    assert (found.replays, found.made, found.withheld, found.broken) == (6, 6, 0, {})
    there = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    assert there == {*file_paths(event), *(f"replays/{one.match}.js" for one in rows), MARKER}


def test_only_replays_that_have_changed_are_made_again(tmp_path: Path) -> None:
    plan, site = plan_in(tmp_path), tmp_path / "site"
    rows = play_all(plan)
    written(plan, site)
    assert written(plan, site).made == 0
    newer = (site / f"replays/{rows[0].match}.js").stat().st_mtime_ns + 10**9
    os.utime(plan.replays / rows[0].replay, ns=(newer, newer))
    assert written(plan, site).made == 1


def test_all_replays_are_made_again_by_another_version(tmp_path: Path) -> None:
    plan, site = plan_in(tmp_path), tmp_path / "site"
    play_all(plan)
    written(plan, site)
    (site / MARKER).write_text('{"site": 1, "frames": "of another version"}')
    assert written(plan, site).made == 6


def test_a_withheld_replay_is_shown_when_its_deal_is_over_and_hidden_when_it_is_open_again(
    tmp_path: Path,
) -> None:
    plan, site = plan_in(tmp_path, 2), tmp_path / "site"
    planned = fixtures(plan)
    play(plan, planned[:1])
    first = site / f"replays/{planned[0].match}.js"
    assert written(plan, site).withheld == 1
    assert b",null," in first.read_bytes()
    play(plan, planned[1:])
    assert written(plan, site).made == 2
    assert b",null," not in first.read_bytes()
    # A store that lost a result: the other rotation is to be played again.
    plan.store_file.unlink()
    play(plan, planned[:1])
    assert written(plan, site).withheld == 1
    assert b",null," in first.read_bytes()


def test_a_broken_replay_does_not_stop_the_rest(tmp_path: Path) -> None:
    plan, site = plan_in(tmp_path), tmp_path / "site"
    rows = play_all(plan)
    (plan.replays / rows[2].replay).unlink()
    found = written(plan, site)
    assert list(found.broken) == [rows[2].match]
    assert found.replays == 5
    assert b"cannot be shown" in (site / f"replays/{rows[2].match}.js").read_bytes()


def test_files_of_earlier_results_are_removed_and_those_of_others_stay(tmp_path: Path) -> None:
    plan, site = plan_in(tmp_path), tmp_path / "site"
    play_all(plan, failing=[fixtures(plan)[0].match])
    written(plan, site)
    ours = [next((site / "why").iterdir()), site / "bots" / "bot02.html"]
    (site / "CNAME").write_text("example.org")
    (site / "bots" / "photo.html").write_text("<p>A photo of bot02")
    smaller = plan_in(tmp_path, 2)
    smaller.store_file.unlink()
    play_all(smaller)
    written(smaller, site)
    assert not any(path.exists() for path in ours)
    assert (site / "CNAME").read_text() == "example.org"
    assert (site / "bots" / "photo.html").exists()


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match="files that are not of a site"):
        check_folder(tmp_path)
    with pytest.raises(ConfigError, match="it is no folder"):
        check_folder(tmp_path / "thesis.txt")
    check_folder(tmp_path / "new" / "site")
    (tmp_path / "empty").mkdir()
    check_folder(tmp_path / "empty")


def test_other_users_may_read_a_site_as_far_as_the_mask_lets_them(tmp_path: Path) -> None:
    plan, site = plan_in(tmp_path, 2), tmp_path / "site"
    play_all(plan)
    mask = os.umask(0o022)
    try:
        written(plan, site)
    finally:
        os.umask(mask)
    modes = {path.stat().st_mode & 0o777 for path in site.rglob("*") if path.is_file()}
    assert modes == {0o644}


def test_results_whose_files_would_lie_elsewhere_are_refused(tmp_path: Path) -> None:
    event = rows_event("Spring", "coins", [row(("ann", "bob"), (1, 2), match="../../elsewhere")])
    with pytest.raises(ConfigError, match="no id of a match"):
        write_site(event, tmp_path / "made" / "site")
    assert list(tmp_path.iterdir()) == []
