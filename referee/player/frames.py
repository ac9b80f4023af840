"""The frames of a replay: for every step what each viewer saw, as data for the player in a browser.

A viewer is `everything` (the referee, after the match), `public`, or a seat. The track of a viewer is made of
what the game lets it see and of what it knows of the log, as in a narration; so a document with the tracks of
some viewers holds nothing that none of them may know. Views are written as differences, which makes a
document small.

The document has `tracks` by viewer. A step of a track has `did` (the line of the log), `events`, `said` (they
in words) and `view` (the difference to the step before), each only if there is something. Step 0 is the deal.
`legal[i]` has the numbers of the `actions` that were legal in the position after step i, for the seat whose
action is step i + 1; null if that seat's choices are known to no viewer, or the step is no action.
"""

import base64
import gzip
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

import referee
from referee.game import Event, Game, Seen, State, View
from referee.match.faults import ADVICE, MEANING, Fault, FaultCode
from referee.match.result import Acted, Entry
from referee.player.linker import board_source
from referee.replay.format import FORMAT as REPLAY_FORMAT
from referee.replay.format import Replay
from referee.replay.ledger import LedgerLine, ledger
from referee.replay.narration import Watcher, known_entry, known_result, seat_names, sentences
from referee.replay.playback import PlayedStep, game_of, replay_events
from referee.replay.position import is_decision
from referee.wording import clean

FORMAT: Final = 1
"""The version of the document. The player refuses another one."""

EVERYTHING: Final = "everything"
PUBLIC: Final = "public"

Patch = Any
"""The difference of two values: `[0, value]` in place of the old one; `[1, patches]` of an object or of a
list of the same length, by key or index; `[2, patches, gone]` of an object that also lost keys; None if there
is none."""


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
    legal = _play(replay, tracks, watchers, actions)
    noticed = _noticed(tracks)
    sees_all = any(watcher.sees_all for watcher in watchers)
    return {
        "format": FORMAT,
        "replay_format": REPLAY_FORMAT,
        "referee": referee.version(),
        "match": clean(header.match),
        "game": header.game,
        "title": game.info.title,
        "names": names,
        "options": header.options,
        "changed_options": _changed_options(game, header.options),
        "profile": header.profile,
        "started": header.started,
        "deal": header.deal if sees_all else "",
        "banks_us": [_bank_us(replay, seat, watchers) for seat in range(len(names))],
        "drawn": board_source(game) is not None,
        "actions": actions.texts,
        "legal": [legal[at] for at in noticed[1:]],
        "faults": {code.value: {"meaning": MEANING[code], "advice": ADVICE[code]} for code in _codes(tracks)},
        "tracks": {
            viewer: [track.steps[at] for at in noticed] for viewer, track in zip(viewers, tracks, strict=True)
        },
        "result": known_result(replay.result, Watcher(sees_all=sees_all)),
    }


def _play(
    replay: Replay, tracks: Sequence["_Track"], watchers: Sequence[Watcher], actions: "_Numbers"
) -> list[list[int] | None]:
    """Add every step to the tracks; return by step the actions that were legal where it was decided."""
    books = [iter(ledger(replay, seat)) for seat in range(len(replay.header.names))]
    failed: set[int] = set()
    legal: list[list[int] | None] = [None]
    for step, following in _with_next(replay_events(replay), replay.entries):
        line = _decision(step.entry, books, failed)
        for track in tracks:
            track.add(step, line)
        if following is not None:
            known = isinstance(following, Acted) and any(each.may_read(following.seat) for each in watchers)
            legal.append(actions.of(step.state.legal(following.seat)) if known else None)
    return legal


def _noticed(tracks: Sequence["_Track"]) -> list[int]:
    """Return the steps of which some viewer noticed something.

    That there were others is not to be seen either: a strike is known to its bot and the referee alone.
    """
    return [
        at
        for at, seen in enumerate(zip(*(track.steps for track in tracks), strict=True))
        if at == 0 or any(seen)
    ]


def _codes(tracks: Sequence["_Track"]) -> list[FaultCode]:
    """Return the codes of all faults that some viewer knows of."""
    known = {
        step["did"]["fault"] for track in tracks for step in track.steps if "fault" in step.get("did", {})
    }
    return [code for code in FaultCode if code.value in known]


def _bank_us(replay: Replay, seat: int, watchers: Sequence[Watcher]) -> int | None:
    """Return the bank of a seat at the start, if some viewer knows its clock."""
    known = any(watcher.may_read(seat) for watcher in watchers)
    return replay.header.clock_of(seat).bank_ms * 1000 if known else None


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
        self.steps: list[dict[str, Any]] = []
        """Each with what this viewer noticed of it; empty if it noticed nothing."""

    def add(self, step: PlayedStep, line: LedgerLine | None) -> None:
        """Add a step; empty parts are left out."""
        view = self._look(step.state)
        parts = {
            "did": self._known(step.entry, line),
            "events": [self._seen(event) for event in step.events],
            "said": list(sentences(self._game, step.events, self._names, self._watcher)),
            "view": difference(self._view, view),
        }
        self._view = view
        self.steps.append({name: part for name, part in parts.items() if part})

    def _known(self, entry: Entry | None, line: LedgerLine | None) -> dict[str, Any]:
        known = known_entry(entry, self._watcher)
        if not known or entry is None or not self._watcher.may_read(entry.seat):
            return known
        if line is not None:
            return known | {"decision": line.decision, "move_us": line.move_us, "bank_us": line.bank_us}
        return known | {"decision": entry.decision} if isinstance(entry, Fault) and entry.decision else known

    def _seen(self, event: Event) -> Seen:
        return event.seen_by_all() if self._watcher.sees_all else event.seen_by(self._watcher.seat)

    def _look(self, state: State) -> View:
        view = state.reveal() if self._watcher.sees_all else state.view(self._watcher.seat)
        if not self._is_drawn:
            view["text"] = self._game.draw(view)
        return view


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
