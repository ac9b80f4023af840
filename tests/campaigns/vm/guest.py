"""What is tried inside the machine, as root, by a unit at its first boot: a line for every check.

Every wait here has a condition and a generous limit: an emulated machine is slow.
"""

import sys
import time
import traceback
from collections.abc import Callable, Iterator

from tests.campaigns.vm import confinement, services

CHECKS: tuple[Callable[[], Iterator[str]], ...] = (
    confinement.the_machine,
    confinement.doctor_as_root_in_a_unit,
    confinement.doctor_as_root_in_a_group_made_by_hand,
    confinement.doctor_in_the_unit_of_tournaments,
    confinement.doctor_in_the_unit_of_contests,
    confinement.the_kernel_keeps_to_the_limits,
    services.units_are_well_formed,
    services.the_ladder_starts_plays_and_drains,
    services.the_ladder_comes_back_after_a_kill,
    services.greedy_bots_lose_their_own_matches_in_a_contest_that_outlives_a_kill,
)


def main() -> None:
    """Run all checks, or those that are named, and print the results."""
    wrong = 0
    chosen = [check for check in CHECKS if not sys.argv[1:] or check.__name__ in sys.argv[1:]]
    for check in chosen:
        began = time.monotonic()
        told: list[str] = []
        try:
            told.extend(check())
            verdict = "ok   "
        except Exception:  # noqa: BLE001 - the next check is to be tried all the same
            told.extend(traceback.format_exc().splitlines())
            verdict = "WRONG"
            wrong += 1
        name = check.__name__.replace("_", " ")
        sys.stdout.write(f"{verdict} {name} ({time.monotonic() - began:.0f} s)\n")
        sys.stdout.writelines(f"        {line}\n" for line in told)
        sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - wrong} of {len(chosen)} checks are as they should be\n")


if __name__ == "__main__":
    main()
