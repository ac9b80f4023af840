"""Watches the public gate of a daemon's hub.

A gate that hangs is ended, so that it can be opened again. While nothing is heard of the gate no bot is
called late, and when something is heard again no bot is charged for the time between.
"""

import time
from collections.abc import Callable

from referee.gate.config import GateConfig
from referee.gate.records import Beat, Failed, Noted, Up
from referee.hub.gate_client import GateClient
from referee.hub.hub import Hub
from referee.match.clock import MS

_SILENCE_NS = 500 * MS
"""A gate that works is heard twice in this time; if it is not, bots are not charged for the silence."""

HANG_NS = 3_000 * MS
"""A gate that is not heard for this long hangs. A busy host may well keep it waiting for one second."""

_PATIENCE_NS = 60_000 * MS
"""How long matches wait for a gate that cannot be opened again."""

_LOOK_NS = 250 * MS


class GateWatch:
    """Opens the public gate of a hub, and is the hub's entrance."""

    def __init__(self, hub: Hub, listener: Callable[[Up], None]) -> None:
        """Become the entrance of a hub; `listener` is called with the records of the gate."""
        self.gate: GateClient | None = None
        self._hub = hub
        self._listener = listener
        self._heard_ns = 0
        """When the gate was last heard, not counting time in which the hub did not look."""
        hub.entrance = self
        self._look()

    @property
    def pid(self) -> int:
        """The process of the gate; 0 while there is none."""
        return self.gate.pid if self.gate is not None else 0

    def open(self, config: GateConfig) -> None:
        """Open the gate."""

        def take(record: Up) -> None:
            if type(record) is not Failed:
                self._heard()
            if type(record) is not Beat:
                self._listener(record)

        hub = self._hub
        self._heard_ns = self._heard_ns or hub.loop.looked_ns
        self.gate = GateClient(hub.forkserver, hub.loop, config, take)

    def excuse(self, delay_ns: int) -> None:
        """Give all bots more time for what they owe now, because the gate is late."""
        for session in self._hub.sessions:
            for running in session.matches.values():
                running.match.excuse(running.seat_of(session), delay_ns)

    def _silent_ns(self) -> int:
        return self._hub.loop.looked_ns - self._heard_ns if self._heard_ns else 0

    def _heard(self) -> None:
        silent_ns = self._silent_ns()
        self._heard_ns = self._hub.loop.looked_ns
        if silent_ns > _SILENCE_NS:
            self.excuse(silent_ns)

    def _look(self) -> None:
        """End a gate that hangs: like any other that has ended it is then opened again."""
        self._hub.loop.at(time.monotonic_ns() + _LOOK_NS, self._look)
        gate = self.gate
        if gate is not None and gate.pid and not gate.ended and self._silent_ns() > HANG_NS:
            silent_s = HANG_NS // (1_000 * MS)
            self._listener(Noted(f"the public gate has not been heard for {silent_s} s and is ended"))
            self._hub.forkserver.end_gate(gate.pid)

    # The hub's entrance.

    def may_judge(self, deadline_ns: int) -> bool:
        """Return whether the gate has been heard after a deadline: an answer may wait in there."""
        if self._silent_ns() > _PATIENCE_NS:
            return True
        return not self._heard_ns < deadline_ns <= self._hub.loop.looked_ns

    def stalled(self, stall_ns: int) -> None:
        """Take note that the hub did not look: that says nothing about the gate."""
        self._heard_ns += stall_ns

    def close(self) -> None:
        """Close the gate."""
        if self.gate is not None:
            self.gate.close()
