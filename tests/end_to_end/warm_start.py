"""A process that has loaded `referee` once and forks for every command, which then need not load it again.

Most of what a short command costs is imports. A command that is begun here is a process of its own, with its
own folder, environment and streams, as one that is begun by a shell. Commands that are started to be
signalled or looked at, and those of which coverage is measured, are begun by new interpreters.
"""

import atexit
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from referee.__main__ import main as command

_MOST_BYTES = 200_000

_ENVIRONMENT = dict(os.environ)
"""Before any test has changed it: the process outlasts the tests, whose own processes are known by theirs."""


def is_enough(env: Mapping[str, str]) -> bool:
    """Return whether no new interpreter is needed: by libraries that are loaded first, or by coverage."""
    return not any(name.startswith(("COVERAGE_", "LD_")) for name in env)


def run(folder: Path, words: Sequence[str], env: Mapping[str, str]) -> tuple[int, str, str]:
    """Run `referee` to its end in a folder; return its exit code, its output and its messages."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                descriptors = [out.fileno(), err.fileno(), theirs.fileno()]
                socket.send_fds(_loaded(env["PYTHONPATH"]), [_request(folder, words, env)], descriptors)
            # The end of this connection ends the command, if the test is cut short.
            code = int(ours.recv(16))
        return code, _text(out.fileno()), _text(err.fileno())


def _request(folder: Path, words: Sequence[str], env: Mapping[str, str]) -> bytes:
    mask = os.umask(0)
    os.umask(mask)
    wanted = {"folder": str(folder), "words": words, "env": dict(env), "mask": mask}
    return json.dumps(wanted | {"processors": list(os.sched_getaffinity(0))}).encode()


def _text(file: int) -> str:
    os.lseek(file, 0, os.SEEK_SET)
    with open(file, closefd=False) as opened:
        return opened.read()


@cache
def _loaded(path: str) -> socket.socket:
    """Start the other process; requests go through this socket, and its end ends the process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            # A process with threads cannot be forked well.
            env=_ENVIRONMENT | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


# The other process.


def main() -> None:
    """Load everything, and fork at every request; a child becomes the command."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("referee", "tournaments"):
        _load_all(import_module(name))
    import_module("rich.markdown")
    # What is never looked at again is never copied.
    gc.freeze()
    wanted = _Forker(socket.socket(fileno=int(sys.argv[1]))).next_request()
    if wanted is not None:
        _become(wanted)


def _load_all(package: ModuleType) -> None:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not found.name.endswith("__main__"):
            import_module(found.name)


class _Forker:
    """Forks for every request, and sends the exit codes of the children to those who asked."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, int] = {}
        """Processes, by the socket of the one who asked."""

    def next_request(self) -> dict[str, Any] | None:
        """Return a request in the child that was forked for it; in the parent None, after the last one."""
        control = self._control.fileno()
        while True:
            watched = {os.pidfd_open(pid): asked for asked, pid in self._children.items()}
            ready = select.select([control, *self._children, *watched], [], [])[0]
            for descriptor, asked in watched.items():
                os.close(descriptor)
                if descriptor in ready:
                    self._report(asked)
                elif asked in ready:
                    # The test was cut short.
                    os.kill(self._children[asked], signal.SIGKILL)
            if control in ready:
                message, descriptors, *_ = socket.recv_fds(self._control, _MOST_BYTES, 3)
                if not message:
                    return None
                if self._is_child(*descriptors):
                    wanted: dict[str, Any] = json.loads(message)
                    return wanted

    def _report(self, asked: int) -> None:
        code = os.waitstatus_to_exitcode(os.waitpid(self._children.pop(asked), 0)[1])
        with suppress(BrokenPipeError):
            os.write(asked, str(code).encode())
        os.close(asked)

    def _is_child(self, out: int, err: int, asked: int) -> bool:
        """Fork; the child has these streams, and nothing of its parent's."""
        pid = os.fork()
        if pid:
            self._children[asked] = pid
        else:
            os.dup2(out, 1)
            os.dup2(err, 2)
            for descriptor in (asked, self._control.detach(), *self._children):
                os.close(descriptor)
        os.close(out)
        os.close(err)
        return not pid


def _become(wanted: dict[str, Any]) -> NoReturn:
    """Go on as `python -m referee` would."""
    os.chdir(wanted["folder"])
    os.umask(wanted["mask"])
    os.sched_setaffinity(0, wanted["processors"])
    os.environ.clear()
    os.environ.update(wanted["env"])
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["referee", *wanted["words"]]
    sys.path[0] = wanted["folder"]
    code = 1
    try:
        command()
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:  # noqa: BLE001 - the interpreter would print any error
        sys.excepthook(type(error), error, error.__traceback__)
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()
    sys.stdout.flush()
    sys.stderr.flush()
    # To take down every module would cost more than the command did.
    os._exit(code)


if __name__ == "__main__":
    main()
