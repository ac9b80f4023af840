"""Names of the bots of an event: which a bot may have beside others, and how a name is made from any text."""

import unicodedata
from collections.abc import Collection, Iterator
from itertools import count

from protocol.limits import NAME_LENGTH
from referee import names
from referee.wording import clean


def unfit_name(name: str, taken: Collection[str]) -> str:
    """Return why a bot cannot have a name beside those that are taken, or ''."""
    if name in taken:
        return f"two bots are called {name}: names must differ"
    if not name.isprintable():
        return f"{clean(name)} has a character that is not printed, as joined emoji do: leave it out"
    if flaw := names.flaw(name):
        return f"{name}: {flaw}"
    other = names.look_alike(name, taken)
    return f"{name} looks like {other}, the name of another bot: names must differ" if other else ""


def printable(text: str) -> str:
    r"""Return a text in one line, without what is not printed.

    >>> printable("Ann\tLee\u200d ")
    'Ann Lee'
    """
    plain = unicodedata.normalize("NFC", text)
    # What is not printed separates words (a tab), or joins characters that are seen one by one as well.
    shown = "".join(" " if one.isspace() else one for one in plain if one.isspace() or one.isprintable())
    return " ".join(shown.split())


def fit_name(text: str, taken: Collection[str]) -> str:
    """Return a name that a bot may have beside those that are taken, as like to a text as it can be.

    >>> fit_name("Zoë\u200d", []), fit_name("Ann Lee", ["Ann Lee"])
    ('Zoë', 'Ann Lee-2')
    """
    name = printable(text)
    if not name or names.flaw(name):
        ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        name = " ".join(ascii_only.split())
        name = "bot" if not name or names.flaw(name) else name
    return next(one for one in _numbered(name) if not unfit_name(one, taken))


def _numbered(name: str) -> Iterator[str]:
    yield name[:NAME_LENGTH].rstrip()
    for number in count(2):
        yield f"{name[: NAME_LENGTH - len(str(number)) - 1].rstrip()}-{number}"
