"""Pages of an event: what they show, what they withhold, and that names are text."""

import base64
import gzip
import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from msgspec.structs import replace

from referee import registry
from tests.unit.referee.replay.played import SimulatedMatch
from tests.unit.tournaments.rows import row
from tests.unit.tournaments.site.events_in_files import HOSTILE, SECRET, plan_in, play, play_all
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import fixtures
from tournaments.report.markup import source, templates
from tournaments.results import Played
from tournaments.site.assets import PACKAGE, asset_paths, render_asset
from tournaments.site.events import rows_event, tournament_event
from tournaments.site.model import PublicNotes, SiteEvent
from tournaments.site.pages import file_paths, page_paths, render_file, render_page
from tournaments.store.store import Store

BOTS = ("alpha", HOSTILE, "gamma")


def event_of(plan: Plan) -> SiteEvent:
    with Store(plan.store, write=False) as store:
        return tournament_event(plan, store)


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> SiteEvent:
    plan = plan_in(tmp_path_factory.mktemp("event"), BOTS)
    play_all(plan, failing=[fixtures(plan)[0].match])
    return event_of(plan)


class Links(HTMLParser):
    """Finds everything that a page links to or loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]


def test_every_link_leads_to_a_file_of_the_site(event: SiteEvent) -> None:
    files = {*file_paths(event), *(f"replays/{one.match}.js" for one in event.played)}
    pages = page_paths(event)
    assert len(pages) == len(set(pages)) == 10 + len(BOTS) + 1
    for path in pages:
        for link in Links(render_page(event, path)).found:
            address = urlsplit(link)
            assert address.netloc == ""
            if address.scheme == "data" or not address.path:
                continue
            folder = [*path.split("/")[:-1]]
            parts = unquote(address.path).split("/")
            while parts[0] == "..":
                folder.pop()
                parts.pop(0)
            assert "/".join([*folder, *parts]) in files, (path, link)


def test_names_are_text_on_every_page(event: SiteEvent) -> None:
    for path in page_paths(event):
        page = render_page(event, path)
        assert "<img" not in page
        assert "\u202e" not in page


def test_templates_mark_nothing_as_safe() -> None:
    # The one-file report holds its style and its script; test_report.py looks at it.
    names = set(templates(PACKAGE).list_templates()) - {"parts.html", "report.html", "match.html"}
    for name in (name for name in names if name.endswith(".html")):
        assert not re.search(r"\|\s*safe|autoescape", source(name, PACKAGE)), name


def test_a_page_has_no_script_and_no_style_in_itself(event: SiteEvent) -> None:
    for path in page_paths(event):
        page = render_page(event, path)
        assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", page.replace("onerror=", "")), (
            path
        )
        assert "script-src 'self';" in unescape(page)


def test_the_why_page_explains_and_keeps_what_is_the_authors_own(event: SiteEvent) -> None:
    (lost,) = event.with_faults
    page = render_page(event, f"why/{lost.match}.html")
    assert "ended its process in mid-match" in page
    assert "look at the end of its stderr" in page
    assert f"referee at {lost.match}.jsonl --seat 1 --decision" in page
    assert "act x" in page
    for secret in (SECRET, "/home/author", "s3cret", "the-seed"):
        assert secret not in page


def test_a_match_without_a_fault_has_no_why_page(event: SiteEvent) -> None:
    fair = next(one for one in event.played if not any(one.result.faults))
    for path in (
        f"why/{fair.match}.html",
        "why/nothing.html",
        "bots/nothing.html",
        "other.html",
        "replays/x.js",
    ):
        with pytest.raises(KeyError):
            render_file(event, path)


def test_of_an_open_deal_only_results_are_shown(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    planned = fixtures(plan)
    held = next(one for one in planned if one.block == planned[-1].block)
    play(plan, planned[:-1], failing=[held.match])
    event = event_of(plan)
    assert "withheld" in render_page(event, "faults.html")
    why = render_page(event, f"why/{held.match}.html")
    assert "still to be played" in why
    assert "decision" not in why
    assert render_file(event, f"replays/{held.match}.js").startswith(
        f'refereeFrames("{held.match}",null'.encode()
    )
    other = next(one for one in event.played if not event.is_withheld(one))
    assert b",null," not in render_file(event, f"replays/{other.match}.js")
    assert "Replays and faults of a deal are shown when its last match is over" in render_page(
        event, "index.html"
    )


def test_seeds_and_folders_are_in_no_file(event: SiteEvent) -> None:
    folder = str(event.replays).encode()
    for path in [*file_paths(event), *(f"replays/{one.match}.js" for one in event.played)]:
        content = _unpacked(render_file(event, path))
        assert b"the-seed" not in content
        assert folder not in content


def _unpacked(content: bytes) -> bytes:
    """Return a file with the frames of a match as they are before they are packed."""
    found = re.search(rb'^refereeFrames\("[^"]+","([^"]+)"', content)
    return content if found is None else content + gzip.decompress(base64.b64decode(found[1]))


def test_no_file_depends_on_what_an_open_deal_holds(tmp_path: Path) -> None:
    """The deal is dealt anew, with the same result: all files stay the same."""
    plan = plan_in(tmp_path)
    planned = fixtures(plan)
    play(plan, planned[:-1], failing=[one.match for one in planned[:-1]])
    event = event_of(plan)
    (held,) = [one for one in event.played if event.is_withheld(one)]
    paths = [*file_paths(event), *(f"replays/{one.match}.js" for one in event.played)]
    before = {path: render_file(event, path) for path in paths}
    other = SimulatedMatch("another", match=held.match).ready().play_out()
    other.save(plan.replays / held.replay)
    dealt_anew = [replace(one, play="another") if one is held else one for one in event.played]
    after = replace(event, played=dealt_anew)
    assert {path for path in paths if render_file(after, path) != before[path]} == set()
    # The same change is seen where the deal is not open: the comparison can fail.
    shown = replace(after, open_deals=frozenset())
    assert f"replays/{held.match}.js" in {path for path in paths if render_file(shown, path) != before[path]}


def test_a_replay_that_does_not_verify_says_so(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    rows = play_all(plan)
    (plan.replays / rows[0].replay).write_bytes(b"{}")
    event = event_of(plan)
    assert b"does not verify" in render_file(event, f"replays/{rows[0].match}.js")
    assert str(tmp_path).encode() not in render_file(event, f"replays/{rows[0].match}.js")


def test_announcement_and_freeze_are_on_the_front_page(event: SiteEvent) -> None:
    noted = replace(event, notes=PublicNotes("Lunch at <b>one</b>", 2), hidden=4)
    page = render_page(noted, "index.html")
    assert "Lunch at &lt;b&gt;one&lt;/b&gt;" in page
    assert "The table is frozen" in page


def test_a_live_page_loads_the_live_script_and_may_ask_its_own_server(event: SiteEvent) -> None:
    page = render_page(event, "bots/alpha.html", live=True)
    assert '<script src="../assets/live.js" defer></script>' in page
    assert "connect-src 'self'" in unescape(page)
    assert 'type="application/feed+json"' in page
    still = render_page(event, "bots/alpha.html")
    assert "live.js" not in still
    assert "feed.json" not in still


def test_the_projector_shows_ten_places_at_a_time_until_all_were_shown() -> None:
    bots = "abcdefghijklm"
    event = rows_event("class", "coins", [row(pair, (1, 2)) for pair in pairwise(bots)])
    page = render_page(event, "projector.html")
    assert re.findall("<h2>Standings(.*?)</h2>", page) == [
        " by rating, places 1 to 10",
        " by rating, places 11 to 13",
    ]
    places = re.findall('big-place">([0-9]+)<', page.partition('aria-label="Reveal"')[0])
    assert places == [str(place) for place in range(1, 14)]


def knockout_event(folder: Path, bots: tuple[str, ...], **terms: Any) -> SiteEvent:
    """Return a knockout that is played to its end; nearly all its groups are tied."""
    plan = plan_in(folder, bots, format="knockout", **terms)
    rows: list[Played] = []
    while new := [one for one in fixtures(plan, rows) if one.match not in {row.match for row in rows}]:
        rows += play(plan, new)
    return event_of(plan)


def test_a_knockout_has_a_page_with_its_bracket_and_others_have_none(
    tmp_path: Path, event: SiteEvent
) -> None:
    knockout = knockout_event(tmp_path, ("alpha", HOSTILE, "gamma", "delta"), third_place=True)
    page = render_page(knockout, "bracket.html")
    assert re.findall("<h3>(.*?)</h3>", page) == ["Semifinals", "Final", "Third place"]
    winner = knockout.standings.table[0].name
    assert knockout.standings.leaders == (winner,)
    assert page.count(">winner</span>") == 1
    assert "decided by" in page
    assert "<img" not in page
    assert 'href="bracket.html"' in render_page(knockout, "index.html")
    assert "bracket.html" not in page_paths(event)
    assert "bracket.html" not in render_page(event, "index.html")
    with pytest.raises(KeyError):
        render_page(event, "bracket.html")


def test_the_bracket_is_on_the_projector_and_in_the_report(tmp_path: Path) -> None:
    knockout = knockout_event(tmp_path, tuple(f"bot{n:02}" for n in range(13)))
    assert re.findall("<h3>(.*?)</h3>", render_page(knockout, "projector.html")) == [
        "Quarterfinals",
        "Semifinals",
        "Final",
    ]
    assert "<h3>Round 1</h3>" in render_page(knockout, "report.html")


def test_places_of_a_pool_are_shown_with_its_name(tmp_path: Path) -> None:
    plan = plan_in(tmp_path, 5, pools=2)
    play_all(plan)
    divided = event_of(plan)
    index = render_page(divided, "index.html")
    assert re.findall("<h3>(Pool .)</h3>", index) == ["Pool A", "Pool B"]
    assert "Each pool is ordered by rating, then points." in index
    assert 'big-place">B ' in render_page(divided, "projector.html")


def test_results_of_a_game_that_is_not_installed_are_shown() -> None:
    event = rows_event("old", "no-such-game", [row("ab", (1, 2), game="no-such-game")])
    assert all(render_file(event, path) for path in file_paths(event))


@pytest.mark.parametrize("game", registry.ids())
def test_every_asset_can_be_linked(game: str) -> None:
    for path in asset_paths():
        text = render_asset(path, game)
        assert len(text) > 500
        assert "http:" not in text.replace("http://www.w3.org/", "")
        assert "https:" not in text
