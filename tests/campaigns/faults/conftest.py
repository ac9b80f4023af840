"""What these tests share: a place for their figures."""

import sys

import pytest

from tests.campaigns.faults.figures import Figure


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Print a figure with the name of its test; `make faults` shows them."""

    def tell(text: str) -> None:
        sys.stdout.write(f"\n{request.node.name}: {text}\n")

    return tell
