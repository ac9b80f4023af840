"""The templates of the page (folder `web`), rendered so that no text can become markup.

Names of bots are hostile. Jinja2 escapes every value that is not markup by its type, and characters that
cannot be printed (a bell, a mark that reverses the direction of writing) are spelled out before.
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from referee.wording import clean


@cache
def templates() -> Environment:
    """Return the environment of all templates; it reads each file once."""
    made = Environment(
        loader=PackageLoader("tournaments.report", "web"),
        autoescape=True,
        finalize=_spell_out,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shortened"] = shortened
    return made


def shortened(text: str, most: int) -> str:
    """Return a text of so many characters at most, without its middle: names often differ at their ends.

    >>> shortened("a-long-name-12", 9)
    'a-lo…e-12'
    """
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - half]}…{text[-half:]}"


def render(template: str, **values: object) -> str:
    """Return a template filled with values."""
    return templates().get_template(template).render(**values)


def source(name: str) -> str:
    """Return a file of the folder as it is: a style sheet or a script."""
    environment = templates()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _spell_out(value: object) -> object:
    r"""Return a value with escapes (`\x07`) for the characters that cannot be printed."""
    return value if isinstance(value, Markup) else clean(str(value))
