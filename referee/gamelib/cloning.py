"""`clone` of a position, generated from the fields that its class declares."""

from abc import update_abstractmethods
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from msgspec import Struct

from referee.chance import Chance

T = TypeVar("T")

_SHARED = object()
Shared = Annotated[T, _SHARED]
"""The type of a field that a position and its clones may share: it never changes once it is set."""

_CONSTANT = (int, str, bytes, bool, NoneType, frozenset)


def cloneable(cls: type[T]) -> type[T]:
    """Give a class slots for the fields that it declares, and a method `clone` that copies all of them.

    A field is copied as its declared type demands. Lists, sets and dicts are copied to the depth to which
    they can change, luck is cloned, constants are shared. A type that is none of these is an error when the
    class is made, unless it is declared `Shared`: no field can be forgotten.

    The class that is returned is a new one, so `super()` without arguments does not work in its methods.
    """
    made: Any = dataclass(cls, slots=True, init=False, repr=False, eq=False)
    types = get_type_hints(made, include_extras=True)
    copies = []
    for field in fields(made):
        try:
            copies.append(f"copy.{field.name} = {_copy(f'self.{field.name}', types[field.name])}")
        except TypeError as error:
            raise TypeError(f"{cls.__name__}.{field.name}: {error}") from None
    lines = ["def clone(self):", "copy = new(self.__class__)", *copies, "return copy"]
    scope: dict[str, Callable[..., Any]] = {"new": object.__new__}
    # Written out, one assignment for each field, a clone takes half the time of a loop over the fields.
    exec("\n    ".join(lines), scope)  # noqa: S102 - made of the names and types in our own source
    made.clone = scope["clone"]
    made.clone.__doc__ = "Return an independent copy, luck included."
    update_abstractmethods(made)
    return cast(type[T], made)


def set_first_values(position: Any) -> None:
    """Give the first value to every field of a position that declares one."""
    for field in fields(position):
        if field.default is not MISSING:
            setattr(position, field.name, field.default)
        elif field.default_factory is not MISSING:
            setattr(position, field.name, field.default_factory())


def _copy(value: str, kind: Any, depth: int = 0) -> str:
    """Return the expression that copies a value of this type."""
    if _is_constant(kind):
        return value
    origin, parts = get_origin(kind) or kind, get_args(kind)
    item = f"item{depth}"
    if origin is list and parts:
        if _is_constant(parts[0]):
            return f"{value}[:]"
        return f"[{_copy(item, parts[0], depth + 1)} for {item} in {value}]"
    if origin is dict and parts:
        if _is_constant(parts[1]):
            return f"{value}.copy()"
        return f"{{key{depth}: {_copy(item, parts[1], depth + 1)} for key{depth}, {item} in {value}.items()}}"
    if origin is bytearray:
        return f"{value}[:]"
    if origin is set and _is_constant(parts[0]):
        return f"{value}.copy()"
    if origin is Chance:
        return f"{value}.clone()"
    raise TypeError(f"no rule says how to copy {kind}; declare it Shared if it never changes")


def _is_constant(kind: Any) -> bool:
    """Return whether a value of this type never changes."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _SHARED in kind.__metadata__ or _is_constant(parts[0])
    if origin is Literal or kind in _CONSTANT or origin is frozenset:
        return True
    if origin in (Union, UnionType, tuple):
        return all(part is ... or _is_constant(part) for part in parts)
    return isinstance(kind, type) and issubclass(kind, Struct) and kind.__struct_config__.frozen
