"""Which worker gets which test, where several run them (`pytest -n`).

What is built once for a module would be built by each of them if its tests were spread. So a module has one
worker; but the tests of long modules that share nothing are handed out one by one.
"""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

_ROOT = Path(__file__).parents[1]

_LONG = (
    "tests/browser/",
    "tests/campaigns/",
    "tests/contract/",
    "tests/end_to_end/",
    "tests/property/",
    "tests/unit/sample_bots/",
    "tests/unit/tournaments/",
)
"""Folders whose modules take long."""


class ByModule(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out modules, and single tests of long modules that share nothing."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return nodeid if _is_spread(path) else path


@cache
def _is_spread(path: str) -> bool:
    return path.startswith(_LONG) and 'scope="module"' not in (_ROOT / path).read_text()
