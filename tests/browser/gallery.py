"""Takes pictures of positions: `python -m tests.browser.gallery REPLAY --at 17 --as public --out x.png`."""

import argparse
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from referee.player.frames import frames
from referee.player.page import position_page
from referee.replay.files import read
from referee.replay.playback import game_of
from tests.browser.conftest import MISSING, PROGRAM
from tests.unit.referee.player.applied import views_of

PHONE, DESK = 390, 1280


def pages_of(path: Path, viewer: str, steps: list[int]) -> list[str]:
    """Return the pages of these steps of a replay; a negative number counts from the end."""
    replay = read(path)
    document = frames(replay, [viewer])
    views = [{}, *views_of(document, viewer)]
    last = len(views) - 1
    found = []
    for step in steps:
        at = step % last + 1 if step < 0 else min(step + 1, last)
        found.append(
            position_page(
                game_of(replay),
                views[at],
                document["names"],
                events=document["tracks"][viewer][at - 1].get("events", []),
                before=views[at - 1] if at > 1 else None,
            )
        )
    return found


def complain(text: str) -> None:
    """Print an error of the page."""
    sys.stderr.write(f"{text}\n")


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("replay", type=Path)
    parser.add_argument("--at", type=int, nargs="+", default=[-1])
    parser.add_argument("--as", dest="viewer", default="everything")
    parser.add_argument("--width", type=int, default=DESK)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--out", type=Path, required=True, help="with several steps, their numbers are added")
    asked = parser.parse_args()
    if PROGRAM is None:
        sys.exit(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM)
        page = browser.new_page(
            viewport={"width": asked.width, "height": 900},
            color_scheme="dark" if asked.dark else "light",
            reduced_motion="reduce",
        )
        page.on("console", lambda message: complain(message.text))
        page.on("pageerror", lambda error: complain(str(error)))
        for step, text in zip(asked.at, pages_of(asked.replay, asked.viewer, asked.at), strict=True):
            page.set_content(text)
            several = len(asked.at) > 1
            out = asked.out.with_stem(f"{asked.out.stem}-{step}") if several else asked.out
            page.screenshot(path=out, full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
