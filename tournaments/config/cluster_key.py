"""The table `[cluster]` of a tournament file, read and checked."""

from pathlib import Path

from referee.worker.cluster_place import ClusterPlace
from tournaments.config.entrants import beside
from tournaments.config.file_keys import ClusterEntry
from tournaments.config.mistakes import Mistakes


def cluster_of(folder: Path, entry: ClusterEntry | None, mistakes: Mistakes) -> ClusterPlace | None:
    """Return the cluster of a file; the files of TLS count from the folder of the file."""
    if entry is None:
        return None
    files = {
        name: str(beside(folder, path, mistakes, ("cluster", name)))
        for name in ("ca", "cert", "key")
        if (path := getattr(entry, name)) is not None
    }
    place = ClusterPlace(entry.address, **files)
    if flaw := place.flaw():
        mistakes.add(("cluster", "address"), flaw)
    return place
