"""The hash chain of replays and stores: each link is made of the link before it and of one body of bytes.

A change of any body changes its link and every link after it. The lines of a replay are such bodies
(`referee.replay.format`), and so are the entries of a store (`tournaments.store.chain`).
"""

from hashlib import sha256
from typing import Final

START: Final = "0" * 64
"""The link before the first."""


def link(before: str, body: bytes) -> str:
    """Return the link of a body: the SHA-256, in hex, of the link before it as ASCII text and of the body.

    Raises ValueError for a link before it that is no text of Unicode.
    """
    return sha256(before.encode() + body).hexdigest()
