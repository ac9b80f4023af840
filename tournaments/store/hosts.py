"""On which kind of host each match of a tournament was played, as the notes of its runs say."""

from bisect import bisect_right

import msgspec

from tournaments.store.errors import StoreError
from tournaments.store.provenance import NOTE, HostProvenance, Provenance
from tournaments.store.store import Store


def hosts_of(store: Store) -> dict[str, str]:
    """Return by id of a match on which kind of host it was played; empty if all were on one.

    Two hosts differ if they differ in processor or number of cores: an update of the system makes no new one.
    """
    runs = store.noted_after(NOTE)
    try:
        named = [_name(msgspec.json.decode(text, type=Provenance).host) for _, text in runs]
    except ValueError as error:
        raise StoreError(f"{store.path}: the note of a run is not as it was written") from error
    if len(set(named)) < 2:
        return {}
    since = [results for results, _ in runs]
    return {
        match: named[bisect_right(since, number - 1) - 1]
        for number, match in enumerate(store.ids(), 1)
        if number > since[0]
    }


def _name(host: HostProvenance) -> str:
    return f"{host.processor or host.machine}, {host.cores} {'core' if host.cores == 1 else 'cores'}"
