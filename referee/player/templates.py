"""Templates of pages, rendered so that no text can become markup: for every page of ours.

Names of bots are hostile. Jinja2 escapes every value that is not markup by its type, and characters that
cannot be printed (a bell, a mark that reverses the direction of writing) are spelled out before.
"""

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from referee.wording import clean


def environment(*packages: str) -> Environment:
    """Return an environment for the templates in the folder `web` of these packages; it reads each file once.

    Of two files of one name, that of the first package is taken.
    """
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, "web") for package in packages]),
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


def _spell_out(value: object) -> object:
    r"""Return a value with escapes (`\x07`) for the characters that cannot be printed."""
    return value if isinstance(value, Markup) else clean(str(value))
