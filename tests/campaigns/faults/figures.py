"""The type of what prints figures."""

from collections.abc import Callable

Figure = Callable[[str], None]
