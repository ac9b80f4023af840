"""The audit of a ladder: whether a daemon's daybook and replays are as they were written.

As with a tournament chain, hashes and rules hold one another. A ladder has no file that
says who plays whom, no seal, and its luck follows from nothing that is kept: the key of each match is in its
replay, and opens the commitment that was made before it began.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from referee.errors import RefereeError
from referee.replay import files
from referee.server.daybook import RESULTS, Row
from tournaments.audit.tournament import Examined, contradiction, replayed


class Proof(NamedTuple):
    """A replay to be looked at, and the line it belongs to, if there is one."""

    path: Path
    row: Row | None


def proofs(folder: Path, rows: Iterable[Row]) -> list[Proof]:
    """Return the replays of results, whether they are there or not, and then all others in the folder."""
    there = [path for path in sorted(folder.glob("[!.]*")) if path.name.endswith(files.SUFFIXES)]
    # A match that could not even be set up has no replay.
    found = [
        Proof(folder / f"{row.result.match}{files.SUFFIXES[0]}", row)
        for row in rows
        if row.digest or row.result.reason != "void"
    ]
    known = {path for path, _ in found} | {folder / RESULTS}
    return found + [Proof(path, None) for path in there if path not in known]


def examine_proof(proof: Proof) -> Examined:
    """Play a replay again and compare it with its line."""
    path, row = proof
    try:
        replay = replayed(path, "" if row is None else row.digest)
    except RefereeError as error:
        return Examined(str(error))
    flaw = ""
    if row is not None:
        flaw = contradiction(replay, row.result)
        if not flaw and (replay.header.names, replay.play) != (row.result.names, row.play):
            flaw = "names, or what was played, are not those of the result"
    return Examined(f"{path}: {flaw}" if flaw else "", void=replay.result.void is not None)
