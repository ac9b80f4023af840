"""The replay as text: JSON Lines, chained line by line, with the hash of what was played at the end.

One object a line, in this order: `header`, then every `act`, `fault` and `leave` as the match logged them,
`result`, `reveal`, `play`. Every line ends with the field `chain`, its link (`referee.replay.hashchain`): the
SHA-256 in hex of the previous line's chain (64 zeros before the first) and of this line's text without that
field and without the line feed. Lines are spelled in one way only, so two files that say the same are the
same bytes.

The `hash` of the last line is the SHA-256 of what was played and of nothing that was measured: game, options,
number of seats, key, the actions with their seats and what chose them (bot, plan or house), the faults with
seat, code and whether they were final, ranks, scores and reason. Times, names, command lines, dates and the
match id are left out: the same bots and the same deal give the same hash over every transport. Faults between
two actions are taken by seat, because the order in which they arrive is a measurement too.
"""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain as joined
from itertools import groupby
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import TimeControl
from referee.chance import Beacon
from referee.errors import FormatVersionError, RecordError
from referee.game import Options
from referee.match.faults import Fault
from referee.match.match import Match
from referee.match.result import Acted, Entry, Result, Withdrew
from referee.replay.hashchain import START, link

FORMAT: Final = 3
"""The version of the format this module writes; it reads no other. Format 2 was that of referee 0.2.0."""

_PLAY: Final = 1
"""The version of what the hash of a play is made of."""

_HEAD: Final = b'{"type":"header"'
"""The first bytes of every replay."""

_MARK: Final = b',"chain":"'
_TAIL_BYTES: Final = len(_MARK) + 64 + 2


class _Line(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """What the lines of a replay share, beside those of the log."""


class Header(_Line, frozen=True):
    """What was known before the match began."""

    format: int
    match: str
    game: str
    options: Options
    names: tuple[str, ...]
    bots: tuple[str, ...]
    """By seat: the command line or a description; empty if unknown."""
    profile: str
    strikes: int
    clock: TimeControl
    grace_ms: tuple[int, ...]
    """By seat: the clock's grace, and what was added for its latency."""
    commit: str
    referee: str
    """The version of the referee."""
    started: str
    """A date for people; nothing depends on it."""
    seed: str
    """With `deal` and `beacon`, what the key was made from; empty to keep it out of the file."""
    deal: str
    clocks: tuple[TimeControl, ...] | msgspec.UnsetType = msgspec.UNSET
    """By seat, where not all have `clock`; otherwise it is not there."""
    beacon: Beacon | msgspec.UnsetType = msgspec.UNSET
    """The part of a public source in the luck; otherwise it is not there."""

    @property
    def deal_seed(self) -> str:
        """The seed that the key was made from with `deal`; empty if it is not in the file."""
        if isinstance(self.beacon, msgspec.UnsetType) or not self.seed:
            return self.seed
        return self.beacon.seed(self.seed)

    def clock_of(self, seat: int) -> TimeControl:
        """Return the time limits of a seat, before anything was added for its latency."""
        return self.clock if isinstance(self.clocks, msgspec.UnsetType) else self.clocks[seat]


class _Written(Struct, frozen=True):
    """What the header of every format says of its writer."""

    format: int
    referee: str


class Reveal(_Line, frozen=True):
    """The key of the match's luck, in hex."""

    key: str


class PlayHash(_Line, frozen=True, tag="play"):
    """The hash of what was played."""

    hash: str


class About(Struct, frozen=True):
    """What a replay contains beyond the match itself."""

    bots: tuple[str, ...] = ()
    version: str = ""
    started: str = ""
    seed: str = ""
    deal: str = ""
    beacon: Beacon | None = None


class ReplayText(NamedTuple):
    """A replay that is ready to be written."""

    bodies: list[bytes]
    """Its lines, without the links of their chain."""
    play: str
    """The hash of what was played."""

    @property
    def lines(self) -> list[bytes]:
        """The lines of the file, each with a line feed at its end."""
        return _chain(self.bodies)

    def with_origin(self, seed: str, beacon: Beacon | None) -> "ReplayText":
        """Return the replay with that from which its key was made."""
        header = msgspec.json.decode(self.bodies[0], type=Header)
        origin = replace(header, seed=seed, beacon=msgspec.UNSET if beacon is None else beacon)
        return ReplayText([_encode(origin), *self.bodies[1:]], self.play)


class Replay(Struct, frozen=True):
    """A replay as it was read: every line is whole and in its place."""

    path: str
    header: Header
    entries: list[Entry]
    """Entry i stands on line i + 2."""
    result: Result
    key: bytes
    play: str

    def wrong(self, line: int, reason: str) -> RecordError:
        """Return the error that names this file, the line and the reason."""
        return flaw(self.path, line, reason)


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Header | Acted | Fault | Withdrew | Result | Reveal | PlayHash).decode


