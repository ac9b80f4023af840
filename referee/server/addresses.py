"""Addresses of daemons, as operators and authors write them."""

from referee.errors import AddressError


def check_address(address: str) -> str:
    """Return a ZeroMQ address for what an operator may write: a port, host:port, or a whole address."""
    scheme, found, rest = address.rpartition("://")
    if scheme == "ipc" and rest:
        return address
    host, _, port = rest.rpartition(":")
    if (found and scheme != "tcp") or not port.isdecimal() or int(port) > 65_535:
        raise AddressError(f"{address!r} is no address: write a port, host:port, or tcp://host:port")
    if host.startswith("["):
        raise AddressError(
            f"{address!r} is an address of IPv6, and bots come over IPv4: 0.0.0.0 stands for all"
        )
    # ZeroMQ listens at numbers, not at names.
    host = "127.0.0.1" if host in ("", "localhost") else host
    return f"tcp://{host}:{port}"


def is_local(address: str) -> bool:
    """Return whether only this host can reach an address that `check_address` has returned."""
    return address.startswith(("ipc://", "tcp://127."))
