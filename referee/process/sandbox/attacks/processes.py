"""Attacks that start more processes than allowed, or leave one behind."""

import contextlib
import os
import signal
import time

from referee.process.sandbox.attacks.tools import FOREVER_S, MOST_PROCESSES, PROCESSES, Decoys


def forks(_: Decoys) -> str:
    """Start very many processes."""
    started = 0
    with contextlib.suppress(OSError):
        for _number in range(MOST_PROCESSES):
            if os.fork() == 0:
                time.sleep(FOREVER_S)
                os._exit(0)
            started += 1
    time.sleep(FOREVER_S)
    return f"{started} processes" if started > PROCESSES else ""


def left_running(_: Decoys) -> str:
    """Leave a process behind, in a session of its own, that ignores signals."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(2 * FOREVER_S)
        os._exit(0)
    os.wait()
    return ""
