"""Replays and dossiers: files that may have been changed, read and played again."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from referee import registry
from referee.errors import RecordError, RefereeError
from referee.replay import files, playback
from referee.replay.dossier import Dossier, Said, SeatDossier, dossier_bytes, read_dossier
from referee.replay.explanation import MatchFiles, explain
from referee.replay.format import parse, play_hash
from referee.replay.hashchain import START, link
from referee.replay.narration import BoardChoice, Watcher, text_of
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.mutation import altered, mutated
from tests.unit.referee.replay.played import SimulatedMatch

_TAIL = len(',"chain":"') + 64 + len('"}')


@cache
def scratch() -> Path:
    """Return a file to read inputs from; in memory where there is such a place."""
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / "input"


def check(data: bytes) -> None:
    """A replay is read and verified, or there is a RecordError; it can be shown and explained."""
    file = scratch()
    file.write_bytes(data)
    try:
        found = files.read(file)
    except RecordError:
        return
    # People ask why of replays that do not verify as well.
    list(explain(MatchFiles(found, None)))
    try:
        playback.verify(found)
    except RecordError:
        with suppress(RefereeError):
            list(text_of(found, Watcher(sees_all=True), BoardChoice.NONE))
        return
    for watcher in (Watcher(sees_all=True), Watcher(), Watcher(0)):
        list(text_of(found, watcher, BoardChoice.TURNS))


def check_dossier(data: bytes) -> None:
    """A dossier is read, or there is a RecordError."""
    file = scratch()
    file.write_bytes(data)
    try:
        dossier = read_dossier(file)
    except RecordError:
        return
    list(explain(MatchFiles(None, dossier)))


def mutate(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a replay with something changed; mostly with the right hashes, so that it is read to the end."""
    data = corpus[int(luck.random() * len(corpus))]
    if data[:1] != b"{" or luck.random() < 0.2:
        return mutated(data, luck, corpus)
    try:
        bodies = [msgspec.json.decode(line[:-_TAIL] + b"}") for line in data.splitlines()]
    except ValueError:
        return mutated(data, luck, corpus)
    for _ in range(1 + luck.getrandbits(1)):
        _change(bodies, luck)
    changed = chained(bodies)
    if luck.random() < 0.7:
        changed = _with_play_hash(bodies, changed)
    return files.pack(changed) if luck.random() < 0.1 else changed


def _change(bodies: list[Any], luck: Random) -> None:
    if not bodies:
        return
    at, kind = luck.randrange(len(bodies)), luck.random()
    if kind < 0.1:
        bodies.insert(at, luck.choice(bodies))
    elif kind < 0.2:
        del bodies[at]
    else:
        bodies[at] = altered(bodies[at], luck)


def chained(bodies: Sequence[Any]) -> bytes:
    """Return lines of a replay with the right chain for any content."""
    before, lines = START, []
    for body in bodies:
        text = msgspec.json.encode(body)
        before = link(before, text)
        lines.append(b'%b,"chain":"%b"}\n' % (text[:-1], before.encode()))
    return b"".join(lines)


def _with_play_hash(bodies: list[Any], changed: bytes) -> bytes:
    """Return the lines with the hash of their play, if they can have one."""
    try:
        found = parse(changed, "")
    except RecordError:
        return changed
    play = play_hash(found.header, found.entries, found.result, found.key)
    return chained([*bodies[:-1], bodies[-1] | {"hash": play}])


def mutate_dossier(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a dossier with something changed."""
    data = luck.choice(corpus)
    if luck.random() < 0.5:
        return mutated(data, luck, corpus)
    try:
        return msgspec.json.encode(altered(msgspec.json.decode(data), luck))
    except msgspec.DecodeError:
        return mutated(data, luck, corpus)


@cache
def replays() -> list[bytes]:
    """Return replays of every kind: honest, with strikes and faults, void, packed, of every game."""
    matches = [SimulatedMatch(game=game).ready().play_out() for game in registry.ids()]
    matches += [SimulatedMatch(f"wild{n}", seats=2 + n % 3, strikes=3).misbehave(4) for n in range(6)]
    whole = [files.replay_bytes(simulated.lines()) for simulated in matches]
    return [*whole, files.pack(whole[0])]


def dossiers() -> list[bytes]:
    """Return a dossier with everything in it."""
    said = (Said(0, "to", "start match=m-1"), Said(17, "from", "act match=m-1 id=1 action=draw"))
    seat = SeatDossier("Ada", "./ada", "exit code 3", "crashed", "gone", "Traceback\n", 512, said)
    return [dossier_bytes(Dossier("m-1", "coins", "m-1.jsonl", (seat, SeatDossier("Bo"))))]


REPLAY = Target("replay", check, mutate, replays)
DOSSIER = Target("dossier", check_dossier, mutate_dossier, dossiers)
