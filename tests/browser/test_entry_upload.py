"""The upload of a submission in a real browser, and the organiser's list of entries."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import findings
from tests.browser.live_pages import PHONE, is_wider_than_window, opened
from tests.classroom import programs
from tests.unit.tournaments.live.sites import RunningSite, running_site, source_of, tokens_of
from tournaments.config.entry_record import Invitation, Submission, change_record
from tournaments.config.plan import Plan, load
from tournaments.entries.decisions import invite

expect.set_options(timeout=20_000)
HOSTILE = "<img src=x onerror=document.title=1>"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    file = tmp_path_factory.mktemp("event") / "spring.toml"
    first = '[[bots]]\nname = "first"\nsample = "first"\n'
    file.write_text(f'game = "coins"\nseed = "s3cret"\nseats = 2\nentries = "e"\n{first}')
    plan = load(file)
    invite([plan], [Invitation("name:ann", "Ann", ("Ann",)), Invitation("name:x", HOSTILE, (HOSTILE,))])
    assert plan.entries is not None
    late = Submission(
        1,
        "name:yan",
        "Yan",
        f"{HOSTILE}.zip",
        "d",
        "2026-11-19",
        "waiting",
        HOSTILE,
        folder="x",
        command=("x",),
    )
    change_record(plan.entries, lambda record: record.with_submission(late))
    return plan


@pytest.fixture(scope="module")
def site(plan: Plan) -> Iterator[RunningSite]:
    with running_site(source_of(plan)) as found:
        found.hub.setblocking(False)
        yield found


@pytest.mark.parametrize("width", [PHONE, 1280])
def test_an_author_uploads_and_reads_what_came_of_it(
    browser: Browser, site: RunningSite, plan: Plan, tmp_path: Path, width: int
) -> None:
    bot = tmp_path / f"bot-{width}.py"
    bot.write_text(programs.PYTHON if width == PHONE else programs.SYNTAX_ERROR)
    token = tokens_of(source_of(plan)).author("Ann")
    with opened(browser, f"{site.url}/author.html#{token}", width, color_scheme="dark") as page:
        page.set_input_files("#submission", bot)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.locator(".entry .dossier").first).to_contain_text(bot.name)
        words = "Entered: it plays." if width == PHONE else "Not entered."
        expect(page.locator(".entry .dossier").first).to_contain_text(words)
        page.locator(".entry .dossier summary").first.click()
        expect(page.locator(".entry .log").first).to_contain_text("test:")
        assert not is_wider_than_window(page)
        assert findings(page) == []


def test_the_organiser_sees_all_entries_as_text(browser: Browser, site: RunningSite, plan: Plan) -> None:
    token = tokens_of(source_of(plan)).organiser()
    with opened(browser, f"{site.url}/organiser.html#{token}", PHONE) as page:
        row = page.get_by_role("region", name="Entries").locator("tr", has_text="Yan")
        expect(row).to_contain_text("waiting")
        expect(row).to_contain_text(HOSTILE)
        expect(page.get_by_role("button", name="Approve: Yan")).to_be_visible()
        assert page.title() != "1"
        assert not is_wider_than_window(page)
        assert findings(page) == []
