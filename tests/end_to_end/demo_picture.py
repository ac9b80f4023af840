"""The picture of the README: two commands and what they print, taken from a terminal.

`python -m tests.end_to_end.demo_picture` draws `docs/demo.svg` again; test_docs.py checks that it is true.
"""

import html
import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.end_to_end.hubs import ROOT

PICTURE = ROOT / "docs" / "demo.svg"
TITLE = "Referee"
WIDTH = 112

PLAY = (
    "referee play chicago-poker --bot poker --bot random --bot first --matches 6 --seed demo --replays demo"
)
SHOW = "referee replay show {replay}"
BEFORE, AFTER = 9, 3
"""Lines of the replay around its first shootout."""


def _printed(command: str, folder: Path) -> str:
    """Run a command at a terminal, and return what it prints on stdout."""
    ours, theirs = pty.openpty()
    env = os.environ | {"COLUMNS": str(WIDTH), "PYTHONPATH": str(ROOT), "TERM": "xterm", "PAGER": "cat"}
    words = [sys.executable, "-m", *command.split()]
    with subprocess.Popen(words, cwd=folder, env=env, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        chunks = []
        try:
            while chunk := os.read(ours, 65_536):
                chunks.append(chunk)
        except OSError:
            pass  # Linux reports the closed other end of a terminal this way.
        finally:
            os.close(ours)
        assert process.wait() == 0, command
    return b"".join(chunks).decode().replace("\r\n", "\n")


def lines() -> list[Text]:
    """Return the lines of the picture, as the commands print them now."""
    with tempfile.TemporaryDirectory() as name:
        table = _printed(PLAY, Path(name)).rstrip()
        (replay,) = re.findall(r"referee replay show (\S+)", table)
        show = SHOW.format(replay=replay)
        story = _printed(show, Path(name)).splitlines()
    first = next(number for number, line in enumerate(story) if "Shootout in slot" in line)
    part = story[first - BEFORE : first + AFTER]
    prompts = [Text(f"$ {command}", "bold green") for command in (PLAY, show)]
    shown = [prompts[0], *Text.from_ansi(table).split("\n"), Text(), prompts[1], *map(Text.from_ansi, part)]
    for line in shown:
        line.truncate(WIDTH)
    return shown


def normal(line: str) -> str:
    """Return a line without what differs from run to run: times, and blanks."""
    return re.sub(r"\d+(\.\d+)? m?s\b", "TIME", " ".join(line.split()))


def drawn(picture: str) -> list[str]:
    """Return the lines of text of a picture, without the window's title."""
    found: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(r'<text [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', picture):
        found.setdefault(float(y), []).append((float(x), html.unescape(text)))
    rows = [" ".join(text for _, text in sorted(row)) for _, row in sorted(found.items())]
    return [row for row in rows if row != TITLE]


def draw() -> str:
    """Return the picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    for line in lines():
        console.print(line, no_wrap=True, crop=True)
    picture = console.export_svg(title=TITLE, unique_id="demo")
    # Without the font that rich would load from the network: a picture in a document loads nothing.
    return re.sub(r" *@font-face \{.*?\}\n", "", picture, flags=re.DOTALL)


if __name__ == "__main__":
    PICTURE.write_text(draw())
