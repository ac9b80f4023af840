"""Links modules of JavaScript into one classic script: the same sources run from a disk and from a server.

A browser loads no ES module from a file on disk, and a page that is one file has no second one to import. The
modules keep to a small part of the language, so linking them needs no parser. Every `import` is one line at
the top, of names (`import { a, b } from "./other.js";`) or of data (`import city from "./city.json" with
{ type: "json" };`). Every `export` stands before a `function`, `class` or `const` at the start of a line.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files

from referee import registry
from referee.errors import RefereeError
from referee.game import Game

Read = Callable[[str], str]
"""Returns the text of a module by its name, such as `scene.js`."""

PICTURE = "picture"
"""The folder of a game that draws its positions: `board.js`, `board.css`, and what `board.js` imports."""

_IMPORT = re.compile(
    r"""^import\ (?:\{\ (?P<names>[^}]+?),?\ \}|(?P<data>\w+))\ from\ "(?:\./|\.\./)(?P<module>[\w.-]+)"
        (?:\ with\ \{\ type:\ "json"\ \})?;$""",
    re.MULTILINE | re.VERBOSE,
)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_LEFT_OVER = re.compile(r"^\s*(?:import|export)\b.*$", re.MULTILINE)


def link(entry: str, read: Read) -> str:
    """Return one script with a module and all that it imports, each once and in its own scope.

    Raises RefereeError for a line of a module that is neither of the forms above.
    """
    parts: dict[str, str] = {}
    _add(entry, read, parts, ())
    return '"use strict";\n(() => {\n' + "".join(parts.values()) + "})();\n"


def _add(name: str, read: Read, parts: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module behind those that it imports."""
    if name in parts:
        return
    if name in above:
        raise RefereeError(f"{name}: modules import each other in a circle: {' -> '.join((*above, name))}")
    text = read(name)
    if name.endswith(".json"):
        data = json.dumps(json.loads(text))
        # In a page, the text of a script must not end it.
        parts[name] = f"const {_scope(name)} = {data.replace('<', chr(92) + 'u003c')};\n"
        return
    for found in _IMPORT.finditer(text):
        _add(found["module"], read, parts, (*above, name))
    body = _IMPORT.sub(lambda found: f"const {_bound(found)} = {_scope(found['module'])};", text)
    exported = _EXPORT.findall(body)
    body = _EXPORT.sub("", body)
    if left := _LEFT_OVER.search(body):
        raise RefereeError(f"{name}: this line cannot be linked: {left[0].strip()}")
    parts[name] = f"const {_scope(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def _bound(found: re.Match[str]) -> str:
    return f"{{ {found['names'].replace(' as ', ': ')} }}" if found["names"] else found["data"]


def _scope(name: str) -> str:
    """Return the name of the constant that holds a module.

    >>> _scope("chicago-poker.board.js")
    '$chicago_poker$board$js'
    """
    return "$" + name.replace(".", "$").replace("-", "_")


@cache
def web_file(name: str) -> str:
    """Return a file of the folder `web`."""
    return (files("referee.player") / "web" / name).read_text("utf-8")


def board_source(game: Game) -> str | None:
    """Return the drawing of a game, or None if it has none: then its text board is shown."""
    return registry.file_of(game, f"{PICTURE}/board.js")


def style(names: Iterable[str], games: Iterable[Game]) -> str:
    """Return these style sheets of the folder `web`, and those of the boards of these games."""
    boards = (registry.file_of(game, f"{PICTURE}/board.css") or "" for game in games)
    return "".join([*map(web_file, names), *boards])


def script(entry: str, games: Mapping[str, Game], modules: Mapping[str, str] | None = None) -> str:
    """Return a script of the folder `web`; it finds the drawings of these games in `boards.js`.

    `modules` has the texts of further modules by name, for pages that are not the player's own.
    """

    def read(name: str) -> str:
        if modules and name in modules:
            return modules[name]
        if name == "boards.js":
            return _boards(games)
        id, _, own = name.partition(".")
        if id in games and own.endswith(".json"):
            return registry.file_of(games[id], own) or "null"
        if id in games and own.endswith(".js"):
            return _in_game(registry.file_of(games[id], f"{PICTURE}/{own}") or "", games[id])
        return web_file(name)

    return link(entry, read)


def _boards(games: Mapping[str, Game]) -> str:
    """Return a module with the drawings by id of a game."""
    drawn = [id for id, game in games.items() if board_source(game) is not None]
    imports = "".join(
        f'import {{ board as board{number} }} from "./{_module_of(id)}";\n' for number, id in enumerate(drawn)
    )
    entries = ", ".join(f"{json.dumps(id)}: board{number}" for number, id in enumerate(drawn))
    return f"{imports}export const boards = {{ {entries} }};\n"


def _module_of(id: str) -> str:
    return f"{id}.board.js"


def _in_game(text: str, game: Game) -> str:
    """Return a module of a game; what it imports of its own folder gets names that no other game has."""

    def own(found: re.Match[str]) -> str:
        name = found["module"]
        is_own = name.endswith(".json") or registry.file_of(game, f"{PICTURE}/{name}") is not None
        return found[0].replace(f'/{name}"', f'/{game.info.id}.{name}"') if is_own else found[0]

    return _IMPORT.sub(own, text)
