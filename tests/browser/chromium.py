"""A real browser, driven through its debugging pipe.

Not by Playwright, whose wheel of 53 MB brings a Node of its own: the tests need a dozen commands.
"""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
MISSING = "there is no chromium on this host, so no page is looked at: `apt-get install chromium`"

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)

_LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads commands from file 3 and writes to file 4."""

_WITHIN_S = 60


class Browser:
    """A headless browser with one page."""

    def __init__(self, folder: Path) -> None:
        """Start it; everything it keeps is in the folder."""
        assert PROGRAM is not None, MISSING
        theirs_in, self._write = os.pipe()
        self._read, theirs_out = os.pipe()
        # Above 4, so that moving one does not close the other.
        ours = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (theirs_in, theirs_out)]
        os.close(theirs_in)
        os.close(theirs_out)
        with (folder / "stderr").open("wb") as said:
            command = [PROGRAM, *_FLAGS, f"--user-data-dir={folder / 'profile'}"]
            self._process = subprocess.Popen(
                [sys.executable, "-c", _LAUNCH, *map(str, ours), *command],
                pass_fds=ours,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env=os.environ | {"HOME": str(folder)},
            )
        for fd in ours:
            os.close(fd)
        self._buffer = b""
        self._numbers = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        """Events that the browser sent by itself."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Asked, it takes its own processes with it.
        with contextlib.suppress(AssertionError, OSError, subprocess.TimeoutExpired):
            self._session = None
            self.call("Browser.close")
            self._process.wait(10)
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Ask for something and wait for the answer."""
        self._numbers += 1
        request: dict[str, object] = {"id": self._numbers, "method": method, "params": params}
        if self._session is not None:
            request["sessionId"] = self._session
        os.write(self._write, json.dumps(request).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._numbers:
                assert "error" not in message, message
                result = message["result"]
                assert isinstance(result, dict)
                return result
            self.events.append(message)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + _WITHIN_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            got = os.read(self._read, 1 << 20)
            assert got, "the browser has ended"
            self._buffer += got
        first, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(first)
        assert isinstance(message, dict)
        return message

    def open(self, path: Path, width: int = 1280, *, scheme: str = "light", media: str = "screen") -> None:
        """Open a page in a window of this width."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def complaints(self) -> list[str]:
        """Return errors and warnings since the page was opened: of scripts, of the policy, of the network."""
        wrong = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event) for event in self.events if event.get("method") in wrong]

    def requests(self) -> list[str]:
        """Return every address the page asked for."""
        sent = [event for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def screenshot(self) -> bytes:
        """Return a picture of the whole page (PNG)."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        return base64.b64decode(shot["data"])
