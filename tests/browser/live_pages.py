"""Pages of a site that serves, in a browser: opened, and watched for complaints."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

PHONE, DESK = 390, 1280

HURRIED = """
const wait = window.setTimeout;
window.setTimeout = (act, ms = 0, ...more) => wait(act, ms / 20, ...more);
"""
"""A page waits some seconds before it asks a busy site again; in tests less."""


@contextmanager
def opened(
    browser: Browser,
    address: str,
    width: int = DESK,
    *,
    hurried: bool = False,
    expected: str = "",
    **settings: Any,
) -> Iterator[Page]:
    """Open a page; at the end there must have been no complaint, and no request to another host.

    A complaint with the `expected` words may be there.
    """
    complaints: list[str] = []
    requests: list[str] = []
    context = browser.new_context(
        viewport={"width": width, "height": 844 if width == PHONE else 900},
        reduced_motion="reduce",
        **settings,
    )
    try:
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        if hurried:
            page.add_init_script(HURRIED)
        page.goto(address)
        yield page
    finally:
        context.close()
    complaints = [one for one in complaints if not expected or expected not in one]
    assert complaints == [], complaints
    host = address.split("/")[2]
    assert not [one for one in requests if one.split("/")[2:3] != [host] and not one.startswith("data:")]


def is_wider_than_window(page: Page) -> bool:
    """Return whether a page has to be scrolled sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
