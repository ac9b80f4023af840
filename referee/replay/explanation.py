"""Explains why bots lost a match by a fault, from its replay and its dossier."""

import shlex
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct

from referee.errors import ConfigError, RefereeError
from referee.match.faults import ADVICE, MEANING, PROFILES, Fault, FaultCode
from referee.replay.dossier import DOSSIER_SUFFIX, Dossier, SeatDossier, read_dossier
from referee.replay.files import SUFFIXES, read
from referee.replay.format import Replay
from referee.replay.ledger import NO_ANSWER, LedgerLine, ledger
from referee.replay.narration import Watcher, result_lines, seat_names
from referee.replay.playback import game_of
from referee.wording import aligned, clean, clean_lines, in_ms, plural

LAST = 10
"""The number of last decisions whose times are printed."""


class MatchFiles(Struct, frozen=True):
    """The files of a match: at least one of the two."""

    replay: Replay | None
    dossier: Dossier | None


def read_match(match: str, folder: Path) -> MatchFiles:
    """Find and read the files of a match: its id and their folder, or the path of one of them."""
    path = Path(match)
    stem = _match_of(path.name)
    if stem and path.is_file():
        folder, match = path.parent, stem
    replay = next((p for s in SUFFIXES if (p := folder / f"{match}{s}").is_file()), None)
    dossier = folder / f"{match}{DOSSIER_SUFFIX}"
    found = MatchFiles(read(replay) if replay else None, read_dossier(dossier) if dossier.is_file() else None)
    if found.replay is None and found.dossier is None:
        raise ConfigError(_unknown(match, folder))
    return found


def _match_of(name: str) -> str:
    """Return the match whose file has this name, or ''."""
    for suffix in (DOSSIER_SUFFIX, *SUFFIXES):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return ""


def _unknown(match: str, folder: Path) -> str:
    if not folder.is_dir():
        return f"there is no folder {clean(str(folder))}: give the folder of the replays with --replays"
    ids = sorted({stem for path in folder.iterdir() if (stem := _match_of(path.name))})
    close = get_close_matches(match, ids, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"it has {plural(len(ids), 'other file')}"
    return clean(f"there is neither a replay nor a dossier of match {match} in {folder}: {hint}")


def explain(match: MatchFiles) -> Iterator[str]:
    """Describe the faults, line by line."""
    replay, dossier = match.replay, match.dossier
    if replay is not None:
        yield clean(f"Match {replay.header.match}, {replay.header.game}")
        yield from result_lines(replay, Watcher(sees_all=True))
    elif dossier is not None:
        yield clean(f"Match {dossier.match}, {dossier.game}: there is no replay, only the dossier")
    guilty = sorted(_guilty(match))
    if not guilty:
        yield ""
        yield "No bot made a fault in this match."
    for seat in guilty:
        yield ""
        yield from _about_seat(match, seat)
    if replay is not None and (command := _again(replay)):
        yield ""
        yield "To try again:"
        yield f"  {command}"


def _guilty(match: MatchFiles) -> set[int]:
    seats = (
        {entry.seat for entry in match.replay.entries if isinstance(entry, Fault)} if match.replay else set()
    )
    return seats | {
        seat for seat, one in enumerate(match.dossier.seats if match.dossier else ()) if one.fault
    }


def _about_seat(match: MatchFiles, seat: int) -> Iterator[str]:
    file = match.dossier.seats[seat] if match.dossier and seat < len(match.dossier.seats) else None
    if match.replay is not None:
        name = seat_names(match.replay)[seat]
        for entry in match.replay.entries:
            if isinstance(entry, Fault) and entry.seat == seat:
                yield from _about_fault(name, seat, entry)
        yield from _about_time(ledger(match.replay, seat))
    elif file is not None:
        yield f"{clean(file.name)} (seat {seat}) {_meaning(file.fault)}."
        yield f"  {clean(file.why)}"
        yield from _advice(file.fault)
    if file is not None:
        yield from _about_process(file)


def _about_fault(name: str, seat: int, fault: Fault) -> Iterator[str]:
    when = f"at its decision {fault.decision}" if fault.decision else "before its first decision"
    verdict = "That lost it the match." if fault.final else "That was a strike."
    yield f"{name} (seat {seat}) {_meaning(fault.code)} {when}. {verdict}"
    yield f"  {fault.code.value}: {clean(fault.why)}"
    if fault.final:
        yield from _advice(fault.code)


def _meaning(code: str) -> str:
    return MEANING[FaultCode(code)] if code in {known.value for known in FaultCode} else clean(code)


def _advice(code: str) -> Iterator[str]:
    if code in ADVICE:
        yield f"  What to do: {ADVICE[FaultCode(code)]}."


def _about_time(lines: list[LedgerLine]) -> Iterator[str]:
    if not lines:
        return
    slowest = max(lines, key=lambda line: line.took_us)
    shown = lines[-LAST:]
    yield f"  Its clock, the last {len(shown)} of {plural(len(lines), 'decision')}:"
    heads = ("decision", "took", "charged", "allowed", "bank left", "action")
    yield from aligned([heads, *map(_row, shown)], "    ")
    charged = f", of which {in_ms(slowest.used_us)} were charged" if slowest.used_us else ""
    yield f"  The slowest was decision {slowest.decision}, with {in_ms(slowest.took_us)}{charged}."


def _row(line: LedgerLine) -> tuple[str, ...]:
    is_answered = line.by != NO_ANSWER
    action = f"{line.action} (the house)" if line.by == "house" else line.action if is_answered else "none"
    times = [in_ms(line.took_us), in_ms(line.used_us)] if is_answered else ["", ""]
    return (str(line.decision), *times, in_ms(line.move_us), in_ms(line.bank_us), action)


def _about_process(file: SeatDossier) -> Iterator[str]:
    if file.command:
        yield f"  Its command: {clean(file.command)}"
    if file.exit:
        yield f"  Its process: {clean(file.exit)}"
    if file.messages:
        yield f"  Its last {plural(len(file.messages), 'message')}:"
        arrow = {"to": "->", "from": "<-"}
        for said in file.messages:
            yield f"    {said.ms:>8} ms {arrow[said.way]} {clean(said.line)}"
    if file.stderr:
        dropped = f" ({file.dropped_bytes} bytes before it were not kept)" if file.dropped_bytes else ""
        yield f"  The end of its stderr{dropped}:"
        yield from (f"    {line}" for line in clean_lines(file.stderr))


def _again(replay: Replay) -> str:
    """Return the command that plays the deal again with the same bots; '' if the replay lacks them."""
    header = replay.header
    if not (header.bots and header.seed):
        return ""
    words = ["referee", "play", header.game]
    for name, bot in zip(header.names, header.bots, strict=True):
        words += ["--bot", f"{name}={bot}"]
    words += ["--seed", header.seed]
    words += ["--deal", header.deal] if header.deal else []
    words += ["--profile", header.profile]
    profile = PROFILES.get(header.profile)
    for field in header.clock.__struct_fields__:
        value = getattr(header.clock, field)
        if profile is None or getattr(profile.clock, field) != value:
            words += ["--clock", f"{field.removesuffix('_ms')}={value}"]
    try:
        defaults = game_of(replay).resolve(None, len(header.names))
    except RefereeError:
        # The game may no longer be installed; the rest of the report does not need it.
        defaults = {}
    for name, value in header.options.items():
        if defaults.get(name) != value:
            words += ["--set", f"{name}={value}"]
    return clean(shlex.join(words))
