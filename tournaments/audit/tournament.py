"""The audit of a tournament: whether store and replays are as they were written, and follow from each other.

Four things hold one another: the seal guards every byte of a store that was closed in good order, the chain
guards results and the hashes of their replays, the rules themselves lead from each replay to its result, and
the tournament file says who plays whom under which id, and on which terms. Whoever changes all of them in
step still cannot give the chain a head that was written down before.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from referee.chance import deal_key
from referee.errors import RecordError, RefereeError
from referee.replay import files, format, playback
from referee.replay.hashchain import START, Head
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import rightful
from tournaments.results import Played
from tournaments.runner import aliases
from tournaments.store import chain, schema, seal, terms
from tournaments.store.store import NoResultsError, Results, Store, StoreError, writer


class Books(msgspec.Struct, frozen=True):
    """What the store says, and what is wrong with it."""

    head: Head = Head()
    sealed: bool = False
    """Whether every byte of the file was checked, and not only what is read from it."""
    running: bool = False
    """Whether it is being played; then it cannot be sealed."""
    played: Sequence[Played] = ()
    links: Sequence[str] = ()
    """The chain."""
    flaws: Sequence[str] = ()


def position(links: Sequence[str], head: str) -> int | None:
    """Return how many results of a chain a head stood for; None if it is not in it."""
    places = (START, *links)
    return places.index(head) if head in places else None


class AuditEvidence(NamedTuple):
    """A replay to be looked at, and the result it belongs to, if there is one."""

    path: Path
    played: Played | None


class Examined(NamedTuple):
    """What was found of a replay."""

    flaw: str = ""
    """What is wrong with it; '' if nothing is."""
    void: bool = False
    """Whether the match came to no verdict, so that no result is missing."""


def examine_store(plan: Plan) -> Books:
    """Read everything in a store. What is wrong with it is told, not raised."""
    path = plan.store
    running = writer(path) is not None
    sealed, broken = seal.examine(path)
    if running or writer(path) is not None:
        # Also one that was begun while we looked: the seal is about to go, or has gone.
        running, sealed, broken = True, False, ""
    flaws = [broken] if broken else []
    try:
        with Store(path, write=False) as store:
            flaws += store.flaws()
            results = store.results()
            noted = store.noted(terms.NOTE)
    except NoResultsError as error:
        # Where nothing ever was, nothing is missing.
        there = sealed or (path.exists() and path.stat().st_size)
        return Books(sealed=sealed, running=running, flaws=[*flaws, str(error)] if there else flaws)
    except StoreError as error:
        return Books(sealed=sealed, running=running, flaws=[*flaws, str(error)])
    flaws += (f"{path}, {flaw}" for flaw in chain.flaws(results))
    played, unreadable = _played(results)
    links = [str(match["chain"]) for match, _ in results]
    return Books(
        head=Head(len(links), links[-1]) if links else Head(),
        sealed=sealed,
        running=running,
        played=played,
        links=links,
        flaws=[*flaws, *(f"{path}, {flaw}" for flaw in [*unreadable, *_strange(plan, noted, played)])],
    )


def _strange(plan: Plan, noted: str | None, played: Sequence[Played]) -> list[str]:
    """Return where results do not belong to the tournament of the file."""
    if not played:
        return []
    if noted is None:
        return ["results, but not under which terms they were played"]
    if other := terms.differences(plan, noted):
        return [f"of a tournament with another {' and another '.join(other)} than in {plan.file.name}"]
    return [f"match {one.match}: {flaw}" for one in played if (flaw := _misplaced(plan, one))]


def _misplaced(plan: Plan, played: Played) -> str:
    """Compare a result with the match that its id stands for; that follows from the tournament file."""
    fixture = rightful(plan, played)
    if fixture is None:
        return f"{', '.join(played.bots)} play no match of this id"
    for name in ("bots", "round", "block", "deal"):
        if getattr(played, name) != getattr(fixture, name):
            return f"{name} is {getattr(played, name)}, but should be {getattr(fixture, name)}"
    if played.replay not in {played.match + suffix for suffix in files.SUFFIXES}:
        return f"the replay has another name: {played.replay}"
    return ""


def _played(results: Results) -> tuple[list[Played], list[str]]:
    """Return the results that can be read, and what is wrong with the others."""
    played: list[Played] = []
    flaws: list[str] = []
    for match, seats in results:
        try:
            played.append(schema.played_from(match, seats))
        except ValueError as error:
            flaws.append(f"match {match['id']}: not a result: {error}")
    return played, flaws


def evidence(folder: Path, played: Iterable[Played]) -> list[AuditEvidence]:
    """Return the replays of results, whether they are there or not, and then all others in the folder."""
    found = [AuditEvidence(folder / one.replay, one) for one in played]
    known = {path for path, _ in found}
    others = [path for path in sorted(folder.glob("[!.]*")) if path.name.endswith(files.SUFFIXES)]
    return found + [AuditEvidence(path, None) for path in others if path not in known]


def examine_replay(plan: Plan, path: Path, played: Played | None) -> Examined:
    """Play a replay again and compare it with its result and with the tournament."""
    try:
        replay = replayed(path, "" if played is None else played.digest)
    except RefereeError as error:
        # What no result asks for may go while we look: a match is being played again.
        return Examined(str(error) if played is not None or path.exists() else "")
    flaw = _disagreement(plan, replay, played)
    return Examined(f"{path}: {flaw}" if flaw else "", void=replay.result.void is not None)


def replayed(path: Path, digest: str) -> format.Replay:
    """Return a replay that follows the rules and has the name of its match.

    Its file must have the hash that was committed with its result, unless there is none. Raises RefereeError,
    which names the file.
    """
    data = files.read_bytes(path)
    replay = files.read(path)
    playback.verify(replay)
    # Last, because the replay's own chain may know the line.
    if digest and sha256(data).hexdigest() != digest:
        raise RecordError(f"{path}: a whole replay, but not the one that was committed with the result")
    if path.name not in {replay.header.match + suffix for suffix in files.SUFFIXES}:
        raise RecordError(f"{path}: line 1: the replay of match {replay.header.match}")
    return replay


def contradiction(replay: format.Replay, claimed: Struct) -> str:
    """Say where a replay contradicts what a result claims; '' if nowhere."""
    header, result = replay.header, replay.result
    told = {"match": header.match, "game": header.game, "deal": header.deal, "play": replay.play}
    told |= {name: getattr(result, name) for name in _SHARED}
    for name, value in told.items():
        if getattr(claimed, name, value) != value:
            return f"{name} is {value}, but {getattr(claimed, name)} in the result"
    return ""


_SHARED = ("ranks", "scores", "ties", "reason", "faults", "used_ms", "decisions")
"""What both a replay and a result say of how a match ended."""


def _disagreement(plan: Plan, replay: format.Replay, played: Played | None) -> str:
    """Say where a replay that follows the rules contradicts the tournament or its result."""
    header = replay.header
    if deal_key(plan.seed, header.deal) != replay.key:
        return "the luck is not that of the seed in the tournament file"
    if played is None:
        return ""
    if replay.result.void is not None:
        return f"the match is void ({replay.result.void}), but has a result"
    if header.options != plan.options:
        return "line 1: played with other options than those of the tournament file"
    names = aliases(len(played.bots)) if plan.aliases else played.bots
    if header.names != names:
        return f"line 1: {', '.join(header.names)} played, but the result is that of {', '.join(played.bots)}"
    return contradiction(replay, played)
