"""A real browser for all tests of pages: Debian's Chromium, driven by Playwright."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.lacking import lacking

PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
MISSING = "there is no chromium on this host, so no page is looked at: `apt-get install chromium`"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser once for all tests of a process."""
    if PROGRAM is None:
        lacking(MISSING)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=PROGRAM, args=["--disable-dev-shm-usage"])
        yield found
        found.close()
