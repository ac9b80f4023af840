"""`python -m tests.campaigns.cluster_simulation`: play a tournament on a simulated cluster."""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from tests.campaigns.cluster_simulation.faults import A_BAD_DAY, NONE
from tests.campaigns.cluster_simulation.report import lines
from tests.campaigns.cluster_simulation.simulation import flaws, simulate
from tests.campaigns.cluster_simulation.world import Setting, World


class _ProgressLine:
    """One line at a terminal, written anew once in a second."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._next = 0.0

    def __call__(self, world: World, there: int, total: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + 1
            twice = sum(world.ledger.twice.values()) / max(1, there)
            sys.stderr.write(
                f"\r{self._title}: {world.now / 3600:.2f} h simulated, {there:,} of {total:,} matches, "
                f"{twice:.2%} twice \033[K"
            )
            sys.stderr.flush()


def main(words: Sequence[str] | None = None) -> int:
    """Print the figures of a run; return 1 if something is wrong with it."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.cluster_simulation", description=__doc__)
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--hours", type=float, default=24.0, help="so long faults last; the matches fill it")
    parser.add_argument("--seed", type=int, default=7, help="all faults follow from it")
    parser.add_argument("--folder", type=Path, help="for the stores, on a fast disk; default: temporary")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    asked = parser.parse_args(words)
    stormy = Setting(asked.hosts, asked.matches, asked.hours, asked.seed, A_BAD_DAY)
    with TemporaryDirectory(prefix="simulated-", dir=asked.folder) as folder:
        places = Path(folder) / "calm", Path(folder) / "stormy"
        for place in places:
            place.mkdir()
        with ProcessPoolExecutor(1) as beside:
            calm_run = beside.submit(simulate, replace(stormy, faults=NONE), places[0])
            with_faults = simulate(stormy, places[1], progress=_ProgressLine("with faults"))
            calm = calm_run.result()
    sys.stderr.write("\r\033[K")
    wrong = flaws(with_faults, calm)
    if asked.json:
        report = {"setting": stormy, "without_faults": calm, "with_faults": with_faults, "wrong": wrong}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report)).decode() + "\n")
        return int(bool(wrong))
    sys.stdout.writelines(f"{line}\n" for line in lines(stormy, calm, with_faults))
    sys.stdout.writelines(f"WRONG: {line}\n" for line in wrong)
    if not wrong:
        sys.stdout.write("The store is equal to that of the run without faults; every match is there once.\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
