"""A window of the browser with one page, which notes what goes wrong and what is asked for."""

from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import BrowserContext, Page

PHONE, DESK = 390, 1280

Scheme = Literal["light", "dark"]
Media = Literal["screen", "print"]


class Window:
    """A window with one page."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(10_000)
        self.wrong: list[str] = []
        """Errors, warnings and messages of the page that is shown."""
        self.asked: list[str] = []
        """Addresses that it asked for."""
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open(
        self,
        path: Path,
        hash: str = "",
        *,
        width: int | None = None,
        scheme: Scheme | None = None,
        media: Media | None = None,
    ) -> Page:
        """Open a page from a disk, in a window of this width."""
        if width is not None:
            self.page.set_viewport_size({"width": width, "height": 900})
        if scheme is not None or media is not None:
            self.page.emulate_media(color_scheme=scheme, media=media)
        # Another page in between: a new hash alone would load nothing.
        self.page.goto("about:blank")
        self.wrong.clear()
        self.asked.clear()
        self.page.goto(path.as_uri() + hash)
        return self.page

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        return self.page.evaluate(expression)
