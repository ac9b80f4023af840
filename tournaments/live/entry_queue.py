"""Tries uploads one after the other, each in a process of its own, and knows how far the current one is."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from tournaments.entries.uploads import waiting_uploads

_MOST_LETTERS: Final = 20_000
_LINE_BYTES: Final = 1 << 16


class TrialState(Struct):
    """How far the trial of an upload is."""

    stage: str
    text: str = ""
    """What its build has printed, as far as it is kept."""


class _Line(Struct):
    """A line of the process that tries an upload."""

    stage: str
    text: str = ""


class EntryQueue:
    """The uploads of one event that are still to be tried. Made in the event loop that serves the site."""

    def __init__(self, file: Path, remark: Callable[[str], None], changed: Callable[[], None]) -> None:
        """Prepare for a tournament file; `remark` gets sentences for the operator's log."""
        self._file = file
        self._remark = remark
        self._changed = changed
        self._news = asyncio.Event()
        self._tried: set[str] = set()
        self.states: dict[str, TrialState] = {}
        """By the name of an upload's folder: those that are not on record."""

    def add(self, folder: Path) -> None:
        """Let an upload be tried when its turn comes."""
        self.states[folder.name] = TrialState("queued")
        self._news.set()

    async def work(self, entries: Callable[[], Path | None]) -> None:
        """Try uploads as long as the site runs: also those that an earlier site left."""
        while True:
            self._news.clear()
            while (folder := await asyncio.to_thread(self._next, entries())) is not None:
                await self._try(folder)
            await self._news.wait()

    def _next(self, entries: Path | None) -> Path | None:
        if entries is None:
            return None
        waiting = [path for path in waiting_uploads(entries) if path.name not in self._tried]
        return waiting[0] if waiting else None

    async def _try(self, folder: Path) -> None:
        self._tried.add(folder.name)
        state = self.states.setdefault(folder.name, TrialState("queued"))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "tournaments.entries", str(self._file), str(folder)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": _path_for_imports()},
            limit=_LINE_BYTES,
            start_new_session=True,
        )
        try:
            last = await self._follow(process, state)
            code = await process.wait()
        except BaseException:
            # The site ends. Its upload is on disk, and the next site tries it.
            process.kill()
            await process.wait()
            raise
        if code:
            self._remark(f"an upload could not be tried: {last or f'exit code {code}'} ({folder})")
            state.stage = "not tried"
        else:
            self.states.pop(folder.name, None)
        self._changed()

    async def _follow(self, process: asyncio.subprocess.Process, state: TrialState) -> str:
        """Take note of what a process does; return its last line that is none of these notes: an error."""
        assert process.stdout is not None
        last = ""
        async for line in process.stdout:
            try:
                said = msgspec.json.decode(line, type=_Line)
            except msgspec.DecodeError:
                last = line.decode(errors="replace").strip()
                continue
            state.stage = said.stage
            state.text = (state.text + said.text)[-_MOST_LETTERS:]
        return last


def _path_for_imports() -> str:
    here = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
