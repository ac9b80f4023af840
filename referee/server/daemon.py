"""The daemon: bots connect from elsewhere, are matched, and play continuously.

The door, the one socket strangers can reach, is a gate process of its own. When it ends, however that came
about, it is opened again at the same address; bots come back with their sessions, and their matches go on.
"""

import contextlib
import itertools
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from weakref import WeakSet

from referee.errors import AddressError
from referee.game import Game, Options
from referee.gate.cooldown import Cooldown
from referee.gate.keystore import KeyStore
from referee.gate.records import Beat, Expelled, Failed, Greeted, Noted, Opened, Up
from referee.gate.router import GateConfig
from referee.hub.fixture import Planner, deal_name
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.faults import PROFILES, FaultCode, Profile
from referee.replay.hashchain import Head
from referee.server.daybook import Daybook, Row
from referee.server.door_watch import Hall

_AWAY_NS = 60_000 * MS
"""How long a bot that lost its connection is waited for."""

_REOPEN_NS = 200 * MS
_RETURN_NS = 1_000 * MS
"""What bots are given to find the way back through a door that was open and has ended."""

_MOST_FAULTS = 3
"""A bot that loses this many matches in a row by its own fault is sent away."""

_FAREWELL_NS = 300 * MS
"""How long the door stays open for bots that were told goodbye."""

_DISMISSED = "dismissed"

_DRAIN_MS = 30_000
"""How long matches may go on after the daemon was asked to stop."""


Choose = Callable[[Sequence[str], Sequence[tuple[str, ...]]], Sequence[str] | None]
"""Says which of the free bots are to play next, by seat, given the tables that play now; None if none are."""


