"""Reads an event from where it is: a store, rows that a hub has sent, or a folder of replays."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.match.faults import FaultCode
from referee.replay import files
from referee.replay.format import Replay
from tournaments.config.store_address import Address
from tournaments.event_file import event_at
from tournaments.live.settings import EventSource
from tournaments.results import Played
from tournaments.site.addresses import is_match_id
from tournaments.site.events import ladder_event, plan_event, rows_event, waiting_event
from tournaments.site.model import SiteEvent
from tournaments.site.notes import is_frozen, public_notes
from tournaments.store.backend import writer
from tournaments.store.errors import StoreError
from tournaments.store.store import Store


class EventReading(Struct, frozen=True):
    """An event as it was read once."""

    public: SiteEvent
    """What the public may see."""
    whole: SiteEvent
    """What the organiser sees: the same, unless the table is frozen."""


def state_of(source: EventSource, rows: Sequence[Played]) -> object:
    """Return a value that changes when the results of an event do."""
    match source.kind:
        case "run":
            return len(rows)
        case "replays":
            return _stamp(Path(source.path))
        case _:
            store = source.store_address
            freezes = bool(source.freezes) and datetime.fromisoformat(source.freezes) <= datetime.now(UTC)
            files = (Path(source.path), *([Path(source.record)] if source.record else []))
            return _stamp_of_store(store), *map(_stamp, files), writer(store), freezes


def read_event(source: EventSource, rows: Sequence[Played]) -> EventReading:
    """Read the results of an event, and make everything that its pages show."""
    found = _read(source, rows)
    if not source.above:
        return found
    public, whole = (
        msgspec.structs.replace(event, above=source.above) for event in (found.public, found.whole)
    )
    return EventReading(public, whole)


def _read(source: EventSource, rows: Sequence[Played]) -> EventReading:
    match source.kind:
        case "run":
            event = _run_event(source, rows)
            return EventReading(event, event)
        case "replays":
            event = _folder_event(source)
            return EventReading(event, event)
        case "ladder":
            with Store(source.store_address, write=False) as store:
                whole = ladder_event(store, whole=True)
                # Read after the results: if the table is frozen meanwhile, no later result is among them.
                is_frozen = public_notes(store).frozen_after is not None
                return EventReading(ladder_event(store) if is_frozen else whole, whole)
        case "tournament":
            return _tournament(Path(source.path), source.part)


def _tournament(file: Path, part: str) -> EventReading:
    event = event_at(file)
    found = event.named(part) if part else event.parts[0]
    if found.plan is None:
        waiting = waiting_event(found)
        return EventReading(waiting, waiting)
    plan = found.plan
    whole = plan_event(plan, whole=True)
    if not (plan.pseudonyms or is_frozen(plan)):
        return EventReading(whole, whole)
    return EventReading(plan_event(plan), whole)


def _run_event(source: EventSource, rows: Sequence[Played]) -> SiteEvent:
    """Return the event of a run: its deals are open until all their rotations are played."""
    left = max(0, source.planned - len(rows))
    folder = Path(source.replays) if source.replays else None
    event = rows_event(source.title, source.game, rows, replays=folder, left=left)
    count = Counter(row.deal for row in rows)
    is_open = frozenset(deal for deal, played in count.items() if left and played < source.of_deal)
    return msgspec.structs.replace(event, open_deals=is_open)


def _folder_event(source: EventSource) -> SiteEvent:
    rows = [_row(replay, path.name) for path, replay in replays_in(Path(source.path), source.game)]
    return rows_event(source.title, source.game, rows, replays=Path(source.path))


def replays_in(folder: Path, game: str = "") -> Iterator[tuple[Path, Replay]]:
    """Return the replays in a folder, of one game or of all. Files that are no replays are left out."""
    for path in sorted(folder.iterdir()):
        if path.name.endswith(files.SUFFIXES) and not path.name.startswith("."):
            try:
                replay = files.read(path)
            except (RefereeError, OSError):
                continue
            if game in ("", replay.header.game) and _is_sound(replay):
                yield path, replay


def _is_sound(replay: Replay) -> bool:
    """Return whether pages can be made of a replay: a file may come from anywhere, and say what it likes."""
    return is_match_id(replay.result.match) and set(replay.result.faults) <= {"", *FaultCode}


def _row(replay: Replay, name: str) -> Played:
    header = replay.header
    deal = header.deal or header.match
    bots = tuple(header.names)
    return Played(1, deal, deal, bots, replay.result, play="", replay=name)


def _stamp_of_store(address: Address) -> object:
    """Return what changes whenever a store does."""
    if isinstance(address, Path):
        return _stamp(address), _stamp(address.with_name(f"{address.name}-wal"))
    try:
        with Store(address, write=False) as store:
            return store.head()
    except StoreError as error:
        return str(error)


def _stamp(path: Path) -> tuple[int, int, int]:
    """Return what changes whenever a file or folder does; zeros if there is none."""
    try:
        about = path.stat()
    except OSError:
        return 0, 0, 0
    return about.st_mtime_ns, about.st_size, about.st_ino
