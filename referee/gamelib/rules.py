"""The options of a game as the questions that its code asks."""

from functools import cache
from typing import Annotated, Any, NamedTuple, Self, get_args, get_origin, get_type_hints

from msgspec import Struct

from referee.game import Options


class Is(NamedTuple):
    """Mark a field that is true if an option has this value."""

    option: str
    value: str


class Named(NamedTuple):
    """Mark a field that has the value of an option of another name."""

    option: str


class OptionRules(Struct, frozen=True):
    """The resolved options of one match; a game adds a field for each question that its rules ask.

    `Annotated[bool, Is("draw", "commit")]` is true if the option `draw` is `commit`. A plain `int` or `str`
    is the option of the same name, `Annotated[int, Named("casinos_needed")]` an option of another name.
    """

    options: Options
    seats: int

    @classmethod
    def of(cls, options: Options, seats: int, **computed: Any) -> Self:
        """Read resolved options; what is not read from one option is `computed` by the game."""
        read = {
            name: options[option] == value if value is not None else kind(options[option])
            for name, option, value, kind in _questions(cls)
            if name not in computed
        }
        return cls(options=options, seats=seats, **read, **computed)


@cache
def _questions(rules: type[OptionRules]) -> list[tuple[str, str, str | None, type]]:
    """Return every field with its option, the value it asks for (None: any), and its type."""
    found = []
    for name, kind in get_type_hints(rules, include_extras=True).items():
        if name in _COMMON:
            continue
        plain, mark = get_args(kind) if get_origin(kind) is Annotated else (kind, Named(name))
        found.append((name, mark.option, mark.value if isinstance(mark, Is) else None, plain))
    return found


_COMMON = frozenset(OptionRules.__struct_fields__)
