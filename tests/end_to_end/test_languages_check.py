"""Every sample passes the conformance kit."""

import json
import subprocess
import sys

from sample_bots.languages import samples
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.workshop import Workshop, each_sample, may_build

pytestmark = may_build


@each_sample
def test_it_passes_the_check(name: str, workshop: Workshop) -> None:
    command = [sys.executable, "-m", "referee", "check", "--timeout", "60", "--json", "--", *workshop(name)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    certificate = json.loads(done.stdout)
    assert certificate["whole"]
    _, sample = samples()[name]
    assert certificate["transports"] == [sample.transport]
