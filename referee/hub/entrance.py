"""What a hub needs to know of the gate through which bots of other hosts come: whether it is late itself."""

from typing import Protocol


class Entrance(Protocol):
    """A watched gate. Bots are not charged for time in which the gate was late."""

    def may_judge(self, deadline_ns: int) -> bool:
        """Return whether an answer that was in time for this deadline would have come through by now."""

    def stalled(self, stall_ns: int) -> None:
        """Take note that the hub's loop was kept from looking for this long."""

    def close(self) -> None:
        """Close the gate."""
