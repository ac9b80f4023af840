"""HTML and SVG that cannot be broken out of: whatever is not markup by its type is escaped."""

import html
from collections.abc import Iterable
from typing import NewType

Markup = NewType("Markup", str)
"""Text that may go into a page as it is; only this module makes it from other text."""

NOTHING = Markup("")

_VOID = frozenset({"br", "line", "circle", "rect", "path", "polyline", "meta"})
"""Elements that have no content here."""


def text(value: object) -> Markup:
    r"""Return text as markup that shows it; what cannot be printed is spelled out.

    >>> text("<b>\x00")
    '&lt;b&gt;\\x00'
    """
    raw = str(value)
    if not raw.isprintable():
        raw = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in raw)
    return Markup(html.escape(raw))


def join(parts: Iterable[Markup], between: Markup = NOTHING) -> Markup:
    """Put pieces of markup one after another."""
    return Markup(between.join(parts))


def element(tag: str, *children: Markup, **attributes: object) -> Markup:
    """Return an element; an attribute that is None is left out.

    In names of attributes `_` stands for `-`, and a last one (`class_`) is dropped.

    >>> element("td", text("a & b"), class_="number", title=None)
    '<td class="number">a &amp; b</td>'
    """
    given = "".join(
        f' {name.removesuffix("_").replace("_", "-")}="{text(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    end = "/>" if tag in _VOID and not children else f">{''.join(children)}</{tag}>"
    return Markup(f"<{tag}{given}{end}")


def bot(name: str) -> Markup:
    """Return a bot's name; whatever its script, it turns nothing around it."""
    return element("bdi", text(name))
