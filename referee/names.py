"""Names of bots: which may stand side by side, because people can distinguish them at a glance.

Two names look alike if they have a skeleton in common. A skeleton leaves out blanks, marks that are not seen,
and the difference between capital and small letters, and it replaces letters of other alphabets by the Latin
letter they look like, digits by ours, and dashes by a hyphen. Unicode's own list of such letters has
thousands of entries and is not part of Python. In its place stands a plain rule: the letters of a name come
from one alphabet, of those in everyday use today, and a table has the look-alikes among these (Armenian,
Cyrillic, Greek). Chinese, Japanese and Korean writing mixes its own scripts, and Latin letters, which look
like none of them.
"""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_ALIKE: Final = str.maketrans(
    # Cyrillic.
    dict(zip("аеёорсухкіїјѕһԁԛԝьгпвнтмзчԍүҽӏ", "aeeopcyxkiijshdqwbrnbhtm34gyel", strict=True))
    # Greek, whose small letters with accents are taken apart first.
    | dict(zip("αβγεηικνορςτυχωϲϳ", "abyenikvopctuxwcj", strict=True))
    # Armenian.
    | dict(zip("օսոհզցյյք", "ounhqgjjp", strict=True))
    # Latin letters and digits that are read as others.
    | dict(zip("01\u0131łȷ|", "oliljl", strict=True))
    # A minus, and marks that are read as an apostrophe.
    | {0x2212: "-"}
    | dict.fromkeys(map(ord, "\u2018\u2019\u201b\u2032`"), "'")
)
"""What a letter looks like, after NFKD and without case."""

_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that are letters or marks by their category, and are not seen."""

_EAST_ASIAN: Final = frozenset(
    ["BOPOMOFO", "CJK", "HANGUL", "HIRAGANA", "IDEOGRAPHIC", "KATAKANA", "KATAKANA-HIRAGANA", "LATIN"]
)

_SCRIPTS: Final = _EAST_ASIAN | frozenset(
    [
        "ARABIC",
        "ARMENIAN",
        "BENGALI",
        "CYRILLIC",
        "DEVANAGARI",
        "ETHIOPIC",
        "GEORGIAN",
        "GREEK",
        "GUJARATI",
        "GURMUKHI",
        "HEBREW",
        "KANNADA",
        "KHMER",
        "LAO",
        "MALAYALAM",
        "MYANMAR",
        "ORIYA",
        "SINHALA",
        "TAMIL",
        "TELUGU",
        "THAANA",
        "THAI",
        "TIBETAN",
    ]
)
"""Scripts in everyday use, by the first word of the names of their letters."""


_PHONETIC: Final = (range(0x250, 0x2B0), range(0x1D00, 0x1DC0), range(0xA720, 0xA800), range(0xAB30, 0xAB70))
"""Letters of dictionaries, many of which look like the letters of everyday use."""


def skeletons(name: str) -> frozenset[str]:
    """Return the skeletons of a name: a capital I is read as i or as l.

    >>> skeletons("alice") == skeletons("al ice") == skeletons("\u0430lice") == skeletons("A1ice")
    True
    """
    return frozenset({_skeleton(name), _skeleton(name.replace("I", "l"))})


# A name is compared with every other one of an event, and an event is read several times.
@lru_cache(maxsize=4_096)
def _skeleton(name: str) -> str:
    # Twice, because small letters may be taken apart further than capitals.
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    seen = "".join(_plain(one) for one in folded if not _is_unseen(one)).translate(_ALIKE)
    return unicodedata.normalize("NFC", seen)


def _is_unseen(character: str) -> bool:
    # Formatting, separators; marks that are variants of the character before.
    is_variant = "VARIATION SELECTOR" in unicodedata.name(character, "")
    return character in _UNSEEN or is_variant or unicodedata.category(character)[0] in "CZ"


def _plain(character: str) -> str:
    """Return a digit of any script as ours, a dash of any length as a hyphen, and others as they are."""
    if unicodedata.category(character) == "Pd":
        return "-"
    return str(unicodedata.decimal(character, character))


def flaw(name: str) -> str:
    """Return what is wrong with a name that is to stand beside others, or ''."""
    if not _skeleton(name):
        return "it has no character that is seen"
    plain = unicodedata.normalize("NFKC", name)
    scripts = {_script(one) for one in plain if one.isalpha() and one not in _UNSEEN}
    strange = scripts - _SCRIPTS
    if strange:
        return f"it has letters of a script that is not in everyday use: {', '.join(sorted(strange))}"
    if len(scripts) > 1 and not scripts <= _EAST_ASIAN:
        return f"it mixes letters of several alphabets: {', '.join(sorted(scripts))}"
    return ""


def _script(letter: str) -> str:
    if any(ord(letter) in block for block in _PHONETIC):
        return "PHONETIC"
    return unicodedata.name(letter, "UNNAMED").partition(" ")[0]


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """Return the one of the other names that this name looks like, without being the same; None if none."""
    own = skeletons(name)
    return next((other for other in others if other != name and not own.isdisjoint(skeletons(other))), None)
