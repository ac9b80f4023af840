"""The real organiser, with simulated hosts: the hub, its way to the cluster, and the runner of a tournament.

What is real: schedule, queue, lanes and batches, the list of hosts and their refusal, results and their
checks, void matches, the store. What is not: bots, the trial of bots, Dask, the network, the disk's time.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

from referee.hub.archive import Keep
from referee.hub.capacity import WorkDivision
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.process.spec import BotSpec, Program
from referee.worker.cluster_place import ClusterPlace
from referee.worker.dask_cluster import DaskCluster
from referee.worker.organiser import OrganiserHub
from referee.worker.travel import ROOT
from tests.campaigns.cluster_simulation.disk import SlowDisk
from tests.campaigns.cluster_simulation.hosts import Task
from tests.campaigns.cluster_simulation.world import World
from tournaments.config.plan import Plan
from tournaments.runner import Listener, Ran, TournamentRunner
from tournaments.store.store import Store

PLACE = ClusterPlace("tcp://simulated:8786")


class SimulatedClient:
    """What an organiser uses of a client of Dask."""

    status = "running"

    def __init__(self, world: World) -> None:
        self._world = world
        self.scheduler = self

    def identity(self) -> dict[str, Any]:
        """Return what the scheduler says."""
        return {"workers": self._world.workers()}

    def sync(self, function: Callable[[], dict[str, Any]], *, callback_timeout: float) -> dict[str, Any]:
        """Return what the scheduler says."""
        return function()

    def submit(
        self, _: object, data: bytes, tars: dict[str, bytes], *, key: str, workers: list[str], **terms: object
    ) -> Task:
        """Send a batch to its host."""
        (address,) = workers
        return self._world.submit(key, data, address)

    def close(self, timeout: float) -> None:
        """Leave."""


class SimulatedCluster(DaskCluster):
    """The organiser's way to simulated hosts. The world says when to look which are there."""

    def __init__(self, world: World, note: Callable[[str], None]) -> None:
        self._world = world
        super().__init__(PLACE, processors=1, note=note)

    def _connect(self) -> SimulatedClient:
        return SimulatedClient(self._world)

    def _watch(self) -> None:
        """Do not look by the real time."""

    def now(self) -> float:
        """Return the simulated time."""
        return self._world.now

    def _seen(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        super()._seen(workers)
        self._world.refuses(host.address for host in self.hosts.known.values() if host.refusal)


class SimulatedHub(OrganiserHub):
    """The hub of an organiser, in simulated time."""

    def __init__(
        self,
        world: World,
        plan: Plan,
        keep: Keep,
        report: Callable[[Finished], None],
        note: Callable[[str], None],
    ) -> None:
        self._world = world
        self._cluster = SimulatedCluster(world, note)
        super().__init__(
            [_spec(name) for name in plan.names],
            work=WorkDivision(workers=world.lanes, jobs=world.lanes),
            profile=plan.profile,
            keep=keep,
            report=report,
            note=note,
            start=self._cluster.start,
            whole_blocks=True,
            archive=lambda done: SlowDisk(done, world, keep),
        )
        world.arrive(self._cluster.look)

    def turn(self, most_ns: int = 0) -> None:
        """Do what is to be done now, and let time go on to the next thing that happens."""
        self.loop.turn(0)
        super().turn(0)
        if self.is_busy:
            self._world.advance()

    def close(self) -> None:
        """End all matches, and leave the cluster."""
        with ExitStack() as rest:
            rest.callback(self._cluster.close)
            rest.callback(super().close)
            self._cluster.silence()


MakeHub = Callable[
    [World, Plan, Keep, Callable[[Finished], None], Callable[[str], None]],
    Hub,
]


class SimulatedRunner(TournamentRunner):
    """Plays what is missing of a tournament; its bots are not tried, as there are none."""

    def __init__(
        self, plan: Plan, store: Store, listener: Listener, world: World, make: MakeHub = SimulatedHub
    ) -> None:
        super().__init__(plan, store, listener)
        self._make_hub = partial(make, world, plan, self._recorder.keep, self._report, listener.note)

    def _run_missing(self) -> Ran:
        with closing(self._make_hub()) as hub:
            return self._ran(self._play_missing(hub))


def _spec(name: str) -> BotSpec:
    return BotSpec(name, Program([sys.executable, "-m", "sample_bots.python.first"], str(ROOT), {}))
