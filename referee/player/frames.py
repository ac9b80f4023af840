"""The frames of a replay: for every step what each viewer saw, as data for the player in a browser.

A viewer is `everything` (the referee, after the match), `public`, or a seat. The track of a viewer is made of
what the game lets it see and of what it knows of the log, as in a narration; so a document with the tracks of
some viewers holds nothing that none of them may know. Views are written as differences, which makes a document
small.
"""

import base64
import gzip
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

import referee
from referee.game import Event, Game, State, View
from referee.match.result import Acted, Entry
from referee.player.linker import board_source
from referee.replay.format import FORMAT as REPLAY_FORMAT
from referee.replay.format import Replay
from referee.replay.ledger import LedgerLine, ledger
from referee.replay.narration import Watcher, known_entry, known_result, seat_names
from referee.replay.playback import PlayedStep, game_of, replay_events
from referee.replay.position import is_decision
from referee.wording import clean

FORMAT: Final = 1
"""The version of the document. The player refuses another one."""

EVERYTHING: Final = "everything"
PUBLIC: Final = "public"

Patch = Any
"""The difference of two values: `[0, value]` in place of the old one; `[1, patches]` of an object or of a list
of the same length, by key or index; `[2, patches, gone]` of an object that also lost keys; None if there is
none."""


def viewer_names(seats: int) -> list[str]:
    """Return the names of all viewers of a match: as the player's address has them."""
    return [PUBLIC, EVERYTHING, *map(str, range(seats))]


def watcher_named(viewer: str) -> Watcher:
    """Return the watcher of a viewer's name."""
    if viewer in (EVERYTHING, PUBLIC):
        return Watcher(sees_all=viewer == EVERYTHING)
    return Watcher(int(viewer))


def frames(replay: Replay, viewers: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document of a replay with the tracks of these viewers, or of all.

    Raises RecordError for a replay that does not verify.
    """
    game, header = game_of(replay), replay.header
    viewers = viewers or viewer_names(len(header.names))
    watchers = [watcher_named(viewer) for viewer in viewers]
    names = seat_names(replay)
    tracks = [_Track(game, watcher, names) for watcher in watchers]
    actions = _Numbers()
    legal: list[list[int] | None] = []
    books = [iter(ledger(replay, seat)) for seat in range(len(names))]
    failed: set[int] = set()
    for step, following in _with_next(replay_events(replay), replay.entries):
        line = _decision(step.entry, books, failed)
        for track in tracks:
            track.add(step, line)
        known = isinstance(following, Acted) and any(each.may_read(following.seat) for each in watchers)
        legal.append(actions.of(step.state.legal(following.seat)) if following and known else None)
    sees_all = any(watcher.sees_all for watcher in watchers)
    return {
        "format": FORMAT,
        "replay_format": REPLAY_FORMAT,
        "referee": referee.version(),
        "match": header.match,
        "game": header.game,
        "title": game.info.title,
        "names": names,
        "options": header.options,
        "changed_options": _changed_options(game, header.options),
        "profile": header.profile,
        "started": header.started,
        "deal": header.deal if sees_all else "",
        "drawn": board_source(game) is not None,
        "actions": actions.texts,
        "legal": legal,
        "tracks": {viewer: track.document() for viewer, track in zip(viewers, tracks, strict=True)},
        "result": known_result(replay.result, Watcher(sees_all=sees_all)),
    }


def packed(document: Mapping[str, Any]) -> str:
    """Return a document as text that any page can hold: JSON, compressed, in base64."""
    data = msgspec.json.encode(document)
    return base64.b64encode(gzip.compress(data, compresslevel=6, mtime=0)).decode()


class _Numbers:
    """Gives every text a number, from 0."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def texts(self) -> list[str]:
        return list(self._numbers)

    def of(self, texts: Sequence[str]) -> list[int]:
        numbers = self._numbers
        return [numbers.setdefault(text, len(numbers)) for text in texts]


class _Track:
    """What one viewer saw, step by step."""

    def __init__(self, game: Game, watcher: Watcher, names: Sequence[str]) -> None:
        self._game = game
        self._watcher = watcher
        self._names = names
        self._is_drawn = board_source(game) is not None
        self._view: View = {}
        self._steps: list[dict[str, Any]] = []

    def add(self, step: PlayedStep, line: LedgerLine | None) -> None:
        """Add a step; empty parts are left out."""
        known = known_entry(step.entry, self._watcher)
        if line is not None and "us" in known:
            known |= {"decision": line.decision, "move_us": line.move_us, "bank_us": line.bank_us}
        seen = [
            e.seen_by_all() if self._watcher.sees_all else e.seen_by(self._watcher.seat) for e in step.events
        ]
        view = self._look(step.state)
        parts = {
            "did": known,
            "events": seen,
            "said": list(self._sentences(step.events)),
            "view": difference(self._view, view),
        }
        self._view = view
        self._steps.append({name: part for name, part in parts.items() if part})

    def document(self) -> list[dict[str, Any]]:
        """Return all steps."""
        return self._steps

    def _look(self, state: State) -> View:
        view = state.reveal() if self._watcher.sees_all else state.view(self._watcher.seat)
        if not self._is_drawn:
            view["text"] = self._game.draw(view)
        return view

    def _sentences(self, events: Sequence[Event]) -> Iterator[str]:
        for event in events:
            yield clean(self._game.describe(event.seen_by(self._watcher.seat), self._names))


def _with_next(
    steps: Iterator[PlayedStep], entries: Sequence[Entry]
) -> Iterator[tuple[PlayedStep, Entry | None]]:
    """Return every step with the line of the log that follows it."""
    for number, step in enumerate(steps):
        yield step, entries[number] if number < len(entries) else None


def _decision(
    entry: Entry | None, books: Sequence[Iterator[LedgerLine]], failed: set[int]
) -> LedgerLine | None:
    """Return the line of the clock's ledger for this entry; None if it answers no ask."""
    if entry is None:
        return None
    if isinstance(entry, Acted):
        return next(books[entry.seat], None) if is_decision(entry, entry.seat, entry.seat in failed) else None
    if getattr(entry, "final", False):
        failed.add(entry.seat)
    return None


def _changed_options(game: Game, options: Mapping[str, str | int]) -> dict[str, str | int]:
    defaults = {option.name: option.default for option in game.info.options}
    return {name: value for name, value in options.items() if defaults.get(name) != value}


def difference(old: Any, new: Any) -> Patch:
    """Return how to make one value of JSON from another; None if they are equal.

    >>> difference({"a": [1, 2], "b": 3}, {"a": [1, 5], "c": 4})
    [2, {'a': [1, {1: [0, 5]}], 'c': [0, 4]}, ['b']]
    """
    if old == new:
        return None
    if type(old) is dict and type(new) is dict:
        patches = {
            key: difference(old[key], value) if key in old else [0, value]
            for key, value in new.items()
            if key not in old or old[key] != value
        }
        gone = [key for key in old if key not in new]
        return [2, patches, gone] if gone else [1, patches]
    if type(old) is list and type(new) is list and len(old) == len(new):
        return [1, {at: difference(a, b) for at, (a, b) in enumerate(zip(old, new, strict=True)) if a != b}]
    return [0, new]
