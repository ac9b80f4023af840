"""A Dask cluster for tests: a scheduler and hosts as processes, which can be killed and cut off."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.end_to_end.commands import path_for_imports
from tests.end_to_end.hubs import eventually


def free_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Process:
    """A process of a cluster, with what it printed."""

    def __init__(self, folder: Path, name: str, words: Sequence[str], env: Mapping[str, str]) -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                words, cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def said(self) -> str:
        return self.log.read_text()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)
        self._process.wait(30)


class Cluster:
    """A scheduler and hosts, started in a folder by which their processes are recognised."""

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        scheduler_in: Sequence[str] = (),
        tls: Mapping[str, Path] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Get ready; `scheduler_in` are words that come first, such as those of a network namespace."""
        self.folder = folder
        self.tls = [word for name, path in (tls or {}).items() for word in (f"--tls-{name}", str(path))]
        self._port = free_port()
        self._host = host
        self._scheme = "tls" if tls else "tcp"
        self.address = f"{self._scheme}://{host}:{self._port}"
        self._first = scheduler_in
        self._env = os.environ | {"HOME": str(folder), "PYTHONPATH": path_for_imports()} | dict(env or {})
        self.scheduler: Process | None = None
        self.hosts: dict[str, Process] = {}

    def start_scheduler(self) -> None:
        """Start the scheduler, and wait until it listens."""
        words = [*self._first, sys.executable, "-m", "dask", "scheduler", "--no-dashboard"]
        words += ["--dashboard-address", "127.0.0.1:0", "--host", f"{self._scheme}://{self._host}"]
        words += ["--port", str(self._port)]
        words += [word.replace("--tls-ca", "--tls-ca-file") for word in self.tls]
        self.scheduler = Process(self.folder, "scheduler", words, self._env)
        assert eventually(lambda: "Scheduler at" in self._said()), self._said()

    def _said(self) -> str:
        assert self.scheduler is not None
        return self.scheduler.said()

    def start_host(
        self,
        name: str,
        *,
        first: Sequence[str] = (),
        command: Sequence[str] = ("-m", "referee"),
        env: Mapping[str, str] | None = None,
    ) -> Process:
        """Start a host with two processors; `command` is what Python runs."""
        words = [*first, sys.executable, *command, "worker", self.address, *self.tls]
        words += ["--name", name, "--processors", "2"]
        found = self.hosts[name] = Process(self.folder, name, words, self._env | dict(env or {}))
        return found

    def wait(self) -> None:
        """Wait until all hosts have joined."""
        for host in self.hosts.values():
            assert eventually(lambda host=host: "ready" in host.said()), host.said()  # type: ignore[misc]

    def close(self) -> None:
        """End all processes as an operator would."""
        for host in self.hosts.values():
            host.kill(signal.SIGTERM)
        if self.scheduler is not None:
            self.scheduler.kill(signal.SIGTERM)


@contextmanager
def cluster_in(folder: Path, *hosts: str, tls: Mapping[str, Path] | None = None) -> Iterator[Cluster]:
    """Yield a cluster with these hosts, and end it."""
    folder.mkdir()
    cluster = Cluster(folder, tls=tls)
    try:
        cluster.start_scheduler()
        for name in hosts:
            cluster.start_host(name)
        cluster.wait()
        yield cluster
    finally:
        cluster.close()
