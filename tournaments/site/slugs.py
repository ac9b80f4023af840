"""File names of bots: safe on every file system and in every address, from names that may be hostile."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_MOST: Final = 40
"""Letters of the readable part."""

_RESERVED: Final = re.compile(r"(con|prn|aux|nul|index|com\d|lpt\d)")
"""Names that Windows gives to devices, and that of the page of a folder."""


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a file name without suffix for every bot: small letters, digits and hyphens, no two the same.

    It depends on the name alone, so an address stays the same when other bots join.
    """
    return {name: slug(name) for name in names}


def slug(name: str) -> str:
    """Return the file name of one bot. A name that is not one already gets a part of its hash.

    >>> slug("minimax-2"), slug("Émile & Co")
    ('minimax-2', 'emile-co-c5722a56d6')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_MOST].strip("-")
    if plain == name and not _RESERVED.fullmatch(plain):
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{plain}-{digest}" if plain else digest
