"""Ends this process with the one that started it, also if that one is killed with -9."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def die_with_parent(parent: int | None = None) -> None:
    """Let the kernel kill this process when its parent ends; end at once if that has happened already.

    `parent` is the process that must be our parent, if the caller knows it. What this process has started
    ends with it, because every process of ours watches the socket to the one above it.
    """
    found = os.getppid() if parent is None else parent
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL):
        raise OSError(ctypes.get_errno(), "this system cannot end a process with its parent")
    if os.getppid() != found:
        os.kill(os.getpid(), signal.SIGKILL)
    if parent is None and _is_orphan(found):
        sys.exit("referee: the process that started this command has ended, so it ends too")


def _is_orphan(parent: int) -> bool:
    """Return whether the process that started us had ended before we could ask the kernel to watch it.

    Another process is our parent then: init, or one that takes in orphans. A process is in the session of the
    one that started it, unless it leads a session of its own.
    """
    # Parent 0 is outside of our container. One that ends just now ends us, too.
    with suppress(ProcessLookupError):
        return bool(parent) and os.getsid(0) not in (os.getpid(), os.getsid(parent))
    return False