class Daemon:
    """Lets bots in, brings them together, and keeps what comes of it."""

    def __init__(
        self,
        address: str,
        game: Game,
        seats: int,
        options: Options,
        *,
        folder: Path,
        choose: Choose,
        jobs: int = 4,
        profile: Profile = PROFILES["strict"],
        seed: str | None = None,
        most_bots: int = 256,
        keys: Path | None = None,
        report: Callable[[Finished], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
        watch: Callable[[Hub], None] = lambda _: None,
    ) -> None:
        """Open the door; `choose` brings bots together, `note` hears who comes and goes.

        With a folder of `keys` only bots on its list may enter, each under its account.
        `watch` is shown the hub before the door is open.

        Raises AddressError if nobody can listen there, ConfigError or RecordError if results cannot be kept
        in the folder, ConfigError if the keys are no good.
        """
        if keys is not None:
            KeyStore(keys).server()
            KeyStore(keys).accounts()
        self.game = game
        self.seats = seats
        self.options = game.resolve(options, seats)
        self.address = ""
        self.played = 0
        self._choose = choose
        self._jobs = jobs
        self._profile = profile
        self._planner = Planner(
            game.info.id,
            seed or secrets.token_hex(16),
            self.options,
            run=secrets.token_hex(8),
            writes_seed=False,
        )
        self._numbers = itertools.count(1)
        self._most_bots = most_bots
        self._keys = None if keys is None else str(keys.resolve())
        self._report = report
        self._note = note
        self._faults: Counter[str] = Counter()
        """By name: how many matches in a row it has lost by its own fault."""
        self._players: dict[str, Sequence[Session]] = {}
        """By match: who plays it."""
        self._sent_away: WeakSet[Session] = WeakSet()
        self._bench = Cooldown()
        """Accounts that were sent away. They may come back, but it may be only to lose more matches."""
        self._away_since: dict[str, int] = {}
        self._visitors: dict[int, Session] = {}
        self._shut = ""
        """Why the door cannot be opened again; nothing if it can, or has not been tried."""
        self._daybook = Daybook(folder)
        self._hub = Hall(
            self._gone,
            jobs=jobs,
            replays=folder,
            profile=profile,
            keep=lambda ones: self._daybook.add([Row(one.result, one.play, one.digest) for one in ones]),
            report=self._finished,
        )
        self._run = MatchRun(self._hub, note, limit_ms=_DRAIN_MS)
        try:
            watch(self._hub)
            self._open(address)
            while not self.address:
                self._hub.loop.turn()
        except BaseException:
            self.close()
            raise

    @property
    def earlier(self) -> Sequence[Row]:
        """What earlier runs left in the folder."""
        return self._daybook.rows

    @property
    def head(self) -> Head:
        """The end of the chain of all results."""
        return self._daybook.head

    # The door.

    def _open(self, address: str) -> None:
        door = GateConfig(address, None, self._most_bots, self._keys)
        self._hub.open_door(door, self._take)

    def _take(self, record: Up) -> None:
        if isinstance(record, Opened):
            # Once: where the door is opened again is not for a door to say.
            self.address = self.address or record.address
            if self._shut:
                self._shut = ""
                self._note("the door is open again")
        elif isinstance(record, Failed):
            self._door_failed(record)
        elif isinstance(record, Greeted):
            self._visit(record)
        elif isinstance(record, Noted):
            self._note(record.text)
        elif isinstance(record, Expelled):
            if record.bot in self._visitors:
                self._visitors[record.bot].fail(FaultCode.DISCONNECTED, record.why)
        elif not isinstance(record, Beat) and record.bot in self._visitors:
            self._visitors[record.bot].take(record)

    def _door_failed(self, record: Failed) -> None:
        if not self.address:
            raise AddressError(record.why)
        assert self._hub.door is not None
        if self._hub.door.pid:
            self._note("the door has ended and is opened again; bots may come back")
            self._hub.excuse(_RETURN_NS)
        elif record.why != self._shut:
            self._shut = record.why
            self._note(f"the door cannot be opened again yet, and is tried until it can: {record.why}")
        self._visitors.clear()
        for session in self._hub.sessions:
            session.away = True
        self._hub.loop.at(time.monotonic_ns() + _REOPEN_NS, self._reopen)

    def _reopen(self) -> None:
        if not self._hub.nursery.has_ended():
            self._open(self.address)

    def _visit(self, record: Greeted) -> None:
        """Take in a bot: one that comes back, or a new one."""
        before = self._visitors.get(record.bot)
        known = [s for s in self._hub.sessions if record.session is not None and s.id == record.session]
        if record.account:
            # A session belongs to the account it began with, and an account has one at most.
            known = [session for session in known if session.name == record.account]
            for other in [s for s in self._hub.sessions if s.name == record.account]:
                if other is not before and other not in known:
                    other.fail(FaultCode.DISCONNECTED, "a newer connection with its key has taken its place")
        # One connection, one bot: a second hello does not make another of it.
        session = known[0] if known else before or self._newcomer(record)
        if before is not None and before is not session:
            before.away = True
        self._away_since.pop(session.id, None)
        for bot in [bot for bot, visitor in self._visitors.items() if visitor is session]:
            del self._visitors[bot]
        self._visitors[record.bot] = session
        assert self._hub.door is not None
        session.join(self._hub.door, record.bot)
        session.take(record)

    def _newcomer(self, record: Greeted) -> Session:
        name = record.account or self._free_name(record.name)
        session = Session(name, self._hub, self._hub.loop, self._profile)
        self._hub.sessions.append(session)
        self._note(f"{name} has come ({len(self._hub.sessions)} here)")
        return session

    def _free_name(self, wanted: str) -> str:
        taken = {session.name for session in self._hub.sessions}
        names = itertools.chain([wanted], (f"{wanted}~{n}" for n in itertools.count(2)))
        return next(name for name in names if name not in taken)

    # Matches.

    def run(self, matches: int | None = None) -> None:
        """Bring bots together until told to stop, or until so many matches have been begun."""
        while not self._hub.draining and (matches is None or self.played < matches):
            self._send_away_the_lost()
            begun = self._match_up(matches)
            self._hub.loop.turn(0 if begun else 200 * MS)
        while self._hub.tables:
            self._hub.loop.turn(200 * MS)
        self._hub.run()

    def drain(self) -> None:
        """Begin no more matches; `run` returns when those that run have ended, or half a minute later.

        May be called from a signal handler, as may `abandon`.
        """
        self._run.drain()

    def abandon(self) -> None:
        """End all matches without a verdict, now."""
        self._run.abandon()

    def _match_up(self, matches: int | None) -> bool:
        """Begin one match, if there are a table and bots for it; say whether it was.

        Not several at once: to choose among a thousand bots takes a while, and those that play must be heard.
        """
        if len(self._hub.tables) >= self._jobs or (matches is not None and self.played >= matches):
            return False
        table = self._next_table()
        if table is None:
            return False
        self.played += 1
        self._begin(table)
        return True

    def _next_table(self) -> Sequence[Session] | None:
        free = {s.name: s for s in self._hub.sessions if self._is_free(s)}
        running = [table.pairing.bots for table in self._hub.tables.values()]
        chosen = self._choose(sorted(free), running)
        return None if chosen is None else [free[name] for name in chosen]

    def _is_free(self, session: Session) -> bool:
        plays = not session.games or self.game.info.id in session.games
        able = session.state == "open" and session.measured and not session.away
        waits = self._bench.has(session.name, time.monotonic())
        return plays and able and not waits and len(session.tables) < session.capacity

    def _begin(self, table: Sequence[Session]) -> None:
        bots = tuple(session.name for session in table)
        [fixture] = self._planner.block(bots, deal_name(next(self._numbers)), rotations=[0], shared=False)
        pairing = self._planner.pairing(fixture, self.game, self._profile)
        self._players[pairing.match] = table
        self._hub.begin(pairing, list(table))

    def _finished(self, finished: Finished) -> None:
        players = self._players.pop(finished.result.match)
        for session, fault in zip(players, finished.result.faults, strict=True):
            name = session.name
            if session in self._sent_away:
                # It has paid for what it lost then; on a slow disk that is told late.
                continue
            self._faults[name] = self._faults[name] + 1 if fault else 0
            if not fault and finished.void is None:
                self._bench.forgive(name)
            if self._faults[name] >= _MOST_FAULTS:
                self._send_away(name, f"it lost {_MOST_FAULTS} matches in a row by its own fault")
        self._report(finished)

    # Going.

    def _send_away(self, name: str, why: str) -> None:
        del self._faults[name]
        self._note(f"{name} is sent away: {why}")
        if self._keys is not None:
            # Without keys it could come back under another name, and spoil this one for others.
            pause_s = self._bench.send(name, time.monotonic())
            self._note(f"{name} gets no match for {pause_s:.0f} s")
        for session in [s for s in self._hub.sessions if s.name == name]:
            self._sent_away.add(session)
            session.dismiss()

    def _send_away_the_lost(self) -> None:
        now_ns = time.monotonic_ns()
        for session in list(self._hub.sessions):
            if not session.away:
                continue
            since_ns = self._away_since.setdefault(session.id, now_ns)
            if now_ns - since_ns > _AWAY_NS and not session.tables:
                session.fail(FaultCode.DISCONNECTED, "it lost its connection and did not come back")

    def _gone(self, session: Session, why: str) -> None:
        self._away_since.pop(session.id, None)
        for bot in [bot for bot, visitor in self._visitors.items() if visitor is session]:
            del self._visitors[bot]
        if why != _DISMISSED:
            self._note(f"{session.name} has gone: {why} ({len(self._hub.sessions)} here)")

    def close(self) -> None:
        """Say goodbye to everybody and close the door."""
        self._run.over = True
        with contextlib.ExitStack() as last:
            last.callback(self._daybook.close)
            last.callback(self._hub.close)
            self._say_goodbye()

    def _say_goodbye(self) -> None:
        """Tell all bots that it is over, and leave the door open until they have gone.

        A bot that reads our bye and the end of the connection at once may lose the bye.
        """
        self._hub.abandon("the daemon closes")
        if not self._hub.sessions:
            return
        for session in list(self._hub.sessions):
            session.dismiss()
        over: list[None] = []
        # By the loop's time, which stands still while this host does: a bye could not leave in the meantime.
        self._hub.loop.at(time.monotonic_ns() + _FAREWELL_NS, lambda: over.append(None))
        while not over:
            self._hub.loop.turn()


def check_address(address: str) -> str:
    """Return a ZeroMQ address for what an operator may write: a port, host:port, or the whole."""
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
    """Say whether only this host can reach an address that `check_address` has returned."""
    return address.startswith(("ipc://", "tcp://127."))