def header_of(body: bytes) -> Header | None:
    """Return the header that this text spells; None if it is none."""
    try:
        return msgspec.json.decode(body, type=Header)
    except (ValueError, RecursionError):
        return None


def flaw(path: str, line: int, reason: str) -> RecordError:
    """Return the error for something wrong on one line of a replay."""
    return RecordError(f"{path}, line {line}: {reason}")


def replay_text(match: Match, about: About) -> ReplayText:
    """Return the replay of a match that is over."""
    result = match.result
    if result is None:
        raise RecordError(f"the match {match.id} is not over")
    clocks = tuple(config.clock or match.profile.clock for config in match.configs)
    header = Header(
        format=FORMAT,
        match=match.id,
        game=match.game.info.id,
        options=match.options,
        names=result.names,
        bots=about.bots,
        profile=match.profile.name,
        strikes=match.profile.strikes,
        clock=match.profile.clock,
        grace_ms=tuple(match.clock(seat).control.grace_ms for seat in range(len(result.seats))),
        commit=match.commit,
        referee=about.version,
        started=about.started,
        seed=about.seed,
        deal=about.deal,
        clocks=msgspec.UNSET if set(clocks) == {match.profile.clock} else clocks,
        beacon=msgspec.UNSET if about.beacon is None else about.beacon,
    )
    play = play_hash(header, match.log, result, match.key)
    records = joined([header], match.log, [result, Reveal(match.key.hex()), PlayHash(play)])
    return ReplayText([_encode(record) for record in records], play)


def chained(records: Iterable[Struct]) -> list[bytes]:
    """Return the records as lines, each bound to all before it."""
    return _chain(map(_encode, records))


def _chain(bodies: Iterable[bytes]) -> list[bytes]:
    found: list[bytes] = []
    before = START
    for body in bodies:
        before = link(before, body)
        found.append(body[:-1] + _tail(before) + b"\n")
    return found


def _tail(chain: str) -> bytes:
    """Return the end of a line with this link."""
    return b'%b%b"}' % (_MARK, chain.encode())


def play_hash(header: Header, entries: Sequence[Entry], result: Result, key: bytes) -> str:
    """Return the hash of what was played."""
    played: list[tuple[int, str, str | bool]] = []
    for kind, run in groupby(entries, type):
        facts = [_facts(entry) for entry in run]
        played += sorted(facts, key=lambda each: each[0]) if kind is Fault else facts
    setting = (header.game, header.options, len(header.names), key.hex())
    verdict = (result.ranks, result.scores, result.public_reason)
    return sha256(_encode(("play", _PLAY, setting, played, verdict))).hexdigest()


def _facts(entry: Entry) -> tuple[int, str, str | bool]:
    """Return what was played of an entry, and nothing that was measured."""
    if isinstance(entry, Acted):
        return entry.seat, entry.action, entry.by
    if isinstance(entry, Fault):
        return entry.seat, entry.code.value, entry.final
    return entry.seat, "leave", ""


