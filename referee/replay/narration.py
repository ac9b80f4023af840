"""A replay as a narration: what a watcher of the match could see, step by step, as text or as records.

A watcher is the referee, who sees everything, the public, or one seat. For the public and the seats a
narration is made of what the game lets them see (`Event.seen_by`, `State.view`), their own actions, and the
result that `end` sends to all seats. The actions of others, their times, the seed and the key are not in it.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import ConfigError, nearest
from referee.game import Event, Game, State
from referee.match.faults import MEANING, Fault, FaultCode
from referee.match.result import Acted, Entry, Result
from referee.replay.format import Replay
from referee.replay.playback import PlayedStep, game_of, replay_events
from referee.wording import aligned, clean, clean_lines, in_ms


class BoardChoice(StrEnum):
    """When the position is drawn."""

    EVERY = "every"
    TURNS = "turns"
    LAST = "last"
    NONE = "none"


class Watcher(Struct, frozen=True):
    """The point of view of a narration."""

    seat: int | None = None
    sees_all: bool = False

    def may_read(self, seat: int) -> bool:
        """Return whether the watcher knows what this seat answered."""
        return self.sees_all or self.seat == seat


class Moment(Struct, frozen=True, omit_defaults=True, tag="moment", tag_field="type"):
    """What one watcher saw of one step."""

    seat: int | None = None
    action: str | None = None
    us: int | None = None
    """Microseconds charged to the clock."""
    took_us: int | None = None
    """Microseconds from the ask to the answer."""
    by: str | None = None
    fault: str | None = None
    why: str | None = None
    final: bool = False
    events: list[dict[str, Any]] = []
    told: list[str] = []
    """The events in words."""
    view: dict[str, Any] | None = None
    """The position, where it is to be drawn."""


def watcher_of(replay: Replay, name: str) -> Watcher:
    """Return the watcher of this name: `referee`, `public`, the number of a seat, or the name in it."""
    if name in ("referee", "everything", "public"):
        return Watcher(sees_all=name != "public")
    names = replay.header.names
    seats = [seat for seat, other in enumerate(names) if name in (str(seat), other)]
    if not seats:
        valid = ["referee", "everything", "public", *map(str, range(len(names))), *names]
        raise ConfigError(f"match {replay.header.match} has no seat or bot {name!r}: {nearest(name, valid)}")
    return Watcher(seats[0])


def seat_names(replay: Replay) -> list[str]:
    """Return names that are safe to print and differ."""
    return distinct(replay.header.names)


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names of seats, safe to print, with a number where two are the same."""
    shown = [clean(name) for name in names]
    return [f"{name}#{seat}" if shown.count(name) > 1 else name for seat, name in enumerate(shown)]


def headline(replay: Replay, watcher: Watcher) -> dict[str, Any]:
    """Return what the watcher may know of the header."""
    header = replay.header
    known: dict[str, Any] = {
        "match": header.match,
        "game": header.game,
        "options": header.options,
        "names": header.names,
        "profile": header.profile,
        "started": header.started,
        "referee": header.referee,
    }
    if watcher.sees_all:
        known |= {"bots": header.bots, "seed": header.seed, "deal": header.deal, "key": replay.key.hex()}
        known |= {} if isinstance(header.beacon, msgspec.UnsetType) else {"beacon": header.beacon}
    return known


def known_result(result: Result, watcher: Watcher) -> dict[str, Any]:
    """Return what the watcher may know of the result, as a document."""
    if watcher.sees_all:
        return dict(msgspec.to_builtins(result))
    # Every public field is named, so that a new field is shown to the referee alone until it is named too:
    # times are known only to a bot and the referee, and the reason of a void match may contain a secret.
    return {
        "type": "result",
        "match": result.match,
        "game": result.game,
        "seats": [
            {"name": seat.name, "rank": seat.rank, "score": seat.score, "fault": seat.fault}
            for seat in result.seats
        ],
        "reason": result.public_reason,
        "ties": result.ties,
        "void": result.void,
    }


def moments(replay: Replay, watcher: Watcher, board: BoardChoice) -> Iterator[Moment]:
    """Describe the match as the watcher saw it. Steps that it could not see are left out."""
    game = game_of(replay)
    names = seat_names(replay)
    drawing = _Drawing(watcher, board)

    state: State | None = None
    for step in replay_events(replay):
        state = step.state
        seen = [e.seen_by_all() if watcher.sees_all else e.seen_by(watcher.seat) for e in step.events]
        known = known_entry(step.entry, watcher)
        view = drawing.after(step)
        if known or seen or view:
            yield Moment(
                **known, events=seen, told=list(sentences(game, step.events, names, watcher)), view=view
            )
    if state is not None and (view := drawing.at_the_end(state)):
        yield Moment(view=view)


def sentences(game: Game, events: Sequence[Event], names: Sequence[str], watcher: Watcher) -> Iterator[str]:
    """Describe events in words as the watcher saw them; the referee also reads what seats saw in private."""
    for event in events:
        plain = clean(game.describe(event.seen_by(watcher.seat), names))
        yield plain
        for seat in sorted(event.private or ()) if watcher.sees_all else ():
            if (special := clean(game.describe(event.seen_by(seat), names))) != plain:
                yield f"{names[seat]} sees: {special}"


