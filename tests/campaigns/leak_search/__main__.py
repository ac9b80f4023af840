"""`python -m tests.campaigns.leak_search --matches N`: play, search, and say what was found."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[3]
TOYS = [str(ROOT / "tests" / "campaigns" / "leak_search" / "toys"), str(ROOT / "tests" / "toys"), str(ROOT)]
# Sealed is installed for this run alone: the contract of games is not for it.
sys.path += TOYS
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), *TOYS]))


def main(words: Sequence[str] | None = None) -> int:
    """Do what was asked for; return 1 if there is a leak, or if a planted one is not found."""
    from tests.campaigns.leak_search import commands, plants, scene, timing

    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.leak_search", description=__doc__)
    parser.add_argument("--matches", type=int, default=200, help="matches to play and search")
    parser.add_argument("--plants", action="store_true", help="plant leaks, and see that each is found")
    parser.add_argument("--commands", action="store_true", help="search what the commands print")
    parser.add_argument("--timing", action="store_true", help="measure what arrival times tell")
    asked = parser.parse_args(words)
    if asked.plants:
        return plants.main()
    if asked.commands:
        return commands.main()
    if asked.timing:
        return timing.main(asked.matches)
    played = searched = 0
    while played < asked.matches:
        found = scene.play_and_search(min(scene.BATCH, asked.matches - played), played)
        played += found.matches
        searched += found.bytes
        if found.leaks:
            sys.stdout.write("".join(f"LEAK {leak}\n" for leak in found.leaks[:20]))
            return 1
    sys.stdout.write(f"{played:,} matches, {searched / 1e6:,.1f} MB searched, no leak\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
