"""`python -m tests.campaigns.fuzz TARGET --inputs N`: run a target, or all, and say what came of it."""

import argparse
import sys
from collections.abc import Sequence

from tests import conftest
from tests.campaigns.fuzz import guided, zmtp
from tests.campaigns.fuzz.engine import FoundError, run
from tests.campaigns.fuzz.targets import TARGETS

assert conftest.TOYS in sys.path, "the toy game is played here"


def main(words: Sequence[str] | None = None) -> int:
    """Run what was asked for; return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.fuzz", description=__doc__)
    parser.add_argument("target", choices=["all", *TARGETS, "zmtp"])
    parser.add_argument("--inputs", type=int, default=10_000, help="inputs for each target")
    parser.add_argument("--seconds", type=float, default=600.0, help="the most processor time for each")
    parser.add_argument("--seed", default="1", help="the same seed gives the same inputs")
    parser.add_argument("--atheris", action="store_true", help="let coverage guide the inputs")
    asked = parser.parse_args(words)
    if asked.target == "zmtp":
        return zmtp.main(asked.inputs, asked.seconds, asked.seed)
    names = list(TARGETS) if asked.target == "all" else [asked.target]
    if asked.atheris:
        return max(guided.run(name, asked.inputs, asked.seconds) for name in names)
    found = 0
    for name in names:
        try:
            said = str(run(TARGETS[name], asked.inputs, asked.seed, asked.seconds))
        except FoundError as error:
            found, said = 1, f"FOUND {error}"
        sys.stdout.write(f"{name}: {said}\n")
        sys.stdout.flush()
    return found


if __name__ == "__main__":
    sys.exit(main())
