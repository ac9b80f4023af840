"""`python -m tests.machine.greedy KIND…`: kinds of the zoo, once, with the clock of a slow machine."""

import sys
import tempfile
from pathlib import Path

from msgspec.structs import replace

from referee.levels import insist
from tests.zoo.arena import each, fight
from tests.zoo.kinds import STARTED, Kind

CPU_S = 4
"""What processor time a bot may have here, where Python alone needs more than a second to start."""


def slowly(kind: Kind) -> Kind:
    """Return the kind with the processor time of a slow machine."""
    return replace(kind, limits=replace(kind.limits, cpu_s=CPU_S)) if kind.limits.cpu_s == 1 else kind


def main() -> None:
    """Let them loose, tell how each fared, and exit with 1 if anything is wrong."""
    insist("contest")
    kinds = [slowly(kind) for kind in STARTED if kind.name in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="referee-machine-") as folder:
        played = fight(each(kinds), Path(folder), at_once=2, honest=1)
    for bout in played.bouts:
        verdict = bout.faults[0] or "no fault"
        sys.stdout.write(f"{bout.kind.name} over {bout.transport}: {verdict}\n")
    failed = sum(any(one.result.faults) or one.void is not None for one in played.honest)
    sys.stdout.write(f"honest matches beside them: {len(played.honest)}, failed: {failed}\n")
    sys.stdout.write(f"left behind: {', '.join(played.left) or 'nothing'}\n")
    wrong = played.wrong()
    sys.stdout.writelines(f"WRONG {name}: {words}\n" for name, words in wrong.items())
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
