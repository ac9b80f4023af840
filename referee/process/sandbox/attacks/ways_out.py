"""Attacks on the walls of the sandbox: privileges, namespaces, and parts of the kernel that no bot needs."""

import ctypes
import errno
import os
from functools import partial

from referee.process.sandbox.attacks.tools import Attack, Decoys, call, in_child, libc, read


def privileges(_: Decoys) -> str:
    """Have or get any capability."""
    status = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
    held = [name for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb") if int(status[name], 16)]
    if held:
        return f"holds {', '.join(held)}"
    return "" if status["NoNewPrivs"] == "1" else "may get new privileges"


def namespaces(_: Decoys) -> str:
    """Make a namespace of its own, where it would be root."""
    kinds = {"user": 0x10000000, "mount": 0x00020000, "network": 0x40000000}
    made = [kind for kind, flag in kinds.items() if in_child(partial(libc.unshare, flag)) == 0]
    return f"makes namespaces: {', '.join(made)}" if made else ""


def rare_calls(_: Decoys) -> str:
    """Use parts of the kernel that no bot needs: io_uring, bpf, userfaultfd, vmsplice, performance events."""
    x86 = os.uname().machine == "x86_64"
    numbers = {
        "io_uring": 425,
        "bpf": 321 if x86 else 280,
        "userfaultfd": 323 if x86 else 282,
        "vmsplice": 278 if x86 else 75,
        "perf_event_open": 298 if x86 else 241,
    }
    found = []
    for name, number in numbers.items():
        # Arguments that cannot succeed: only the refusal itself says EPERM or ENOSYS.
        if call(number, -1, 0, -1, -1, -1) >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            found.append(name)
    return f"may call {', '.join(found)}" if found else ""


WAYS_OUT: tuple[Attack, ...] = (privileges, namespaces, rare_calls)
"""In the order of the report."""
