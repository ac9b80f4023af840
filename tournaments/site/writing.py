"""Writes the site of an event into a folder: every page, all data, and a script for each replay.

A file is written whole or not at all, and replays come before the pages that lead to them. A replay that has
not changed is not made again, unless the referee or its player has changed. Replays are made by several
processes, because each takes a while: its match is played again.
"""

import hashlib
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from msgspec import Struct

import referee
from referee import registry
from referee.errors import ConfigError, RefereeError
from referee.hub.capacity import cores
from referee.player import frames
from referee.player.linker import board_source
from referee.wording import clean
from tournaments.results import Played
from tournaments.site.addresses import is_match_id, replay_path
from tournaments.site.folders import (
    SiteMarker,
    check_folder,
    read_marker,
    remove_stale,
    write_file,
    write_marker,
)
from tournaments.site.masks import Masks
from tournaments.site.model import SiteEvent
from tournaments.site.pages import file_paths, render_file
from tournaments.site.replay_scripts import BROKEN, WITHHELD, frames_script, others_of, refusal

_A_TASK: Final = 8
"""Replays that a process makes at a time."""
_SAFE_PATH: Final = "PYTHONSAFEPATH"
_FEW: Final = 12
"""So many replays are made here: to start processes would take longer."""


class WrittenSite(Struct, frozen=True):
    """What was written."""

    files: int
    """Pages, data, style sheets and scripts."""
    replays: int
    """Replays that the site shows."""
    made: int
    """Of these the ones that were made now; the others had not changed."""
    withheld: int
    broken: dict[str, str]
    """By match: why its replay cannot be shown."""


class _Task(Struct, frozen=True):
    """A replay to be made."""

    match: Played
    source: Path
    target: Path
    others: tuple[tuple[str, str], ...]
    masks: dict[str, str]


def write_site(
    event: SiteEvent,
    folder: Path,
    *,
    expect: Callable[[int], None] = lambda _: None,
    done: Callable[[], None] = lambda: None,
) -> WrittenSite:
    """Write the site of an event. `expect` gets the number of replays to be made, `done` is called for each.

    Raises ConfigError for a folder with other things, and RefereeError if a file cannot be written.
    """
    check_folder(folder)
    _check_ids(event)
    before, with_what = read_marker(folder), _fingerprint(event)
    # Until the end the marker says that replays are to be made again, should this be interrupted.
    write_marker(folder, SiteMarker(event=event.name, frames=before.frames))
    shown = [match for match in event.played if event.has_replay(match)]
    tasks = list(_tasks(event, folder, shown, keep=before.frames == with_what))
    expect(len(tasks))
    broken = _make(tasks, done)
    withheld = [match for match in event.played if event.is_withheld(match)]
    for match in withheld:
        _write_refusal(folder / replay_path(match), match, WITHHELD)
    paths = file_paths(event)
    for path in paths:
        write_file(folder / path, render_file(event, path))
    remove_stale(folder, [*paths, *map(replay_path, shown), *map(replay_path, withheld)])
    write_marker(folder, SiteMarker(event=event.name, frames=with_what))
    return WrittenSite(
        files=len(paths),
        replays=len(shown) - len(broken),
        made=len(tasks) - len(broken),
        withheld=len(withheld),
        broken=broken,
    )


def _check_ids(event: SiteEvent) -> None:
    """Refuse results whose files would lie elsewhere: a store may come from another host."""
    for match in event.played:
        if not is_match_id(match.match):
            raise ConfigError(f"{event.name}: {clean(match.match)!r} is no id of a match")


def _tasks(event: SiteEvent, folder: Path, shown: Iterable[Played], *, keep: bool) -> Iterator[_Task]:
    """Return the replays that are to be made; with `keep` those that have changed."""
    assert event.replays is not None or not shown
    for match in shown:
        assert event.replays is not None
        source, target = event.replays / match.replay, folder / replay_path(match)
        if not (keep and _is_newer(target, source)):
            yield _Task(match, source, target, tuple(others_of(event, match)), event.masks.by_name)


def _is_newer(target: Path, source: Path) -> bool:
    try:
        return target.stat().st_mtime_ns >= source.stat().st_mtime_ns
    except OSError:
        return False


def _make(tasks: Sequence[_Task], done: Callable[[], None]) -> dict[str, str]:
    """Make replays; return why some cannot be shown, by match."""
    if len(tasks) <= _FEW:
        found = []
        for task in tasks:
            found.append(_make_one(task))
            done()
        return dict(filter(None, found))
    broken: dict[str, str] = {}
    # Not forked: this process may have threads, and each new one needs little of what is here.
    with (
        _safe_path(),
        ProcessPoolExecutor(
            min(cores(), len(tasks)),
            mp_context=get_context("spawn"),
            # Ctrl-C reaches all processes of a terminal; this one ends the others.
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        ) as pool,
    ):
        futures = [pool.submit(_make_some, part) for part in _parts(tasks)]
        try:
            for future in as_completed(futures):
                broken.update(future.result().broken)
                for _ in range(future.result().made):
                    done()
        except BrokenProcessPool as error:
            raise RefereeError(
                "a process that makes replays has ended; is there enough memory? The results are safe, and "
                "the same command goes on where this one stopped"
            ) from error
        finally:
            _cancel(futures)
    return broken


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep new processes from modules in the working folder: a bot there may be called `socket.py`."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _cancel(futures: Iterable["Future[_Made]"]) -> None:
    for future in futures:
        future.cancel()


class _Made(Struct, frozen=True):
    """What a process made of its part."""

    made: int
    broken: dict[str, str]


def _parts(tasks: Iterable[_Task]) -> Iterator[list[_Task]]:
    rest = iter(tasks)
    while part := list(islice(rest, _A_TASK)):
        yield part


def _make_some(tasks: Sequence[_Task]) -> _Made:
    """Make some replays; runs in a process of its own."""
    return _Made(len(tasks), dict(filter(None, map(_make_one, tasks))))


def _make_one(task: _Task) -> tuple[str, str] | None:
    """Make one replay; return its match and what is wrong with it, if it cannot be shown."""
    try:
        script = frames_script(task.match, task.source, task.others, Masks(task.masks))
    except RefereeError as error:
        _write_refusal(task.target, task.match, BROKEN)
        return task.match.match, str(error)
    write_file(task.target, script.encode())
    return None


def _write_refusal(target: Path, match: Played, why: str) -> None:
    """Write why a replay is not shown. The file is older than any replay, so it is replaced in time."""
    write_file(target, refusal(match.match, why).encode())
    os.utime(target, (0, 0))


def _fingerprint(event: SiteEvent) -> str:
    """Return a hash of what the scripts of replays are made with: they are made again if it changes."""
    try:
        is_drawn = board_source(registry.game(event.game)) is not None
    except RefereeError:
        is_drawn = False
    code = Path(frames.__file__).read_bytes()
    masks = str(sorted(event.masks.by_name.items()))
    parts = (referee.version(), str(frames.FORMAT), str(is_drawn), masks, hashlib.sha256(code).hexdigest())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
