"""The frames of a match as a script, which the player of a site loads when the match is asked for.

The script calls `refereeFrames(id, packed, about)`. Where a replay is not shown it says why in its place:
`refereeFrames(id, null, {why})`.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from referee.errors import RefereeError
from referee.match.faults import Fault
from referee.player.frames import frames, packed
from referee.replay.files import read
from referee.replay.format import Replay
from tournaments.results import Played
from tournaments.site.masks import NO_MASKS, Masks
from tournaments.site.model import SiteEvent

WITHHELD: Final = (
    "The deal of this match is still to be played by other bots. Its replay is shown when the last match of "
    "the deal is over."
)
NO_REPLAY: Final = "There is no replay of this match."
BROKEN: Final = (
    "The replay of this match cannot be shown: its file is missing, is damaged, or does not verify. The "
    "result stands as the store has it; `referee tournament verify` says what is wrong."
)

BEGINNING: Final = b"refereeFrames("
"""How every such script begins."""


def replay_script(event: SiteEvent, match: Played) -> str:
    """Return the script of a match, or one that says why it is not shown."""
    if event.is_withheld(match):
        return refusal(match.match, WITHHELD)
    if event.replays is None or not match.replay:
        return refusal(match.match, NO_REPLAY)
    try:
        return frames_script(match, event.replays / match.replay, others_of(event, match), event.masks)
    except RefereeError:
        return refusal(match.match, BROKEN)


def others_of(event: SiteEvent, match: Played) -> list[tuple[str, str]]:
    """Return the other matches of the same block, each with its bots by seat, for a look at both at once."""
    return [
        (other.match, ", ".join(other.bots))
        for other in event.by_block[match.block]
        if other.match != match.match and event.has_replay(other)
    ]


def frames_script(
    match: Played, path: Path, others: Sequence[tuple[str, str]], masks: Masks = NO_MASKS
) -> str:
    """Return the script of a match, made from its replay. Raises RefereeError if that does not verify."""
    document = frames(with_names(read(path), match.bots, masks))
    about = {"file": match.replay, "others": [{"match": id, "label": label} for id, label in others]}
    return f"refereeFrames({_literal(match.match)},{_literal(packed(document))},{_literal(about)});\n"


def refusal(match: str, why: str) -> str:
    """Return a script that says why a match is not shown."""
    return f"refereeFrames({_literal(match)},null,{_literal({'why': why})});\n"


def with_names(replay: Replay, bots: Sequence[str], masks: Masks) -> Replay:
    """Return a replay with the names of the entrants, where the bots saw others.

    What was played does not depend on names, and the results beside it are under these names too.
    """
    header = replace(replay.header, names=tuple(bots))
    seats = tuple(replace(seat, name=bot) for seat, bot in zip(replay.result.seats, bots, strict=True))
    entries = tuple(
        replace(entry, why=masks.text(entry.why)) if isinstance(entry, Fault) else entry
        for entry in replay.entries
    )
    return replace(replay, header=header, entries=entries, result=replace(replay.result, seats=seats))


def _literal(value: Any) -> str:
    """Return a value as JavaScript. ASCII only: two line ends of Unicode end a line of old scripts."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
