"""`referee worker`: a host of a Dask cluster, which plays what organisers send to it.

It is one Dask worker without a nanny: what would start it again after a kill must be what started it. When
its scheduler goes, everything that it plays ends, and it waits for a scheduler at the same address.
"""

import asyncio
import logging
import platform
import signal
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import dask
from distributed import Worker, WorkerPlugin
from distributed.comm import connect

from protocol import limits
from referee.hub.event_loop import allow_many_files
from referee.process.parent import die_with_parent
from referee.worker.cluster_place import ClusterPlace
from referee.worker.code import code_hash
from referee.worker.dask_task import RESOURCE, serve_with
from referee.worker.host_players import HostPlayers

FACTS: Final = "referee"
"""What a host says of itself when it joins, and in every beat."""

_SETTINGS: Final = {
    "distributed.worker.profile.enabled": False,  # it would take time from bots, a hundred times a second
    "distributed.worker.http.routes": [],
    "distributed.worker.daemon": False,
    "distributed.admin.tick.limit": "1h",
}

_TIDY_S: Final = 0.5
_RETRY_S: Final = 1.0
_PATIENCE_S: Final = 5.0


def serve(
    place: ClusterPlace, *, name: str, processors: int, listen: str, say: Callable[[str], None]
) -> None:
    """Play for the cluster until SIGINT or SIGTERM comes, or what started this process has ended."""
    die_with_parent()
    allow_many_files()
    players = HostPlayers(name)
    serve_with(players)
    for logger in ("distributed", "distributed.core", "distributed.worker"):
        logging.getLogger(logger).setLevel(logging.ERROR)
    try:
        with dask.config.set(_SETTINGS):
            asyncio.run(_serve(place, players, processors, listen, say))
    finally:
        players.close()


async def _serve(
    place: ClusterPlace, players: HostPlayers, processors: int, listen: str, say: Callable[[str], None]
) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    tidying = asyncio.create_task(_tidy(players))
    host, _, port = listen.rpartition(":")
    while not stop.is_set():
        say(f"host {players.host}: waiting for the scheduler at {place.address}")
        worker = Worker(
            place.address,
            nthreads=processors,
            name=f"{players.host}-{id(stop):x}",
            resources={RESOURCE: processors},
            memory_limit=0,
            local_directory=str(players.folder / "dask"),
            host=host or None,
            port=int(port) if port else None,
            dashboard=False,
            dashboard_address="127.0.0.1:0",
            security=place.security(),
            plugins=(_EndPlayers(players),),
            startup_information={FACTS: partial(_facts, players)},
            metrics={FACTS: partial(_beat, players)},
        )
        await _run(place, worker, stop, say, f"host {players.host}: ready, with {processors} processors")
    tidying.cancel()


async def _run(
    place: ClusterPlace, worker: Worker, stop: asyncio.Event, say: Callable[[str], None], ready: str
) -> None:
    """Be a worker until it is asked to stop, or the scheduler has gone."""
    stopping = asyncio.create_task(stop.wait())
    starting = asyncio.ensure_future(worker.start())
    explaining = asyncio.create_task(_explain(place, say))
    await asyncio.wait([stopping, starting], return_when=asyncio.FIRST_COMPLETED)
    explaining.cancel()
    if starting.done() and (error := starting.exception()) is not None:
        say(f"cannot join the cluster: {error.__cause__ or error}; trying again")
        await asyncio.wait([stopping], timeout=_RETRY_S)
    elif starting.done():
        say(ready)
        ended = asyncio.create_task(worker.finished())
        await asyncio.wait([stopping, ended], return_when=asyncio.FIRST_COMPLETED)
    else:
        starting.cancel()
    stopping.cancel()
    await worker.close(timeout=2, executor_wait=False)


async def _explain(place: ClusterPlace, say: Callable[[str], None]) -> None:
    """Report why there is no scheduler yet: Dask itself tries again without a word."""
    await asyncio.sleep(_PATIENCE_S)
    try:
        found = await connect(
            place.address, timeout=_PATIENCE_S, **place.security().get_connection_args("worker")
        )
    except OSError as error:
        say(f"no scheduler answers at {place.address} so far: {error}")
    else:
        await found.close()


async def _tidy(players: HostPlayers) -> None:
    while True:
        await asyncio.sleep(_TIDY_S)
        await asyncio.to_thread(players.end_idle)
        await asyncio.to_thread(players.speed.sample_now_and_then)


def _facts(players: HostPlayers, _: Worker) -> dict[str, Any]:
    return {
        "host": players.host,
        "code": code_hash(),
        "protocol": limits.VERSION,
        "machine": platform.machine(),
    }


def _beat(players: HostPlayers, _: Worker) -> dict[str, Any]:
    return {"speed": players.speed.per_second if players.speed.is_known else 0.0}


class _EndPlayers(WorkerPlugin):  # type: ignore[misc]  # Dask has no types
    """Ends what plays when the worker closes: without a scheduler the results have nowhere to go."""

    def __init__(self, players: HostPlayers) -> None:
        self._players = players

    def teardown(self, worker: Worker) -> None:
        """End all players."""
        self._players.stop()
