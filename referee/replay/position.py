"""A position at which a bot can be asked: taken from a replay, or reached by actions from a deal."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from protocol.messages import TimeControl
from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.errors import ConfigError, IllegalActionError, RecordError, nearest
from referee.game import Event, Game, Options, Seen, State
from referee.match.faults import Fault
from referee.match.result import Acted, Entry
from referee.replay.files import read
from referee.replay.format import Replay
from referee.replay.ledger import ledger
from referee.replay.playback import Playback, game_of, verify
from referee.replay.seat_file import SeatFile, is_seat_file, read_seat_file
from referee.wording import clean, plural


class AskPosition(Struct, frozen=True):
    """A decision at which a bot can be asked, with all it has seen so far."""

    match: str
    game: Game
    options: Options
    names: tuple[str, ...]
    seat: int
    key: bytes
    state: State
    """With all secrets; not to be changed."""
    events: list[Event]
    """All events of the match so far."""

    def __repr__(self) -> str:
        return f"<Position of {self.match}, seat {self.seat}>"

    def refusal(self, action: str) -> str:
        """Return why the rules do not allow this action here; '' if they do."""
        try:
            self.state.clone().apply(self.seat, action)
        except IllegalActionError as error:
            return error.reason
        return ""


class Recorded(Struct, frozen=True):
    """A position of a replay, and what was played there."""

    position: AskPosition
    profile: str
    clock: TimeControl
    """The terms of the match."""
    decision: int
    action: str
    """Empty if there was no answer."""
    by: str


def recorded(path: Path, seat: int | str | None, decision: int) -> Recorded:
    """Return the position in which a seat, given by number or name, had this decision, counted from 1.

    The file is a replay, or a seat file, whose own seat need not be given. Raises RecordError for one that
    does not verify, ConfigError for a seat or decision it does not have.
    """
    if is_seat_file(path):
        return _of_seat_file(path, read_seat_file(path), seat, decision)
    replay = read(path)
    verify(replay)
    number = seat_of_replay(path, replay, seat)
    lines = ledger(replay, number)
    if not 1 <= decision <= len(lines):
        raise _no_decision(path, number, len(lines), decision)
    state, events = _moment(replay, number, decision)
    header = replay.header
    position = AskPosition(
        match=header.match,
        game=game_of(replay),
        options=header.options,
        names=header.names,
        seat=number,
        key=replay.key,
        state=state,
        events=events,
    )
    line = lines[decision - 1]
    return Recorded(position, header.profile, header.clock, decision, line.action, line.by)


def _of_seat_file(path: Path, file: SeatFile, seat: int | str | None, decision: int) -> Recorded:
    """Return a position of a seat file: what other seats hide is imagined, and fits all that the seat saw."""
    check_own_seat(path, file, seat)
    own, frames = file.seat, file.frames
    if not 1 <= decision <= file.decisions:
        raise _no_decision(path, own, file.decisions, decision)
    seen = file.seen_before(decision)
    key = sha256(f"{frames.match}, decision {decision}".encode()).digest()
    state = imagined(path, file, seen, key)
    position = AskPosition(
        match=frames.match,
        game=registry.game(frames.game),
        options=frames.options,
        names=frames.names,
        seat=own,
        key=key,
        state=state,
        events=[Event(dict(event)) for event in seen],
    )
    action, by = file.played_at(decision)
    return Recorded(position, frames.profile, file.clock, decision, action, by)


def imagined(path: Path, file: SeatFile, seen: Sequence[Seen], key: bytes) -> State:
    """Return a state in which the seat of a file has to act after these events.

    What the seat did not see is drawn by the key. Raises RecordError if the events are not those of a match.
    """
    game = registry.game(file.frames.game)
    try:
        state = game.imagine(game.follow(file.seat, seen), KeyedChance(key))
        assert file.seat in state.to_act(), f"after {plural(len(seen), 'event')} the seat is not to act"
    except (LookupError, ValueError, TypeError, AttributeError, AssertionError) as error:
        raise RecordError(f"{clean(str(path))}: its events are not those of a match: {error!r}") from error
    return state


def seat_of_replay(path: Path, replay: Replay, seat: int | str | None) -> int:
    """Return the number of a seat that is given by number or name; ConfigError for none, or a wrong one."""
    header = replay.header
    if seat is None:
        names = ", ".join(f"{n} ({clean(name)})" for n, name in enumerate(header.names))
        raise ConfigError(f"{clean(str(path))}: which seat is asked? Add --seat: it has {names}")
    return _seat(header.match, header.names, seat)


def check_own_seat(path: Path, file: SeatFile, seat: int | str | None) -> None:
    """Refuse another seat than that of a seat file."""
    frames = file.frames
    if seat is not None and _seat(frames.match, frames.names, seat) != file.seat:
        raise ConfigError(f"{clean(str(path))}: it has what seat {file.seat} saw, and nothing of other seats")


def _no_decision(path: Path, seat: int, count: int, decision: int) -> ConfigError:
    there = plural(count, "decision")
    return ConfigError(f"{clean(str(path))}: seat {seat} has {there}, so there is no {decision}")


def _seat(match: str, names: Sequence[str], seat: int | str) -> int:
    found = [number for number, name in enumerate(names) if str(seat) in (str(number), name)]
    if not found:
        valid = [*map(str, range(len(names))), *names]
        raise ConfigError(f"match {clean(match)} has no seat or bot {seat!r}: {nearest(str(seat), valid)}")
    return found[0]


def _moment(replay: Replay, seat: int, decision: int) -> tuple[State, list[Event]]:
    """Return the match as it was when the seat was asked, with all events so far."""
    steps = Playback(replay).steps()
    step = next(steps)
    events = list(step.events)
    asked = 0
    failed = False
    for entry in replay.entries:
        asked += is_decision(entry, seat, failed)
        blame = entry if isinstance(entry, Fault) and entry.seat == seat else None
        # A seat that failed may have been asked without an answer: then the fault names the decision.
        if asked == decision or (blame is not None and blame.decision == decision):
            return step.state.clone(), events
        failed = failed or (blame is not None and blame.final)
        step = next(steps)
        events += step.events
    raise AssertionError("the ledger knows a decision that the log does not")


def is_decision(entry: Entry, seat: int, failed: bool) -> bool:
    """Return whether an entry answers an ask of this seat, rather than following a plan."""
    if not isinstance(entry, Acted) or entry.seat != seat:
        return False
    return entry.by == "bot" or (entry.by == "house" and not failed)


def reached(
    match: str,
    game_id: str,
    seats: int | None,
    options: Options,
    seed: str,
    deal: str,
    actions: Sequence[str],
    seat: int | None,
) -> AskPosition:
    """Return the position that these actions lead to; those who choose at once do so in seat order."""
    game = registry.game(game_id)
    size = game.info.least_seats if seats is None else seats
    resolved = game.resolve(options, size)
    key = deal_key(seed, deal)
    state, opening = game.new(size, KeyedChance(key), resolved)
    events = list(opening)
    for number, action in enumerate(actions, 1):
        if state.outcome() is not None:
            raise ConfigError(f"the match is over before action {number}, {action!r}")
        actor = state.to_act()[0]
        try:
            events += state.apply(actor, action)
        except IllegalActionError as error:
            hint = nearest(action, state.legal(actor))
            raise ConfigError(f"action {number}, of seat {actor}: {action!r} is not legal: {hint}") from error
    if state.outcome() is not None:
        raise ConfigError("the match is over at this position: no seat has to act")
    due = list(state.to_act())
    if seat is not None and seat not in due:
        raise ConfigError(f"seat {seat} is not to act here, but {' and '.join(f'seat {n}' for n in due)}")
    return AskPosition(
        match=match,
        game=game,
        options=resolved,
        names=tuple(f"bot-{number}" for number in range(size)),
        seat=due[0] if seat is None else seat,
        key=key,
        state=state,
        events=events,
    )
