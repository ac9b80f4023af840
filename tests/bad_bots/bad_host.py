"""A host of a cluster whose workers are broken in one way: `bad_host.py WAY worker ADDRESS`."""

import sys
from functools import partial
from pathlib import Path

from referee.cli import main
from referee.worker import host_players
from referee.worker.local_member import LocalMember

if __name__ == "__main__":
    command = (sys.executable, str(Path(__file__).with_name("bad_worker.py")), sys.argv.pop(1))
    vars(host_players)["LocalMember"] = partial(LocalMember, command=command)
    main(prog_name="referee")