def parse(data: bytes, path: str) -> Replay:
    """Return the replay in these bytes, after every check that needs no rules.

    Raises RecordError for any byte that is not as it was written.
    """
    if not data:
        raise RecordError(f"{path}: this is no replay: the file is empty")
    *texts, rest = data.split(b"\n")
    if rest:
        _check_kind(data, path)
        raise flaw(path, len(texts) + 1, "the last line does not end: the file is cut short, or added to")
    records: list[Struct] = []
    before = START
    for number, text in enumerate(texts, 1):
        before = _read_line(text, before, path, number, records)
    return _assemble(records, path)


def _check_kind(data: bytes, path: str) -> None:
    """Refuse another kind of file as such: it has no chain that could break, and is not called changed."""
    if not _HEAD.startswith(data[: len(_HEAD)]):
        is_binary = b"\0" in data or not _is_text(data)
        kind = "this is no replay, but a binary file" if is_binary else "this is no replay"
        raise flaw(path, 1, f"{kind}: it does not begin with a header")


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeError:
        return False
    return True


def _read_line(text: bytes, before: str, path: str, number: int, records: list[Struct]) -> str:
    """Read one line behind the link before it, add its record to the records, and return its link."""
    body = text[:-_TAIL_BYTES] + b"}"
    chain = link(before, body)
    if text[-_TAIL_BYTES:] != _tail(chain):
        if number == 1:
            _check_kind(text + b"\n", path)
        raise flaw(path, number, "the chain breaks: this line, or one before it, is not as it was written")
    if number == 1:
        _check_format(body, path)
    try:
        record = _decode(body)
    except (ValueError, RecursionError) as error:
        raise flaw(path, number, f"not a line of a replay: {error}") from error
    if _encode(record) != body:
        raise flaw(path, number, "not spelled as the referee spells it")
    records.append(record)
    return chain


def _check_format(body: bytes, path: str) -> None:
    """Refuse the replay of another version before anything else of it is read."""
    try:
        found = msgspec.json.decode(body, type=_Written)
    except (ValueError, RecursionError) as error:
        raise flaw(path, 1, f"not the header of a replay: {error}") from error
    if found.format != FORMAT:
        raise FormatVersionError(f"{path}: a replay", found.referee, f"format {found.format}")


def _assemble(records: list[Struct], path: str) -> Replay:
    """Put the lines together, each kind in its place."""
    play = records[-1] if records else None
    if len(records) < 4 or not isinstance(play, PlayHash):
        raise flaw(path, len(records), "the replay ends here, without the hash of what was played")
    header, *log, result, reveal, _ = records
    if not isinstance(header, Header):
        raise flaw(path, 1, "a replay begins with its header")
    entries: list[Entry] = []
    for number, entry in enumerate(log, 2):
        if not isinstance(entry, Acted | Fault | Withdrew):
            raise flaw(path, number, f"a {_kind(entry)} is out of place here")
        entries.append(entry)
    if not isinstance(result, Result):
        raise flaw(path, len(records) - 2, f"a result belongs here, not a {_kind(result)}")
    if not isinstance(reveal, Reveal):
        raise flaw(path, len(records) - 1, f"a reveal belongs here, not a {_kind(reveal)}")
    if not re.fullmatch("[0-9a-f]{64}", reveal.key):
        raise flaw(path, len(records) - 1, "the key is not 64 hex digits")
    _check_seats(header, entries, result, path)
    return Replay(path, header, entries, result, bytes.fromhex(reveal.key), play.hash)


def _check_seats(header: Header, entries: Sequence[Entry], result: Result, path: str) -> None:
    """Refuse lists by seat, and seats, that do not fit the number of names."""
    seats = len(header.names)
    clocks = () if isinstance(header.clocks, msgspec.UnsetType) else header.clocks
    if len(header.grace_ms) != seats or any(len(each) not in (0, seats) for each in (header.bots, clocks)):
        raise flaw(path, 1, f"not every list of the header has {seats} seats")
    for number, entry in enumerate(entries, 2):
        if not 0 <= entry.seat < seats:
            raise flaw(path, number, f"there is no seat {entry.seat}")
    if len(result.seats) != seats:
        raise flaw(path, len(entries) + 2, f"the result has {len(result.seats)} seats, the header {seats}")


def _kind(record: Struct) -> str:
    return str(record.__struct_config__.tag)
