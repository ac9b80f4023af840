"""Runs attacks inside a sandbox: `python -m referee.process.sandbox.attacks NAME...`."""

import json
import sys

from referee.process.sandbox.attacks import ALL


def main() -> None:
    """Run the attacks named on the command line, and print what each reached, a JSON line each.

    The decoys come over stdin: a command line can be read by all.
    """
    decoys = json.load(sys.stdin)
    for name in sys.argv[1:]:
        try:
            got = ALL[name](decoys)
        except OSError:
            got = ""
        sys.stdout.write(json.dumps({"attack": name, "got": got}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
