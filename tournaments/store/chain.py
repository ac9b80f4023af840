"""The chain of results in a store: what of a match's rows goes into its link (`referee.replay.hashchain`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from referee.replay import hashchain

Values = Mapping[str, Any]
"""A row by the names of its columns, as the database gives it: of any type, if somebody has been at it."""

_FORMAT: Final = "result 1"
_MATCH: Final = (
    *("number", "id", "game", "round", "block", "deal", "ties", "reason", "decisions"),
    *("play", "replay", "digest", "finished"),
)
_SEAT: Final = ("match_id", "seat", "bot", "rank", "score", "fault", "used_ms")


def link(before: str, match: Values, seats: Sequence[Values]) -> str:
    """Return the link of a match behind another link."""
    rows = ([match[name] for name in _MATCH], [[seat[name] for name in _SEAT] for seat in seats])
    return hashchain.link(before, _FORMAT, *rows)


def note_hash(name: str, value: str) -> str:
    """Return what a note of the store is known by."""
    return sha256(msgspec.json.encode(("note 1", name, value))).hexdigest()


def flaws(results: Iterable[tuple[Values, Sequence[Values]]]) -> Iterator[str]:
    """Return what is wrong with results in the order of their numbers.

    Behind a flaw the chain is followed from what stands there, so that each is told once.
    """
    before = hashchain.START
    for number, (match, seats) in enumerate(results, 1):
        if match["number"] != number:
            yield f"match {match['id']} has number {match['number']!r} where {number} belongs"
        elif not _is_link(before, match, seats):
            yield f"result {number} (match {match['id']}): this or the one before is not as it was committed"
        before = str(match["chain"])


def _is_link(before: str, match: Values, seats: Sequence[Values]) -> bool:
    try:
        return bool(link(before, match, seats) == match["chain"])
    except ValueError:
        # A number or a text that JSON cannot have was not committed by us.
        return False
