"""A real browser for all tests of pages: Debian's Chromium, driven by Playwright.

While it runs, this process has a running event loop, so it ends with the tests of this folder: others may
need a loop of their own.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.player_pages import DESK, Open
from tests.lacking import lacking

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
"""The first one has the same engine without windows, and takes 0.4 of the processor time."""

PROGRAM = next(filter(None, map(shutil.which, PROGRAMS)), None)
MISSING = "there is no chromium on this host, so no page is looked at: `apt-get install chromium`"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start the browser once for all tests of this folder."""
    if PROGRAM is None:
        lacking(MISSING)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=PROGRAM, args=["--disable-dev-shm-usage"])
        yield found
        found.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open pages of the player; at the end there must have been no complaint and no request to a host.

    `ready` is what a page has when it can be looked at, `before` a script that runs before its own, and
    `expected` a part of complaints that do not count.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []
    requests: list[str] = []

    def open_page(
        path: Path,
        moment: str = "",
        width: int = DESK,
        *,
        ready: str = ".player[data-step]",
        before: str = "",
        expected: str = "\0",
        **settings: Any,
    ) -> Page:
        height = 844 if width < 600 else 800
        context = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=width < 600,
            reduced_motion="reduce",
            **settings,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)

        def complain(text: str) -> None:
            if expected not in text:
                complaints.append(text)

        page.on("console", lambda message: complain(message.text))
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        if before:
            page.add_init_script(before)
        page.goto(f"{path.as_uri()}{moment}")
        page.wait_for_selector(ready)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints
    assert not [address for address in requests if not address.startswith(("file:", "about:"))]
