"""Holm's method: which of several tests are beyond a level that holds for all of them together."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def beyond(chances: Mapping[Name, float], level: float) -> set[Name]:
    """Return the tests that are beyond the level, from the smallest probability on.

    >>> sorted(beyond({"a": 0.001, "b": 0.004, "c": 0.04}, 0.01))
    ['a', 'b']
    """
    found: set[Name] = set()
    for number, name in enumerate(sorted(chances, key=lambda name: chances[name])):
        if chances[name] > level / (len(chances) - number):
            break
        found.add(name)
    return found
