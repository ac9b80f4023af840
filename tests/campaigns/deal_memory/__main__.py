"""`python -m tests.campaigns.deal_memory --times N`: simulate tournaments, and count named bots."""

import argparse
import sys
from collections.abc import Sequence
from math import sqrt

from tests.campaigns.deal_memory.simulation import HONEST, REMEMBERING, named
from tournaments.rating.memory import LEVEL


def main(words: Sequence[str] | None = None) -> int:
    """Print both tables; return 1 if honest bots are named more often than the level allows."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.deal_memory", description=__doc__)
    parser.add_argument("--times", type=int, default=2_000, help="tournaments of each kind")
    times = parser.parse_args(words).times
    # Three standard errors: of nine kinds, about one run in eighty exceeds this by chance.
    most = LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / times)
    failed = False
    sys.stdout.write(f"{times} tournaments each; honest bots may be named in {100 * LEVEL:g} % of them.\n")
    for title, world in HONEST.items():
        share = named(world, times)[""] / times
        failed |= share > most
        sys.stdout.write(f"  {title}: any bot named in {100 * share:.2f} %\n")
    sys.stdout.write("Bots that remember, named; honest bots beside them, any of them named:\n")
    for title, world in REMEMBERING.items():
        counts = named(world, times)
        found = " and ".join(f"{bot} {100 * counts[bot] / times:.1f} %" for bot, _ in world.memory)
        honest = sum(counts[bot] for bot in world.bots if bot not in dict(world.memory)) / times
        failed |= honest > most
        sys.stdout.write(f"  {title}: {found}; {100 * honest:.2f} %\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
