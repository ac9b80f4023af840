"""The same targets, with inputs that coverage guides: atheris, in a process of its own.

What is to be covered must be instrumented as it is imported, so nothing of ours is imported above.
"""

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from random import Random

FOUND = Path("fuzz-found")


def run(name: str, inputs: int, seconds: float) -> int:
    """Run a target under atheris; return 0 if nothing was found, 2 if there is no atheris here."""
    if find_spec("atheris") is None:
        sys.stderr.write("NOT RUN: atheris is not installed here: pip install '.[fuzz]'\n")
        return 2
    FOUND.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as corpus:
        command = [
            sys.executable,
            "-m",
            "tests.campaigns.fuzz.guided",
            name,
            str(inputs),
            str(int(seconds)),
            corpus,
        ]
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
    if ended.returncode:
        sys.stdout.write(f"{name}: FOUND by atheris\n{ended.stdout}{ended.stderr}")
        return 1
    done = [line for line in ended.stderr.splitlines() if line.startswith("Done ")]
    sys.stdout.write(f"{name}: atheris: {''.join(done)}, nothing undocumented\n")
    return 0


def _fuzz(name: str, inputs: int, seconds: int, corpus: Path) -> None:
    import atheris  # type: ignore[import-untyped, import-not-found, unused-ignore]

    with atheris.instrument_imports(include=["protocol", "referee", "tournaments"]):
        from tests import conftest
        from tests.campaigns.fuzz.targets import TARGETS

    assert conftest.TOYS in sys.path
    target = TARGETS[name]
    known = target.corpus()
    for number, data in enumerate(known):
        (corpus / str(number)).write_bytes(data)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        luck = Random(seed)
        if luck.getrandbits(1):
            return bytes(atheris.Mutate(data, most))
        return target.mutate(luck, [data, *known])[:most]

    flags = [f"-runs={inputs}", f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048"]
    flags += [f"-artifact_prefix={FOUND}/{name}-", "-max_len=4096", "-verbosity=1"]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], target.check, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    _fuzz(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
