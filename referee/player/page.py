"""Pages that are one file: they open from disk, offline, and ask no other host for anything."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from markupsafe import Markup, escape

from referee.game import Game, Seen, View
from referee.player.linker import board_source, script, style

_PAGE = Markup(
    """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
{data}
<script>{script}</script>
</body>
</html>
"""
)


def position_page(
    game: Game,
    view: View,
    names: Sequence[str],
    *,
    events: Sequence[Seen] = (),
    before: View | None = None,
) -> str:
    """Return a page with the picture of one view; the events are those of the last step, as its viewer saw."""
    is_drawn = board_source(game) is not None
    looks = [look if is_drawn else look | {"text": game.draw(look)} for look in (view, before) if look]
    position = {
        "game": game.info.id,
        "names": list(names),
        "view": looks[0],
        "before": looks[1] if before else None,
        "events": list(events),
    }
    return one_file(
        game.info.title,
        entry="position.js",
        styles=("theme.css", "stage.css"),
        games=[game],
        body=Markup("<main></main>"),
        data={"position": msgspec.json.encode(position).decode()},
    )


def one_file(
    title: str,
    *,
    entry: str,
    styles: Iterable[str],
    games: Iterable[Game],
    body: Markup,
    data: Mapping[str, str],
) -> str:
    """Return a page with its style, its script and its data, which the script finds by their ids."""
    games = list(games)
    sheet = style(styles, games)
    code = script(entry, {game.info.id: game for game in games})
    return _PAGE.format(
        policy=Markup(policy(sheet, code)),
        title=title,
        style=Markup(sheet),
        body=body,
        data=Markup("\n").join(_data(id, text) for id, text in data.items()),
        script=Markup(code),
    )


def policy(sheet: str, code: str) -> str:
    """Return a security policy that allows this style and this script, and nothing from elsewhere."""
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{digest(sheet)}'; "
        f"script-src '{digest(code)}'"
    )


def digest(content: str) -> str:
    """Return the digest by which a security policy allows a style sheet or a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _data(id: str, text: str) -> Markup:
    # In a script element nothing is unescaped, so there must be no `<` at all; JSON can spell it otherwise.
    return Markup('<script type="application/json" id="{id}">{text}</script>').format(
        id=escape(id), text=Markup(text.replace("<", "\\u003c"))
    )


def as_json(value: Any) -> str:
    """Return a value as JSON for the data of a page."""
    return msgspec.json.encode(value).decode()
