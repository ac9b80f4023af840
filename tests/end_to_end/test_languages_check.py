"""Every sample passes the conformance kit."""

import json
import subprocess
import sys

from sample_bots.languages import samples
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.workshop import Workshop, each_sample, may_build

pytestmark = may_build

WITH_A_KIT = ("python", "typescript")
"""Samples on a kit, which speaks on either transport."""


@each_sample
def test_it_passes_the_check(name: str, workshop: Workshop) -> None:
    command = [sys.executable, "-m", "referee", "check", "--timeout", "60", "--json", "--", *workshop(name)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    certificate = json.loads(done.stdout)
    assert certificate["whole"]
    _, sample = samples()[name]
    assert certificate["transports"] == (["stdio", "zmq"] if name in WITH_A_KIT else [sample.transport])
