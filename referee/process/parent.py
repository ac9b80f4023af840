"""Ends this process with the one that started it, also if that one is killed with -9."""

import ctypes
import os
import signal
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
