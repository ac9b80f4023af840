"""`python -m tournaments.entries FILE UPLOAD`: takes in one upload, and prints what it does as JSON lines.

The site runs it in a process of its own, so a build never delays a page.
"""

import os
import sys
from pathlib import Path

import msgspec

from referee.errors import RefereeError
from tournaments.entries.intake import Intake, Stage
from tournaments.entries.uploads import submitted
from tournaments.event_file import plans_of

_YIELDS = 10
"""How much the process yields to bots and the hub (`nice`)."""
_MOST_LETTERS = 2_000


def main() -> int:
    """Take in an upload; the exit code is 1 if it could not be tried."""
    file, folder = Path(sys.argv[1]), Path(sys.argv[2])
    os.nice(_YIELDS)
    try:
        with Intake(plans_of(file), report=_print) as intake:
            intake.take(submitted(folder))
    except RefereeError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _print(stage: Stage, text: str) -> None:
    sys.stdout.buffer.write(msgspec.json.encode({"stage": stage, "text": text[:_MOST_LETTERS]}) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
