"""Explains why bots lost a match by a fault, from its replay and its dossier."""

import contextlib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from statistics import median_low

from msgspec import Struct

from referee.errors import ConfigError
from referee.match.faults import ADVICE, MEANING, Fault, FaultCode
from referee.replay.dossier import DOSSIER_SUFFIX, Dossier, Said, SeatDossier, read_dossier
from referee.replay.files import SUFFIXES, read
from referee.replay.format import Replay
from referee.replay.ledger import NO_ANSWER, LedgerLine, ledger
from referee.replay.narration import Watcher, result_lines, seat_names
from referee.replay.offence import offences, quote_lines
from referee.replay.stray_print import stray_print
from referee.wording import aligned, clean, clean_lines, in_ms, plural

DEPTH = 3
"""How many folders below the working folder a match may be."""

_LISTED = 8
"""Folders that an error names."""

LAST = 10
"""The number of last decisions whose times are printed."""


class MatchFiles(Struct, frozen=True):
    """The files of a match: at least one of the two."""

    replay: Replay | None
    dossier: Dossier | None


def read_match(match: str, asked: Sequence[Path] | None) -> MatchFiles:
    """Find and read the files of a match: by its id, or by the path of one of them.

    The folder of an id is one of those given, or else one below the working folder.
    """
    path = Path(match)
    stem = _match_of(path.name)
    if path.is_file():
        if not stem:
            raise ConfigError(clean(f"{match} is neither a replay ({', '.join(SUFFIXES)}) nor a dossier"))
        return _files_in(path.parent, stem)
    if asked is not None and not any(folder.is_dir() for folder in asked):
        raise ConfigError(
            f"there is no folder {clean(', '.join(map(str, asked)))}: give the folder of the replays with "
            "--replays"
        )
    folders = list(_folders_below(Path())) if asked is None else list(asked)
    found = [each for each in folders if match in _matches_in(each)]
    if not found:
        raise ConfigError(_unknown(match, folders, is_asked=asked is not None))
    if len(found) > 1:
        names = ", ".join(sorted(map(str, found)))
        raise ConfigError(clean(f"match {match} is in several folders: {names}; name one with --replays"))
    return _files_in(found[0], match)


def _files_in(folder: Path, match: str) -> MatchFiles:
    replay = next((p for s in SUFFIXES if (p := folder / f"{match}{s}").is_file()), None)
    dossier = folder / f"{match}{DOSSIER_SUFFIX}"
    return MatchFiles(read(replay) if replay else None, read_dossier(dossier) if dossier.is_file() else None)


def _folders_below(folder: Path, depth: int = DEPTH) -> Iterator[Path]:
    """Return a folder and those below it that can be read, without hidden ones and links."""
    yield folder
    if depth:
        with contextlib.suppress(OSError):
            for each in sorted(folder.iterdir()):
                if each.is_dir() and not each.is_symlink() and not each.name.startswith("."):
                    yield from _folders_below(each, depth - 1)


def _matches_in(folder: Path) -> set[str]:
    """Return the matches of which a folder has files."""
    try:
        return {stem for path in folder.iterdir() if (stem := _match_of(path.name))}
    except OSError:
        return set()


def _match_of(name: str) -> str:
    """Return the match whose file has this name, or ''."""
    for suffix in (DOSSIER_SUFFIX, *SUFFIXES):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return ""


