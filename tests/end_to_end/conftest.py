"""What these tests share."""

import os
from pathlib import Path

import pytest

from tests.end_to_end.workshop import Workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Build samples, once for all processes of this test run."""
    ours = tmp_path_factory.getbasetemp()
    shared: Path = ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    return Workshop(shared)
