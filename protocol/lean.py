"""Imports msgspec without what it does not need, which is a fifth of the start of a bot.

Where typing_extensions is installed, msgspec takes three names from it; `typing` has them since Python 3.11.
It is hidden from msgspec alone: all others can import it before and after.
"""

import sys

_DEAR = "typing_extensions"

if _DEAR not in sys.modules:
    sys.modules[_DEAR] = None  # type: ignore[assignment] # None lets an import fail, which msgspec expects
    try:
        import msgspec  # noqa: F401 - only to have it imported
    finally:
        del sys.modules[_DEAR]
