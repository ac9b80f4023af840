"""What an operator is warned of before matches are rated: seeds to be guessed, and bots that can remember."""

import secrets
import zlib
from itertools import pairwise
from typing import Final

from referee.process.spec import Level

LEAST_BITS: Final = 64
"""A seed of fewer bits can be found by trying: a bot sees its own cards, and so when a guess is right."""

_HARD: Final = "makes that hard (docs/security.md)"

_BY_CHANCE: Final = 4
"""So many characters can be saved in a seed that was drawn: some of its digits repeat by chance."""

_HEXADECIMAL: Final = frozenset("0123456789abcdef")
_DECIMAL: Final = frozenset("0123456789")


def new_seed() -> str:
    """Return a seed that cannot be guessed."""
    return secrets.token_hex(16)


def seed_bits(seed: str) -> int:
    """Return about how many bits a seed has, by a simple rule.

    A hexadecimal digit counts 4 bits, a digit of a decimal number 3, and every character of another text 2,
    because words can be guessed. What repeats, or follows in order as in 'abcd', counts once.

    >>> seed_bits("7"), seed_bits("spring 2026"), seed_bits("b0b5c1d2e4f6a798"), seed_bits("0" * 99)
    (3, 22, 64, 24)
    """
    letters = set(seed)
    each = 3 if letters <= _DECIMAL else 4 if letters <= _HEXADECIMAL else 2
    return each * _new_characters(seed)


def _new_characters(seed: str) -> int:
    """Return how many characters of a seed are left after compression, of itself and of its steps."""
    codes = [ord(letter) for letter in seed]
    steps = [(code - before) % 256 for before, code in pairwise([0, *codes])]
    left = min(_compressed(seed.encode(errors="replace")), _compressed(bytes(steps)))
    return min(len(seed), left + _BY_CHANCE)


def _compressed(data: bytes) -> int:
    # Without a code of its own for the letters: how many of them there are is counted above.
    way = zlib.compressobj(strategy=zlib.Z_FIXED)
    return len(way.compress(data) + way.flush()) - len(zlib.compress(b""))


def seed_caution(seed: str, mend: str) -> str:
    """Return the warning about a seed that can be guessed, or ''; `mend` says how to get a better one."""
    bits = seed_bits(seed)
    if bits >= LEAST_BITS:
        return ""
    return (
        f"the seed is short: at about {bits} of {LEAST_BITS} bits a bot can find it by trying, and then "
        f"knows all cards; {mend}"
    )


def memory_caution(level: Level, fresh: bool, *, only_samples: bool, in_file: bool) -> str:
    """Return the warning that bots can remember a deal which comes again, or '' if that is hard.

    Our own samples are known not to, so they may be trusted. `in_file` says where the settings are: in a
    tournament file or on the command line.
    """
    remember = "can remember deals, which come again in other seats"
    if level == "trusted":
        mend = 'level = "class"' if in_file else "--level class"
        return "" if only_samples else f"at level trusted bots {remember}; {mend} {_HARD}"
    if not fresh:
        setting = "fresh = false" if in_file else "--no-fresh"
        return f"with `{setting}` bots live on and {remember}; to leave it out {_HARD}"
    return ""
