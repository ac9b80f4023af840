"""What can stand on a cell, as small numbers, and what follows when a figure arrives, leaves or is shot.

A cell is empty, or holds one to three figures of one gang, or a kidnapper and his hostage (3.5): 73 contents
in all. Every rule about a single cell is a list over them, made once.
"""

from typing import NamedTuple

from referee.game import View
from referee.games.vengeance.board import MOST_CELLS
from referee.games.vengeance.components import GANGS

NOBODY = len(GANGS)
MOST = 3
EMPTY = 0


class Content(NamedTuple):
    """Figures on a cell: a gang's, and perhaps a hostage it holds."""

    gang: int
    hoods: int
    boss: bool
    hostage: int | None = None
    """A figure: twice its gang, plus one for a boss."""


STAND, TAKE, AMBUSH, EXECUTE, RESCUE = range(5)
"""What an arrival comes to."""


def _all_contents() -> list[Content]:
    gangs = range(len(GANGS))
    groups = [
        Content(gang, figures - boss, boss)
        for gang in gangs
        for boss in (False, True)
        for figures in range(1, MOST + 1)
    ]
    held = [
        Content(gang, int(not boss), boss, hostage)
        for gang in gangs
        for boss in (False, True)
        for hostage in range(2 * len(GANGS))
        if hostage >> 1 != gang
    ]
    return groups + held


CONTENTS: tuple[Content | None, ...] = (None, *_all_contents())
CODES: dict[Content | None, int] = {content: code for code, content in enumerate(CONTENTS)}


def group(gang: int, hoods: int, boss: bool) -> int:
    """Return the content of a cell that holds figures of one gang, or none."""
    return CODES[Content(gang, hoods, boss)] if hoods or boss else EMPTY


def alone(figure: int) -> int:
    """Return the content of a cell that holds one figure."""
    return group(figure >> 1, int(not figure & 1), bool(figure & 1))


def compact(code: int) -> str:
    """Return a content in the short text of 7.1, as `O*O` or `O(Y*)`."""
    content = CONTENTS[code]
    if content is None:
        return ""
    letter = GANGS[content.gang]
    text = f"{letter}*" * content.boss + letter * content.hoods
    if content.hostage is None:
        return text
    return f"{text}({GANGS[content.hostage >> 1]}{'*' * (content.hostage & 1)})"


COMPACT = tuple(map(compact, range(len(CONTENTS))))


def _arrival(content: Content | None, figure: int) -> tuple[int, int] | None:
    """Return content and effect after an arrival, or None if the cell does not admit it (3.5, 3.7)."""
    gang, boss = figure >> 1, bool(figure & 1)
    if content is None:
        return alone(figure), STAND
    count = content.hoods + content.boss
    if content.hostage is not None:
        if content.gang == gang:
            return group(gang, content.hoods + (not boss), content.boss or boss), EXECUTE
        if content.hostage >> 1 == gang:
            bosses = bool(content.hostage & 1) or boss
            return group(gang, 2 - bosses, bosses), RESCUE
        return None
    if count == MOST:
        return None
    if content.gang == gang:
        # There is one boss to a gang, so the entries for a second one are never looked up.
        bosses = content.boss or boss
        return group(gang, count + 1 - bosses, bosses), STAND
    if count == 1:
        return CODES[Content(gang, int(not boss), boss, 2 * content.gang + content.boss)], TAKE
    return CODES[content], AMBUSH


def _removal(content: Content | None, figure: int) -> int:
    """Return the content when a figure that stands there has left or died; its hostage is free (3.7)."""
    if content is None:
        return EMPTY
    if content.hostage == figure:
        return alone(2 * content.gang + content.boss)
    if content.hostage is not None:
        return alone(content.hostage)
    boss = figure & 1
    return group(content.gang, max(0, content.hoods + boss - 1), content.boss and not boss)


def _without(content: Content | None, gang: int) -> int:
    """Return the content when all figures of a gang are gone."""
    if content is None:
        return EMPTY
    if content.gang == gang:
        return EMPTY if content.hostage is None else alone(content.hostage)
    if content.hostage is not None and content.hostage >> 1 == gang:
        return group(content.gang, content.hoods, content.boss)
    return CODES[content]


def _shot(content: Content | None, hirer: int) -> tuple[int, ...]:
    """Return the figures a rifle kills on a plain or shooting cell; a shield dies instead (3.8, 4.1)."""
    if content is None:
        return ()
    captor = 2 * content.gang + content.boss
    if content.hostage is not None:
        return (captor if content.hostage >> 1 == hirer else content.hostage,)
    if content.gang == hirer:
        return ()
    return (2 * content.gang if content.hoods else captor,)


def _blast(content: Content | None, hirer: int) -> tuple[int, ...]:
    """Return the figures a rifle kills on a danger cell, in order: hostage, hoods, boss (3.8, 4.3)."""
    if content is None:
        return ()
    hostages = () if content.hostage is None else (content.hostage,)
    hoods = (2 * content.gang,) * content.hoods
    bosses = (2 * content.gang + 1,) * content.boss
    return tuple(figure for figure in hostages + hoods + bosses if figure >> 1 != hirer)


_GANGS = range(len(GANGS))
ARRIVALS = tuple(tuple(_arrival(content, figure) for content in CONTENTS) for figure in range(2 * len(GANGS)))
"""By figure and content: the new content and the effect, or None."""
ADMITS = tuple(tuple(arrival is not None for arrival in ARRIVALS[2 * gang]) for gang in _GANGS)
"""By gang and content: whether the cell admits an arrival."""
REMOVALS = tuple(tuple(_removal(content, figure) for content in CONTENTS) for figure in range(2 * len(GANGS)))
"""By figure and content: the new content when that figure, which stands there, is gone."""
WITHOUT = tuple(tuple(_without(content, gang) for content in CONTENTS) for gang in _GANGS)
"""By gang and content: the content without that gang."""
SHOTS = tuple(tuple(_shot(content, hirer) for content in CONTENTS) for hirer in _GANGS)
"""By hirer and content: the figures a rifle kills on a plain or shooting cell."""
BLASTS = tuple(tuple(_blast(content, hirer) for content in CONTENTS) for hirer in _GANGS)
"""By hirer and content: the figures a rifle kills on a danger cell, in order."""
HOSTAGES = tuple(content and content.hostage for content in CONTENTS)
"""By content: the hostage, a figure, or None."""
CAPTORS = tuple(
    None if content is None or content.hostage is None else 2 * content.gang + content.boss
    for content in CONTENTS
)
"""By content: the figure that holds a hostage, or None."""
FREE = tuple(content.gang if content is not None and content.hoods else NOBODY for content in CONTENTS)
"""By content: the gang that has a free hood there."""
FREE_HOODS = tuple(0 if content is None else content.hoods for content in CONTENTS)
"""By content: how many free hoods there are."""


def _view(content: Content) -> View:
    """Return how views show what stands on a cell."""
    held = content.hostage
    hostage = None if held is None else {"gang": GANGS[held >> 1], "boss": bool(held & 1)}
    return {"gang": GANGS[content.gang], "hoods": content.hoods, "boss": content.boss, "hostage": hostage}


Shown = tuple[str, View]
"""A cell in a view: its number and what it holds."""
SHOWN: tuple[tuple[Shown | None, ...], ...] = tuple(
    (None, *((str(cell), view) for view in map(_view, _all_contents()))) for cell in range(MOST_CELLS)
)
"""By cell and content: how views show the cell, None if it is empty."""
