"""The templates of the report (folder `web`), rendered as all pages are (`referee.player.templates`)."""

from functools import cache

from jinja2 import Environment

from referee.player.templates import environment


@cache
def templates(*packages: str) -> Environment:
    """Return the environment of the report's templates, and of those of these packages before them."""
    return environment(*packages, "tournaments.report")


def render(template: str, **values: object) -> str:
    """Return a template filled with values."""
    return templates().get_template(template).render(**values)


def source(name: str, *packages: str) -> str:
    """Return a file as it is: a style sheet or a script."""
    made = templates(*packages)
    assert made.loader is not None
    return made.loader.get_source(made, name)[0]
