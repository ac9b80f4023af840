"""`referee worker`: lets this host play for a cluster."""

import socket
from socket import AF_INET, AF_INET6

import click

from referee.cli import examples
from referee.cli.options.cluster import checked_place, place_at, tls_options
from referee.errors import ConfigError
from referee.hub.capacity import cores
from referee.hub.host_speed import host_name
from referee.wording import clean
from referee.worker.cluster_place import is_port


def _check_free(listen: str) -> None:
    """Raise ConfigError for an address at which this host cannot listen."""
    host, _, port = listen.rpartition(":")
    if not is_port(port):
        raise ConfigError(f"--listen is HOST:PORT or :PORT, not {listen!r}")
    host = host.strip("[]")
    try:
        socket.create_server((host, int(port)), family=AF_INET6 if ":" in host else AF_INET).close()
    except OSError as error:
        why = str(error.strerror).partition(" (")[0]
        raise ConfigError(f"--listen {listen}: this host cannot listen there: {why}") from error


@click.command(
    epilog=examples(
        "referee worker tcp://10.0.0.1:8786",
        "referee worker tcp://10.0.0.1:8786 --processors 12",
        "referee worker tls://10.0.0.1:8786 --tls-ca ca.pem --tls-cert host.pem --tls-key host-key.pem",
    )
)
@click.argument("address")
@click.option(
    "--processors",
    type=click.IntRange(min=1, max=4_096),
    help="Processors for bots that are to act; default: all that this process may use.",
)
@click.option("--name", help="The name of this host in results and notes; default: its own.")
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="",
    help="Where the scheduler reaches this host; default: the address that leads there, any free port.",
)
@tls_options
@click.pass_context
def worker(
    ctx: click.Context,
    address: str,
    processors: int | None,
    name: str | None,
    listen: str,
) -> None:
    """Play for the cluster whose scheduler is at ADDRESS, until Ctrl-C.

    Organisers send matches with `referee tournament run --cluster ADDRESS`, and the bots with them. This host
    must have the same version of the referee, and the interpreters and libraries that the bots need.

    All that is played ends with this command, and this command ends with the one that started it. If the
    scheduler goes, it waits for one at the same address.
    """
    place = checked_place(place_at(ctx, address), "referee worker")
    if listen:
        _check_free(listen)
    # Its libraries are an extra.
    from referee.worker.dask_worker import serve

    serve(
        place,
        name=clean(name or host_name())[:64],
        processors=processors or cores(),
        listen=listen,
        say=lambda text: click.echo(text, err=True),
    )
