"""The front page of an event of several tournaments: readable on a phone, in the dark, and by all."""

from pathlib import Path

import pytest

from tests.browser.axe import findings
from tests.browser.player_pages import Open
from tests.unit.tournaments.test_event_file import FOUR, GAMES, STAGES, play, write
from tournaments.event_file import event_at, plans_of
from tournaments.site.front import front_of, part_events
from tournaments.site.several import write_sites
from tournaments.site.writing import write_site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return the folder of the site of an event whose final is not played."""
    path = write(tmp_path, STAGES.replace("take = 2", "take = 3") + GAMES + FOUR, 'combine = "places"\n')
    for plan in plans_of(path)[:1]:
        play(plan, ["ann", "bob", "cleo", "dora"])
    event = event_at(path)
    parts = part_events(event)
    write_sites([(front_of(event, parts), parts)], tmp_path / "site", write_site)
    return tmp_path / "site"


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_the_front_page_has_no_barrier_and_leads_to_all_parts(
    site: Path, open_page: Open, width: int, scheme: str
) -> None:
    page = open_page(site / "index.html", width=width, ready="table", color_scheme=scheme)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "It begins after groups: its best 3 go on." in page.inner_text("main")
    for link in page.query_selector_all(".deal a"):
        assert (site / str(link.get_attribute("href"))).is_file()
