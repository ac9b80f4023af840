"""The hub of a daemon: its bots come through a door, which is watched.

A door that hangs is ended, so that it can be opened again. While nothing is heard of the door no bot is
called late, and when something is heard again nobody is charged for the time between.
"""

import time
from collections.abc import Callable
from pathlib import Path

from referee.gate.records import Beat, Failed, Noted, Up
from referee.gate.router import GateConfig
from referee.hub.archive import Keep
from referee.hub.gate_client import GateClient
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.faults import FaultCode, Profile

_HUSH_NS = 500 * MS
"""A door that is well is heard twice in this time; if it is not, bots are not charged for it."""

HANG_NS = 3_000 * MS
"""A door that is not heard for this long hangs. A busy host may well keep it waiting for one second."""

_PATIENCE_NS = 60_000 * MS
"""How long matches are kept waiting for a door that cannot be opened again."""

_LOOK_NS = 250 * MS
_AGAIN_NS = 50 * MS


class Hall(Hub):
    """The hub of a daemon, which also hears of bots that go."""

    def __init__(
        self,
        hear: Callable[[Session, str], None],
        *,
        jobs: int,
        replays: Path,
        profile: Profile,
        keep: Keep,
        report: Callable[[Finished], None],
    ) -> None:
        self._hear = hear
        self._listener: Callable[[Up], None] = lambda _: None
        self._heard_ns = 0
        """When something was last heard of the door, not counting time in which we did not listen."""
        super().__init__(jobs=jobs, replays=replays, profile=profile, keep=keep, report=report)
        self._look_after_door()

    def gone(self, session: Session, code: FaultCode, why: str) -> None:
        """Charge the end of a bot to its matches, and tell."""
        super().gone(session, code, why)
        self._hear(session, why)

    def open_door(self, door: GateConfig, listener: Callable[[Up], None]) -> None:
        """Open the door; `listener` hears what comes through it, and of its end."""

        def take(record: Up) -> None:
            if type(record) is not Failed:
                self._door_heard()
            if type(record) is not Beat:
                listener(record)

        self._heard_ns = self._heard_ns or self.loop.looked_ns
        self._listener = listener
        self.door = GateClient(self.nursery, self.loop, door, take)

    def excuse(self, delay_ns: int) -> None:
        """Give all bots more time for what they owe now: it is our door that is late."""
        for session in self.sessions:
            for table in session.tables.values():
                table.match.excuse(table.seat_of(session), delay_ns)

    def _silence_ns(self) -> int:
        return self.loop.looked_ns - self._heard_ns if self._heard_ns else 0

    def _door_heard(self) -> None:
        silence_ns = self._silence_ns()
        self._heard_ns = self.loop.looked_ns
        if silence_ns > _HUSH_NS:
            self.excuse(silence_ns)

    def _look_after_door(self) -> None:
        """End a door that hangs: its end is heard, and then it is opened again like any other that ended."""
        self.loop.at(time.monotonic_ns() + _LOOK_NS, self._look_after_door)
        door = self.door
        if door is not None and door.pid and not door.ended and self._silence_ns() > HANG_NS:
            self._listener(Noted(f"the door has not been heard for {HANG_NS // (1_000 * MS)} s and is ended"))
            self.nursery.end_gate(door.pid)

    def _stalled(self, stall_ns: int) -> None:
        # We did not listen: that says nothing about the door.
        self._heard_ns += stall_ns
        super()._stalled(stall_ns)

    def _tick(self, match_id: str) -> None:
        """Call nobody late before the door has been heard after the deadline: an answer may wait in there."""
        table = self.tables.get(match_id)
        if table is not None and self._awaits_door(table.match.deadline_ns):
            self._set_timer(table, self.loop.looked_ns + _AGAIN_NS)
        else:
            super()._tick(match_id)

    def _awaits_door(self, due_ns: int | None) -> bool:
        if due_ns is None or self._silence_ns() > _PATIENCE_NS:
            return False
        return self._heard_ns < due_ns <= self.loop.looked_ns
