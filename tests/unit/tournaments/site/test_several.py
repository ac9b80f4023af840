"""Several events in one folder, and a frozen table that stays frozen in files."""

from pathlib import Path

from tests.unit.tournaments.site.events_in_files import plan_in, play, play_all
from tournaments.pairing.schedule import fixtures
from tournaments.site.events import tournament_event
from tournaments.site.model import SiteEvent
from tournaments.site.notes import add_note
from tournaments.site.several import write_sites
from tournaments.site.writing import write_site
from tournaments.store.store import Store


def event_in(folder: Path) -> SiteEvent:
    folder.mkdir()
    plan = plan_in(folder)
    play_all(plan)
    with Store(plan.store, write=False) as store:
        return tournament_event(plan, store)


def test_every_event_has_a_folder_of_its_own_and_the_list_leads_there(tmp_path: Path) -> None:
    events = [event_in(tmp_path / name) for name in ("one", "two")]
    assert events[0].name == events[1].name
    for _ in range(2):
        write_sites([(None, events)], tmp_path / "all", write_site)
    page = (tmp_path / "all" / "index.html").read_text()
    folders = sorted(path.parent.name for path in (tmp_path / "all").glob("*/index.html"))
    assert len(folders) == 2
    assert [page.count(f'href="{folder}/index.html"') for folder in folders] == [1, 1]
    assert page.count("Complete: 6 matches played") == 2
    for folder in folders:
        assert 'href="../index.html">All events' in (tmp_path / "all" / folder / "index.html").read_text()
        (bot, *_) = (tmp_path / "all" / folder / "bots").glob("*.html")
        assert 'href="../../index.html">All events' in bot.read_text()


def test_files_show_a_frozen_table_until_it_is_revealed(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    planned = fixtures(plan)
    play(plan, planned[:2])
    with Store(plan.store) as store:
        add_note(store, "freeze")
    play(plan, planned[2:])
    with Store(plan.store) as store:
        frozen = tournament_event(plan, store)
        add_note(store, "reveal")
        whole = tournament_event(plan, store)
    assert (len(frozen.played), frozen.hidden) == (2, len(planned) - 2)
    assert (len(whole.played), whole.hidden) == (len(planned), 0)
