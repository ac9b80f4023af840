"""Pseudonyms in place of names, in everything that the public sees.

Results, fixtures and tables are renamed field by field; a text that may hold a name in a sentence is searched
for all names.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import fields, replace

from tournaments.config.plan import Plan
from tournaments.config.pseudonyms import pseudonyms
from tournaments.results import Played

Kind = TypeVar("Kind")


class Masks:
    """Names and their pseudonyms."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """Use these pseudonyms, by name; without any, names are shown."""
        self.by_name = dict(names)
        """The pseudonyms, by name."""
        longest = sorted(self.by_name, key=len, reverse=True)
        self._any = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)") if longest else None

    def __bool__(self) -> bool:
        return bool(self.by_name)

    def name(self, name: str) -> str:
        """Return a name as the public sees it."""
        return self.by_name.get(name, name)

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return names as the public sees them."""
        return tuple(map(self.name, names))

    def text(self, text: str) -> str:
        """Return a text with pseudonyms in place of all names."""
        return text if self._any is None else self._any.sub(lambda found: self.by_name[found[0]], text)

    def within(self, value: Kind) -> Kind:
        """Return a value with pseudonyms: in all texts, but for those that are one of some fixed words."""
        if not self:
            return value
        return self._within(value)  # type: ignore[no-any-return]

    def _within(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.name(value) if value in self.by_name else self.text(value)
        if isinstance(value, Struct):
            open_fields = _open_fields(type(value))
            return replace(value, **{name: self._within(getattr(value, name)) for name in open_fields})
        if isinstance(value, dict):
            return {self._within(key): self._within(entry) for key, entry in value.items()}
        if isinstance(value, list | tuple | frozenset):
            return type(value)(map(self._within, value))
        return value

    def row(self, row: Played) -> Played:
        """Return a result with pseudonyms."""
        bots = self.names(row.bots)
        seats = tuple(replace(seat, name=bot) for seat, bot in zip(row.result.seats, bots, strict=True))
        return replace(row, bots=bots, result=replace(row.result, seats=seats))


NO_MASKS = Masks({})
"""Names are shown."""


def masks_of(plan: Plan) -> Masks:
    """Return the masks of a tournament; none if its names are public."""
    if not plan.pseudonyms:
        return NO_MASKS
    # A bot that was taken out of the file of a tournament in rounds keeps its results, and its pseudonym.
    lacking = [name for name in (*plan.names, *plan.left_out) if name not in plan.masks]
    return Masks(pseudonyms(plan.operator_seed, [*plan.masks, *lacking]) if lacking else plan.masks)


@lru_cache(maxsize=256)
def _open_fields(kind: type[Struct]) -> tuple[str, ...]:
    """Return the fields of a struct that may hold names: not those of fixed words."""
    hints = get_type_hints(kind)
    return tuple(field.name for field in fields(kind) if not _is_fixed(hints[field.name]))


def _is_fixed(kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return True
    return any(map(_is_fixed, get_args(kind)))
