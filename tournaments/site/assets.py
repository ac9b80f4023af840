"""Style sheets and scripts of a site, each linked into one file. They depend on the game alone."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from referee import registry
from referee.errors import RefereeError
from referee.game import Game
from referee.player.linker import script, style, web_file
from tournaments.report.markup import source

PACKAGE: Final = "tournaments.site"

PLAYER_STYLES: Final = ("stage.css", "player.css")


def asset_paths() -> list[str]:
    """Return the paths of all style sheets and scripts of a site."""
    return list(_MAKERS)


def render_asset(path: str, game: str) -> str:
    """Return a style sheet or script; raises KeyError for a path that is none."""
    return _MAKERS[path](_games(game))


def _games(game: str) -> Mapping[str, Game]:
    """Return the game by its id; nothing where it is not installed, and then its matches are not shown."""
    try:
        return {game: registry.game(game)}
    except RefereeError:
        return {}


@cache
def _modules() -> dict[str, str]:
    """Return the modules of this package by name."""
    folder = files(PACKAGE) / "web"
    return {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".js")}


def _linked(entry: str) -> Callable[[Mapping[str, Game]], str]:
    return lambda _: script(entry, {}, _modules())


_MAKERS: Final[dict[str, Callable[[Mapping[str, Game]], str]]] = {
    "assets/site.css": lambda _: web_file("theme.css") + source("report.css") + source("site.css", PACKAGE),
    "assets/site.js": _linked("site.js"),
    "assets/matches.js": _linked("matches_page.js"),
    "assets/pair.js": _linked("pair_page.js"),
    "assets/projector.js": _linked("projector.js"),
    "assets/player.css": lambda games: style(PLAYER_STYLES, games.values()),
    "assets/player.js": lambda games: script("match_page.js", games),
}
