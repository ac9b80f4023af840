"""What a gate process is given."""

import msgspec


class GateConfig(msgspec.Struct, frozen=True):
    """Where a gate listens, and which bots it lets in."""

    address: str
    token: str | None
    """Only the bot with this token may enter, over a socket of this host; None: any bot may."""
    most: int = 1
    """How many bots may be connected at once."""
    keys: str | None = None
    """The folder of keys by which bots prove their accounts; None: they need not."""
