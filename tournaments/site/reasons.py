"""What a page says about the faults of a match: plain words, the clock, the last messages.

What a bot wrote to stderr, its command line and its folder are its author's own, and no page has them.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import RefereeError
from referee.match.faults import ADVICE, MEANING, Fault
from referee.replay.dossier import DOSSIER_SUFFIX, Said, SeatDossier, read_dossier
from referee.replay.files import SUFFIXES, read
from referee.replay.format import Replay
from referee.replay.ledger import LedgerLine, ledger
from referee.replay.stray_print import stray_print
from tournaments.results import Played
from tournaments.site.masks import NO_MASKS, Masks

LAST_DECISIONS: Final = 10
LAST_MESSAGES: Final = 12
_MOST_LETTERS: Final = 2_000
"""Of one message: a bot may send a megabyte."""

_SECRET: Final = re.compile(r"\b(token|session)\b")
"""Fields of messages by which a bot proves that it is itself."""


class FaultLine(Struct, frozen=True):
    """One fault in words."""

    code: str
    meaning: str
    when: str
    verdict: str
    why: str
    step: int | None
    """The step of the player at which it happened."""


class SeatReasons(Struct, frozen=True):
    """What is known about the faults of one seat."""

    seat: int
    bot: str
    faults: tuple[FaultLine, ...]
    advice: str = ""
    printed: str = ""
    """That it printed text where only messages may go, and the cure; '' if it did not."""
    clock: tuple[LedgerLine, ...] = ()
    decisions: int = 0
    messages: tuple[Said, ...] = ()
    again: str = ""
    """The command that asks a bot at its last decision."""


class MatchReasons(Struct, frozen=True):
    """What is known about the faults of a match."""

    seats: tuple[SeatReasons, ...]
    trouble: str = ""
    """Why less is known than usual; '' if all is."""


def reasons_of(match: Played, folder: Path | None, masks: Masks = NO_MASKS) -> MatchReasons:
    """Return what is known about the faults of a match, from the files in the folder of replays.

    With pseudonyms no message is shown: a bot says its name in its first one, and may do so in any.
    """
    found = _reasons(match, folder)
    if not masks:
        return found
    seats = [replace(seat, faults=masks.within(seat.faults), printed="", messages=()) for seat in found.seats]
    return replace(found, seats=tuple(seats))


def _reasons(match: Played, folder: Path | None) -> MatchReasons:
    replay = _replay(match, folder)
    dossiers = dossiers_of(match, folder)
    guilty = {seat for seat, code in enumerate(match.result.faults) if code}
    if replay is None:
        found = [_by_result(match, seat) for seat in sorted(guilty)]
        return MatchReasons(
            tuple(found), "Its replay is missing or does not verify, so only the code is known."
        )
    guilty |= {entry.seat for entry in replay.entries if isinstance(entry, Fault)}
    return MatchReasons(tuple(_by_replay(match, replay, seat, dossiers.get(seat)) for seat in sorted(guilty)))


def _replay(match: Played, folder: Path | None) -> Replay | None:
    if folder is None or not match.replay:
        return None
    try:
        return read(folder / match.replay)
    except RefereeError:
        return None


def dossiers_of(match: Played, folder: Path | None) -> dict[int, SeatDossier]:
    """Return what was kept of the seats beyond the replay, if anything was."""
    if folder is None or not match.replay:
        return {}
    name = match.replay
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    try:
        return dict(enumerate(read_dossier(folder / f"{name}{DOSSIER_SUFFIX}").seats))
    except RefereeError:
        return {}


def _by_result(match: Played, seat: int) -> SeatReasons:
    code = match.result.faults[seat]
    line = FaultLine(code, _meaning(code), "", "That lost it the match.", "", None)
    return SeatReasons(seat, match.bots[seat], (line,), advice_for(code))


def _by_replay(match: Played, replay: Replay, seat: int, dossier: SeatDossier | None) -> SeatReasons:
    lines = ledger(replay, seat)
    code = match.result.faults[seat]
    return SeatReasons(
        seat=seat,
        bot=match.bots[seat],
        faults=tuple(fault_lines(replay, seat)),
        advice=advice_for(code),
        clock=tuple(lines[-LAST_DECISIONS:]),
        decisions=len(lines),
        printed=stray_print(dossier.messages, dossier.command) if dossier is not None else "",
        messages=_messages(dossier.messages) if dossier is not None else (),
        again=_again(match, seat, lines),
    )


def fault_lines(replay: Replay, seat: int) -> Iterator[FaultLine]:
    """Return the faults of a seat in words."""
    for step, entry in enumerate(replay.entries, 1):
        if isinstance(entry, Fault) and entry.seat == seat:
            yield FaultLine(
                code=entry.code.value,
                meaning=_meaning(entry.code.value),
                when=f"at its decision {entry.decision}" if entry.decision else "before its first decision",
                verdict="That lost it the match." if entry.final else "That was a strike.",
                why=entry.why[:_MOST_LETTERS],
                step=step,
            )


def _messages(said: Sequence[Said]) -> tuple[Said, ...]:
    """Return the last messages, without those by which a bot proves that it is itself."""
    shown = [one for one in said if not _SECRET.search(one.line)]
    return tuple(Said(one.ms, one.way, one.line[:_MOST_LETTERS]) for one in shown[-LAST_MESSAGES:])


def _again(match: Played, seat: int, lines: Sequence[LedgerLine]) -> str:
    if not lines:
        return ""
    decision = str(lines[-1].decision)
    words = ["referee", "at", match.replay, "--seat", str(seat), "--decision", decision]
    return f"{shlex.join(words)} -- COMMAND"


def _meaning(code: str) -> str:
    return next((text for known, text in MEANING.items() if known.value == code), code)


def advice_for(code: str) -> str:
    """Return what to do about a fault; '' for a code that is not known."""
    return next((text for known, text in ADVICE.items() if known.value == code), "")
