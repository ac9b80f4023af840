"""The hub of an organiser whose workers are the hosts of a Dask cluster."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

from referee.hub.archive import Keep
from referee.hub.capacity import WorkDivision
from referee.hub.pairing import Finished
from referee.match.faults import Profile
from referee.process.spec import BotSpec
from referee.worker.cluster_place import ClusterUse
from referee.worker.dask_cluster import DaskCluster
from referee.worker.organiser import OrganiserHub


class ClusterHub(OrganiserHub):
    """A hub that lets the hosts of a cluster play."""

    def __init__(
        self,
        bots: Iterable[BotSpec],
        *,
        cluster: ClusterUse,
        replays: Path | None,
        compress: bool,
        profile: Profile,
        keep: Keep,
        report: Callable[[Finished], None],
        note: Callable[[str], None],
    ) -> None:
        """Connect to the cluster; raises RefereeError if no scheduler answers."""
        kept_here = (*cluster.kept_here, *([replays] if replays is not None else []))
        self._cluster = DaskCluster(
            cluster.place, processors=cluster.processors, note=note, kept_here=kept_here
        )
        super().__init__(
            bots,
            work=WorkDivision(workers=cluster.lanes, jobs=cluster.lanes),
            replays=replays,
            compress=compress,
            profile=profile,
            keep=keep,
            report=report,
            note=note,
            start=self._cluster.start,
            whole_blocks=True,
        )

    def close(self) -> None:
        """End all matches, and leave the cluster."""
        with ExitStack() as rest:
            rest.callback(self._cluster.close)
            rest.callback(super().close)
            self._cluster.silence()
