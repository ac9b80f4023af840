"""What a test does when this host lacks a tool it needs."""

import os
from typing import NoReturn

import pytest

ALL_TOOLS = "REFEREE_NO_SKIPS"
"""Set in the environment where every tool is meant to be there: a missing one is then a failure."""


def lacking(what: str) -> NoReturn:
    """End a test for want of a tool: skipped with the reason, or failed where nothing may be missing."""
    if os.environ.get(ALL_TOOLS):
        pytest.fail(f"{what} ({ALL_TOOLS} is set, so this is a failure)", pytrace=False)
    pytest.skip(what)
