"""The two public files of luck with a beacon: what was committed, and the value that was revealed.

Both stand beside the tournament file and are never changed. Every byte of them follows from the tournament
file and the value, so any change of a file is found, and so is a change of the tournament file.
"""

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from referee.errors import RecordError
from referee.replay.files import read_bytes
from tournaments.config.luck import (
    BeaconReveal,
    Commitment,
    EventCommitment,
    TournamentCommitment,
    beacon_of,
    commitment_of,
    differences,
    fingerprint,
    next_step,
    reveal_of,
)
from tournaments.config.mistakes import PlanError

if TYPE_CHECKING:
    from tournaments.config.plan import Plan

_Document = TypeVar("_Document", bound=TournamentCommitment | EventCommitment | BeaconReveal)


def commit_path(plan: "Plan") -> Path:
    """Return the path of the file with the commitment."""
    return plan.file.with_name(f"{plan.file.stem}.commit.json")


def reveal_path(plan: "Plan") -> Path:
    """Return the path of the file with the value of the beacon."""
    return plan.file.with_name(f"{plan.file.stem}.reveal.json")


def lost_files(plan: "Plan") -> list[Path]:
    """Return the files that a plan whose matches were played must have, and has not."""
    return [path for path in (commit_path(plan), reveal_path(plan)) if not os.path.lexists(path)]


def commit(plan: "Plan") -> tuple[Commitment, bool]:
    """Write the commitment of a plan; return it, and whether it was written now or is there already.

    The plan must be as `load` returned it. Raises PlanError if it cannot be committed to.
    """
    wanted, path = commitment_of(plan), commit_path(plan)
    return wanted, _is_written(path, wanted, "another commitment was written meanwhile; look at it")


def reveal(plan: "Plan", text: str) -> tuple[BeaconReveal, bool]:
    """Write the value of the beacon; return the document, and whether it was written now or is there already.

    The plan must be as `load` returned it. Raises ConfigError for a text that can be no value, for a second
    value, and before the commitment.
    """
    wanted = reveal_of(plan, commitment_of(plan), text)
    if plan.luck is not None and not plan.luck.commitment:
        raise PlanError(f"{plan.file}: nothing is committed, so a value proves nothing; {next_step(plan)}")
    path = reveal_path(plan)
    return wanted, _is_written(path, wanted, "a beacon has one value, and another one was revealed before")


def drawn(plan: "Plan") -> tuple["Plan", list[str]]:
    """Return a plan with its luck as far as it is known, and all that is not as it was committed.

    With flaws the luck is that of the files, so that results can be compared with what was committed.
    """
    if plan.luck is None:
        return plan, _left_over(plan)
    try:
        committed, revealed = _commitment(plan), _read(reveal_path(plan), BeaconReveal)
    except PlanError as error:
        return plan, [str(error)]
    if committed is None:
        return plan, [] if revealed is None else [_without_commitment(plan)]
    plan = replace(plan, luck=replace(plan.luck, commitment=committed.commitment))
    flaws = _changes(plan, committed)
    return (plan, flaws) if revealed is None else _revealed(plan, committed, revealed, flaws)


def _commitment(plan: "Plan") -> Commitment | None:
    if plan.luck is not None and plan.luck.event is not None:
        return _read(commit_path(plan), EventCommitment)
    return _read(commit_path(plan), TournamentCommitment)


def _revealed(
    plan: "Plan", committed: Commitment, revealed: BeaconReveal, flaws: list[str]
) -> tuple["Plan", list[str]]:
    assert plan.luck is not None
    beacon = beacon_of(committed, revealed.value)
    seed = beacon.seed(plan.luck.operator_seed)
    path = reveal_path(plan)
    if (revealed.commitment, revealed.beacon) != (committed.commitment, committed.plan.beacon):
        flaws = [*flaws, f"{path}: this is the value for another commitment than {commit_path(plan).name}"]
    elif not flaws and revealed.fingerprint != fingerprint(plan.luck, beacon):
        flaws = [f"{path}: not as it was written: the fingerprint is not that of the value"]
    return replace(plan, seed=seed, luck=replace(plan.luck, beacon=beacon)), flaws


def _left_over(plan: "Plan") -> list[str]:
    """Return the flaw of a tournament file without a beacon beside files of one."""
    there = [path.name for path in (commit_path(plan), reveal_path(plan)) if os.path.lexists(path)]
    if not there:
        return []
    return [
        f'{plan.file}: names no beacon, but there is {" and ".join(there)}: restore the line beacon = "..."; '
        "or, if nothing was published, remove what is there"
    ]


def _without_commitment(plan: "Plan") -> str:
    return (
        f"{commit_path(plan)}: there is no such file, but {reveal_path(plan).name} is there: restore the "
        "file that was published"
    )


def _changes(plan: "Plan", committed: Commitment) -> list[str]:
    names = differences(plan, committed)
    if not names:
        return []
    return [
        f"{plan.file}: {', '.join(names)}: not as committed in {commit_path(plan).name}; restore what was "
        "committed, copy the file to play another tournament, or, if nothing was published, remove "
        f"{commit_path(plan).name}"
    ]


def _read(path: Path, kind: type[_Document]) -> _Document | None:
    """Return a document; None if there is no such file. Raises PlanError if any byte is not as written."""
    if not os.path.lexists(path):
        return None
    try:
        data = read_bytes(path)
    except RecordError as error:
        raise PlanError(str(error)) from error
    with suppress(ValueError, RecursionError):
        found = msgspec.json.decode(data, type=kind)
        if found.is_sound and _bytes(found) == data:
            return found
    raise PlanError(
        f"{path}: not as it was written; restore the file that was published, or, if nothing was published, "
        "remove it"
    )


def _bytes(document: Commitment | BeaconReveal) -> bytes:
    """Return a document in its one spelling: options are in the order of their names."""
    return msgspec.json.format(msgspec.json.encode(document, order="deterministic")) + b"\n"


def _is_written(path: Path, wanted: Commitment | BeaconReveal, other: str) -> bool:
    """Write a document; False if it is there already. Raises PlanError if another one is there."""
    try:
        _write_new(path, _bytes(wanted))
    except FileExistsError as error:
        there = _read(path, type(wanted))
        if there != wanted:
            raise PlanError(f"{path}: {other}") from error
        return False
    except OSError as error:
        raise PlanError(f"{path}: cannot be written: {error.strerror}") from error
    return True


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that other users may read, whole or not at all; when this returns, it is on disk.

    Raises FileExistsError for a name that is taken, also by a process that writes at the same time.
    """
    aside = path.with_name(f".{path.name[:80]}.{token_hex(8)}")
    try:
        with aside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(aside, path)
    finally:
        with suppress(OSError):
            aside.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