def known_entry(entry: Entry | None, watcher: Watcher) -> dict[str, Any]:
    """Return what the watcher may know of a line of the log."""
    if isinstance(entry, Acted) and watcher.may_read(entry.seat):
        times = {"us": entry.us, "took_us": entry.took_us}
        return {"seat": entry.seat, "action": entry.action, "by": entry.by, **times}
    if isinstance(entry, Fault) and (entry.final or watcher.may_read(entry.seat)):
        fault = {"seat": entry.seat, "fault": entry.code.value, "final": entry.final}
        # The reason may quote what the bot wanted to do.
        return fault | {"why": entry.why} if watcher.may_read(entry.seat) else fault
    return {}


class _Drawing:
    """Decides when the position is drawn: never the same one twice."""

    def __init__(self, watcher: Watcher, board: BoardChoice) -> None:
        self._watcher = watcher
        self._board = board
        self._turn: tuple[int, ...] | None = None
        self._drawn: dict[str, Any] | None = None

    def after(self, step: PlayedStep) -> dict[str, Any] | None:
        if self._board in (BoardChoice.LAST, BoardChoice.NONE):
            return None
        turn = tuple(step.state.to_act())
        if self._board is BoardChoice.TURNS and turn == self._turn:
            return None
        self._turn = turn
        return self._draw(step.state)

    def at_the_end(self, state: State) -> dict[str, Any] | None:
        return None if self._board is BoardChoice.NONE else self._draw(state)

    def _draw(self, state: State) -> dict[str, Any] | None:
        view = state.reveal() if self._watcher.sees_all else state.view(self._watcher.seat)
        if view == self._drawn:
            return None
        self._drawn = view
        return view


def text_of(replay: Replay, watcher: Watcher, board: BoardChoice) -> Iterator[str]:
    """Return the narration in lines of text."""
    names = seat_names(replay)
    game = game_of(replay)
    yield from _opening_lines(replay, watcher, names)
    yield ""
    for moment in moments(replay, watcher, board):
        yield from _moment_lines(moment, names)
        if moment.view is not None:
            yield ""
            yield from (f"    {line}".rstrip() for line in clean_lines(game.draw(moment.view)))
            yield ""
    yield from result_lines(replay, watcher)


def _opening_lines(replay: Replay, watcher: Watcher, names: list[str]) -> Iterator[str]:
    header = replay.header
    game = game_of(replay)
    yield clean(
        f"{game.info.title}, match {header.match}" + (f", {header.started}" if header.started else "")
    )
    # The replay may not be verified yet, so its options may be unknown to the game.
    defaults = {option.name: option.default for option in game.info.options}
    changed = [f"{name}={value}" for name, value in header.options.items() if defaults.get(name) != value]
    yield clean(f"options: {' '.join(changed) or 'the defaults'}; profile {header.profile}")
    shows_bots = watcher.sees_all and header.bots
    yield from aligned(
        [(f"seat {seat}", name, header.bots[seat] if shows_bots else "") for seat, name in enumerate(names)]
    )


def _moment_lines(moment: Moment, names: list[str]) -> Iterator[str]:
    if moment.action is not None and moment.seat is not None:
        how = {"plan": "planned", "house": "the house"}.get(moment.by or "", _time(moment))
        yield f"{names[moment.seat]}: {clean(moment.action)}  ({how})"
    elif moment.fault is not None and moment.seat is not None:
        verdict = "and lost its match" if moment.final else "which is a strike"
        why = f": {clean(moment.why)}" if moment.why else ""
        yield f"! {names[moment.seat]} {MEANING[FaultCode(moment.fault)]}, {verdict}{why}"
    for sentence in moment.told:
        yield f"    {sentence}"


def _time(moment: Moment) -> str:
    """Return how long an answer took, and what of it was charged."""
    took = in_ms(moment.took_us or 0)
    return f"{took}, {in_ms(moment.us)} charged" if moment.us else took


def result_lines(replay: Replay, watcher: Watcher) -> Iterator[str]:
    """Describe how the match ended."""
    result = replay.result
    if result.void:
        yield clean(f"Void: {result.void_reason}" if watcher.sees_all else "Void")
        return
    yield clean(f"Result: {result.reason}")
    order = sorted(zip(seat_names(replay), result.seats, strict=True), key=lambda pair: pair[1].rank)
    columns = [
        ["rank", *(str(seat.rank) for _, seat in order)],
        ["name", *(name for name, _ in order)],
        ["score", *(str(seat.score) for _, seat in order)],
    ]
    if watcher.sees_all:
        columns += [
            ["used", *(in_ms(seat.took_us) for _, seat in order)],
            ["charged", *(f"{seat.charged_ms} ms" for _, seat in order)],
            ["median answer", *(in_ms(seat.median_us) for _, seat in order)],
            ["slowest", *(in_ms(seat.slowest_us) for _, seat in order)],
        ]
    if any(result.faults):
        columns.append(["fault", *(seat.fault for _, seat in order)])
    yield from aligned(list(zip(*columns, strict=True)))
