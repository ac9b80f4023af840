"""`--cluster`: matches on other hosts; and the files of TLS, which all who join a cluster need."""

import functools
from importlib.util import find_spec

import click

from referee.cli.options.common import Command
from referee.cli.options.terms import warn
from referee.errors import ConfigError
from referee.worker.cluster_place import ClusterPlace

_NEEDED = "distributed"
_TLS = "referee.tls"


def cluster_options(command: Command) -> Command:
    """Give a command `--cluster` and the files of TLS; its parameter `cluster` is a ClusterPlace or None."""

    def read(ctx: click.Context, _param: click.Parameter, address: str | None) -> ClusterPlace | None:
        if address is not None:
            return checked_place(place_at(ctx, address), "--cluster")
        if any(ctx.meta.get(_TLS, {}).values()):
            raise ConfigError("--tls-ca, --tls-cert and --tls-key belong to --cluster tls://HOST:PORT")
        return None

    option = click.option(
        "--cluster",
        metavar="ADDRESS",
        callback=read,
        help="Play on the hosts of the Dask cluster whose scheduler is at tcp://HOST:PORT or tls://HOST:PORT "
        "(docs/cluster.md).",
    )
    return option(tls_options(command))


def tls_options(command: Command) -> Command:
    """Give a command the files of TLS: `--tls-ca`, `--tls-cert` and `--tls-key`."""

    def note(ctx: click.Context, param: click.Parameter, path: str | None) -> None:
        assert param.name is not None
        ctx.meta.setdefault(_TLS, {})[param.name.removeprefix("tls_")] = path or ""

    files = {
        "ca": "The authority that signed all certificates of the cluster, for tls://.",
        "cert": "The certificate of this host, for tls://.",
        "key": "Its private key, for tls://.",
    }
    options = [
        click.option(
            f"--tls-{name}",
            *(["--tls-ca-file"] if name == "ca" else []),
            f"tls_{name}",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            is_eager=True,
            expose_value=False,
            callback=note,
            help=text,
        )
        for name, text in files.items()
    ]
    return functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)


def place_at(ctx: click.Context, address: str) -> ClusterPlace:
    """Return the cluster at an address, with the files of TLS that were given."""
    return ClusterPlace(address, **ctx.meta.get(_TLS, {}))


def checked_place(place: ClusterPlace, option: str) -> ClusterPlace:
    """Return a cluster that can be used from here; raises ConfigError if it cannot."""
    if find_spec(_NEEDED) is None:
        raise ConfigError(f"{option} needs further libraries: pip install 'chicago-referee[cluster]'")
    place.check()
    warn(place.caution)
    return place
