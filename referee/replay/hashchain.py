"""Chains of hashes: every result is bound to all that were written before it.

A link is the SHA-256, in hex, of the link before it and of what is chained. So the last link, the head,
stands for all results, their order and their replays. If a published head is no longer in the chain, a result
up to it was changed or removed.
"""

from hashlib import sha256
from typing import Final

import msgspec

START: Final = "0" * 64
"""The value before the first link."""


class Head(msgspec.Struct, frozen=True):
    """The end of a chain: it stands for this many results."""

    results: int = 0
    hash: str = START

    def __str__(self) -> str:
        counted = "1 result" if self.results == 1 else f"{self.results} results"
        return f"{counted}, head {self.hash}"


def link(before: str, kind: str, *facts: object) -> str:
    """Return the link of a value of this kind after another link."""
    return sha256(msgspec.json.encode((kind, before, *facts))).hexdigest()