def _unknown(match: str, folders: Sequence[Path], *, is_asked: bool) -> str:
    ids = sorted({stem for each in folders for stem in _matches_in(each)})
    close = get_close_matches(match, ids, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"it has {plural(len(ids), 'other file')}"
    if is_asked:
        where = " or ".join(map(str, folders))
        return clean(f"there is neither a replay nor a dossier of match {match} in {where}: {hint}")
    hint = hint if close else "name its event (referee why MATCH event.toml), or its folder with --replays"
    looked = [folder for folder in folders if _matches_in(folder)]
    found = f"; those with matches: {', '.join(map(str, looked[:_LISTED]))}" if looked else ""
    return clean(
        f"there is neither a replay nor a dossier of match {match} in {Path.cwd()} or the folders below it, "
        f"{DEPTH} levels deep{found}: {hint}"
    )


def explain(match: MatchFiles) -> Iterator[str]:
    """Describe the faults, line by line."""
    replay, dossier = match.replay, match.dossier
    if replay is not None:
        yield clean(f"Match {replay.header.match}, {replay.header.game}")
        yield from result_lines(replay, Watcher(sees_all=True))
    elif dossier is not None:
        yield clean(f"Match {dossier.match}, {dossier.game}: there is no replay, only the dossier")
    guilty = sorted(guilty_seats(match))
    if not guilty:
        yield ""
        yield "No bot made a fault in this match."
    for seat in guilty:
        yield ""
        yield from _about_seat(match, seat)


def guilty_seats(match: MatchFiles) -> set[int]:
    """Return the seats whose bots made a fault."""
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
        faults = [e for e in match.replay.entries if isinstance(e, Fault) and e.seat == seat]
        sent = offences(faults, file.messages) if file is not None else {}
        for number, fault in enumerate(faults):
            yield from _about_fault(name, seat, fault)
            yield from _about_offence(sent.get(number), file)
            if fault.final and not (number in sent and sent[number].is_stray_print):
                yield from _advice(fault.code)
        yield from _about_time(ledger(match.replay, seat))
    elif file is not None:
        yield f"{clean(file.name)} (seat {seat}) {_meaning(file.fault)}."
        yield f"  {clean(file.why)}"
        bad = [said for said in file.messages if said.bytes]
        yield from _about_offence(bad[-1] if bad else None, file)
        yield from _advice(file.fault)
        yield (
            f"  Its answers took {in_ms(file.took_us)} in all (median {in_ms(file.median_us)}, slowest "
            f"{in_ms(file.slowest_us)}), of which {file.charged_ms} ms were charged."
        )
    if file is not None:
        yield from _about_process(file)


def _about_fault(name: str, seat: int, fault: Fault) -> Iterator[str]:
    when = f"at its decision {fault.decision}" if fault.decision else "before its first decision"
    verdict = "That lost it the match." if fault.final else "That was a strike."
    yield f"{name} (seat {seat}) {_meaning(fault.code)} {when}. {verdict}"
    yield f"  {fault.code.value}: {clean(fault.why)}"


def _about_offence(said: Said | None, file: SeatDossier | None) -> Iterator[str]:
    if said is None:
        return
    yield f"  It sent, as it came ({plural(said.bytes, 'byte')}):"
    yield from (f"    {line}" for line in quote_lines(said))
    if printed := stray_print([said], file.command if file is not None else ""):
        yield f"  What happened: {printed}"


def _meaning(code: str) -> str:
    return MEANING[FaultCode(code)] if code in {known.value for known in FaultCode} else clean(code)


def _advice(code: str) -> Iterator[str]:
    if code in ADVICE:
        yield f"  What to do: {ADVICE[FaultCode(code)]}."


def _about_time(lines: list[LedgerLine]) -> Iterator[str]:
    if not lines:
        return
    shown = lines[-LAST:]
    yield f"  Its clock, the last {len(shown)} of {plural(len(lines), 'decision')}:"
    heads = ("decision", "took", "free", "charged", "allowed", "bank left", "action")
    yield from aligned([heads, *map(_row, shown)], "    ")
    if answered := [line for line in lines if line.by != NO_ANSWER]:
        slowest = max(answered, key=lambda line: line.took_us)
        charged = f", of which {in_ms(slowest.charged_us)} were charged" if slowest.charged_us else ""
        yield f"  The slowest was decision {slowest.decision}, with {in_ms(slowest.took_us)}{charged}."
        yield f"  Half of its answers took {in_ms(median_low(line.took_us for line in answered))} at most."


def _row(line: LedgerLine) -> tuple[str, ...]:
    is_answered = line.by != NO_ANSWER
    action = f"{line.action} (the house)" if line.by == "house" else line.action if is_answered else "none"
    times = [in_ms(us) for us in (line.took_us, line.free_us, line.charged_us)] if is_answered else [""] * 3
    return (str(line.decision), *times, in_ms(line.move_us), in_ms(line.bank_us), action)


def _about_process(file: SeatDossier) -> Iterator[str]:
    if file.command:
        yield f"  Its command: {clean(file.command)}"
    if file.exit:
        yield f"  Its process: {clean(file.exit)}"
    if file.messages:
        yield "  Its last messages, with all broken ones:"
        arrow = {"to": "->", "from": "<-"}
        for said in file.messages:
            yield f"    {said.ms:>8} ms {arrow[said.way]} {clean(said.line)}"
    if file.stderr:
        dropped = f" ({file.dropped_bytes} bytes before it were not kept)" if file.dropped_bytes else ""
        yield f"  The end of its stderr{dropped}:"
        yield from (f"    {line}" for line in clean_lines(file.stderr))
