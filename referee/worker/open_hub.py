"""Opens the hub that plays a run: in this process, in several, or on a cluster."""

from collections.abc import Callable, Iterable
from pathlib import Path

from referee.hub.archive import Keep
from referee.hub.capacity import WorkDivision
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.match.faults import Profile
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec
from referee.worker.cluster_place import ClusterUse
from referee.worker.organiser import OrganiserHub


def open_hub(
    bots: Iterable[BotSpec],
    *,
    work: WorkDivision,
    replays: Path | None,
    profile: Profile,
    compress: bool = False,
    keep: Keep = lambda _: None,
    report: Callable[[Finished], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
    forkserver: Forkserver | None = None,
    cluster: ClusterUse | None = None,
) -> Hub:
    """Return the hub of a run: one that plays itself, or that of an organiser with workers.

    A forkserver of the caller's is for a hub that plays itself.
    """
    if cluster is not None:
        # Its libraries are an extra.
        from referee.worker.dask_hub import ClusterHub

        return ClusterHub(
            bots,
            cluster=cluster,
            replays=replays,
            compress=compress,
            profile=profile,
            keep=keep,
            report=report,
            note=note,
        )
    if min(work.workers, work.jobs) == 1:
        return Hub(
            bots,
            jobs=work.jobs,
            light_jobs=work.light_jobs,
            replays=replays,
            compress=compress,
            profile=profile,
            keep=keep,
            report=report,
            forkserver=forkserver,
        )
    return OrganiserHub(
        bots,
        work=work,
        replays=replays,
        compress=compress,
        profile=profile,
        keep=keep,
        report=report,
        note=note,
    )
