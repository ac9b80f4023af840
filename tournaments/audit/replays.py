"""The audit of replays: whether each follows the rules and is the one that was committed with its result."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from referee.chance import deal_key
from referee.errors import RecordError, RefereeError
from referee.replay import files, playback
from referee.replay.format import Replay
from tournaments.config.plan import Plan
from tournaments.names_in_match import names_in_match
from tournaments.results import Played


class ReplayEvidence(NamedTuple):
    """A replay to be examined, and the result it belongs to, if there is one."""

    path: Path
    played: Played | None


class ReplayAudit(NamedTuple):
    """What was found of a replay."""

    flaw: str = ""
    """What is wrong with it; '' if nothing is."""
    void: bool = False
    """Whether the match came to no verdict, so that a tournament has no result of it."""


def evidence(folder: Path, played: Iterable[Played]) -> list[ReplayEvidence]:
    """Return the replays of results, whether they are there or not, and then all others in the folder."""
    # A match that could not be set up has no replay.
    found = [ReplayEvidence(folder / one.replay, one) for one in played if one.replay]
    known = {path for path, _ in found}
    others = [path for path in sorted(folder.glob("[!.]*")) if path.name.endswith(files.SUFFIXES)]
    return found + [ReplayEvidence(path, None) for path in others if path not in known]


def audit_replay(one: ReplayEvidence, plan: Plan | None = None) -> ReplayAudit:
    """Play a replay again and compare it with its result, and with the tournament if there is one."""
    path, played = one
    try:
        replay = _replayed(path, "" if played is None else played.digest)
    except RefereeError as error:
        # A replay of no result may be removed meanwhile: its match is being played again.
        return ReplayAudit(str(error) if played is not None or path.exists() else "")
    flaw = _foreign(plan, replay) if plan is not None else ""
    if not flaw and played is not None:
        flaw = _contradiction(plan, replay, played)
    return ReplayAudit(f"{path}: {flaw}" if flaw else "", replay.result.void)


def _replayed(path: Path, digest: str) -> Replay:
    """Return a replay that follows the rules and has the name of its match.

    Its file must have the digest that was committed with its result, if there is one. Raises RefereeError,
    which names the file.
    """
    data = files.read_bytes(path)
    replay = files.read(path)
    playback.verify(replay)
    # Last, because the replay's own chain may name the line.
    if digest and sha256(data).hexdigest() != digest:
        raise RecordError(f"{path}: a whole replay, but not the one that was committed with the result")
    if path.name not in {replay.header.match + suffix for suffix in files.SUFFIXES}:
        raise RecordError(f"{path}: line 1: the replay of match {replay.header.match}")
    return replay


def _foreign(plan: Plan, replay: Replay) -> str:
    """Return where a replay that follows the rules contradicts the tournament file."""
    header, luck = replay.header, plan.luck
    if not plan.is_drawn:
        return "played, but the luck of the tournament is not drawn"
    if luck is not None and header.beacon != luck.beacon:
        return f"line 1: the luck is not that of beacon {luck.source!r} and of what was committed"
    if luck is None and not isinstance(header.beacon, msgspec.UnsetType):
        return f"line 1: the luck is that of beacon {header.beacon.source!r}, which the tournament file lacks"
    if deal_key(plan.seed, header.deal) != replay.key:
        return "the luck is not that of the seed in the tournament file"
    return ""


def _contradiction(plan: Plan | None, replay: Replay, played: Played) -> str:
    """Return where a replay contradicts the row of its match."""
    header = replay.header
    if plan is not None:
        if replay.result.void:
            return f"the match is void ({replay.result.void_reason}), but has a result"
        if header.options != plan.options:
            return "line 1: played with other options than those of the tournament file"
    if header.names not in _names(plan, played):
        return f"line 1: {', '.join(header.names)} played, but the result is that of {', '.join(played.bots)}"
    if found := playback.difference(replay.result, played.result):
        name, value, claimed = found
        return f"{name} is {value!r}, but {claimed!r} in the result"
    for name, value, claimed in (("deal", header.deal, played.deal), ("play", replay.play, played.play)):
        if value != claimed:
            return f"{name} is {value!r}, but {claimed!r} in the result"
    return ""


def _names(plan: Plan | None, played: Played) -> list[tuple[str, ...]]:
    """Return what the bots of a match may have been called: names that were hidden may be disclosed later."""
    if plan is None:
        return [_accounts(played)]
    shown = [names_in_match(plan, played.bots)]
    return shown if plan.aliases else [*shown, tuple(plan.masks.get(bot, bot) for bot in played.bots)]


def _accounts(played: Played) -> tuple[str, ...]:
    """Return the names of the bots of a ladder: a version plays under the name of its account."""
    return tuple(
        name if bot == name or bot.startswith(f"{name}@") else bot
        for bot, name in zip(played.bots, played.result.names, strict=True)
    )
