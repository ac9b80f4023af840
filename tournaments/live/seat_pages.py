"""The pages of people that play in the browser: a seat, the lobby, and the rules of the games."""

from collections.abc import Callable
from functools import cache
from html import escape
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from referee import registry
from referee.errors import RefereeError
from referee.player.linker import script, style
from tournaments.live.answers import Content, Refusal, answer

_SCRIPTS = ("seat.js", "join.js")
_PAGES = ("seat.html", "join.html")

_RULES = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}: rules</title>
<link rel="stylesheet" href="../assets/rules.css">
</head>
<body>
<main class="rules-page">
{text}
</main>
</body>
</html>
"""


def page_routes(game: Callable[[], str]) -> list[Route]:
    """Return the pages of seats and lobby; `game` returns the id of the game that people play, or ''."""

    async def serve(request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        if not game():
            raise Refusal(404, "no person plays here")
        return answer(request, _content(name, game()))

    names = [*_PAGES, *(f"assets/{name}" for name in (*_SCRIPTS, "seat.css"))]
    return [Route(f"/{name}", serve, methods=["GET"]) for name in names]


def rules_routes() -> list[Route]:
    """Return the rules of every game as pages."""
    return [
        Route("/rules/{game}.html", _serve_rules, methods=["GET"]),
        Route("/assets/rules.css", _serve_rules_style, methods=["GET"]),
    ]


async def _serve_rules(request: Request) -> Response:
    try:
        return answer(request, _rules(request.path_params["game"]))
    except RefereeError as error:
        raise Refusal(404, "there is no such game") from error


async def _serve_rules_style(request: Request) -> Response:
    return answer(request, _content("rules.css", ""))


@cache
def _content(name: str, game: str) -> Content:
    """Return a file of a page; scripts and styles have the drawing of the game in them."""
    games = {game: registry.game(game)} if game else {}
    if name.endswith(".css"):
        sheet = style(("theme.css", "stage.css"), games.values()) + _web_file("seat.css")
        return Content(sheet.encode(), "text/css; charset=utf-8")
    if name in _SCRIPTS:
        return Content(script(name, games, _modules()).encode(), "text/javascript; charset=utf-8")
    return Content(_web_file(name).encode(), "text/html; charset=utf-8")


@cache
def _rules(game: str) -> Content:
    """Return the rules of a game as a page."""
    # Imported here: few visitors read rules.
    from markdown_it import MarkdownIt

    found = registry.game(game)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    text = markdown.render(registry.rules(found))
    # What may be wider than a phone is scrolled, also by keys.
    for wide, end in (("<pre>", "</pre>"), ("<table>", "</table>")):
        text = text.replace(wide, f'<div class="wide" tabindex="0">{wide}').replace(end, f"{end}</div>")
    page = _RULES.format(title=escape(found.info.title), text=text)
    return Content(page.encode(), "text/html; charset=utf-8")


def _modules() -> dict[str, str]:
    """Return the scripts of these pages, by name."""
    folder = files("tournaments.live") / "web"
    return {each.name: each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".js")}


def _web_file(name: str) -> str:
    return (files("tournaments.live") / "web" / name).read_text("utf-8")
