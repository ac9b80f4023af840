"""Takes the pictures of the documents again: `python -m tests.browser.pictures`.

Bots, seeds and steps are fixed, so the positions are the same each time; times and dates are not. Look at the
pictures before you commit them.
"""

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import MISSING, PROGRAM

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"


class Shot(NamedTuple):
    """A picture: its name, the page relative to the folder of the pages, and the window."""

    name: str
    address: str
    width: int = 1280
    height: int = 800
    dark: bool = False


MATCHES = {
    "chicago-poker": "poker random first poker",
    "gangsters": "gangsters random first",
    "vengeance": "vengeance random first vengeance",
    "chicago": "chicago random first chicago",
}
"""The bots of the match that is shown of each game."""

SHOTS = (
    Shot("player", "chicago-poker.html#as=everything&at=120", height=860),
    Shot("gangsters", "gangsters.html#as=0&at=40", height=860, dark=True),
    Shot("vengeance", "vengeance.html#as=public&at=84", height=860),
    Shot("chicago", "chicago.html#as=1&at=150", height=860),
    Shot("phone", "gangsters.html#as=public&at=40", 390, 844),
    Shot("site", "site/index.html", height=860),
    Shot("matches", "site/matches.html", height=640, dark=True),
    Shot("projector", "site/projector.html", height=720, dark=True),
)

SEAT = Shot("seat", "", height=860)
"""The page of a person who plays."""


def run(folder: Path, *words: str) -> None:
    """Run a command of the referee in a folder."""
    subprocess.run([sys.executable, "-m", "referee", *words], cwd=folder, check=True, capture_output=True)


def make_pages(folder: Path) -> None:
    """Play the matches and the event, and write their pages."""
    for game, bots in MATCHES.items():
        chosen = [word for bot in bots.split() for word in ("--bot", bot)]
        run(
            folder, "play", game, *chosen, "--seed", "pictures", "--no-mirror", "--replays", f"{game}-replays"
        )
        (replay,) = (folder / f"{game}-replays").glob("*.jsonl")
        run(folder, "replay", "page", str(replay), "--out", f"{game}.html")
    run(folder, "tournament", "new", "event.toml", "--like", "demo", "--game", "chicago-poker")
    run(folder, "tournament", "run", "event.toml", "--site", "site", "--quiet")


def take(browser: Browser, address: str, shot: Shot, *, wait_for: str = "main, .board") -> None:
    """Take one picture."""
    page = browser.new_page(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
    )
    page.goto(address)
    page.wait_for_selector(wait_for)
    page.screenshot(path=PICTURES / f"{shot.name}.png")
    page.close()


def take_seat(browser: Browser, folder: Path) -> None:
    """Take the picture of a person's page, in a match that is given up afterwards."""
    words = ["play", "vengeance", "--bot", "Ann=browser", "--bot", "vengeance", "--seed", "pictures"]
    command = [sys.executable, "-m", "referee", *words, "--no-open", "--no-web-stay"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as game:
        assert game.stdout is not None
        link = next(found[0] for line in game.stdout if (found := re.search(r"http\S+seat\.html#\S+", line)))
        take(browser, link, SEAT, wait_for=".board .lit")
        game.send_signal(signal.SIGINT)


def main() -> None:
    """Make the pages and take all pictures, or those that are named."""
    if PROGRAM is None:
        sys.exit(MISSING)
    wanted = [shot for shot in (*SHOTS, SEAT) if not sys.argv[1:] or shot.name in sys.argv[1:]]
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        make_pages(folder)
        browser = playwright.chromium.launch(executable_path=PROGRAM)
        for shot in wanted:
            if shot is SEAT:
                take_seat(browser, folder)
            else:
                take(browser, (folder / "x").as_uri()[:-1] + shot.address, shot)
        browser.close()


if __name__ == "__main__":
    main()
