"""`python -m tests.campaigns.statistics [PART...] --times N`: simulate, and compare with what is claimed."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from tests.campaigns import statistics

NO_PARTS = ("claim", "worlds")


def parts() -> list[str]:
    """Return the parts: the modules of this folder that have `claims(times)`."""
    found = [module.name for module in iter_modules(statistics.__path__)]
    return [name for name in found if not name.startswith(("_", "test_")) and name not in NO_PARTS]


def main(words: Sequence[str] | None = None) -> int:
    """Print every claim with its figure; return 1 if one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.statistics", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"any of {', '.join(parts())}; without one, all")
    parser.add_argument("--times", type=int, default=400, help="simulated events of each kind")
    asked = parser.parse_args(words)
    failed = 0
    for part in asked.part or parts():
        sys.stdout.write(f"{part}\n")
        for claim in import_module(f"{statistics.__name__}.{part}").claims(asked.times):
            sys.stdout.write(f"  {claim}\n")
            sys.stdout.flush()
            failed += not claim.holds
    sys.stdout.write(f"{failed} failed\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
